"""The pages for reference: rules with odds, the last rounds, the balance, the summary."""

from collections.abc import Iterator
from fractions import Fraction
from textwrap import wrap

from wartable.game.wagers import ASKED_METER, SIDE_BETS, WAGER, WAGERS
from wartable.game.wagers.war import WAR_WORDS
from wartable.inscription import burns, decks_in_use, printed_war
from wartable.rules import Book, RuleBook, WagerKind
from wartable.rules.differences import differs
from wartable.telling import money, short, won_or_lost
from wartable.terminal.lines import HELP
from wartable.terminal.sitting import Past, Sitting
from wartable.terminal.words import card_text, dealer_name

WIDTH = 78
METHODS = {
    "shoe": "a shoe with a cover card",
    "batches": "with different backs, shoe by shoe",
    "every_round": "shuffled for every round",
    "continuous": "a continuous shuffler",
}
COVER_WORDS = {
    "matched": (
        "Cover: at no more bets, what the bank posted is set against the wagers, box by box from"
        " the dealer's left, the seated player's before those behind: the {primary}, then"
        " {odds} times the {tie}. What is not covered goes back, whatever the cards."
    ),
    "ties_last": (
        "Cover: at no more bets, what the bank posted is set against every {primary}, box by box"
        " from the dealer's left, then {odds} times every {tie}. What is not covered goes back,"
        " whatever the cards."
    ),
    "running": (
        "Cover: wagers are settled box by box as long as the bank has money, with what it wins;"
        " the rest goes back."
    ),
    "payoffs_only": (
        "Cover: the bank collects every loss, and pays wins box by box as long as it has money;"
        " what it cannot pay goes back."
    ),
}
BACKLINE_WORDS = {
    "player": "Without a seat you may bet behind any player: start with --boxes none.",
    "house": "You may bet on the boxes of others as well as on your own.",
}
WAR_TIE_WORDS = {
    "none": "No tie wager on the war deal",
    "equal_primary": "A tie wager on the war deal, as high as the {primary}",
    "free": "A tie wager on the war deal within its limits",
}


def rules(sitting: Sitting) -> list[str]:
    """A summary of the book's rules, with the exact odds of a fresh shoe."""
    return [*_head(sitting), "", *_wagers(sitting), "", *_war(sitting), *_side_bets(sitting)]


def _head(sitting: Sitting) -> Iterator[str]:
    book, setup = sitting.book, sitting.setup
    rules_, document = setup.rules, book.rules.document
    edition = f", {document.edition}" if document.edition else ""
    yield f"{rules_.title}: {document.title} ({document.source}{edition})"
    decks = decks_in_use(setup.decks, sitting.state.method)
    yield f"{decks}, {METHODS[sitting.state.method]}; aces high, suits do not count."
    if rules_.banker == "player":
        most = rules_.bank.rounds_max if rules_.bank is not None else 1
        yield f"A player banks: the bank is offered around, at most {most} rounds in a row."
        for words in bank_words(rules_):
            yield from wrap(words, WIDTH, subsequent_indent="  ")
    if rules_.table.backline:
        yield BACKLINE_WORDS[rules_.banker]
    if differing := differs(book.rules):
        yield differing
    changed = sitting.header.options
    if changed:
        yield "Options: " + ", ".join(f"{key} = {value}" for key, value in changed.items())
    yield f"Every value with its clauses: wartable rules show {rules_.name} ({book.digest[:12]})"


def bank_words(rules_: RuleBook) -> Iterator[str]:
    """What cover and match are: when the bank puts money against wagers, and what goes back."""
    primary, tie, war = (rules_.label(kind) for kind in ("primary", "tie", "war"))
    odds = rules_.wagers.tie.pays.over
    yield COVER_WORDS[rules_.options.bank_cover].format(primary=primary, tie=tie, odds=odds)
    yield (
        f"Match: at war the bank puts new money against each {war}, as long as it has some."
        f" What is not matched of the {war} goes back, and as much of the {primary}."
    )


def _wagers(sitting: Sitting) -> Iterator[str]:
    edges = dict(edges_of(sitting))
    rules_ = sitting.setup.rules
    yield f"{'wager':<38}{'pays':<12}{'limits':<18}{'edge':>8}"
    for each in WAGERS:
        lines = [line.pays for line in each.pay_lines(rules_)]
        if lines and each.kind != "war":
            name = sitting.book.rules.label(each.kind)
            pays = "the wheel" if each.by_wheel else "see below" if len(lines) > 1 else lines[0]
            edge = edges.get(each.kind, "")
            yield f"{name:<38}{pays:<12}{_limits(sitting, each.kind):<18}{edge:>8}"
    if "surrender" in edges:
        yield f"{'  surrendering every tie instead':<68}{edges['surrender']:>8}"
    share = f"the {rules_.edge_holder}'s average share of the wager"
    yield f"The edge is {share}, exact for a fresh shoe."
    if rules_.limits.ceiling is not None:
        yield f"No single wager is above {short(rules_.limits.ceiling)}, the ceiling of this house."


def edges_of(sitting: Sitting) -> Iterator[tuple[str, str]]:
    """The exact edge of each wager, in percent."""
    from wartable.odds import Odds, OddsError  # noqa: PLC0415  # only this page needs them

    meter = sitting.state.meters.get(ASKED_METER)
    book = Book(sitting.setup.rules, sitting.book.sources, sitting.book.digest)
    try:
        odds = Odds(book, sitting.setup.decks, meter=None if meter is None else meter.shown)
        for kind in odds.offered:
            yield kind, _percent(odds.wager(kind).edge)
        yield "surrender", _percent(odds.wager("primary", "surrender").edge)
    except OddsError:
        return


def _percent(edge: Fraction) -> str:
    return f"{100 * float(edge):.2f} %"


def _limits(sitting: Sitting, kind: WagerKind) -> str:
    rules_ = sitting.setup.rules
    if denominations := WAGER[kind].denominations(rules_):
        return " or ".join(short(value) for value in denominations)
    if kind == "war_tie" and rules_.options.war_tie_wager == "equal_primary":
        return "as the first"
    limit = getattr(rules_.limits, kind)
    return f"{short(limit.min)} to {short(limit.max or limit.min)}"


def _war(sitting: Sitting) -> Iterator[str]:
    rules_ = sitting.setup.rules
    names = {kind: sitting.book.rules.label(kind) for kind in ("primary", "war")}
    yield "A tie: surrender for half, or war with as much again."
    for words in burns(rules_):
        yield f"  {words}"
    yield "  " + WAR_WORDS[rules_.options.war_pays].format(**names) + "."
    yield "  " + WAR_TIE_WORDS[rules_.options.war_tie_wager].format(**names) + "."
    if printed := printed_war(sitting.book):
        yield f"  As printed: {printed}."
    if rules_.edges is not None:
        edges = rules_.edges
        yield f"Edges that the document prints: {edges.primary}, tie wager {edges.tie}."


def _side_bets(sitting: Sitting) -> Iterator[str]:
    from wartable.odds.wheel import wheel_words  # noqa: PLC0415  # only this page needs it

    rules_ = sitting.setup.rules
    for each in SIDE_BETS:
        if each.offered(rules_):
            yield ""
            yield f"{sitting.book.rules.label(each.kind)}:"
            if each.by_wheel:
                for words in wheel_words(rules_, sitting.setup.decks):
                    yield from wrap(words, WIDTH, initial_indent="  ", subsequent_indent="  ")
                continue
            for line in each.pay_lines(rules_):
                name = f"{sitting.book.rules.label(line.label)} " if line.label else ""
                yield f"  {name + line.line:<24}{line.pays}"


def meters(sitting: Sitting) -> str:
    """The meters' readings."""
    return "  ".join(f"{name} {money(m.shown)}" for name, m in sitting.state.meters.items())


def history(sitting: Sitting) -> list[str]:
    """The last rounds, newest first."""
    if not sitting.history:
        return ["No round has been played yet."]
    edition = sitting.book.rules.document.edition
    head = [f"{sitting.setup.rules.title}, {edition} of the document"] if edition else []
    return head + [line for past in reversed(sitting.history) for line in _past(sitting, past)]


def _past(sitting: Sitting, past: Past) -> Iterator[str]:
    """One line for the round and one for each of the visitor's hands."""
    round_ = past.round
    dealer = _cards(round_.cards.get(0), round_.war_cards.get(0))
    banker = f", bank {round_.banker}" if round_.banker else ""
    void = f", void ({round_.void})" if round_.void is not None else ""
    own = [hand for hand in round_.hands if hand.player == sitting.visitor]
    nothing = "" if own or round_.banker == sitting.visitor else ", without you"
    yield f"{past.number:>5}  {dealer_name(sitting.book)} {dealer}{banker}{void}{nothing}"
    if round_.banker == sitting.visitor:
        posted = f", posted {short(round_.bank)}" if round_.bank is not None else ""
        yield f"       your bank {won_or_lost(round_.banker_net)}{posted}"
    for hand in own:
        cards = _cards(round_.cards.get(hand.box), round_.war_cards.get(hand.box))
        staked = sum(wager.staked for wager in hand.wagers)
        how = ", ".join(f"{w.kind} {w.outcome}" for w in hand.wagers).replace("_", " ")
        yield (
            f"       box {hand.box} {cards:<9} staked {short(staked)}, "
            f"net {money(hand.net, '+')} ({how})"
        )


def _cards(first: str | None, second: str | None) -> str:
    return " ".join(card_text(card) for card in (first, second) if card is not None) or "-"


def balance(sitting: Sitting) -> str:
    """Where the visitor's money is, in one line."""
    felt = f", {money(sitting.at_stake)} on the felt" if sitting.at_stake else ""
    net = sitting.stack + sitting.at_stake - sitting.brought
    return f"Balance {money(sitting.stack)}{felt}; this sitting {money(net, '+')}."


def help_lines() -> list[str]:
    """The list of line commands."""
    return [f"  {name:<26}{words}" for name, words in HELP]


def summary(sitting: Sitting) -> list[str]:
    """The results of the sitting."""
    totals = sitting.totals
    bank = f", bank {won_or_lost(totals.bank)}" if totals.bank else ""
    return [
        (
            f"Rounds {totals.rounds}, staked {money(totals.staked)}, returned "
            f"{money(totals.returned)}{bank}, net {money(totals.net, '+')}, "
            f"time {duration(sitting.played_ms)}."
        ),
        f"You leave with {money(sitting.left_with)}.",
    ]


def duration(milliseconds: int) -> str:
    """A length of time in hours and minutes."""
    minutes = milliseconds // 60_000
    if not minutes:
        return "under a minute"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def clock(milliseconds: int) -> str:
    """A length of time for the corner of the screen: 0:14."""
    hours, minutes = divmod(milliseconds // 60_000, 60)
    return f"{hours}:{minutes:02}"


def opening(sitting: Sitting) -> list[str]:
    """The lines above the first round: rules, limits and decks, before any wager."""
    return [line for line in (*_head(sitting), *_wagers(sitting)) if line]
