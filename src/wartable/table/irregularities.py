"""What goes wrong at a table: cards seen too early, boxes not dealt, jams and failed devices."""

from collections.abc import Iterator
from typing import Literal

from wartable import game
from wartable.game import DueCard, Illegal
from wartable.table.commands import (
    ChangeMethod,
    DrawInError,
    FailDevice,
    FindFaceUp,
    Jam,
    MarkDevice,
    MissBox,
    RepairDevice,
)
from wartable.table.course import Decides, Plays, TableCourse
from wartable.table.events import (
    CardSetAside,
    DeviceFailed,
    DeviceMarked,
    DeviceRepaired,
    DrawnInError,
    Event,
    Jammed,
    MethodChanged,
)
from wartable.table.procedure import DEVICE_METHODS, end_shoes, ended, need_no_round
from wartable.table.rounds import card_on_top, cover_card, play, play_for_absent
from wartable.table.state import Setup, Table


def find_face_up(setup: Setup, state: Table, command: FindFaceUp) -> Iterator[Event]:
    """A card found face up is not used in the round."""
    yield from _set_aside(setup, state, command.by, "face_up")


def _set_aside(
    setup: Setup, state: Table, by: str, why: Literal["face_up", "exposed"]
) -> Iterator[Event]:
    """The next card goes to the discard rack, after a cover card that lies before it."""
    card, box = card_on_top(state), 0
    if state.round is not None and state.in_round:
        due = game.awaits(setup.rules, state.round)[0]
        box = due.box if isinstance(due, DueCard) else 0
    yield from cover_card(state, box)
    yield CardSetAside(by, why, card)


def draw_in_error(setup: Setup, state: Table, command: DrawInError) -> Iterator[Event]:
    """A card drawn in error is the next card dealt, unless somebody saw it."""
    card_on_top(state)
    if command.exposed:
        yield from _set_aside(setup, state, command.by, "exposed")
    else:
        yield DrawnInError(command.by)


def miss_box(setup: Setup, course: TableCourse, command: MissBox) -> None:
    """A box that got no card in the original deal is void; the meters return its shares."""
    play_for_absent(setup, course, game.VoidBox(command.box, command.by))


def jam(setup: Setup, course: TableCourse, command: Jam) -> None:
    """The round is void and the cards in the device are shuffled again."""
    state = course.state
    if state.method not in DEVICE_METHODS:
        raise Illegal("no_device", "The cards are shuffled by hand at this table.")
    course.add(Jammed(command.by))
    if state.in_round:
        provable = state.shoe is not None and state.shoe.proof is not None
        void = game.VoidRound("the shuffler jammed", command.by if provable else None)
        play(setup, course, void)
    in_device = state.shoe
    if state.method == "batches" and (state.shoe is None or state.shoe.cards):
        in_device = state.stored
    if in_device is not None:
        course.add(ended(in_device, "the shuffler jammed", command.by))


def fail_device(setup: Setup, state: Table, command: FailDevice) -> Iterator[Event]:
    """The device goes out of order."""
    yield DeviceFailed(command.by, command.reason)


def mark_device(setup: Setup, state: Table, command: MarkDevice) -> Iterator[Event]:
    """The broken device is covered or marked with a sign."""
    if state.device_failed is None:
        raise Illegal("device_works", "The device is not out of order.")
    yield DeviceMarked(command.by, command.mark)


def repair_device(setup: Setup, state: Table, command: RepairDevice) -> Iterator[Event]:
    """The device works again."""
    if state.device_failed is None:
        raise Illegal("device_works", "The device is not out of order.")
    yield DeviceRepaired(command.by)


def change_method(setup: Setup, state: Table, command: ChangeMethod) -> Iterator[Event]:
    """Another method from the next shoe on; a broken device must be marked first."""
    need_no_round(state)
    shoe = setup.rules.shoe
    if command.method not in shoe.methods:
        raise Illegal("no_such_method", f"This book allows {', '.join(shoe.methods)}.")
    if command.method == state.method:
        raise Illegal("same_method", f"The table already uses the method {state.method}.")
    if state.device_failed is not None and state.device_mark is None:
        raise Illegal(
            "device_not_marked", "The device must be covered or marked with a sign first."
        )
    if state.device_failed is not None and command.method in DEVICE_METHODS:
        raise Illegal("device_failed", "The device is out of order; shuffle by hand.")
    if command.method in shoe.approval_methods and not command.approval:
        raise Illegal("no_approval", f"The method {command.method} needs an approval reference.")
    yield from end_shoes(state, "another method", command.by)
    yield MethodChanged(command.by, command.method, command.approval)


DECIDES: Decides = {
    FindFaceUp: find_face_up,
    DrawInError: draw_in_error,
    FailDevice: fail_device,
    MarkDevice: mark_device,
    RepairDevice: repair_device,
    ChangeMethod: change_method,
}

PLAYS: Plays = {
    MissBox: miss_box,
    Jam: jam,
}
