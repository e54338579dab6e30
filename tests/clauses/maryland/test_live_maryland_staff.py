"""Tables with staff, clause by clause: who opens, shuffles, deals, approves and orders, live."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from clauses import proves
from hosting import Client, Hosted, Json
from wartable.croupier import Timing
from wartable.server.audit import recall, verify
from wartable.server.audit.significant import Significant, of_step
from wartable.server.period import Period

PATIENT = Timing(cut_ms=None, bank_ms=None, number_ms=0, choice_ms=None, view_ms=None)


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """One server for all tests of this file; its records are verified at the end."""
    folder = tmp_path_factory.mktemp("house")
    with Hosted(folder, books=("maryland", "online"), shared=PATIENT) as running:
        yield running
        verify.verify(running.house.engine, running.house.key)


class MarylandTable:
    """A staffed Maryland table with a dealer, a floorperson and a player who came first."""

    def __init__(self, hosted: Hosted, name: str) -> None:
        self.name = name
        self.dealer, self.floor = hosted.staff("dealer"), hosted.staff("floor")
        self.player = hosted.guest()
        self.floor.post("/tables", 201, name=name, book="maryland", staffed=True)
        self.player.hello(name)
        self._count = 0

    def __enter__(self) -> "MarylandTable":
        return self

    def __exit__(self, *_: object) -> None:
        for client in (self.dealer, self.floor, self.player):
            client.close()

    def does(self, client: Client, type_: str, /, **fields: object) -> Json:
        """Somebody's command over HTTP, and its answer."""
        self._count += 1
        body = {"type": type_, "id": str(self._count), **fields}
        answer: Json = client.http.post(f"/tables/{self.name}/commands", json=body).json()
        return answer

    def must(self, client: Client, type_: str, /, **fields: object) -> None:
        """Somebody's command that is accepted."""
        answer = self.does(client, type_, **fields)
        assert answer.get("type") == "accepted", (type_, answer)

    def code(self, client: Client, type_: str, /, **fields: object) -> str:
        """The code with which somebody's command is refused."""
        return str(self.does(client, type_, **fields).get("code"))

    def state(self) -> Json:
        """The table as anybody sees it."""
        state: Json = self.player.get(f"/tables/{self.name}")["state"]
        return state

    def heard(self, *kinds: str) -> list[str]:
        """The kinds of events that the player's client was told until now, of these."""
        self.player.say("ping", id="now")
        self.player.hear("pong")
        return [event["type"] for event in self.player.events() if event["type"] in kinds]

    def noted(self, kind: str) -> list[Significant]:
        """The significant events of that kind at the table, as the audit reports them."""
        house = self.player.hosted.house
        steps = recall.steps(house.engine, house.key, self.name)
        events = (event for step in steps for event in of_step(step, Period()))
        return [event for event in events if event.kind == kind]

    def receive(self, condition: str = "new") -> None:
        """Six decks from the inventory in this condition."""
        name = f"for-{self.name}".replace(" ", "-")
        self.floor.post("/cards", 201, name=name, decks=6, back="red")
        if condition == "inspected_and_shuffled":
            self.dealer.post(f"/cards/{name}/moves", what="inspected")
            self.floor.post(f"/cards/{name}/moves", what="verified")
            self.dealer.post(f"/cards/{name}/moves", what="shuffled")
        self.floor.post(f"/cards/{name}/moves", what="secured", place="vault")
        self.floor.post(f"/cards/{name}/moves", what="issued", place=self.name)
        self.must(self.dealer, "receive_decks")

    def open(self) -> None:
        """The opening by the book, up to a loaded shoe."""
        self.receive()
        self.must(self.dealer, "prepare", step="inspect")
        self.must(self.floor, "prepare", step="verify")
        for step in ("spread", "view", "turn", "wash", "stack"):
            by = self.player if step == "view" else self.dealer
            self.must(by, "prepare", step=step)
        self.must(self.dealer, "shuffle_cards")
        self.must(self.player, "refuse_cut")
        self.must(self.dealer, "load_shoe")


@proves("live", "MD-4-A-1", "MD-4-A-2", "MD-4-B", "MD-4-C", "MD-4-C-1", "MD-4-C-2")
@proves("live", "MD-5-C", "MD-5-E-1", "MD-8-B", "MD-8-E-1")
def test_MD_4_the_opening(hosted: Hosted) -> None:
    """Two people sign off the cards, the first player sees them, then each step in its order."""
    with MarylandTable(hosted, "opening") as table, hosted.guest() as second:
        table.must(table.player, "join", amount=50_000, seat=2)
        table.must(second, "join", amount=50_000, seat=1)
        table.receive()
        assert table.code(table.player, "prepare", step="inspect") == "not_your_part"
        assert table.does(table.dealer, "prepare", step="wash")["type"] == "refused"
        table.must(table.dealer, "prepare", step="inspect")
        assert table.does(table.dealer, "prepare", step="verify")["type"] == "refused"
        table.must(table.floor, "prepare", step="verify")
        assert table.does(table.dealer, "prepare", step="turn")["type"] == "refused"
        table.must(table.dealer, "prepare", step="spread")
        assert table.code(table.dealer, "prepare", step="view") == "not_your_part"
        assert table.code(second, "prepare", step="view") == "not_first"
        assert table.does(table.dealer, "prepare", step="turn")["type"] == "refused"
        table.must(table.player, "prepare", step="view")
        for step in ("turn", "wash", "stack"):
            table.must(table.dealer, "prepare", step=step)
        table.must(table.dealer, "shuffle_cards")
        assert table.state()["cut"]["offered"] == table.player.name
        assert table.code(second, "cut", position=150) not in ("", "None")
        table.must(table.player, "cut", position=150)
        table.must(table.dealer, "load_shoe")
        kinds = ("decks_received", "prepared", "cut_offered", "shoe_loaded", "card_burned")
        heard = table.heard(*kinds)
        assert heard[0] == "decks_received"
        assert heard[-1] == "card_burned"
        burned = table.player.events("card_burned")
        assert [event["card"] for event in burned] == ["??"]
        signed = [(e["step"], e["by"]) for e in table.player.events("prepared")][:2]
        assert signed == [("inspect", table.dealer.name), ("verify", table.floor.name)]
        loaded = table.player.events("shoe_loaded")
        assert [event["by"] for event in loaded] == [table.dealer.name]


@proves("live", "MD-7-A", "MD-7-B-1", "MD-7-C", "MD-7-D", "MD-8-C", "MD-8-I")
@proves("live", "MD-7-F-1", "MD-8-F-1", "MD-8-F-2", "MD-7-F-3b", "MD-8-D-1b")
@pytest.mark.finding(14)
def test_MD_8_a_dealt_round(hosted: Hosted) -> None:
    """Wagers of seated players name box, spot and amount, close before any card, and stand."""
    with MarylandTable(hosted, "dealing") as table, hosted.guest() as unseated:
        table.must(table.player, "join", amount=50_000, seat=2)
        table.open()
        table.must(table.dealer, "start_round")
        assert table.code(unseated, "bet", box=1, wager="primary", amount=500) == "not_here"
        assert table.code(unseated, "join", amount=500) == "not_seated"
        assert table.code(table.player, "bet", box=2, wager="tie", amount=500) == "primary_required"
        table.must(table.player, "bet", box=2, wager="primary", amount=500)
        table.must(table.player, "bet", box=2, wager="progressive", amount=500)
        hands = table.state()["round"]["hands"]
        assert [wager["kind"] for wager in hands[0]["wagers"]] == ["primary", "progressive"]
        table.must(table.dealer, "close_bets")
        assert table.code(table.player, "bet", box=2, wager="primary", amount=500) == "bets_closed"
        assert table.code(table.player, "withdraw", box=2, wager="primary") == "bets_closed"
        assert table.code(table.player, "proceed") == "not_your_part"
        table.must(table.dealer, "count_side_bets", progressive=2)
        assert table.code(table.dealer, "proceed") == "count_due"
        (listed,) = (t for t in table.floor.get("/staff")["tables"] if t["name"] == table.name)
        assert listed["miscounted"]
        assert [due["what"] for due in listed["due"]] == ["count"]
        table.must(table.dealer, "count_side_bets", progressive=1)
        differed = table.noted("count_differed")
        assert [(each.actor, json.loads(each.after)) for each in differed] == [
            (
                table.dealer.name,
                {
                    "type": "count_differed",
                    "by": table.dealer.name,
                    "progressive": 2,
                    "bonus_spin": 0,
                    "accepted": {"progressive": 1, "bonus_spin": 0},
                },
            )
        ]
        table.must(table.dealer, "proceed")
        heard = table.heard("bets_closed", "dealt")
        assert heard[:3] == ["bets_closed", "dealt", "dealt"]
        assert [event["box"] for event in table.player.events("dealt")][:2] == [2, 0]
        assert all(event["card"] != "??" for event in table.player.events("dealt"))


@proves("live", "MD-5-H-2", "MD-5-G-1", "MD-11-E-1", "MD-8-E-4")
def test_MD_11_the_floor_orders(hosted: Hosted) -> None:
    """Reshuffles are the floor's to order, void wagers go back, a failed device is marked."""
    with MarylandTable(hosted, "orders") as table:
        table.must(table.player, "join", amount=50_000, seat=1)
        table.receive("inspected_and_shuffled")
        while (due := table.does(table.dealer, "shuffle_cards"))["type"] == "refused":
            step = next(s for s in ("turn", "wash", "stack", "riffle") if table_step(table, s))
            assert step, due
        table.must(table.player, "cut", position=150)
        assert table.code(table.dealer, "order_recut", who="last", reason="no") == "not_your_part"
        table.must(table.floor, "order_recut", who="last", reason="asked for")
        assert table.state()["cut"]["offered"] == table.player.name
        table.must(table.player, "cut", position=140)
        table.must(table.dealer, "load_shoe")
        dora = hosted.staff("dealer")
        table.must(table.floor, "change_dealer", dealer=dora.name)
        table.must(dora, "start_round")
        table.heard()
        burned = [event["why"] for event in table.player.events("card_burned")]
        assert burned == ["first", "new_dealer"]
        table.must(table.player, "bet", box=1, wager="primary", amount=500)
        assert table.code(table.dealer, "order_reshuffle", reason="no") == "not_your_part"
        table.must(table.floor, "order_reshuffle", reason="a reason")
        assert table.state()["reshuffle"] == "a reason"
        assert table.code(table.player, "void_round", reason="no") == "not_your_part"
        table.must(table.floor, "void_round", reason="the shuffler jammed")
        assert table.state()["guests"][table.player.name]["stack"] == 50_000
        table.must(dora, "fail_device", reason="stuck")
        table.must(dora, "mark_device", mark="covered")
        assert table.state()["device_mark"] == "covered"


def table_step(table: MarylandTable, step: str) -> bool:
    """Whether that step was due and is done."""
    return bool(table.does(table.dealer, "prepare", step=step)["type"] == "accepted")


def test_the_platform_lets_the_look_at_the_cards_pass(tmp_path: Path) -> None:
    """At a table with staff the first player may look at the spread cards, but not for ever."""
    timing = Timing(cut_ms=None, bank_ms=None, number_ms=0, choice_ms=None, view_ms=0)
    hosting = Hosted(tmp_path, books=("maryland",), shared=timing)
    with hosting as hosted, MarylandTable(hosted, "maryland spread") as table:
        table.must(table.player, "join", amount=50_000, seat=2)
        table.receive()
        table.must(table.dealer, "prepare", step="inspect")
        table.must(table.floor, "prepare", step="verify")
        table.must(table.dealer, "prepare", step="spread")
        while (step := table.player.hear("happened")["events"][-1]).get("step") != "view":
            kinds = ("joined", "dealer_changed", "decks_received", "prepared")
            assert step["type"] in kinds, step
        assert step["by"] == "platform"
        table.must(table.dealer, "prepare", step="turn")
