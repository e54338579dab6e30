"""The section of a player/dealer's bank."""

from wartable.odds.bank import BankOdds, bank, rotation
from wartable.odds.par.blocks import Cell, Figure, SheetSection, SheetTable, Text
from wartable.odds.report import PARTICIPANTS, bank_stake, participants
from wartable.odds.slices import Seat
from wartable.odds.wagers import Odds
from wartable.rules import option_values, with_options

BANK_OPPONENTS = 4


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
