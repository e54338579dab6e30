"""The sections of probabilities, returns, volatility and decks."""

from fractions import Fraction

from wartable.game.wagers import WAGER
from wartable.odds.bands import FINE, LEVELS, ROUNDS, band
from wartable.odds.boxes import joint
from wartable.odds.classes import deals
from wartable.odds.figures import Distribution
from wartable.odds.par.blocks import Cell, Chart, Figure, SheetSection, SheetTable, Span, Text
from wartable.odds.par.charts import bands_chart, distribution_chart, lines_chart
from wartable.odds.readings import decks_table
from wartable.odds.report import combinations, plans
from wartable.odds.wagers import Odds
from wartable.rules import WagerKind

VOLATILITY_Z = 1.6448536269514722
"""The deviations of a normal distribution that hold nine tenths of its results."""


def wager_odds(odds: Odds) -> dict[str, Distribution]:
    """The odds of every wager by its name in the sheet's keys."""
    found: dict[str, Distribution] = {}
    for kind in odds.offered:
        if WAGER[kind].by_choice:
            found[f"{kind}.war"] = odds.wager(kind)
            found[f"{kind}.surrender"] = odds.wager(kind, "surrender")
        else:
            found[kind] = odds.wager(kind)
    return found


def label(odds: Odds, name: str) -> str:
    """A wager's label with its choice."""
    kind, _, choice = name.partition(".")
    shown = odds.rules.label(kind)
    if kind == "war_tie":
        return f"{shown}, given a tie"
    return f"{shown}, always {choice}" if choice else shown


def probability_section(odds: Odds) -> SheetSection:
    """Each outcome's probability and each net result's."""
    outcomes: list[list[Cell]] = []
    nets: list[list[Cell]] = []
    for name, found in wager_odds(odds).items():
        for outcome, chance in found.outcomes.items():
            key = f"wagers.{name}.outcomes.{outcome}"
            outcomes.append([label(odds, name), outcome.replace("_", " "), *_chance(key, chance)])
        for net, chance in found.pmf.items() if len(found.pmf) <= 12 else ():
            key = f"wagers.{name}.pmf.{net}"
            nets.append(
                [
                    label(odds, name),
                    f"{net}",
                    Figure(f"{key}.combinations", combinations(odds, name, chance), "count"),
                    *_chance(key, chance)[:2],
                    Figure(f"{key}.contribution", net * chance, "percent"),
                ]
            )
    return SheetSection(
        "Probabilities",
        [
            SheetTable(
                "Outcomes",
                ["Wager", "Outcome", "Probability", "Per cent", "One in"],
                outcomes,
                words=2,
            ),
            SheetTable(
                "Net results in units of the wager",
                [
                    "Wager",
                    "Net",
                    "Combinations",
                    "Probability",
                    "Per cent",
                    "Contribution to expectation",
                ],
                nets,
                words=1,
            ),
            Text(
                "Combinations are ordered deals of four cards, two originals and two for a war that"
                f" may not be needed: {deals(odds.composition):,} in all. The contribution of a"
                " result is its net times its probability. A wager's contributions add up to its"
                " expectation."
            ),
        ],
    )


def _chance(key: str, chance: Fraction) -> list[Cell]:
    return [
        Figure(key, chance, "exact"),
        Figure(key, chance, "percent"),
        Figure(f"{key}.one_in", 1 / chance if chance else None, "one_in"),
    ]


def return_section(odds: Odds) -> SheetSection:
    """Return by wager and by plan."""
    rows: list[list[Cell]] = [
        [
            label(odds, name),
            Figure(f"wagers.{name}.ev", found.ev, "exact"),
            Figure(f"wagers.{name}.edge", found.edge, "percent"),
            Figure(f"wagers.{name}.return", found.player_return, "percent"),
            Figure(f"wagers.{name}.hit_frequency", found.hit_frequency, "percent"),
            Figure(f"wagers.{name}.element_of_risk", found.element_of_risk, "percent"),
        ]
        for name, found in wager_odds(odds).items()
    ]
    seats: list[list[Cell]] = []
    for wagers, plan, found in plans(odds):
        key = plan_key(wagers, plan.choice)
        words = " + ".join(odds.rules.label(kind) for kind in wagers)
        seats.append(
            [
                f"{words}; {plan.choice} at a tie",
                Figure(f"{key}.edge", found.edge, "percent"),
                Figure(f"{key}.sd", found.sd),
                Figure(f"{key}.hit_frequency", found.hit_frequency, "percent"),
                Figure(f"{key}.element_of_risk", found.element_of_risk, "percent"),
            ]
        )
    return SheetSection(
        "Return by wager and plan",
        [
            SheetTable(
                "Wagers alone",
                ["Wager", "Expectation", "Edge", "Return", "Hit frequency", "Element of risk"],
                rows,
            ),
            SheetTable(
                "Whole seats with equal wagers, per unit of one wager",
                ["Plan", "Edge", "Deviation", "Hit frequency", "Element of risk"],
                seats,
            ),
        ],
    )


def plan_key(wagers: tuple[WagerKind, ...], choice: str) -> str:
    """A plan's key in the sheet."""
    return f"plans.{'+'.join(wagers)}.{choice}"


def round_section(odds: Odds) -> SheetSection:
    """The results of a round: one box, and the whole table."""
    one = odds.wager("primary")
    boxes = odds.rules.boxes_in_play
    whole = joint(odds, boxes)
    rows: list[list[Cell]] = [
        ["Expectation of one box", Figure("boxes.one.ev", one.ev)],
        ["Covariance of two boxes", Figure("boxes.covariance", whole.covariance)],
        ["Correlation of two boxes", Figure("boxes.correlation", whole.correlation)],
        [f"Expectation of {boxes} boxes", Figure("boxes.ev", whole.total.ev)],
        [f"Deviation of {boxes} boxes", Figure("boxes.sd", whole.total.sd)],
    ]
    return SheetSection(
        "The distribution of a round",
        [
            Chart(
                "One box, primary wager, always war: net result in units of the wager.",
                distribution_chart("Net result of one box", one.pmf, "units"),
            ),
            Chart(
                f"All {boxes} boxes against one dealer card, unit primary wagers, always war:"
                " the exact distribution of the sum.",
                distribution_chart(f"Net result of {boxes} boxes", whole.total.pmf, "units"),
            ),
            SheetTable("Boxes against one dealer card, always war", ["Figure", "Units"], rows),
        ],
    )


def volatility_section(odds: Odds) -> SheetSection:
    """Variance, skewness and the hold of many rounds."""
    found = wager_odds(odds)
    rows: list[list[Cell]] = [
        [
            label(odds, name),
            Figure(f"wagers.{name}.variance", each.variance),
            Figure(f"wagers.{name}.sd", each.sd),
            Figure(f"wagers.{name}.volatility_index", VOLATILITY_Z * each.sd),
            Figure(f"wagers.{name}.skewness", each.skewness),
        ]
        for name, each in found.items()
    ]
    tables = [
        SheetTable(
            f"Hold of {label(odds, name)}",
            ["Rounds", *(f"{level} of results" for level in LEVELS)],
            [
                [f"{rounds:,}", *(_span(name, found[name], rounds, level) for level in LEVELS)]
                for rounds in ROUNDS
            ],
        )
        for name in ("primary.war", "tie")
    ]
    main = found["primary.war"]
    fine = {n: {level: band(main, n, level) for level in LEVELS} for n in FINE}
    return SheetSection(
        "Volatility and expected hold",
        [
            SheetTable(
                "", ["Wager", "Variance", "Deviation", "Volatility index", "Skewness"], rows
            ),
            Text(
                "The volatility index is 1.645 standard deviations of one wager: nine tenths of"
                " normally distributed results lie within it."
            ),
            Text(
                f"The hold is what the {odds.rules.edge_holder} keeps per unit wagered. The stated"
                " share of results lies between the two ends. Wagers with rare large payments"
                " approach these bands only after many such payments."
            ),
            *tables,
            Chart(
                "Hold of the primary wager, always war: bands of 90, 95 and 99 % by rounds.",
                bands_chart("Hold by number of rounds", float(main.edge), fine),
            ),
        ],
    )


def _span(name: str, odds: Distribution, rounds: int, level: str) -> Span:
    low, high = band(odds, rounds, level)
    key = f"hold.{name}.{rounds}.{level.removesuffix(' %')}"
    return Span(Figure(f"{key}.low", low, "percent"), Figure(f"{key}.high", high, "percent"))


DECKS_COLUMNS = {
    "war": "Always war",
    "no_bonus": "Without war-tie bonus",
    "surrender": "Always surrender",
    "tie": "Tie wager",
}


def decks_section(odds: Odds) -> SheetSection:
    """The edge by number of decks."""
    table = decks_table(odds)
    rows: list[list[Cell]] = [
        [
            f"{decks}" + (" (this sheet)" if decks == odds.decks else ""),
            *(Figure(f"decks.{decks}.{name}", row[name], "percent") for name in DECKS_COLUMNS),
        ]
        for decks, row in table.items()
    ]
    series = {
        title: [(float(decks), float(row[name])) for decks, row in table.items()]
        for name, title in DECKS_COLUMNS.items()
        if name != "tie"
    }
    tie = {"Tie wager": [(float(decks), float(row["tie"])) for decks, row in table.items()]}
    return SheetSection(
        "Edge by number of decks",
        [
            SheetTable("", ["Decks", *DECKS_COLUMNS.values()], rows),
            Chart(
                "Edge of the primary wager by number of decks.",
                lines_chart("Edge by decks", "decks", "edge", series, lambda x: f"{x:.0f}"),
            ),
            Chart(
                "Edge of the tie wager by decks; below the dashed line its return exceeds 75 %.",
                lines_chart(
                    "Tie edge by decks",
                    "decks",
                    "edge",
                    tie,
                    lambda x: f"{x:.0f}",
                    floor=(0.25, "edge at the return floor"),
                ),
            ),
        ],
    )
