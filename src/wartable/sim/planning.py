"""A session as it was asked for, with the book's values as defaults."""

from typing import Any

from wartable.game.wagers import SIDE_BETS, WAGER, WAGERS
from wartable.odds.composition import DECKS_MAX
from wartable.odds.wagers import check_wager, meters_of
from wartable.rules import Book
from wartable.sim.session import PATHS_MAX, RANK_DECKS_MAX, ROUNDS_MAX, SessionPlan, check
from wartable.sim.setup import SetupError


def plan_session(
    book: Book,
    *,
    decks: int | None = None,
    meter: int | None = None,
    policy: str = "war",
    table_max: int | None = None,
    **settings: Any,
) -> SessionPlan:
    """The checked session; raises `SetupError` or `OddsError` with a sentence."""
    for each in WAGERS:
        if settings.get(each.kind):
            check_wager(book, each.kind)
    if settings["rounds"] > ROUNDS_MAX or settings["paths"] > PATHS_MAX:
        raise SetupError(
            f"A session has at most {ROUNDS_MAX} rounds, and there are at most 1e9 sessions."
        )
    if policy not in ("war", "surrender"):
        raise SetupError(f"A session's policy is war or surrender, not {policy!r}.")
    decks = book.rules.shoe.decks if decks is None else decks
    side_bets = {each.kind: settings.pop(each.kind) for each in SIDE_BETS if each.kind in settings}
    for kind, stake in side_bets.items():
        if stake and WAGER[kind].by_wheel:
            raise SetupError(f"Sessions with a wheel are not simulated; leave {kind} out.")
    suits = any(WAGER[kind].by_suits for kind, stake in side_bets.items() if stake)
    most = DECKS_MAX if suits else RANK_DECKS_MAX
    if not 1 <= decks <= most:
        raise SetupError(f"The number of decks may be 1 to {most}, not {decks}.")
    if settings["bet"] < 1:
        raise SetupError("The bet must be at least one cent.")
    session = SessionPlan(
        book=book,
        decks=decks,
        side_bets=side_bets,
        meters=meters_of(book, meter),
        war=policy == "war",
        table_max=100 * settings["bet"] if table_max is None else table_max,
        **settings,
    )
    check(session)
    return session
