"""A book as an operator configures it: limits within the house's, and nothing that pays."""

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from own_books import own
from rounds import book, limited
from wartable.rules import NAMES, RulesError, load
from wartable.rules.differences import differs
from wartable.rules.inventory import clauses, readings_of
from wartable.rules.load import build, shipped_raw
from wartable.rules.model import Limit, Limits
from wartable.rules.settings import (
    HOUSE_LIMITS,
    STAKE_MAX,
    check_options,
    configured,
    is_setting,
    within,
)

pytestmark = pytest.mark.finding(19)

OPEN_HOUSE = Limits(primary=Limit(500, None), tie=Limit(100, 10_000), war_tie=Limit(100, 9_000))

WITHIN: list[tuple[dict[str, Any], Limits, tuple[int, int], tuple[int, int], int | None]] = [
    ({}, HOUSE_LIMITS, (500, 30_000), (100, 10_000), 30_000),
    ({"primary": {"min": 1_000}}, HOUSE_LIMITS, (1_000, 30_000), (100, 10_000), 30_000),
    ({"primary": {"min": 2}}, HOUSE_LIMITS, (2, 30_000), (100, 10_000), 30_000),
    ({"primary": {"max": 400}}, HOUSE_LIMITS, (1, 400), (100, 10_000), 30_000),
    ({"primary": {"max": 50_000}}, HOUSE_LIMITS, (1, 30_000), (100, 10_000), 30_000),
    ({"tie": {"min": 12_000}}, HOUSE_LIMITS, (500, 30_000), (12_000, 12_000), 30_000),
    ({"ceiling": 20_000}, HOUSE_LIMITS, (500, 20_000), (100, 10_000), 20_000),
    ({"ceiling": 40_000}, HOUSE_LIMITS, (500, 30_000), (100, 10_000), 30_000),
    ({"ceiling": 300}, HOUSE_LIMITS, (300, 300), (100, 300), 300),
    ({}, OPEN_HOUSE, (500, STAKE_MAX), (100, 10_000), None),
    ({"ceiling": 20_000}, OPEN_HOUSE, (500, 20_000), (100, 10_000), 20_000),
]
"""A book's limits and the house's, then what holds of primary, tie and ceiling."""


@pytest.mark.parametrize(("own", "set_by_house", "primary", "tie", "ceiling"), WITHIN)
def test_a_book_within_the_house(
    own: dict[str, Any],
    set_by_house: Limits,
    primary: tuple[int, int],
    tie: tuple[int, int],
    ceiling: int | None,
) -> None:
    """The lower ceiling holds, and the house's limits where the book has none."""
    limits = within(limited(book("online"), **own), set_by_house).limits
    assert (limits.primary, limits.tie) == (Limit(*primary), Limit(*tie))
    assert limits.ceiling == ceiling


@pytest.mark.parametrize(("offered", "limit"), [("free", Limit(100, 9_000)), ("none", Limit())])
def test_a_war_tie_wager_of_any_size_has_limits(offered: str, limit: Limit) -> None:
    """Only a tie wager at war whose size is free takes the house's limits."""
    rules = limited(book("california", war_tie_wager=offered))
    assert within(rules, OPEN_HOUSE).limits.war_tie == limit


def test_a_minimum_above_the_ceiling_or_no_ceiling_at_all() -> None:
    """A table that nobody could bet at is refused, and one without the ceiling it must have."""
    with pytest.raises(RulesError) as refused:
        within(limited(book("online"), primary={"min": 40_000}), HOUSE_LIMITS)
    assert refused.value.problems == [
        "limits.primary: the minimum 40000 is above the ceiling 30000."
    ]
    rules = limited(book("washington"), ceiling_required=True)
    with pytest.raises(RulesError, match="plays within a ceiling on each wager"):
        within(rules, OPEN_HOUSE)
    assert within(rules, HOUSE_LIMITS).limits.ceiling == 30_000


CANNOT = "operators cannot set this; docs/rules.md lists what they can."
REFUSED: list[tuple[str, dict[str, str], dict[str, Any], list[str]]] = [
    (
        "washington",
        {},
        {"table.boxes": 8},
        ["table.boxes: at most 7, the book's own value, not 8."],
    ),
    (
        "new-zealand",
        {},
        {"table.players_per_box": 4},
        ["table.players_per_box: at most 3, the book's own value, not 4."],
    ),
    ("washington", {}, {"wagers.tie.pays": "9 to 1"}, [f"wagers.tie.pays: {CANNOT}"]),
    ("online", {}, {"wagers.progressive.offered": True}, [f"wagers.progressive.offered: {CANNOT}"]),
    (
        "maryland",
        {},
        {"wagers.bonus_spin.meters.primary.reset_min": 5},
        [f"wagers.bonus_spin.meters.primary.reset_min: {CANNOT}"],
    ),
    (
        "washington",
        {},
        {"limits.ceiling": 30_001},
        ["limits.ceiling: at most 30000, the house's own ceiling, not 30001."],
    ),
    (
        "online",
        {},
        {"limits.primary.min": 500, "limits.primary.max": 400},
        ["limits.primary.max: the maximum 400 is below the minimum 500."],
    ),
    (
        "online",
        {},
        {"limits.primary.min": 30_001},
        ["limits.primary: the legal ceiling is 30000 for one wager."],
    ),
]


@pytest.mark.parametrize(("name", "options", "settings", "told"), REFUSED)
def test_what_an_operator_cannot_set(
    name: str, options: dict[str, str], settings: dict[str, Any], told: list[str]
) -> None:
    """What the document fixes, what the book does not have, and what contradicts itself."""
    with pytest.raises(RulesError) as refused:
        configured(shipped_raw(name), options, settings, HOUSE_LIMITS)
    assert refused.value.problems == told


def test_an_option_that_moves_money_is_refused() -> None:
    """Readings belong to a book of one's own."""
    with pytest.raises(RulesError, match=r"war_pays: .* does not leave this to the operator"):
        configured(shipped_raw("washington"), {"war_pays": "no_bonus"}, {}, HOUSE_LIMITS)


def test_what_an_operator_sets() -> None:
    """Fewer boxes take seats with them; limits are the table's, and a payout limit the book's."""
    base = shipped_raw("maryland")
    settings = {"table.boxes": 2, "limits.primary.min": 1_000, "limits.payout_max": 90_000}
    content, limits = configured(base, {"shuffle": "batches"}, settings, HOUSE_LIMITS)
    rules = build(content).rules
    assert (rules.table.boxes, rules.table.seats) == (2, 2)
    assert rules.table.boxes_per_player == 2
    assert rules.options.shuffle == "batches"
    assert rules.limits == replace(build(base).rules.limits, payout_max=90_000)
    assert limits.primary == Limit(1_000, 30_000)
    assert (limits.tie, limits.ceiling) == (Limit(100, 10_000), 30_000)
    assert content["table"]["boxes"]["note"] == "the operator's"
    assert configured(base, {}, {"limits.ceiling": 20_000}, HOUSE_LIMITS)[1].ceiling == 20_000
    assert is_setting("wagers.bonus_spin.wheel.hot_spot.none", "maryland")
    assert not is_setting("wagers.bonus_spin.wheels", "maryland")


@pytest.mark.finding(6)
@pytest.mark.parametrize("name", NAMES)
def test_only_maryland_leaves_a_payout_limit_to_the_operator(name: str) -> None:
    """The other documents say what is paid, so that a table with their name pays all of it."""
    asked = {"limits.payout_max": 90_000}
    if name == "maryland":
        content, limits = configured(shipped_raw(name), {}, asked, HOUSE_LIMITS)
        assert (build(content).rules.limits.payout_max, limits.payout_max) == (90_000, 90_000)
    else:
        with pytest.raises(RulesError, match=r"limits.payout_max: operators cannot set this"):
            configured(shipped_raw(name), {}, asked, HOUSE_LIMITS)
    mine = own("mine", name, limits={"payout_max": 90_000})
    told = differs(build(mine).rules)
    assert ("limits.payout_max (90000, not none)" in told) == (name != "maryland")


@pytest.mark.finding(12)
def test_the_number_of_boxes_of_a_player_is_the_documents() -> None:
    """Maryland leaves it to the operator; elsewhere a table has fewer than the document, not more.

    A book of one's own that has more says so.
    """
    for name, most in (("california", 1), ("maryland", 9), ("online", 3), ("new-zealand", 7)):
        configured(shipped_raw(name), {}, {"table.boxes_per_player": most}, HOUSE_LIMITS)
        with pytest.raises(RulesError, match=r"table.boxes_per_player: "):
            configured(shipped_raw(name), {}, {"table.boxes_per_player": most + 1}, HOUSE_LIMITS)
    more = build(own("mine", "california", table={"boxes_per_player": 2})).rules
    assert "table.boxes_per_player (2, not 1)" in differs(more)
    many = build(own("mine", "new-zealand", table={"boxes": 9})).rules
    assert "table.boxes (9, not 7)" in differs(many)
    allowed = build(own("mine", "maryland", table={"boxes_per_player": 2, "boxes": 5})).rules
    assert differs(allowed).endswith("only in what that document leaves to the operator.")


def test_the_houses_own_limits_are_those_of_A15() -> None:
    """$5 to $300 for the primary wager and $1 to $100 for the tie, whatever the ceiling says."""
    assert HOUSE_LIMITS.primary == Limit(500, 30_000)
    assert HOUSE_LIMITS.tie == HOUSE_LIMITS.war_tie == Limit(100, 10_000)
    assert HOUSE_LIMITS.ceiling == 30_000


SET: dict[str, Any] = {
    "table.boxes": 5,
    "table.seats": 5,
    "table.boxes_per_player": 2,
    "table.players_per_box": 2,
    "shoe.cutting_cards": 1,
    "shoe.cover_from_bottom": "1/3",
    "limits.primary.min": 700,
    "limits.primary.max": 20_000,
    "limits.tie.min": 300,
    "limits.tie.max": 5_000,
    "limits.war_tie.min": 300,
    "limits.war_tie.max": 5_000,
    "limits.box_max": 25_000,
    "limits.player_box_max": 20_000,
    "limits.payout_max": 200_000,
    "limits.ceiling": 25_000,
    "deal.payment": "lay_and_pay",
    "wagers.progressive.offered": False,
    "wagers.progressive.meter.initial": 1_200_000,
    "wagers.progressive.meter.reset": 1_100_000,
    "wagers.progressive.meter.contribution": "1/20",
    "wagers.bonus_spin.offered": False,
    "wagers.bonus_spin.trigger.rank": "8",
    "wagers.bonus_spin.trigger.color": "black",
    "wagers.bonus_spin.meters.primary.reset": 1_100_000,
    "wagers.bonus_spin.meters.secondary.contribution": "1/50",
    "wagers.bonus_spin.wheel.hot_spot.none": 99,
}
"""What the documents leave to the operator (A16), each with another value than the book's."""


@pytest.mark.parametrize("key", SET)
def test_a_setting_is_in_force(key: str) -> None:
    """Maryland's operator sets it, or New Zealand's where Maryland has no such number."""
    name = "new-zealand" if key == "table.players_per_box" else "maryland"
    content, limits = configured(shipped_raw(name), {}, {key: SET[key]}, HOUSE_LIMITS)
    rules = replace(build(content).rules, limits=limits)
    found: Any = msgspec.to_builtins(rules, enc_hook=str)
    for part in key.split("."):
        found = found[part]
    assert str(found).replace(" to ", "/") == str(SET[key])


def test_an_option_that_does_not_exist_is_told() -> None:
    """A misspelt option or value is refused in words, before anything else is asked of it."""
    with pytest.raises(RulesError, match="There is no option 'shufle'"):
        check_options(load("washington"), {"shufle": "shoe"})
    with pytest.raises(RulesError, match="The option shuffle may be"):
        check_options(load("washington"), {"shuffle": "shoes"})


def test_the_house_limits_what_a_book_leaves_open() -> None:
    """A free war tie has the house's limits; one that must equal the primary has none."""
    limits = {name: configured(shipped_raw(name), {}, {}, HOUSE_LIMITS)[1] for name in NAMES}
    free = {"california", "maryland"}
    for name, each in limits.items():
        assert (each.war_tie == Limit(100, 10_000)) == (name in free)
        assert (each.primary, each.tie) == (Limit(500, 30_000), Limit(100, 10_000))


def test_what_a_house_or_a_book_allows_at_most_is_taken() -> None:
    """The house's own ceiling and the book's own numbers may be named, one more of them not."""
    base = shipped_raw("maryland")
    _, limits = configured(base, {}, {"limits.ceiling": 30_000}, HOUSE_LIMITS)
    assert limits.ceiling == 30_000
    with pytest.raises(RulesError, match=r"at most 30000, the house's own ceiling"):
        configured(base, {}, {"limits.ceiling": 30_001}, HOUSE_LIMITS)
    rules = book("maryland")
    for key, most in (("table.seats", rules.table.seats), ("table.boxes", rules.table.boxes)):
        configured(base, {}, {key: most}, HOUSE_LIMITS)
        with pytest.raises(RulesError, match=f"{key}: at most {most}, the book's own value"):
            configured(base, {}, {key: most + 1}, HOUSE_LIMITS)


def test_a_configuration_is_refused_with_a_sentence() -> None:
    """A word for a number is no traceback, and Washington needs a ceiling."""
    base = shipped_raw("washington")
    with pytest.raises(RulesError, match="expected a whole number, not 'x'") as refused:
        configured(base, {}, {"limits.primary.min": "x"}, HOUSE_LIMITS)
    assert refused.value.code == "setup"
    with pytest.raises(RulesError, match="Washington plays within a ceiling on each wager"):
        configured(base, {}, {}, replace(HOUSE_LIMITS, ceiling=None))


def test_differences_are_told_in_words() -> None:
    """A list, a yes or no, and a value that only one of the books has, each as people write it."""
    rules = book("washington")
    shoe = replace(rules.shoe, methods=("shoe", "batches"), deck_hours_max=24)
    other = replace(rules, shoe=shoe, deal=replace(rules.deal, house_match=False))
    assert differs(other) == (
        "Differs from Washington in "
        "shoe.methods (shoe batches, not shoe batches every_round continuous), "
        "deal.house_match (no, not yes), shoe.deck_hours_max (24, not none)."
    )
    assert differs(rules) == ""
    renamed = replace(
        rules,
        version="9.9.9",
        title="Another",
        document=replace(rules.document, title="Another"),
        labels={**rules.labels, "tie": "Draw"},
        outcomes={**rules.outcomes, "tie": {}},
    )
    assert differs(renamed) == "", "words alone pay nothing"
    mine = replace(renamed, name="mine", extends="washington")
    assert differs(mine).endswith("only in what that document leaves to the operator.")


def test_readings_of_other_documents_do_not_touch_a_book() -> None:
    """Washington's readings are its own and everybody's, and those that a value names."""
    found = readings_of("washington", [])
    assert {"W1", "A14"} <= found.keys()
    assert not {"M2", "C1", "N1", "O1"} & found.keys()
    assert "M2" in readings_of("washington", ["M2"])
    for clause in clauses().values():
        assert {*clause.readings} <= readings_of(clause.document, []).keys(), clause.id
