"""Worked rounds: what the documents pay, worked out by hand, is what the engine pays."""

import json
from typing import Any

import msgspec
import pytest

from golden import endings, paths
from paths import DATA
from wartable.notation import Playthrough, Step, parse, replay
from wartable.rules import NAMES, load, option_values
from wartable.rules.model import Options
from wartable.settle import Settlement, differences, settle
from wartable.worked import HANDS_MAX, Malformed, read_round

WORKED: list[dict[str, Any]] = json.loads((DATA / "endings.json").read_text("utf-8"))
"""Rounds whose `expect` was worked out by hand from the documents and the readings."""

NO_MONEY_IN_A_ROUND = {("shuffle", "shoe"), ("shuffle", "batches"), ("shuffle", "every_round")}
"""Values of options that no worked round needs to set: they are about other things than a round."""


def settled(value: dict[str, Any]) -> Settlement:
    """The round as it is settled."""
    return settle(read_round(value, check=True))


def as_playthrough(settlement: Settlement) -> Playthrough:
    """The round that the settlement fed to the engine."""
    steps = tuple(Step(command, events) for command, events in settlement.steps)
    return Playthrough(settlement.book.rules.name, {}, steps)


@pytest.mark.parametrize("worked", WORKED, ids=lambda worked: str(worked["id"]))
def test_worked(worked: dict[str, Any]) -> None:
    """The engine pays what was worked out by hand, and the banker has the rest."""
    settlement = settled(worked)
    assert differences(settlement) == []
    assert settlement.state.closed or not settlement.state.hands
    nets = [settlement.nets(index)["net"] for index in range(len(worked["hands"]))]
    assert sum(nets) + settlement.state.banker_net == 0


@pytest.mark.parametrize("worked", WORKED, ids=lambda worked: str(worked["id"]))
def test_a_wrong_expectation_is_found(worked: dict[str, Any]) -> None:
    """One cent more or less in any number of an expectation is a difference."""
    expect = worked["expect"]
    for index, hand in enumerate(expect["hands"]):
        for key in hand if "refused" not in hand else ["net", "tie"]:
            wrong = json.loads(json.dumps(worked))
            wrong["expect"]["hands"][index][key] = hand.get(key, 0) + 1
            assert [text.split(": ")[0] for text in differences(settled(wrong))] == [
                f"hand {index + 1}"
            ]
    wrong = {**worked, "expect": {**expect, "banker": expect["banker"] - 1}}
    assert len(differences(settled(wrong))) == 1


@pytest.mark.parametrize("book", NAMES)
def test_every_ending_is_worked(book: str) -> None:
    """Each way a wager can end in a book is worked by hand, or written as a golden by hand.

    The format has no words for leaving or a jam other than at a tie or before the deal.
    """
    known = {
        (wager, outcome)
        for wager, outcomes in load(book).rules.outcomes.items()
        for outcome in outcomes
    }
    worked = {
        ending
        for value in WORKED
        if value["rules"] == book
        for ending in endings(as_playthrough(settled(value)))
    }
    beyond = {
        ("tie", "abandoned"),
        ("progressive", "abandoned"),
        ("bonus_spin", "abandoned"),
        ("war", "abandoned"),
        ("war_tie", "abandoned"),
        ("war", "void"),
        ("war_tie", "void"),
    }
    by_hand = {
        ending
        for path in paths()
        if path.parent.name == book
        for ending in endings(parse(path.read_text("utf-8")))
    }
    assert known <= worked | beyond
    assert not worked & beyond
    assert beyond & known <= by_hand


def test_every_option_is_worked() -> None:
    """Each value of each named option that moves money is in the worked rounds."""
    set_by_rounds = {
        pair
        for value in WORKED
        for pair in {
            **msgspec.to_builtins(load(value["rules"]).rules.options),
            **value.get("settings", {}).get("options", {}),
        }.items()
    } | {
        ("electronic", str(value["settings"]["community_cards"]))
        for value in WORKED
        if "community_cards" in value.get("settings", {})
    }
    known = {(name, each) for name in Options.__struct_fields__ for each in option_values(name)}
    assert known - set_by_rounds - NO_MONEY_IN_A_ROUND == set()


def test_settled_rounds_replay() -> None:
    """What settle feeds the engine is a round like any other: it replays to the same events."""
    for value in WORKED:
        options = value.get("settings", {}).get("options", {})
        if "settings" not in value or value["settings"] == {"options": options}:
            settlement = settled(value)
            boxes = [hand["box"] for hand in value["hands"]]
            if not settlement.refusals and len(set(boxes)) == len(boxes) == 1:
                playthrough = msgspec.structs.replace(as_playthrough(settlement), options=options)
                assert replay(playthrough) == playthrough


def hand(**fields: Any) -> dict[str, Any]:
    """An entry for box 1 with a primary wager, otherwise as given."""
    return {"box": 1, "player": "ann", "wagers": {"primary": 1000}, "cards": ["9s"], **fields}


def worked(*hands: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A round by the Maryland book, otherwise as given."""
    return {"rules": "maryland", "hands": list(hands), "dealer": ["9c"], **fields}


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("primary_required", worked(hand(wagers={"tie": 100}))),
        ("primary_required", worked(hand(wagers={"progressive": 100}))),
        ("not_offered", worked(hand(wagers={"primary": 100, "progressive": 100}), rules="online")),
        ("not_offered", worked(hand(wagers={"primary": 5, "bonus_spin": 100}), rules="washington")),
        ("not_offered", worked(hand(choice="war", war_tie=5), rules="washington")),
        ("not_offered", worked(hand(choice="war", war_tie=5), rules="new-zealand")),
        ("wrong_size", worked(hand(wagers={"primary": 100, "progressive": 200}))),
        ("wrong_size", worked(hand(choice="war", war_tie=999), rules="online")),
        (
            "odd_amount",
            worked(hand(wagers={"primary": 11}), settings={"options": {"odd_half": "refuse"}}),
        ),
        ("no_such_box", worked(hand(box=4), settings={"community_cards": 3})),
        ("limit", worked(hand(wagers={"primary": 10**18}))),
        ("no_wager", worked(hand(wagers={}))),
        ("no_wager", worked(hand(wagers={"primary": 0, "tie": 0}))),
    ],
)
def test_a_refusal_has_a_code(code: str, value: dict[str, Any]) -> None:
    """What the engine refuses is a result with a stable code; the hand counts for nothing."""
    settlement = settle(read_round(value))
    assert settlement.refusals[0].code == code
    assert settlement.nets(0) == {"net": 0}
    assert settlement.state.banker_net == 0


SEVEN = [hand(box=box, player=f"p{box}", choice="surrender") for box in range(1, 8)]
SPIN = worked(hand(wagers={"primary": 100, "bonus_spin": 500}), dealer=["7h"])


@pytest.mark.parametrize(
    ("sentence", "value"),
    [
        ("the round: expected an object, got null.", None),
        ("the round: lacks required field `hands`.", {"rules": "maryland"}),
        ("the round: there is no field `table`.", worked(hand(), table=1)),
        ("hand 1: there is no field `bet`.", worked(hand(bet=5))),
        ("hand 1: wagers: there is no field `war`.", worked(hand(wagers={"war": 5}))),
        ("hand 1: wagers.tie: expected a whole number >= 0.", worked(hand(wagers={"tie": -1}))),
        (
            "hand 1: wagers.tie: expected a whole number, got a fraction.",
            worked(hand(wagers={"tie": 0.5})),
        ),
        (
            "hand 1: wagers.tie: expected a whole number, got true or false.",
            worked(hand(wagers={"tie": True})),
        ),
        (
            "hand 1: wagers.tie: expected a whole number, got text.",
            worked(hand(wagers={"tie": "5"})),
        ),
        (
            "hand 1: wagers.tie: expected a whole number <= 1000000000000000000.",
            worked(hand(wagers={"tie": 10**18 + 1})),
        ),
        ("hand 1: box: expected a whole number >= 1.", worked(hand(box=0))),
        ("hand 1: box: expected a whole number <= 9.", worked(hand(box=10))),
        ("hand 1: player: expected text of length >= 1.", worked(hand(player=""))),
        (
            "hand 1: cards[1]: expected text for a card, such as 9s.",
            worked(hand(cards=["9s", "??"])),
        ),
        ("dealer[0]: expected text for a card, such as 9s.", worked(hand(), dealer=["10s"])),
        ("hand 1: choice: invalid enum value 'fold'.", worked(hand(choice="fold"))),
        ("hands: expected a list of length >= 1.", worked()),
        (
            f"hands: expected a list of length <= {HANDS_MAX}.",
            worked(*[hand(player=f"p{number}") for number in range(HANDS_MAX + 1)]),
        ),
        ("hand 2: ann is on box 1 twice.", worked(hand(), hand())),
        (
            "hand 2: box 1 has other cards in another entry.",
            worked(hand(), hand(player="bob", cards=["8s"])),
        ),
        (
            "hand 1: it ties and needs a choice: war, surrender or leave.",
            worked(hand(), dealer=["9c"]),
        ),
        (
            "hand 1: this book holds the hand of a player who leaves; give war or surrender.",
            worked(hand(choice="leave"), rules="online"),
        ),
        ("cards: box 1 has no card for the original deal.", worked(hand(cards=[]))),
        ("cards: the dealer has no card for the original deal.", worked(hand(), dealer=[])),
        ("cards: box 1 has no card for the war deal.", worked(hand(choice="war"))),
        (
            "cards: the dealer has no card for the war deal.",
            worked(hand(choice="war", cards=["9s", "2s"])),
        ),
        (
            "cards: 9s is dealt 7 times, but 6 decks hold 6.",
            worked(*SEVEN),
        ),
        (
            "cards: 9s is dealt 2 times, but 1 deck holds 1.",
            worked(hand(choice="surrender"), dealer=["9s"], settings={"decks": 1}),
        ),
        ("settings.decks: expected a whole number >= 1.", worked(hand(), settings={"decks": 0})),
        (
            "settings: The house banks this game; no player may.",
            worked(hand(), settings={"bank": 5}),
        ),
        (
            "settings: community_cards and the option electronic have different values.",
            worked(hand(), settings={"community_cards": 3, "options": {"electronic": "5"}}),
        ),
        (
            "settings.community_cards: invalid enum value 4.",
            worked(hand(), settings={"community_cards": 4}),
        ),
        (
            "There is no rule book 'nevada'; use " + ", ".join(NAMES) + ", or a .toml file.",
            worked(hand(), rules="nevada"),
        ),
        (
            "The archive has no version of maryland with the digest 00000000.",
            worked(hand(), rules="maryland@00000000"),
        ),
        (
            "The option odd_half may be down, up, refuse, not 'never'.",
            worked(hand(), settings={"options": {"odd_half": "never"}}),
        ),
        ("settings: the bonus spin is triggered, so `wheel` is needed.", SPIN),
        (
            "settings.wheel: The hot spot must be one of the boxes [1].",
            {**SPIN, "settings": {"wheel": {"hot_spot_box": 2, "hot_spot": "$600"}}},
        ),
        (
            "settings.wheel: there is no field `stop`.",
            {**SPIN, "settings": {"wheel": {"stop": "$600"}}},
        ),
        (
            "settings.spin_trigger.color: invalid enum value 'green'.",
            {**SPIN, "settings": {"spin_trigger": {"rank": "7", "color": "green"}}},
        ),
        (
            "incident: no_card_dealt needs a box.",
            worked(hand(), incident={"kind": "no_card_dealt"}),
        ),
        (
            "incident: Box 2 awaits no card.",
            worked(hand(), incident={"kind": "no_card_dealt", "box": 2}),
        ),
        ("incident.kind: invalid enum value 'fire'.", worked(hand(), incident={"kind": "fire"})),
        (
            "hand 1: ann leaves and cannot choose on box 2.",
            worked(hand(choice="leave"), hand(box=2, choice="war")),
        ),
        (
            "hand 2: ann leaves and cannot choose on box 1.",
            worked(hand(choice="war"), hand(box=2, choice="leave")),
        ),
    ],
)
def test_malformed(sentence: str, value: Any) -> None:
    """What cannot be played is refused with one sentence that says where and why."""
    with pytest.raises(Malformed) as error:
        settle(read_round(value))
    assert str(error.value) == sentence


@pytest.mark.parametrize("symbol", ["$1", "", "none", "jackpot_tertiary", None])
def test_a_wheel_stops_at_its_symbols(symbol: str | None) -> None:
    """A symbol that the wheel does not have cannot be where it stopped."""
    for wheel in ({"hot_spot_box": 1, "hot_spot": symbol}, {"community": symbol}):
        with pytest.raises(Malformed, match=r"settings\.wheel: .* must be one of"):
            settle(read_round({**SPIN, "settings": {"wheel": wheel}}))


def test_expect_counts_only_for_a_check() -> None:
    """Without a check the `expect` is not even looked at; with one it must be there and sound."""
    value = worked(hand(choice="surrender"), expect={"nonsense": 1})
    assert settle(read_round(value)).nets(0)["net"] == -500
    with pytest.raises(Malformed, match="expect: there is no field `nonsense`"):
        read_round(value, check=True)
    with pytest.raises(Malformed, match="no `expect`"):
        differences(settle(read_round(value)))


def test_what_is_not_needed_is_ignored() -> None:
    """Cards, choices and settings that the round does not come to need no sense."""
    lower = hand(cards=["2s", "2s", "2s"], choice="leave", war_tie=77)
    settings = {"decks": 1, "wheel": {"hot_spot_box": 9, "hot_spot": "$7"}, "meter": 1}
    value = worked(lower, dealer=["9c", "2s", "2s"], settings=settings)
    assert settle(read_round(value)).nets(0) == {"primary": -1000, "main": -1000, "net": -1000}


def test_a_refused_box_is_not_missed() -> None:
    """Where the round names a refused hand's box for the wheel or an incident, others stand."""
    refused = hand(wagers={"tie": 100})
    other = hand(box=2, player="bob", cards=["Ks"])
    value = worked(refused, other, incident={"kind": "no_card_dealt", "box": 1})
    settlement = settle(read_round(value))
    assert settlement.nets(1)["net"] == 1000
    assert list(settlement.refusals) == [0]


def test_entries_may_stand_in_any_order() -> None:
    """The nets follow the entries, whatever the order of their boxes."""
    high, low = hand(box=3, cards=["As"]), hand(box=1, cards=["2s"])
    for entries in ([high, low], [low, high]):
        settlement = settle(read_round(worked(*entries)))
        nets = [settlement.nets(index)["net"] for index in range(2)]
        assert nets == [1000 if entry is high else -1000 for entry in entries]


def test_cards_of_a_box_may_be_given_once() -> None:
    """Entries that share a box share its cards; one of them may leave them out."""
    value = worked(
        hand(choice="war", cards=["9s", "As"]),
        hand(player="bob", choice="war", cards=[]),
        dealer=["9c", "2c"],
        rules="new-zealand",
    )
    settlement = settle(read_round(value))
    assert [settlement.nets(index)["net"] for index in range(2)] == [1000, 1000]
