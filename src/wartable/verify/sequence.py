"""Verification of a whole record: shoes that follow each other, and what a player should know."""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from wartable.proof import INCIDENTS, NO_RECORD, Bound, IncidentKind, chain_end, record_hash
from wartable.provable import proof_of
from wartable.shoe import Shoe
from wartable.verify.proven import committed
from wartable.verify.steps import VerifyStep, counted, sentence


def sequence(shoes: tuple[Shoe, ...], current: Shoe | None, whole: bool) -> Iterator[VerifyStep]:
    """Whether the record is in order, and the counts of what happened in it.

    A whole record has all of a table's shoes, from the first one on.
    """
    for number, problem in _problems(shoes, current, whole):
        yield VerifyStep(number, "sequence", False, sentence(problem))
        return
    found = counted(len(shoes), "shoe")
    yield VerifyStep(0, "sequence", True, f"The record has {found} in sequence.")
    if any(shoe.proof is not None for shoe in shoes):
        yield VerifyStep(0, "incidents", True, _incidents(shoes))


def _problems(
    shoes: tuple[Shoe, ...], current: Shoe | None, whole: bool
) -> Iterator[tuple[int, str]]:
    if not shoes:
        yield 0, "there is no shoe in the record"
        return
    if whole and shoes[0].terms.number > 1:
        yield 1, f"shoe 1 is missing: the table's record begins with shoe {shoes[0].terms.number}"
    seeds = [shoe.seed for shoe in shoes if shoe.proof is None]
    if len(set(seeds)) != len(seeds):
        yield 0, "two shoes were made from one seed"
    for first, second in pairwise(shoes):
        yield from _neighbours(first, second)
    if current is not None:
        yield from _in_use(shoes[-1], current)
    last: dict[str, Shoe] = {}
    for shoe in (*shoes, *(() if current is None else (current,))):
        if shoe.proof is not None:
            yield from _bound(last.get(shoe.terms.batch), shoe, whole or shoes[0].proof is None)
            last[shoe.terms.batch] = shoe


def _neighbours(first: Shoe, second: Shoe) -> Iterator[tuple[int, str]]:
    """What is wrong with the places of two shoes in the record."""
    number, follows = second.terms.number, first.terms.number + 1
    if first.terms.table != second.terms.table:
        yield number, f"shoe {number} is of another table"
    if number > follows:
        yield follows, f"shoe {follows} is missing: shoe {number} does not follow it"
    if number < follows:
        yield number, f"shoe {number} is out of order: it does not follow shoe {first.terms.number}"
    if first.proof is not None and second.proof is None:
        yield number, f"shoe {number} is of the older kind, but follows a provable one"
    # If the device jams, the stack never reaches the shoe and is shuffled again.
    used = first.cards or first.drawn
    if second.terms.method == "batches" and first.terms.batch == second.terms.batch and used:
        yield number, f"shoe {number} has the same batch as the one before"


def _in_use(last: Shoe, current: Shoe) -> Iterator[tuple[int, str]]:
    """What is wrong with the shoe in use, after the last finished one."""
    number, follows = current.terms.number, last.terms.number + 1
    if last.terms.table != current.terms.table:
        yield number, f"shoe {number} is of another table"
    if number > follows:
        yield follows, f"shoe {follows} is missing: shoe {number} does not follow it"
    if current.proof is not None and not committed(current):
        yield number, f"the commitment of shoe {number} does not cover what it is bound to"


def _bound(before: Shoe | None, shoe: Shoe, begins: bool) -> Iterator[tuple[int, str]]:
    """What is wrong with a shoe's place after the one before it of the same batch.

    If the record begins with the first shoe that has a proof, one without another before it is the
    first of its batch.
    """
    bound, number = proof_of(shoe).bound, shoe.terms.number
    if before is None:
        if begins and bound.before != NO_RECORD:
            yield number, f"shoe {number} is bound to a record that is missing"
        if not _leads_to_end(bound):
            yield number, f"shoe {number} does not go on from the published end of its chain"
        return
    earlier, old = proof_of(before).bound, before.terms.number
    if bound.before != record_hash(before):
        yield old, f"shoe {old} was changed: shoe {number} is bound to another record of it"
    if bound.chain == earlier.chain:
        if bound.used != earlier.used + len(proof_of(before).draws):
            yield number, f"links were skipped between shoe {old} and shoe {number}"
        if bound.anchor != (before.seed or earlier.anchor):
            yield number, f"shoe {number} does not go on from the last link of shoe {old}"
    elif bound.used:
        yield number, f"shoe {number} does not begin its chain at the end"


def _leads_to_end(bound: Bound) -> bool:
    """Whether the last link before a shoe is as far from the published end as the shoe says."""
    if bound.used > bound.links:
        return False
    return chain_end(bytes.fromhex(bound.anchor), bound.used).hex() == bound.chain


def _incidents(shoes: tuple[Shoe, ...]) -> str:
    """What a player should know: everything that moved, skipped or discarded cards, by whom."""
    found: Counter[tuple[IncidentKind, str]] = Counter()
    draws = missing = 0
    for shoe in shoes:
        if shoe.proof is None:
            continue
        draws += len(shoe.proof.draws)
        missing += sum(not draw.numbers for draw in shoe.proof.draws)
        for each in shoe.proof.incidents:
            found[each.what, each.by] += 1
    said = [f"{missing} of {counted(draws, 'draw')} without a player's number"]
    for (what, by), count in sorted(found.items()):
        said.append(f"{INCIDENTS[what]} {count} times" if count > 1 else f"{INCIDENTS[what]} once")
        said[-1] += f" by {by}" if by else ""
    if not found:
        said.append("no shoe set aside, no round voided, no card skipped")
    return "; ".join(said) + "."
