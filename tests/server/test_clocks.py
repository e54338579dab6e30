"""The one clock of a house, on a machine whose clock is set forward, set back, or runs wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from machines import SetMachine
from wartable.server.clock import DRIFT, STEP_MS, HouseClock

AT_S = 1_800_000_000
AT_MS = AT_S * 1_000
DAYS_S = 2 * 24 * 3_600
STEP_S = STEP_MS // 1_000


@pytest.fixture
def machine() -> SetMachine:
    """A machine on which nothing passes by itself."""
    return SetMachine(AT_S)


@pytest.fixture
def clock(machine: SetMachine) -> HouseClock:
    """A house's clock on that machine."""
    return HouseClock(machine)


def test_two_days_for_seven_seconds_are_seven_seconds(
    machine: SetMachine, clock: HouseClock
) -> None:
    """A forward step is not followed, and doubted even after the clock was set back."""
    assert not clock.doubted
    machine.set_by(DAYS_S)
    assert clock.doubted
    assert clock.now_ms() == AT_MS
    machine.let_pass(7)
    assert clock.now_ms() == AT_MS + 7_000
    machine.set_by(-DAYS_S)
    machine.let_pass(1)
    assert (clock.doubted, clock.now_ms()) == (True, AT_MS + 8_000)
    clock.confirm()
    assert (clock.doubted, clock.now_ms()) == (False, AT_MS + 8_000)


def test_a_confirmed_time_is_followed(machine: SetMachine, clock: HouseClock) -> None:
    """Once somebody confirms a step, the clock shows what the machine does, and doubts the next."""
    machine.set_by(DAYS_S)
    assert clock.doubted
    clock.confirm()
    machine.let_pass(1)
    assert (clock.doubted, clock.now_ms()) == (False, AT_MS + DAYS_S * 1_000 + 1_000)
    machine.set_by(STEP_S + 1)
    assert clock.doubted


def test_a_clock_set_back_never_goes_back(machine: SetMachine, clock: HouseClock) -> None:
    """Behind what was shown, time goes on at half speed; its correction is no step."""
    machine.set_by(-DAYS_S)
    assert clock.now_ms() == AT_MS
    machine.let_pass(60)
    assert clock.now_ms() == AT_MS + 30_000
    machine.set_by(DAYS_S)
    assert (clock.doubted, clock.now_ms()) == (False, AT_MS + 30_000)
    machine.let_pass(100)
    assert clock.now_ms() == AT_MS + 140_000, "it catches up without a jump"
    machine.let_pass(300)
    assert clock.now_ms() == AT_MS + 460_000


def test_a_slow_clock_is_followed_and_told_seldom(machine: SetMachine, clock: HouseClock) -> None:
    """A machine that loses a third loses no more here, and is noted at each doubling only."""
    told = 0
    for _ in range(3_600):
        machine.let_pass(1)
        machine.set_by(-1 / 3)
        before_ms = clock.now_ms()
        told += clock.changed() is not None
    assert not clock.doubted
    assert AT_MS + 2_399_000 <= before_ms <= AT_MS + 2_401_000
    assert told == 6, "of 1,200 s in all: at 10, 30, 70, 150, 310 and 630"


def test_a_clock_that_runs_fast_is_doubted(machine: SetMachine, clock: HouseClock) -> None:
    """Steps that are too small to notice are noticed together."""
    while not clock.doubted:
        machine.let_pass(1)
        machine.set_by(0.05)
    gained_ms = clock.now_ms() - AT_MS - machine.passed_ns() // 10**6
    assert STEP_MS - 1_000 <= gained_ms <= STEP_MS + machine.passed_ns() // 10**6 // DRIFT


def test_a_small_step_is_caught_up(machine: SetMachine, clock: HouseClock) -> None:
    """A step within the bound takes nothing from anybody's time to choose but a tenth."""
    machine.set_by(STEP_S)
    assert (clock.doubted, clock.now_ms()) == (False, AT_MS)
    machine.let_pass(20)
    assert clock.now_ms() == AT_MS + 22_000
    machine.let_pass(80)
    assert clock.now_ms() == AT_MS + 100_000 + STEP_MS


def test_a_machine_that_slept_is_believed(machine: SetMachine, clock: HouseClock) -> None:
    """Time that passed while nothing ran is time."""
    machine.let_pass(DAYS_S)
    assert (clock.doubted, clock.now_ms()) == (False, AT_MS + DAYS_S * 1_000)


def test_a_clock_that_was_set_is_told_once(machine: SetMachine, clock: HouseClock) -> None:
    """What it should show and what it shows, for a step of a second or more, either way."""
    machine.let_pass(5)
    assert clock.changed() is None
    machine.set_by(-3_600)
    assert clock.changed() == (AT_MS + 5_000, AT_MS - 3_595_000)
    assert clock.changed() is None
    machine.set_by(0.9)
    assert clock.changed() is None
    machine.set_by(1)
    assert clock.changed() == (AT_MS - 3_595_000, AT_MS - 3_593_100)


moves = st.tuples(st.sampled_from(["pass", "set", "confirm"]), st.integers(-3 * DAYS_S, 3 * DAYS_S))


@given(st.lists(moves, max_size=30))
def test_it_never_jumps_without_a_confirmation(sequence: list[tuple[str, int]]) -> None:
    """Whatever is set, it goes on by half to eleven tenths of what passes, and never back."""
    machine = SetMachine(AT_S)
    clock = HouseClock(machine)
    for what, seconds in sequence:
        before_ms, passed_ms = clock.now_ms(), 0
        if what == "confirm":
            clock.confirm()
            assert clock.now_ms() == max(before_ms, clock.shows_ms())
            continue
        if what == "set":
            machine.set_by(seconds)
        else:
            passed_ms = abs(seconds) * 1_000
            machine.let_pass(abs(seconds))
        gone_ms = clock.now_ms() - before_ms
        assert passed_ms // 2 - 1 <= gone_ms <= passed_ms * 1.1 + 1
        if clock.doubted:
            assert gone_ms <= passed_ms
