"""The sections of meters, wheel and bank."""

from fractions import Fraction

from wartable.game.wagers import BONUS_SPIN, PROGRESSIVE
from wartable.odds.bank import BankOdds, Participant, bank, rotation
from wartable.odds.floor import FLOOR
from wartable.odds.par.blocks import Block, Cell, Chart, Figure, SheetSection, SheetTable, Text
from wartable.odds.par.charts import lines_chart
from wartable.odds.report import bank_stake
from wartable.odds.sidebets import LongRun, ProgressiveOdds, bonus_spin, progressive
from wartable.odds.slices import Seat
from wartable.odds.wagers import Odds
from wartable.odds.wheel import ring_chances
from wartable.rules import Book, option_values, with_options

OTHERS = (1, 3, 8)
BANK_OPPONENTS = 4
PARTICIPANTS = 4


def progressive_section(odds: Odds) -> SheetSection:
    """The progressive at reset, typical and break-even meters."""
    found = progressive(odds)
    offer = odds.rules.wagers.progressive
    reset = offer.meter.reset if offer else 0
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
        long_run_table(PROGRESSIVE.kind, found.long_run),
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
        other = Odds(odds.book, odds.decks, bettors=bettors).wager(
            BONUS_SPIN.kind, stake=found.stake
        )
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
    spin = book.rules.wagers.bonus_spin
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


def bank_section(odds: Odds) -> SheetSection:
    """The player/dealer's bank under each reading, and the effect of rotation."""
    stake = bank_stake(odds)
    rows: list[list[Cell]] = []
    for cover in option_values("bank_cover"):
        other = Odds(with_options(odds.book, {"bank_cover": cover}), odds.decks)
        for posted in bank_posts(stake):
            found = bank_against(other, posted)
            key = f"bank.{cover}.{posted}"
            rows.append(
                [
                    cover.replace("_", " "),
                    f"${posted / 100:,.2f}",
                    Figure(f"{key}.ev", found.net.ev / stake),
                    Figure(f"{key}.sd", found.net.sd / stake),
                    Figure(f"{key}.action", found.action / stake),
                    Figure(f"{key}.edge", found.edge, "percent"),
                ]
            )
    turns: list[list[Cell]] = []
    for case, declines in (("all take the bank", False), ("the last declines it", True)):
        for name, turn in rotation(odds, participants(stake, declines)).items():
            key = f"rotation.{'declines' if declines else 'all'}.{name}"
            turns.append(
                [
                    case,
                    name,
                    Figure(f"{key}.as_banker", turn.as_banker / stake),
                    Figure(f"{key}.as_player", turn.as_player / stake),
                    Figure(f"{key}.ev", turn.ev / stake),
                ]
            )
    return SheetSection(
        "The bank",
        [
            Text(
                f"A player/dealer against {BANK_OPPONENTS} opponents with ${stake / 100:.2f} each"
                " on the primary wager, always war; results in units of one wager. The edge is per"
                " unit of the action: the wagers that the bank covers."
            ),
            SheetTable(
                "",
                ["Reading", "Posted", "Expectation", "Deviation", "Action", "Edge"],
                rows,
                words=2,
            ),
            SheetTable(
                f"One rotation among {PARTICIPANTS} equal participants, in wagers",
                ["Case", "Participant", "As banker", "As player", "Together"],
                turns,
                words=2,
            ),
        ],
    )


def bank_posts(stake: int) -> tuple[int, ...]:
    """The posted amounts of the sheet."""
    return (stake, BANK_OPPONENTS * stake // 2, BANK_OPPONENTS * stake)


def bank_against(odds: Odds, posted: int) -> BankOdds:
    """The bank against the sheet's opponents."""
    stake = bank_stake(odds)
    seats = [Seat(box, f"player {box}", stake) for box in range(1, BANK_OPPONENTS + 1)]
    return bank(odds, seats, posted)


def participants(stake: int, last_declines: bool) -> list[Participant]:
    """Equal participants, of whom the last may decline the bank."""
    numbers = range(1, PARTICIPANTS + 1)
    return [
        Participant(f"player {n}", stake, declines=last_declines and n == PARTICIPANTS)
        for n in numbers
    ]
