"""Shared meters against the tables that move them: whether their rows agree."""

from collections import Counter
from collections.abc import Callable

from wartable import ledger
from wartable.server.records import messages
from wartable.server.records.journal import Broken
from wartable.server.records.rows import Row
from wartable.server.tables.meters import Values
from wartable.table import Table


class Shared:
    """What the rows of tables and shared meters state about each other, gathered row by row."""

    def __init__(
        self, before: dict[str, tuple[int, Values]], older: Callable[[str, int], Values | None]
    ) -> None:
        """`before` are the meters' readings at the start; `older` reads an earlier row."""
        self._before, self._older = before, older
        self._moves: dict[tuple[str, str, int], tuple[Row, Values, Values]] = {}
        self._shown: list[tuple[str, Row, messages.ShowMeters]] = []
        self._rows: dict[str, list[tuple[Row, Values, messages.JournalCommand]]] = {}

    def meters_row(self, row: Row, command: messages.JournalCommand) -> None:
        """Remember what a row of shared meters says."""
        if isinstance(command, messages.OpenMeters | messages.MoveMeters):
            found = self._rows.setdefault(row.table_name, [])
            found.append((row, command.meters, command))

    def table_row(
        self, row: Row, command: messages.JournalCommand, meters: str, before: Table, after: Table
    ) -> None:
        """Remember what a row of a table says about its shared meters."""
        if isinstance(command, messages.ShowMeters):
            self._shown.append((meters, row, command))
        elif before.meters != after.meters:
            self._moves[meters, row.table_name, row.number] = (row, before.meters, after.meters)

    def check(self, accounts: Counter[str]) -> None:
        """Check that every move has the meter's own row, in order, from the right reading."""
        for name in sorted({*self._before, *self._rows}):
            rows = self._rows.get(name, [])
            _, now = self._before.get(name, (0, {}))
            for row, values, command in rows:
                if isinstance(command, messages.MoveMeters):
                    self._check_move(row, command, now)
                elif row.number > 1:
                    raise Broken(row, "it opens meters that are open")
                now = values
            self._check_known(name)
            last = rows[-1][0] if rows else None
            for meter, value in now.items():
                if accounts[f"{name}/{ledger.meter(meter)}"] != value.shown:
                    raise Broken(last, f"the account of {meter} is not what it shows")
                if value.fed + value.seeded != value.paid + value.shown:
                    raise Broken(last, f"{meter} does not account for every cent")
        for name in {name for name, _, _ in self._moves}:
            self._check_known(name)
        for name, row, command in self._shown:
            if self._reading(name, command.number) != command.meters:
                raise Broken(row, "it shows what the shared meters were not")

    def _reading(self, name: str, number: int) -> Values | None:
        """What the shared meters showed after one of their rows, if there is such a row."""
        last, values = self._before.get(name, (0, None))
        if number <= last:
            return values if number == last else self._older(name, number)
        known = self._rows.get(name, [])
        return known[number - last - 1][1] if number - last <= len(known) else None

    def readings(self) -> dict[str, tuple[int, Values]]:
        """The meters' readings now."""
        newer = {name: (rows[-1][0].number, rows[-1][1]) for name, rows in self._rows.items()}
        return self._before | newer

    def _check_known(self, name: str) -> None:
        for (meters, _, _), (row, _, _) in self._moves.items():
            if meters == name:
                raise Broken(row, "it moves a shared meter, whose rows do not know of it")

    def _check_move(self, row: Row, command: messages.MoveMeters, now: Values) -> None:
        found = self._moves.pop((row.table_name, command.table, command.number), None)
        if found is None:
            raise Broken(row, "it says what no table did to the meters")
        moving, before, after = found
        if before != now:
            raise Broken(moving, "it moves a shared meter from a reading that was old")
        if after != command.meters:
            raise Broken(row, "the meters are not what the table's row made of them")
