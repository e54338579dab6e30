"""Player protection (R11), the disable drill (R6), and records that cannot be changed (R8)."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given, settings

from hosting import Client, Hosted, Json, TestClock
from live_tables import Cards, Planted, people
from table_strategies import PLAYERS, Plan, RandomTable, plans
from tables import BUY_IN, Play
from tampering import drop_triggers
from waiting import until
from wartable import game, ledger, table
from wartable.money import Transfer
from wartable.server.audit import verify
from wartable.server.house.cage import GUEST_MONEY
from wartable.server.house.limits import PlayerLimits
from wartable.server.records import database, schema
from wartable.server.records.journal import Broken
from wartable.server.records.rows import CASHIER, OFFICE, Entry
from wartable.server.tables.exposure import exposure
from wartable.server.tables.floor import Floor
from wartable.table import commands as c

MINUTE_MS = 60_000
DAY_MS = 24 * 60 * MINUTE_MS


@pytest.fixture
def hosted(tmp_path: Path) -> Iterator[Hosted]:
    """A server with its own clock; its records are verified at the end."""
    with Hosted(tmp_path, books=("online", "washington")) as running:
        yield running
        verify.verify(running.house.engine, running.house.key)


def conclude(client: Client) -> None:
    """Deal the running round to its end."""
    before = len(client.events("closed"))
    client.must("close_bets")
    while len(client.events("closed")) == before:
        for due in client.awaited()["due"]:
            if due["what"] == "choice":
                client.do("choose", box=due["box"], choice="surrender")


def in_round(hosted: Hosted) -> Client:
    """A guest at a table of their own with a wager in play."""
    client = hosted.guest()
    client.private("online")
    client.until("bets")
    assert client.bet() == ""
    return client


@pytest.mark.parametrize("scope", ["gaming", "book", "table", "player"])
def test_R6_disable_drill(hosted: Hosted, scope: str) -> None:
    """Disabled means: no new wager, the running round concluded, who, when and why recorded."""
    with in_round(hosted) as client, hosted.admin() as admin, in_round(hosted) as other:
        table = f"online@{client.name}"
        name = {"gaming": "", "book": "online", "table": table, "player": client.name}[scope]
        admin.post("/disable", scope=scope, name=name, reason="a drill")
        assert client.bet(box=2) == "disabled"
        assert client.do("buy_in", amount=100)["code"] == "disabled"
        conclude(client)
        assert client.bet() == "disabled"
        assert other.bet(box=2) == ("disabled" if scope in ("gaming", "book") else "")
        assert [each["scope"] for each in admin.get("/closures")] == [scope]
        admin.post("/enable", scope=scope, name=name, reason="over")
        assert client.bet() == ""
        events = admin.get("/records/significant")
        drill = [each for each in events if each["kind"] in ("disabled", "enabled")]
        assert [(each["actor"], each["reason"]) for each in drill] == [
            ("admin", "a drill"),
            ("admin", "over"),
        ]
        assert [(each["before"], each["after"]) for each in drill] == [
            ("enabled", "disabled"),
            ("disabled", "enabled"),
        ]
        assert drill[0]["subject"] == f"{scope} {name}".strip()
        assert drill[0]["at_ms"] <= drill[1]["at_ms"]


@pytest.mark.parametrize(
    ("scope", "words"),
    [
        ("gaming", "The house takes no new wager: a drill."),
        ("book", "No new wager is taken at the tables of this rule book: a drill."),
        ("table", "No new wager is taken at this table: a drill."),
        ("player", "No new wager is taken from you: a drill."),
    ],
)
def test_R6_who_is_there_is_told_why(hosted: Hosted, scope: str, words: str) -> None:
    """What is disabled is told at once with its reason, to who follows, comes, or tries to bet."""
    with in_round(hosted) as client, hosted.admin() as admin, in_round(hosted) as other:
        table = f"online@{client.name}"
        name = {"gaming": "", "book": "online", "table": table, "player": client.name}[scope]
        subject: Json = {"scope": scope, "name": name}
        admin.post("/disable", **subject, reason="a drill.")
        told = client.hear("wagering")
        assert (told["disabled"], told["sentence"]) == (scope, words)
        assert client.do("bet", box=2, wager="primary", amount=500)["sentence"] == words
        client.hello(table)
        assert client.hear("wagering") == told
        admin.post("/disable", **subject, reason="a longer drill")
        assert "a longer drill" in client.hear("wagering")["sentence"]
        admin.post("/enable", **subject, reason="over")
        assert client.hear("wagering")["disabled"] is None
        conclude(client)
        conclude(other)
        concerned = [each for each in other.heard if each["type"] == "wagering"]
        assert bool(concerned) == (scope in ("gaming", "book"))


def test_R8_what_was_not_disabled_is_not_recorded_as_enabled(hosted: Hosted) -> None:
    """To enable what is not disabled is refused, and the records say nothing of it."""
    with hosted.admin() as admin:
        problem = admin.post("/enable", 404, scope="book", name="online", reason="over")
        assert problem["code"] == "not_disabled"
        kinds = {each["kind"] for each in admin.get("/records/significant")}
        assert "enabled" not in kinds


def test_R6_a_closure_outlives_a_restart(tmp_path: Path) -> None:
    """What was disabled is disabled after a restart too, and the lobby says so."""
    with Hosted(tmp_path, books=("online",)) as hosted, hosted.admin() as admin:
        admin.post("/disable", scope="gaming", reason="a drill")
        admin.post("/disable", 404, scope="book", name="poker", reason="a drill")
    with Hosted(tmp_path, books=("online",)) as hosted, hosted.guest() as client:
        name = client.post("/tables/private", 201, book="online")["name"]
        client.hello(name)
        assert client.do("join", amount=1_000, seat=1)["code"] == "disabled"
        card = client.get("/lobby")["tables"][0]
        assert card["closed"] == "gaming"
        assert card["reason"] == "The house takes no new wager: a drill."


def test_R11_loss_limit(hosted: Hosted) -> None:
    """No wager that could pass the loss limit is taken; a stricter limit holds at once."""
    with in_round(hosted) as client:
        client.put("/me/limits", kind="loss_day", amount=1_200)
        assert client.bet(600, box=2) == ""
        assert client.bet(200, box=3) == "loss_limit"
        assert client.bet(100, box=3) == ""
        limits = {each["kind"]: each for each in client.get("/me")["limits"]}
        assert (limits["loss_day"]["amount"], limits["loss_day"]["used"]) == (1_200, 1_200)


def test_R11_a_war_over_the_limit_is_refused(tmp_path: Path) -> None:
    """A war needs new money: over the limit it is refused, and surrender remains."""
    hosted = Hosted(tmp_path, books=("online",))
    with hosted, hosted.register("alice") as client:
        Planted(hosted, client.private("online"), Cards("=", "."))
        client.until("bets")
        client.must("bet", box=1, wager="primary", amount=500)
        client.must("close_bets")
        client.until("choice")
        client.put("/me/limits", kind="loss_day", amount=lost(client))
        assert client.do("choose", box=1, choice="war")["code"] == "loss_limit"
        client.must("choose", box=1, choice="surrender")


def lost(client: Client) -> int:
    """What the player has lost today, wagers in play included."""
    limits = {each["kind"]: each["used"] for each in client.get("/me")["limits"]}
    return int(limits["loss_day"])


def test_R11_a_bank_counts_with_all_that_it_may_match(tmp_path: Path) -> None:
    """Others' wars take no more of a banker than the limit, whatever the banker does meanwhile."""
    with people(tmp_path, "california", 2) as house:
        ann, bob = house.players
        ann.put("/me/limits", kind="loss_day", amount=15_000)
        with house.table("one") as one, house.table("two") as two:
            for each in (one, two):
                each.join(ann, bob).load(Cards("=", "="))
            answer = one.does(ann, "take_bank", amount=1_000)
            assert answer["code"] == "loss_limit"
            assert "everything they have at the table" in answer["sentence"]
            one.must(ann, "cash_out", amount=26_000)
            one.must(ann, "take_bank", amount=1_000)
            assert one.code(ann, "buy_in", amount=1_001) == "loss_limit"
            one.must(ann, "buy_in", amount=1_000)
            two.must(ann, "cash_out", amount=39_999)
            assert two.code(ann, "take_bank", amount=1) == "loss_limit"
            one.start().bet(bob, 2, 1_000)
            one.deal()
            assert two.code(ann, "take_bank", amount=1) == "loss_limit"
            assert one.code(ann, "buy_in", amount=1) == "loss_limit", "it could be matched with"
            one.choose(bob, 2, "war", war_tie=1_000)
            assert one.state()["round"]["hands"][0]["wagers"][1]["matched"] == 1_000
            assert lost(ann) > 2_000, "the bank matched what others staked"
            assert two.code(ann, "take_bank", amount=1) == "loss_limit"
            one.proceed()
            assert 2_000 < lost(ann) <= 15_000
            two.must(ann, "take_bank", amount=1)


class Risk:
    """What each player has lost and what others may still stake for them, after each command."""

    def __init__(self, start: Play) -> None:
        self.floor = Floor(TestClock())
        self.risks = dict.fromkeys(PLAYERS, 0)
        self.between = dict(self.risks)
        """The risks after the last round; a void round takes its wins back too."""
        self.commands, self.events = len(start.commands), len(start.events)
        self.staked_by: Counter[str] = Counter()
        """How often others staked for a player: a matching bank, the platform, the seated."""
        self._stand(start)

    def _stand(self, play: Play) -> None:
        self.state = play.state
        live = SimpleNamespace(setup=play.setup, state=play.state)
        place: Any = SimpleNamespace(live=live, owner=None)
        self.floor.add(place)

    def __call__(self, play: Play) -> None:
        """See that no risk grew but by what the player's own command was counted with."""
        if len(play.commands) == self.commands:
            return
        command = play.commands[-1]
        by = "" if isinstance(command, game.Timeout) else getattr(command, "player", "")
        staked = self.floor.added_exposure(play.setup.name, command)
        state, own = self.state, ledger.stack(by)
        for event in play.events[self.events :]:
            for moved in ledger.transfers(state, event):
                if moved.source == own and not moved.target.startswith("wallet:"):
                    staked += moved.amount
            if isinstance(event, game.Matched):
                self.staked_by["bank"] += 1
            if isinstance(event, game.Chosen) and event.choice == "war":
                self.staked_by[event.by] += 1
            state = table.apply(state, event)
        voided = any(isinstance(e, game.RoundVoided) for e in play.events[self.events :])
        self.commands, self.events = len(play.commands), len(play.events)
        self._stand(play)
        for name, before in self.risks.items():
            lost = -play.accounts[ledger.stack(name)] - play.accounts[ledger.wallet(name)]
            risk = self.risks[name] = lost + exposure(play.setup, play.state, name)
            allowed = before + (staked if name == by else 0)
            if voided:
                allowed = max(allowed, self.between[name])
            assert risk <= allowed, (name, command)
        if not play.state.in_round:
            self.between = dict(self.risks)


def test_R11_nobody_else_makes_a_player_lose_more() -> None:
    """In any play a player risks what their own commands were counted with, and never more."""
    staked_by: Counter[str] = Counter()

    @settings(max_examples=200)
    @given(plans(rounds=8, few=True))
    def run(plan: Plan) -> None:
        playing = RandomTable(plan, lambda _: None)
        risk = Risk(playing.play)
        playing.after = risk
        playing.run()
        staked_by.update(risk.staked_by)

    run()
    assert all(staked_by[each] > 5 for each in ("bank", "platform")), staked_by


def test_R11_a_war_that_the_seated_player_chooses_was_counted_with_the_wager() -> None:
    """Who bets behind a seated player who may go to war for both risks twice the wager."""
    play = Play("new-zealand", box_choice="seated_player").join("ann")
    play.do(c.Join("bob", BUY_IN))
    play.few = ("7h",)
    play.start()
    risk = Risk(play)
    for command in (
        game.Bet("ann", 1, "primary", 100),
        game.Bet("bob", 1, "primary", 300),
        game.CloseBets(),
        c.Proceed(),
        game.Choose("ann", 1, "war"),
    ):
        play.do(command)
        risk(play)
        if isinstance(command, game.Bet):
            assert risk.risks["bob"] == (0 if command.player == "ann" else 600)
    assert risk.staked_by["seated"] == 1
    assert play.stack("bob") == BUY_IN - 600


def test_R11_a_bank_that_is_promised_counts_towards_the_limit(tmp_path: Path) -> None:
    """Who took a bank that is not posted yet cannot stake the same allowance at another table."""
    with people(tmp_path, "california", 2) as house:
        ann, bob = house.players
        ann.put("/me/limits", kind="loss_day", amount=15_000)
        with house.table("one") as one, house.table("two") as two:
            for table in (one, two):
                table.join(ann, bob, amount=10_000).load(Cards("<"))
            one.must(ann, "take_bank", amount=10_000)
            assert two.code(ann, "take_bank", amount=10_000) == "loss_limit"
            two.must(ann, "cash_out", amount=5_000)
            two.must(ann, "take_bank", amount=5_000)
            one.start()
            two.start()
            used = [each for each in ann.get("/me")["limits"] if each["kind"] == "loss_day"]
            assert used[0]["used"] == 15_000


def test_R11_loosening_waits_a_day(hosted: Hosted) -> None:
    """A looser limit of the player's holds after 24 hours, a stricter one at once."""
    with in_round(hosted) as client:
        client.put("/me/limits", kind="loss_day", amount=600)
        client.put("/me/limits", kind="loss_day", amount=5_000)
        limit = next(each for each in client.get("/me")["limits"] if each["kind"] == "loss_day")
        assert (limit["amount"], limit["next_amount"]) == (600, 5_000)
        assert client.bet(1_000, box=2) == "loss_limit"
        hosted.clock.ahead_ms += DAY_MS + 1_000
        with hosted.sign_in(client.name, client.password) as later:
            later.hello(f"online@{client.name}")
            assert later.bet(1_000, box=2) == ""
            later.put("/me/limits", kind="loss_day", amount=None)
            later.put("/me/limits", kind="loss_day", amount=10)
            assert later.bet(1_000, box=3) == "loss_limit"


def test_R11_the_stricter_limit_wins(hosted: Hosted) -> None:
    """Of the player's and the operator's limits, for one or for all, the lowest holds."""
    with in_round(hosted) as client, hosted.admin() as admin:
        client.put("/me/limits", kind="loss_day", amount=3_000)
        admin.put("/limits", account=client.name, kind="loss_day", amount=2_000)
        assert client.bet(1_600, box=2) == "loss_limit"
        admin.put("/limits", account=client.name, kind="loss_day", amount=9_000)
        assert client.bet(2_600, box=2) == "loss_limit"
        admin.put("/limits", account="*", kind="loss_day", amount=600)
        assert client.bet(200, box=2) == "loss_limit"
        assert client.bet(100, box=2) == ""
        kinds = [each["kind"] for each in admin.get("/records/significant")]
        assert kinds.count("limit_set") == 4


def test_R11_limits_outlive_a_restart(tmp_path: Path) -> None:
    """Limits, and what counts towards them, are the same after a restart."""
    with Hosted(tmp_path, books=("online",)) as hosted:
        client = in_round(hosted)
        client.put("/me/limits", kind="loss_day", amount=600)
        client.close()
    with Hosted(tmp_path, books=("online",)) as hosted, resumed(hosted, client) as back:
        back.hello(f"online@{client.name}")
        assert back.bet(200, box=2) == "loss_limit"
        assert back.bet(100, box=2) == ""


def resumed(hosted: Hosted, client: Client) -> Client:
    """The same session at a server that was started again."""
    return Client(hosted, client.name, client.token)


def test_R11_time_limit(hosted: Hosted) -> None:
    """Who has played as many minutes as their limit allows makes no more wagers that day."""
    with in_round(hosted) as client:
        start = next(e["used"] for e in client.get("/me")["limits"] if e["kind"] == "minutes_day")
        client.put("/me/limits", kind="minutes_day", amount=start + 1)
        hosted.clock.ahead_ms += MINUTE_MS
        assert client.bet(box=2) == ""
        hosted.clock.ahead_ms += MINUTE_MS
        assert client.bet(box=3) == "minutes_limit"
        conclude(client)


@pytest.mark.parametrize("why", ["disabled", "excluded"])
def test_R6_R11_a_war_takes_no_new_tie_wager(tmp_path: Path, why: str) -> None:
    """Going to war concludes the round; a wager on its tie is a new one, and is refused."""
    with Hosted(tmp_path, books=("online",)) as hosted, hosted.register("alice") as alice:
        Planted(hosted, alice.private("online"), Cards("=", "."))
        alice.until("bets")
        assert alice.bet() == ""
        alice.must("close_bets")
        alice.until("choice")
        if why == "excluded":
            alice.post("/me/exclude", days=1)
        else:
            with hosted.admin() as admin:
                admin.post("/disable", scope="gaming", reason="drill")
        assert alice.do("choose", box=1, choice="war", war_tie=500)["code"] == why
        alice.must("choose", box=1, choice="war")


def test_R11_deposit_limit_and_exclusion(tmp_path: Path) -> None:
    """Over the limit or excluded nothing is paid in or wagered; withdrawal is still possible."""
    with (
        Hosted(tmp_path, books=("online",), money="deposited") as hosted,
        hosted.admin() as admin,
        hosted.register("depositor") as player,
        hosted.http(admin.post("/keys", 201, name="cage")["token"]) as key,
    ):

        def move(what: str, amount: int, id_: str) -> str:
            answer = key.post(
                f"/wallets/depositor/{what}",
                json={"amount": amount},
                headers={"Idempotency-Key": id_},
            )
            return str(answer.json().get("code", ""))

        player.put("/me/limits", kind="deposit_week", amount=10_000)
        assert move("deposit", 8_000, "1") == ""
        assert move("deposit", 3_000, "2") == "deposit_limit"
        assert move("deposit", 2_000, "3") == ""
        player.private("online", 5_000)
        player.until("bets")
        assert player.bet() == ""
        player.post("/me/exclude", days=7, reason="enough")
        assert player.post("/me/exclude", 409, days=1)["code"] == "excluded"
        assert player.bet(box=2) == "excluded"
        assert player.do("buy_in", amount=100)["code"] == "excluded"
        assert move("deposit", 1, "4") == "excluded"
        conclude(player)
        player.must("leave")
        assert move("withdraw", 5_000, "5") == ""
        hosted.clock.ahead_ms += 7 * DAY_MS + 1_000
        assert move("deposit", 1, "6") == ""


@pytest.mark.parametrize("posted", [False, True])
@pytest.mark.parametrize("way", ["excluded", "disabled"])
def test_R11_a_bank_of_who_may_not_wager_banks_no_round(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, posted: bool
) -> None:
    """Whose bank nobody has played against yet leaves with it at once; the bank goes on."""
    monkeypatch.setattr("wartable.server.running.RENEW_S", 3_600)  # not by what is done regularly
    with people(tmp_path, "california", 3) as house:
        ann, bob, _ = house.players
        admin = house.hosted.admin()
        with house.table("one") as one:
            one.join(*house.players).load(Cards("<"))
            one.must(ann, "take_bank", amount=5_000)
            if posted:
                one.start()
            if way == "excluded":
                ann.post("/me/exclude", days=7, reason="enough")
            else:
                admin.post("/disable", scope="player", name=ann.name, reason="an order")
            until(lambda: ann.name not in one.state()["guests"])
            assert (one.state()["round"] or {"closed": True})["closed"]
            assert ann.get("/me")["holds"] == {"wallet": GUEST_MONEY}
            one.must(bob, "take_bank", amount=5_000)


def test_R11_a_banker_who_is_excluded_in_a_round_banks_it_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others' wagers are decided; then nothing of the banker's stays at the table."""
    monkeypatch.setattr("wartable.server.running.RENEW_S", 0.1)
    with people(tmp_path, "california", 2) as house:
        ann, bob = house.players
        with house.table("one") as one:
            one.join(ann, bob).load(Cards(">"))
            one.must(ann, "take_bank", amount=5_000)
            one.start().bet(bob, 2, 1_000)
            ann.post("/me/exclude", days=7, reason="enough")
            one.deal()
            until(lambda: ann.name not in one.state()["guests"])
            assert ann.get("/me")["holds"] == {"wallet": GUEST_MONEY - 1_000}


def test_R11_a_wager_that_was_just_made_is_not_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who may not wager any more while a wager is being written plays it to its end."""
    with people(tmp_path, "washington", 1) as house:
        (ann,), admin = house.players, house.hosted.admin()
        with house.table("one") as one:
            one.join(ann).load(Cards(">")).start()
            live = house.hosted.house.floor.places["one"].live
            write, dealer = live._commit, one.dealer.name

            async def slowly(entry: Entry) -> None:
                if entry.row.actor == ann.name:
                    live.submit(dealer, "close", game.CloseBets())
                    await asyncio.to_thread(
                        admin.post, "/disable", scope="player", name=ann.name, reason="an order"
                    )
                await write(entry)

            monkeypatch.setattr(live, "_commit", slowly)
            one.bet(ann, 1, 1_000)
            one.proceed()
            until(lambda: ann.name not in one.state()["guests"])
            assert ann.get("/me")["holds"] == {"wallet": GUEST_MONEY + 1_000}


def test_R11_reality_check(hosted: Hosted) -> None:
    """After an hour the player is shown time and net result, and wagers wait until it is read.

    What lies on the felt is not lost yet.
    """
    with in_round(hosted) as client:
        for _ in range(3):
            hosted.clock.ahead_ms += 21 * MINUTE_MS
            me = client.get("/me")
        assert (me["session_minutes"], me["session_net"]) == (63, 0)
        assert client.bet(box=2) == "reality_check"
        reality = next(m for m in client.heard if m["type"] == "reality")
        assert (reality["minutes"], reality["net"]) == (63, 0)
        assert client.bet(box=2) == "reality_check"
        assert client.get("/me")["reality_due"]
        client.say("acknowledge", id="read")
        client.hear("pong")
        assert client.bet(box=2) == ""
        assert not client.get("/me")["reality_due"]


def test_R11_a_reality_check_is_shown_again_until_it_is_read(hosted: Hosted) -> None:
    """Who loads the page anew, or has another one open, gets the reality check to read there."""
    with hosted.guest() as player:
        name = player.private("online")
        player.until("bets")
        for _ in range(3):
            hosted.clock.ahead_ms += 21 * MINUTE_MS
            player.get("/me")
        assert player.bet() == "reality_check"
        with Client(hosted, player.name, player.token) as reloaded:
            reloaded.hello(name)
            assert reloaded.bet() == "reality_check"
            shown = [each["minutes"] for each in reloaded.heard if each["type"] == "reality"]
            assert shown == [63]
            reloaded.say("acknowledge", id="read")
            reloaded.hear("pong")
            assert reloaded.bet() == ""
        assert player.bet() == ""
        assert len([each for each in player.heard if each["type"] == "reality"]) == 1


def test_R8_significant_events_cannot_be_changed(tmp_path: Path) -> None:
    """A changed or removed significant event is found, and the row is named."""
    with Hosted(tmp_path, books=("online",)) as hosted, hosted.admin() as admin:
        admin.post("/disable", scope="gaming", reason="a drill")
        number = admin.get("/records/significant")[-1]["number"]
        engine, key = hosted.house.engine, hosted.house.key
        journal = schema.journal
        here = sa.and_(journal.c.table_name == OFFICE, journal.c.number == number)
        with engine.begin() as connection:
            drop_triggers(connection)
            reason = sa.func.replace(journal.c.command, "a drill", "nothing")
            connection.execute(journal.update().where(here).values(command=reason))
        with pytest.raises(Broken, match=f"office row {number}"):
            verify.verify(engine, key)
        with engine.begin() as connection:
            connection.execute(journal.delete().where(here))
        with pytest.raises(Broken, match=r"the chain ends|missing"):
            verify.verify(engine, key)


def test_R11_what_no_limit_counts_any_more_is_let_go(tmp_path: Path) -> None:
    """Players who do not come again are forgotten, as late as a restart would, and nobody else."""
    engine, today = database.engine_for(str(tmp_path / "house.sqlite")), 20_000
    now = today
    clock: Any = SimpleNamespace(now_ms=lambda: now * DAY_MS)
    database.create(engine)
    limits = PlayerLimits(engine, clock, {})
    for name in ("ann", "bob", "eve"):
        limits.count(CASHIER, today, [Transfer("outside", f"wallet:{name}", 500)])
    now = today + 29
    limits.count(CASHIER, now, [Transfer("outside", "wallet:bob", 300)])
    limits.forget({"eve"})
    assert {name: limits.used(name, "deposit_month") for name in limits.played} == {
        "ann": 500,
        "bob": 800,
        "eve": 500,
    }
    now = today + 30
    limits.forget({"eve"})
    assert set(limits.played) == {"bob", "eve"}
    assert limits.played["bob"].deposited == {today + 29: 300}
    assert limits.used("bob", "deposit_month") == 300
    assert limits.played["eve"].deposited == {today: 500}
    engine.dispose()
