"""What a simulated player does at a tie: war, surrender, or a table by card count."""

import tomllib
from pathlib import Path
from typing import Annotated

import msgspec

from wartable.cards import RANKS
from wartable.game.messages import Choice
from wartable.refusal import Unusable
from wartable.validation import problem

Tag = Annotated[int, msgspec.Meta(ge=-100, le=100)]
Count = Annotated[int, msgspec.Meta(ge=-10_000, le=10_000)]


class PolicyError(Unusable):
    """A policy that cannot be played, as a sentence."""

    kind = "policy"


class PolicyStep(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"count": "from"}):
    """The choice at a count and above."""

    count: Count
    choice: Choice


class PolicyTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A policy by count: what each seen card adds, and the choice from each count on."""

    tags: dict[str, Tag]
    below: Choice
    steps: tuple[PolicyStep, ...]


class CountPolicy(msgspec.Struct, frozen=True):
    """A policy for the kernels: a choice for each count; the outermost hold beyond the ends."""

    name: str
    tags: tuple[int, ...] = (0,) * 13
    least: int = 0
    wars: tuple[bool, ...] = (True,)

    @property
    def always(self) -> Choice | None:
        """The choice, if it is the same at every count."""
        if all(self.wars):
            return "war"
        return None if any(self.wars) else "surrender"

    def goes_to_war(self, count: int) -> bool:
        """Whether the policy goes to war at a count."""
        return self.wars[min(max(count - self.least, 0), len(self.wars) - 1)]


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
    counts = [step.count for step in table.steps]
    if not counts or counts != sorted(set(counts)):
        raise PolicyError(f"The policy {name} needs steps with rising counts.")
    least = counts[0] - 1
    wars = [table.below == "war"]
    for step, end in zip(table.steps, [*counts[1:], counts[-1] + 1], strict=True):
        wars += [step.choice == "war"] * (end - step.count)
    tags = tuple(table.tags.get(rank, 0) for rank in RANKS)
    return CountPolicy(name, tags, least, tuple(wars))
