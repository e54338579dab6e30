"""Counts in a file: which chunks of which runs are counted, to resume, divide and merge runs."""

import os
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import msgspec

from wartable.refusal import Unusable
from wartable.sim.job import Job, Ranges, SimulationTally, joined, missing
from wartable.sim.run import Counted
from wartable.validation import problem

FORMAT = 1
SAVE_SECONDS = 1.0
"""The least time between two writes of a file during a run."""


class CountsError(Unusable):
    """Counts that do not fit the run, as a sentence."""

    kind = "counts"


class SavedRun(msgspec.Struct, forbid_unknown_fields=True):
    """The counts of one job: its chunks from `first` up to `end` in each range, and their tally."""

    job: Job
    rounds: int
    done: Ranges
    counted: int
    keys: dict[int, int]
    spins: dict[int, int]
    shoes: int
    seconds: float


class SavedRuns(msgspec.Struct, forbid_unknown_fields=True):
    """A file of counts: one run, or every run of a sweep."""

    format: int
    runs: list[SavedRun]


class CountsFile:
    """The counts of several runs, written to a file every second and at the end."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        if path is not None and not path.absolute().parent.is_dir():
            raise CountsError(f"There is no directory {path.parent} to keep {path.name} in.")
        self._seen = self._found()
        self.runs = {} if path is None or self._seen is None else read(path)
        self._written = time.monotonic()

    def merge(self, path: Path) -> None:
        """Add the counts of another file; a chunk may be counted in one of them only."""
        for job, other in read(path).items():
            own = self.runs.get(job)
            if own is None:
                self.runs[job] = other
                continue
            if own.rounds != other.rounds:
                raise CountsError(
                    f"{path} counts {other.rounds} rounds, and the other file {own.rounds}."
                )
            twice = [each for each in other.done if missing(own.done, *each) != [each]]
            if twice:
                first, end = twice[0]
                raise CountsError(
                    f"Chunks of {first}:{end} in {path} are counted in another file too."
                )
            self.runs[job] = _saved(job, own.rounds, _added(own, other))

    def seeds(self) -> tuple[int, ...]:
        """The seeds of the runs."""
        return tuple(sorted({job.seed for job in self.runs}))

    def rounds(self, job: Job) -> int | None:
        """How many rounds a run has, if it was begun."""
        run = self.runs.get(job)
        return None if run is None else run.rounds

    def start(self, job: Job, rounds: int) -> Counted:
        """What is counted of a run so far."""
        run = self.runs.get(job)
        if run is None:
            return Counted(SimulationTally(), 0.0)
        if run.rounds != rounds:
            raise CountsError(
                f"The counts are of {run.rounds} rounds, not {rounds}; omit --rounds to resume."
            )
        return _counted(run)

    def keep(self, job: Job, rounds: int) -> Callable[[Counted], None]:
        """A function that saves a run's counts, and writes them from time to time."""

        def kept(counted: Counted) -> None:
            self.runs[job] = _saved(job, rounds, counted)
            if time.monotonic() - self._written >= SAVE_SECONDS:
                self.write()

        return kept

    def _found(self) -> tuple[int, int] | None:
        """What distinguishes the file from one that another run has written since."""
        if self.path is None or not self.path.exists():
            return None
        now = self.path.stat()
        return now.st_ino, now.st_mtime_ns

    def write(self) -> None:
        """Write the whole file or nothing."""
        if self.path is None or not self.runs:
            return
        if self._found() != self._seen:
            raise CountsError(f"Another run has written {self.path} meanwhile; use two files.")
        data = msgspec.json.encode(SavedRuns(FORMAT, list(self.runs.values())))
        part = self.path.with_name(self.path.name + ".part")
        try:
            with part.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            part.replace(self.path)
            self._seen = self._found()
        except OSError as error:
            raise CountsError(f"{self.path} cannot be written: {error.strerror}.") from None
        self._written = time.monotonic()


def read(path: Path) -> dict[Job, SavedRun]:
    """The runs of a file by their job."""
    try:
        found = msgspec.json.decode(path.read_bytes(), type=SavedRuns)
    except OSError as error:
        raise CountsError(f"The counts {path} cannot be read: {error.strerror}.") from None
    except msgspec.ValidationError as error:
        wrong = ": ".join(filter(None, problem(error)))
        raise CountsError(f"{path} is not a file of counts: {wrong}.") from None
    except msgspec.DecodeError as error:
        raise CountsError(f"{path} is not a file of counts: {error}.") from None
    if found.format != FORMAT:
        raise CountsError(f"{path} has format {found.format}; this version reads {FORMAT}.")
    for run in found.runs:
        if run.done != joined(run.done) or run.counted != sum(run.keys.values()):
            raise CountsError(f"{path} is damaged: its counts do not add up.")
    return {run.job: run for run in found.runs}


def _counted(run: SavedRun) -> Counted:
    tally = SimulationTally(run.counted, Counter(run.keys), Counter(run.spins), run.shoes)
    return Counted(tally, run.seconds, done=list(run.done))


def _saved(job: Job, rounds: int, counted: Counted) -> SavedRun:
    tally = counted.tally
    return SavedRun(
        job,
        rounds,
        list(counted.done),
        tally.rounds,
        dict(tally.keys),
        dict(tally.spins),
        tally.shoes,
        counted.seconds,
    )


def _added(*runs: SavedRun) -> Counted:
    """Several parts of one run as one."""
    total = Counted(SimulationTally(), 0.0)
    for counted in map(_counted, runs):
        total.tally.add(counted.tally)
        total.seconds += counted.seconds
        total.done = joined([*total.done, *counted.done])
    return total
