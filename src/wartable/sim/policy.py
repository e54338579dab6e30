"""What a simulated player does: war or surrender at a tie, and stakes, by a count of the cards."""

import tomllib
from pathlib import Path
from typing import Annotated, TypeVar

import msgspec

from wartable.cards import RANKS
from wartable.game.messages import Choice
from wartable.refusal import Unusable
from wartable.rules.model import WagerKind
from wartable.validation import problem

Tag = Annotated[int, msgspec.Meta(ge=-100, le=100)]
CountTag = Annotated[int, msgspec.Meta(ge=-10_000, le=10_000)]
LEVELS_MAX = 8
"""A key has three bits for the stakes."""


class PolicyError(Unusable):
    """A policy that cannot be played, as a sentence."""

    kind = "policy"


class PolicyStep(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"count": "from"}):
    """The choice at a count and above."""

    count: CountTag
    choice: Choice


StakeMultiples = dict[WagerKind, Annotated[int, msgspec.Meta(ge=0, le=1000)]]
"""By wager: the multiple of its usual stake. A wager that is not named keeps its own."""


class BetStep(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"count": "from"}):
    """The stakes at a count and above."""

    count: CountTag
    stakes: StakeMultiples


class PolicyTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A policy by count: what each seen card adds, and choices and stakes from each count on."""

    tags: dict[str, Tag]
    below: Choice
    steps: tuple[PolicyStep, ...] = ()
    stakes: StakeMultiples = {}
    """The stakes below the first count of `bets`."""
    bets: tuple[BetStep, ...] = ()
    per_deck: bool = False
    """Whether counts are divided by the decks that are left, rounded down."""


class CountPolicy(msgspec.Struct, frozen=True):
    """A policy for the kernels: a choice for each count; the outermost hold beyond the ends."""

    name: str
    tags: tuple[int, ...] = (0,) * 13
    least: int = 0
    wars: tuple[bool, ...] = (True,)
    bet_least: int = 0
    levels: tuple[int, ...] = (0,)
    """The place in `stakes` for each count."""
    stakes: tuple[StakeMultiples, ...] = ({},)
    per_deck: bool = False

    @property
    def always(self) -> Choice | None:
        """The choice, if it is the same at every count."""
        if all(self.wars):
            return "war"
        return None if any(self.wars) else "surrender"

    def goes_to_war(self, count: int) -> bool:
        """Whether the policy goes to war at a count."""
        return self.wars[min(max(count - self.least, 0), len(self.wars) - 1)]

    def level(self, count: int) -> int:
        """The place in `stakes` at a count."""
        return self.levels[min(max(count - self.bet_least, 0), len(self.levels) - 1)]

    def counted(self, count: int, left: int) -> int:
        """The count that decides, given how many cards are left."""
        return count * 52 // left if self.per_deck else count


def policy_of(name: str) -> CountPolicy:
    """The policy of that name, or of a TOML file."""
    if name == "war":
        return CountPolicy("war")
    if name == "surrender":
        return CountPolicy("surrender", wars=(False,))
    if not name.endswith(".toml"):
        raise PolicyError(f"There is no policy {name!r}; use war, surrender, or a .toml file.")
    try:
        table = msgspec.convert(tomllib.loads(Path(name).read_text("utf-8")), PolicyTable)
    except (OSError, UnicodeDecodeError) as error:
        raise PolicyError(f"The policy {name} cannot be read: {error}.") from None
    except tomllib.TOMLDecodeError as error:
        raise PolicyError(f"The policy {name} is not a table of choices: {error}.") from None
    except msgspec.ValidationError as error:
        wrong = ": ".join(filter(None, problem(error)))
        raise PolicyError(f"The policy {name} is not a table of choices: {wrong}.") from None
    return tabled(name, table)


def tabled(name: str, table: PolicyTable) -> CountPolicy:
    """The table with every count filled in."""
    for rank in table.tags:
        if rank not in RANKS or len(rank) != 1:
            raise PolicyError(f"The policy {name} tags {rank!r}; ranks are {', '.join(RANKS)}.")
    if not (table.steps or table.bets):
        raise PolicyError(f"The policy {name} needs steps with rising counts, or bets.")
    choices = [step.choice == "war" for step in table.steps]
    least, wars = _filled(
        name, [step.count for step in table.steps], [table.below == "war", *choices]
    )
    stakes = [table.stakes, *(step.stakes for step in table.bets)]
    for each in stakes:
        if each.get("primary") == 0:
            raise PolicyError(f"The policy {name} stakes no primary wager, which gets no cards.")
    different = [each for place, each in enumerate(stakes) if each not in stakes[:place]]
    if len(different) > LEVELS_MAX:
        raise PolicyError(f"The policy {name} has more than {LEVELS_MAX} different stakes.")
    bet_least, levels = _filled(
        name, [step.count for step in table.bets], [different.index(each) for each in stakes]
    )
    return CountPolicy(
        name,
        tuple(table.tags.get(rank, 0) for rank in RANKS),
        least,
        wars,
        bet_least,
        levels,
        tuple(different),
        table.per_deck,
    )


Filled = TypeVar("Filled")


def _filled(name: str, counts: list[int], values: list[Filled]) -> tuple[int, tuple[Filled, ...]]:
    """The lowest count and the value at each from there on; the first is below all counts."""
    if counts != sorted(set(counts)):
        raise PolicyError(f"The policy {name} needs steps with rising counts.")
    if not counts:
        return 0, (values[0],)
    found = [values[0]]
    for value, start, end in zip(values[1:], counts, [*counts[1:], counts[-1] + 1], strict=True):
        found += [value] * (end - start)
    return counts[0] - 1, tuple(found)
