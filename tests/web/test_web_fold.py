"""The page's fold and the engine's are one: the same state after every event of many tables."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from msgspec.structs import replace

from node import FOLDER, node
from table_goldens import at_home, paths
from table_strategies import FEW, Plan, RandomTable
from tables import Play
from wartable import game, table
from wartable import shoe as shoes
from wartable.proof import When
from wartable.rules import NAMES, load
from wartable.server.tables.meters import sharing
from wartable.table import Event, Table, view, view_event
from wartable.table import commands as c
from wartable.table.events import RoundStarted
from wartable.table.meters import show_meters
from wartable.table.playthrough import parse, setup_of

pytestmark = pytest.mark.slow("folds many tables twice")

ROUNDS = 20
SHARED: tuple[When, When] = ("shoe", "after_bets")
Row = dict[str, Any]


def told(state: Table) -> Table:
    """The table as the events tell it: of a finished shoe the seed, not what follows."""
    shown, last = view(state), state.finished
    if last is None:
        return shown
    heard = shoes.public(replace(last, ended=""))
    return replace(shown, finished=replace(heard, ended=last.ended, seed=last.seed))


def golden_rows() -> Iterator[Row]:
    """Every golden table with its state after every event."""
    for path in paths():
        with at_home():
            playthrough = parse(path.read_text("utf-8"))
            state = table.start(setup_of(playthrough))
        yield {"name": path.stem, "state": told(state)}
        for event in (event for step in playthrough.steps for event in step.events):
            state = table.apply(state, event)
            yield {"event": view_event(event), "state": told(state)}


def random_plans(rounds: int) -> Iterator[Plan]:
    """Tables of every book by each of its methods, staffed or not, orderly and wild."""
    number = 0
    for book in NAMES:
        for method in load(book).rules.shoe.methods:
            for staffed in (False, True):
                for few in ((), FEW[number % len(FEW)]):
                    number += 1
                    wild = (0, 10, 25)[number % 3]
                    own = number % 4 < 2
                    shared = None if own else SHARED[not few]
                    options: dict[str, str] = {"shuffle": method}
                    yield Plan(book, options, staffed, number, rounds, wild, few, own, shared)


def recorded(play: Play) -> list[Row]:
    """The rows of a table that is about to be played, filled as it goes on."""
    rows: list[Row] = [{"name": play.setup.rules.name, "state": told(play.state)}]
    happen = play._happen

    def record(event: Event) -> None:
        happen(event)
        rows.append({"event": view_event(event), "state": told(play.state)})

    setattr(play, "_happen", record)  # noqa: B010  # a method is replaced on purpose
    return rows


def random_rows(rounds: int) -> Iterator[Row]:
    """Tables that play themselves."""
    for plan in random_plans(rounds):
        playing = RandomTable(plan, lambda _: None)
        rows = recorded(playing.play)
        playing.run()
        yield from rows


def declined_rows() -> list[Row]:
    """A round in which a tie spot is left to somebody else, which chance does not play."""
    play = Play("new-zealand")
    rows = recorded(play)
    play.join("ann", "bob").ready("bets").bet("ann", 1, primary=2_500)
    play.do(game.Decline("ann", 1))
    play.bet("bob", 1, tie=500).close().ready("start")
    return rows


def seated_rows() -> list[Row]:
    """A round in which a player sits down where somebody already bets behind the seat."""
    play = Play("california").join("ann", "bob").ready("start")
    rows = recorded(play)
    play.do(c.Join("eve", 50_000))
    play.ready("bets").do(c.Join("cat", 50_000, 3))
    play.bet("eve", 3, primary=500).bet("cat", 3, primary=2_500).close().ready("start")
    return rows


def envied_rows() -> list[Row]:
    """A round with four identical cards, for which another player has an envy bonus."""
    play = Play("maryland").join("ann", "bob")
    rows = recorded(play)
    play.start()
    for player, box in (("ann", 1), ("bob", 2)):
        play.bet(player, box, primary=2_500, progressive=500)
    play.close().rig("9s 2c 9s").ready("choice").do(game.Choose("ann", 1, "war"))
    play.rig("3c 4c 5c 9s 9s").finish()
    return rows


def shared_rows() -> Iterator[Row]:
    """A table that shares its meters, which others move before and during a void round."""
    setup = sharing(table.new_setup(load("maryland").rules, "shared"), "digest")
    state = table.start(setup)
    yield {"name": "shared meters", "state": told(state)}
    for given in (None, RoundStarted(1, 0), None, game.RoundVoided("test")):
        grown = {
            name: replace(each, shown=each.shown + 7, fed=each.fed + 7, carry=3)
            for name, each in state.meters.items()
        }
        event = given or show_meters(setup, state, 2, grown)
        state = table.apply(state, event)
        yield {"event": event, "state": told(state)}


def test_every_state_after_every_event(tmp_path: Path, deep: bool) -> None:
    """Goldens and tables that play themselves are folded alike, and every kind of event occurs."""
    scripted = (golden_rows(), declined_rows(), seated_rows(), envied_rows(), shared_rows())
    rows = [row for each in (*scripted, random_rows(60 if deep else ROUNDS)) for row in each]
    events = [row["event"] for row in rows if "event" in row]
    assert {type(event) for event in events} == set(get_args(Event))
    file = tmp_path / "rows"
    file.write_bytes(b"\n".join(msgspec.json.encode(row) for row in rows))
    assert node(FOLDER / "folded.js", file) == f"{len(events)} events\n"
