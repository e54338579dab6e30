"""The links of a table: when a chain begins, and which link is next."""

from collections.abc import Callable

from msgspec import Struct

from wartable import proof
from wartable.proof import When
from wartable.table import Setup, Table
from wartable.table.commands import StartChain
from wartable.table.draws import chain_needed
from wartable.table.procedure import next_batch
from wartable.table.state import LinkChain

LINKS = 4_096
STRIDE = 64
"""How many links are recomputed from each stored one."""


class _Kept(Struct):
    """Links of a chain: some at equal distances, the root first, and the whole group in use."""

    root: str
    spread: tuple[bytes, ...]
    group: int = -1
    links: tuple[bytes, ...] = ()


class Links:
    """Whose numbers decide a table's cards, when, and with which links.

    A shared table has no owner: the numbers of all who are seated decide its cards.
    """

    def __init__(
        self,
        book: str,
        owner: str,
        new_root: Callable[[], str],
        order: When = "on_deal",
        iterations: int = 1,
    ) -> None:
        self._book, self._owner, self._new_root = book, owner, new_root
        self._how = (order, iterations)
        self._kept: dict[str, _Kept] = {}

    def chain(self, setup: Setup, state: Table) -> StartChain | None:
        """The commitment that must come before the next shuffle, if one is needed.

        It is also needed when the operator has changed the order or the iterations.
        """
        batch, in_use, stored = next_batch(setup, state), state.shoe, state.stored
        if in_use is not None and in_use.terms.batch == batch:
            return None  # the quick answer first: the platform asks before each of its acts
        if stored is not None and stored.terms.batch == batch:
            return None
        chain = state.chains.get(batch)
        same = chain is not None and (chain.order, chain.iterations) == self._how
        if same and not chain_needed(setup, state, batch):
            return None
        root = self._new_root()
        return StartChain(self._book, self._owner, *self._how, LINKS, batch, root)

    def next(self, state: Table) -> str:
        """The link that decides the next cards of the shoe in use."""
        assert state.shoe is not None
        batch = state.shoe.terms.batch
        chain = state.chains[batch]
        kept = self._kept.get(batch)
        if kept is None or kept.root != chain.root:
            kept = self._kept[batch] = _spread(chain)
        # The root is used last, so that links count backwards from it.
        group, more = divmod(chain.links - 1 - chain.used, STRIDE)
        if kept.group != group:
            kept.group, kept.links = group, _following(kept.spread[group])
        return kept.links[more].hex()


def _following(link: bytes) -> tuple[bytes, ...]:
    """A link and those that are used before it, up to the next one that is kept."""
    links = [link]
    while len(links) < STRIDE:
        links.append(proof.link_before(links[-1]))
    return tuple(links)


def _spread(chain: LinkChain) -> _Kept:
    """Links of a chain at equal distances, from which the others are made."""
    links = [bytes.fromhex(chain.root)]
    for _ in range((chain.links - 1) // STRIDE):
        links.append(proof.chain_end(links[-1], STRIDE))
    return _Kept(chain.root, tuple(links))
