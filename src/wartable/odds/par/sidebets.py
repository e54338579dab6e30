"""The section of each side bet: its meters, its wheel, its long run."""

from collections.abc import Callable
from fractions import Fraction

from wartable.game.wagers.wheel import wheel_of
from wartable.odds.floor import FLOOR
from wartable.odds.par.blocks import Block, Cell, Chart, Figure, SheetSection, SheetTable, Text
from wartable.odds.par.charts import lines_chart
from wartable.odds.sidebets import (
    BONUS_SPIN,
    PROGRESSIVE,
    LongRun,
    ProgressiveOdds,
    bonus_spin,
    offered_progressive,
    progressive,
)
from wartable.odds.wagers import Odds
from wartable.odds.wheel import ring_chances
from wartable.rules import Book, WagerKind

OTHERS = (1, 3, 8)


def progressive_section(odds: Odds) -> SheetSection:
    """The progressive at reset, typical and break-even meters."""
    found = progressive(odds)
    reset = offered_progressive(odds.rules).meter.reset
    lines: list[list[Cell]] = [
        [
            line.replace("_", " "),
            Figure(f"progressive.lines.{line}", chance, "exact"),
            Figure(f"progressive.lines.{line}.one_in", 1 / chance if chance else None, "one_in"),
        ]
        for line, chance in found.lines.items()
    ]
    meters: list[list[Cell]] = [
        [
            name,
            Figure(f"progressive.meter.{key}", meter, "money"),
            Figure(f"progressive.return.{key}", found.return_at(meter), "percent"),
        ]
        for name, key, meter in (
            ("At reset", "reset", Fraction(reset)),
            ("Typical: the long-run mean", "typical", found.typical_meter),
            ("Break-even, no envy", "break_even", found.break_even_meter),
        )
        if meter is not None
    ]
    envy: list[list[Cell]] = [
        ["Gain from each other player", Figure("progressive.envy", found.envy_each, "percent")],
    ]
    for others in OTHERS:
        if (meter := found.break_even_with(others)) is not None:
            name = f"Break-even meter with {others} other players"
            envy.append([name, Figure(f"progressive.break_even.{others}", meter, "money")])
    blocks: list[Block] = [
        Text(f"A wager of ${found.stake / 100:.2f}, always war; odds are {_odds_word(odds)}."),
        SheetTable("", ["Line", "Probability", "One in"], lines),
        SheetTable("", ["Meter", "Shows", "Return"], meters),
        long_run_table(PROGRESSIVE, found.long_run),
        SheetTable("Envy", ["Figure", "Value"], envy),
    ]
    if found.break_even_meter is not None:
        blocks.append(_meter_chart(found, reset))
    return SheetSection("Progressive", blocks)


def _odds_word(odds: Odds) -> str:
    return "to 1, the stake returned" if odds.rules.options.progressive_odds == "to_1" else "for 1"


def _meter_chart(found: ProgressiveOdds, reset: int) -> Chart:
    break_even = float(found.break_even_meter or 0)
    ends = (float(reset), max(break_even * 1.1, reset * 2.0))
    line = [(meter / 100, float(found.return_at(Fraction(meter)))) for meter in ends]
    marks = [
        (meter / 100, float(found.return_at(Fraction(meter))), f"{name} ${meter / 100:,.0f}")
        for name, meter in (
            ("reset", float(reset)),
            ("typical", float(found.typical_meter or 0)),
            ("break-even", break_even),
        )
        if ends[0] <= meter <= ends[1]
    ]
    return Chart(
        "Return of the progressive wager by meter, without envy.",
        lines_chart(
            "Return by meter",
            "meter",
            "return",
            {"return": line},
            lambda x: f"${x:,.0f}",
            marks,
            (float(FLOOR), "return floor"),
        ),
    )


def long_run_table(key: str, run: LongRun) -> SheetTable:
    """A long-run return by its parts."""
    rows: list[list[Cell]] = [
        ["Fixed odds", Figure(f"{key}.long_run.fixed", run.fixed, "percent")],
        ["Re-seeding by the house", Figure(f"{key}.long_run.reseeded", run.reseeded, "percent")],
        ["Contributions", Figure(f"{key}.long_run.contributed", run.contributed, "percent")],
        ["Long-run return", Figure(f"{key}.long_run.return", run.total, "percent")],
    ]
    return SheetTable("Long run", ["Part", "Return"], rows)


def spin_section(odds: Odds) -> SheetSection:
    """The bonus spin with the book's wheel."""
    found = bonus_spin(odds)
    rows: list[list[Cell]] = [
        ["Probability of the trigger card", Figure("spin.trigger", found.trigger, "exact")],
        ["Mean payment of the wheel", Figure("spin.mean_payment", found.mean_payment, "money")],
        [
            "Mean payment at which the wager is even",
            Figure("spin.break_even_payment", found.break_even_payment, "money"),
        ],
        [
            "Return, one box betting, meters at reset",
            Figure("spin.return.1", found.odds.player_return, "percent"),
        ],
    ]
    for bettors in sorted({3, odds.rules.boxes_in_play} - {1}):
        other = Odds(odds.book, odds.decks, bettors=bettors).wager(BONUS_SPIN, stake=found.stake)
        rows.append(
            [
                f"Return, {bettors} boxes betting",
                Figure(f"spin.return.{bettors}", other.player_return, "percent"),
            ]
        )
    for name, meter in found.typical_meters.items():
        if meter is not None:
            key = f"spin.typical.{name}"
            rows.append([f"Typical {name} meter", Figure(key, meter, "money")])
    return SheetSection(
        "Bonus spin",
        [
            Text(
                f"A wager of ${found.stake / 100:.2f}. The wheel's weights, the trigger card and"
                " the contribution rates are the book's; if the document leaves them to the"
                " operator, the book says so."
            ),
            SheetTable("", ["Figure", "Value"], rows),
            long_run_table("spin", found.long_run),
            *_wheel_tables(odds.book),
        ],
    )


def _wheel_tables(book: Book) -> list[Block]:
    """The wheel's weights as the book gives them."""
    spin = wheel_of(book.rules)
    if spin is None:
        return []
    tables: list[Block] = []
    for name, weights in (("Hot spot", spin.wheel.hot_spot), ("Community", spin.wheel.community)):
        rows: list[list[Cell]] = [
            [
                symbol.replace("_", " "),
                str(weights[symbol]),
                Figure(f"spin.wheel.{name.lower()}.{symbol}", chance, "percent"),
            ]
            for symbol, chance in ring_chances(weights).items()
        ]
        tables.append(SheetTable(f"{name} symbols", ["Symbol", "Weight", "Probability"], rows))
    return tables


SECTIONS: dict[WagerKind, Callable[[Odds], SheetSection]] = {
    PROGRESSIVE: progressive_section,
    BONUS_SPIN: spin_section,
}
