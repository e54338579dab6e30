"""The lease of a house: which server on a PostgreSQL database has it open.

A SQLite file has a lock instead, which ends with its process.
"""

import threading
import time
from contextlib import suppress

import sqlalchemy as sa

from wartable.server.config import HouseProblem
from wartable.server.logs import LOG
from wartable.server.records import schema
from wartable.server.records.database import brief, clock_ms

LEASE_MS = 6_000
"""How long a server has the house without renewing its lease, by the database's own clock."""
RENEW_S = 2
"""How often it is renewed."""
END_S = 5
"""How long to wait for a renewal that is under way when the house closes."""


_FIRST = "INSERT INTO lease (place, fence, until_ms) VALUES (1, 0, 0) ON CONFLICT DO NOTHING"


class HouseTaken(HouseProblem):
    """Another server has the house."""


class HouseLease:
    """The lease that this server holds, renewed by its own thread until it ends.

    A long opening or a busy event loop therefore does not let it expire.
    """

    def __init__(self, engine: sa.Engine, owner: str) -> None:
        """Take the house; `HouseTaken` if another server has it."""
        self._engine = engine
        self.before = _holder(engine)
        """The server that had the house before, if it did not give the house up."""
        self._renewed_s = time.monotonic()
        self.fence = take(engine, owner)
        self.lost = False
        """Whether another server has the house now, so that this one must stop."""
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="lease", daemon=True)
        self._thread.start()

    def _keep(self) -> None:
        while not self._ended.wait(RENEW_S):
            began_s = time.monotonic()
            try:
                if not renew(self._engine, self.fence):
                    LOG.error("house lost")
                    self.lost = True
                    return
                self._renewed_s = began_s
            except sa.exc.SQLAlchemyError as problem:
                # A server that cannot reach the database cannot write either, so keep trying.
                LOG.warning("lease not renewed", extra={"error": type(problem).__name__})

    @property
    def run_out(self) -> bool:
        """Whether the lease was not renewed for so long that another server may have the house."""
        return time.monotonic() - self._renewed_s > LEASE_MS / 1000

    def end(self) -> None:
        """Stop renewing the lease, and give the house up unless another server has it.

        Without a database the lease simply expires.
        """
        self._ended.set()
        self._thread.join(END_S)
        with suppress(sa.exc.SQLAlchemyError):
            self.lost = not release(self._engine, self.fence)


def _holder(engine: sa.Engine) -> str | None:
    """The server that has the house, or had it last."""
    with engine.connect() as connection:
        found: str | None = connection.execute(sa.select(schema.lease.c.owner)).scalar()
    return found


def take(engine: sa.Engine, owner: str) -> int:
    """Take the house unless another server has it; return the fence for commits.

    From then on the server that had it before writes no row.
    """
    lease = schema.lease
    with brief(engine) as connection:
        connection.execute(sa.text(_FIRST))
        held = connection.execute(sa.select(lease).with_for_update()).one()
        now_ms = clock_ms(connection)
        # No server takes the lease for longer: a later end is forged, or a clock was changed.
        holds = now_ms <= held.until_ms <= now_ms + LEASE_MS
        if held.owner not in (None, owner) and holds:
            raise HouseTaken("another server has this house open.")
        fence: int = held.fence + 1
        values = {"owner": owner, "fence": fence, "until_ms": now_ms + LEASE_MS}
        connection.execute(lease.update().values(values))
    return fence


def renew(engine: sa.Engine, fence: int) -> bool:
    """Renew the lease; return whether this server still has the house."""
    lease = schema.lease
    with brief(engine) as connection:
        until_ms = clock_ms(connection) + LEASE_MS
        ours = lease.update().where(lease.c.fence == fence)
        return connection.execute(ours.values(until_ms=until_ms)).rowcount == 1


def release(engine: sa.Engine, fence: int) -> bool:
    """Release the house: nothing more is written under this fence. Return whether it was ours."""
    lease = schema.lease
    with brief(engine) as connection:
        ours = lease.update().where(lease.c.fence == fence)
        given_up = ours.values(owner=None, fence=fence + 1, until_ms=0)
        return connection.execute(given_up).rowcount == 1
