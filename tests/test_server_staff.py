"""Tables with staff, clause by clause: who opens, shuffles, deals, approves and orders, live."""

from collections.abc import Iterator

import pytest

from clauses import proves
from hosting import Client, Hosted, Json
from wartable.croupier import Timing
from wartable.server.audit import verify

PATIENT = Timing(cut_ms=None, bank_ms=None, choice_ms=None, view_ms=None)


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """One server for all tests of this file; its records are verified at the end."""
    folder = tmp_path_factory.mktemp("house")
    with Hosted(folder, books=("maryland", "online"), shared=PATIENT) as running:
        yield running
        verify.verify(running.house.engine, running.house.key)


class Pit:
    """A staffed Maryland table with a dealer, a floorperson and a player who came first."""

    def __init__(self, hosted: Hosted, name: str) -> None:
        self.name = name
        self.dealer, self.floor = hosted.staff("dealer"), hosted.staff("floor")
        self.player = hosted.guest()
        self.floor.post("/tables", 201, name=name, book="maryland", staffed=True)
        self.player.hello(name)
        self._count = 0

    def __enter__(self) -> "Pit":
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

    def open(self) -> None:
        """The opening by the book, up to a loaded shoe."""
        self.must(self.dealer, "receive_decks")
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
    with Pit(hosted, "opening") as pit, hosted.guest() as second:
        pit.must(pit.player, "join", amount=50_000, seat=2)
        pit.must(second, "join", amount=50_000, seat=1)
        pit.must(pit.dealer, "receive_decks")
        assert pit.code(pit.player, "prepare", step="inspect") == "not_your_part"
        assert pit.does(pit.dealer, "prepare", step="wash")["type"] == "refused"
        pit.must(pit.dealer, "prepare", step="inspect")
        assert pit.does(pit.dealer, "prepare", step="verify")["type"] == "refused"
        pit.must(pit.floor, "prepare", step="verify")
        assert pit.does(pit.dealer, "prepare", step="turn")["type"] == "refused"
        pit.must(pit.dealer, "prepare", step="spread")
        assert pit.code(pit.dealer, "prepare", step="view") == "not_your_part"
        assert pit.code(second, "prepare", step="view") == "not_first"
        assert pit.does(pit.dealer, "prepare", step="turn")["type"] == "refused"
        pit.must(pit.player, "prepare", step="view")
        for step in ("turn", "wash", "stack"):
            pit.must(pit.dealer, "prepare", step=step)
        pit.must(pit.dealer, "shuffle_cards")
        assert pit.state()["cut"]["offered"] == pit.player.name
        assert pit.code(second, "cut", position=150) not in ("", "None")
        pit.must(pit.player, "cut", position=150)
        pit.must(pit.dealer, "load_shoe")
        kinds = ("decks_received", "prepared", "cut_offered", "shoe_loaded", "card_burned")
        heard = pit.heard(*kinds)
        assert heard[0] == "decks_received"
        assert heard[-1] == "card_burned"
        burned = pit.player.events("card_burned")
        assert [event["card"] for event in burned] == ["??"]
        signed = [(e["step"], e["by"]) for e in pit.player.events("prepared")][:2]
        assert signed == [("inspect", pit.dealer.name), ("verify", pit.floor.name)]
        loaded = pit.player.events("shoe_loaded")
        assert [event["by"] for event in loaded] == [pit.dealer.name]


@proves("live", "MD-7-A", "MD-7-B-1", "MD-7-C", "MD-7-D", "MD-8-C", "MD-8-I")
@proves("live", "MD-7-F-1", "MD-8-F-1", "MD-8-F-2", "MD-7-F-3b", "MD-8-D-1b")
def test_MD_8_a_dealt_round(hosted: Hosted) -> None:
    """Wagers of seated players name box, spot and amount, close before any card, and stand."""
    with Pit(hosted, "dealing") as pit, hosted.guest() as unseated:
        pit.must(pit.player, "join", amount=50_000, seat=2)
        pit.open()
        pit.must(pit.dealer, "start_round")
        assert pit.code(unseated, "bet", box=1, wager="primary", amount=500) == "not_here"
        assert pit.code(unseated, "join", amount=500) == "not_seated"
        assert pit.code(pit.player, "bet", box=2, wager="tie", amount=500) == "primary_required"
        pit.must(pit.player, "bet", box=2, wager="primary", amount=500)
        pit.must(pit.player, "bet", box=2, wager="progressive", amount=500)
        hands = pit.state()["round"]["hands"]
        assert [wager["kind"] for wager in hands[0]["wagers"]] == ["primary", "progressive"]
        pit.must(pit.dealer, "close_bets")
        assert pit.code(pit.player, "bet", box=2, wager="primary", amount=500) == "bets_closed"
        assert pit.code(pit.player, "withdraw", box=2, wager="primary") == "bets_closed"
        assert pit.code(pit.player, "proceed") == "not_your_part"
        assert pit.code(pit.dealer, "count_side_bets", progressive=2) == "count_differs"
        pit.must(pit.dealer, "count_side_bets", progressive=1)
        pit.must(pit.dealer, "proceed")
        heard = pit.heard("bets_closed", "dealt")
        assert heard[:3] == ["bets_closed", "dealt", "dealt"]
        assert [event["box"] for event in pit.player.events("dealt")][:2] == [2, 0]
        assert all(event["card"] != "??" for event in pit.player.events("dealt"))


@proves("live", "MD-5-H-2", "MD-5-G-1", "MD-11-E-1", "MD-8-E-4")
def test_MD_11_the_floor_orders(hosted: Hosted) -> None:
    """Reshuffles are the floor's to order, void wagers go back, a failed device is marked."""
    with Pit(hosted, "orders") as pit:
        pit.must(pit.player, "join", amount=50_000, seat=1)
        pit.must(pit.dealer, "receive_decks", condition="preshuffled")
        while (due := pit.does(pit.dealer, "shuffle_cards"))["type"] == "refused":
            step = next(s for s in ("turn", "wash", "stack", "riffle") if pit_step(pit, s))
            assert step, due
        pit.must(pit.player, "cut", position=150)
        assert pit.code(pit.dealer, "order_recut", who="last", reason="no") == "not_your_part"
        pit.must(pit.floor, "order_recut", who="last", reason="asked for")
        assert pit.state()["cut"]["offered"] == pit.player.name
        pit.must(pit.player, "cut", position=140)
        pit.must(pit.dealer, "load_shoe")
        pit.must(pit.floor, "change_dealer", dealer="another dealer")
        pit.must(pit.dealer, "start_round")
        pit.heard()
        burned = [event["why"] for event in pit.player.events("card_burned")]
        assert burned == ["first", "new_dealer"]
        pit.must(pit.player, "bet", box=1, wager="primary", amount=500)
        assert pit.code(pit.dealer, "order_reshuffle", reason="no") == "not_your_part"
        pit.must(pit.floor, "order_reshuffle", reason="a reason")
        assert pit.state()["reshuffle"] == "a reason"
        assert pit.code(pit.player, "void_round", reason="no") == "not_your_part"
        pit.must(pit.floor, "void_round", reason="the shuffler jammed")
        assert pit.state()["guests"][pit.player.name]["stack"] == 50_000
        pit.must(pit.dealer, "fail_device", reason="stuck")
        pit.must(pit.dealer, "mark_device", mark="covered")
        assert pit.state()["device_mark"] == "covered"


def pit_step(pit: Pit, step: str) -> bool:
    """Whether that step was due and is done."""
    return bool(pit.does(pit.dealer, "prepare", step=step)["type"] == "accepted")
