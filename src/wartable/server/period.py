"""The period of a report or an export, in UTC."""

from datetime import UTC, datetime, timedelta

import msgspec

from wartable.refusal import Unusable

EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)


class BadTime(Unusable):
    """A time that cannot be read; the sentence says why."""

    kind = "bad_time"


class Period(msgspec.Struct, frozen=True):
    """From one moment until before another; None is unbounded."""

    from_ms: int = 0
    until_ms: int | None = None

    def holds(self, at_ms: int) -> bool:
        """Whether the moment is in the period."""
        return self.from_ms <= at_ms and (self.until_ms is None or at_ms < self.until_ms)

    def words(self) -> str:
        """The period for people."""
        since = f"from {utc(self.from_ms)}" if self.from_ms else "from the beginning"
        return since + (
            f" until {utc(self.until_ms)}" if self.until_ms is not None else " until now"
        )


def utc(at_ms: int) -> str:
    """A moment for people: 2026-11-15 20:15:03.250 UTC."""
    moment = EARLIEST + timedelta(milliseconds=at_ms)
    return f"{moment:%Y-%m-%d %H:%M:%S}.{at_ms % 1000:03} UTC"


def read_moment(text: str) -> int:
    """The milliseconds of a date or a date with a time, UTC unless it says otherwise."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise BadTime(f"{text!r} is not a date like 2026-11-15 or 2026-11-15T20:30.") from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - EARLIEST) // timedelta(milliseconds=1)
