"""A wallet holds what the house's rows brought into it, and not what the database says."""

import re
from pathlib import Path

import pytest
import sqlalchemy as sa

from hosting import Hosted
from waiting import in_time, until
from wartable.server.audit import marks, verify
from wartable.server.config import Config, HouseProblem
from wartable.server.house.cage import GUEST_MONEY
from wartable.server.house.cashier import Cashier
from wartable.server.records import database
from wartable.server.records.answers import Accepted
from wartable.server.records.messages import PayIn
from wartable.server.records.rows import CASHIER
from wartable.server.records.writer import Writer
from wartable.server.running import House

FILL = "UPDATE balances SET amount = amount + :more WHERE account = :account"


def filled(engine: sa.Engine, name: str, more: int) -> None:
    """Change a wallet in the database."""
    with engine.begin() as connection:
        values = {"more": more, "account": f"wallet:{name}"}
        assert connection.execute(sa.text(FILL), values).rowcount == 1


def test_R8_money_that_was_minted_for_a_moment_cannot_be_staked(tmp_path: Path) -> None:
    """A wallet filled in the database buys nothing, and the house writes down what it found."""
    with Hosted(tmp_path, books=("online",)) as hosted, hosted.guest() as guest:
        engine = hosted.house.engine
        name = guest.post("/tables/private", 201, book="online")["name"]
        guest.hello(name)
        filled(engine, guest.name, 1)
        assert guest.do("join", amount=GUEST_MONEY + 1, seat=1)["code"] == "insufficient"
        filled(engine, guest.name, -1)
        reason = f"it holds {GUEST_MONEY + 1}, by the rows {GUEST_MONEY}"

        def written() -> bool:
            told = hosted.significant("tampering_found", f"wallet:{guest.name}")
            return [each["reason"] for each in told] == [reason]

        until(written, "what was found is not written down")
        guest.must("join", amount=GUEST_MONEY, seat=1)
        assert guest.do("buy_in", amount=1)["code"] == "insufficient"
        guest.must("leave")
        verify.verify(engine, hosted.house.key)


def test_R8_a_wallet_changed_while_the_house_was_closed_is_named(tmp_path: Path) -> None:
    """The house does not open with more or less in a wallet than it left there."""
    with Hosted(tmp_path, books=("online",)) as hosted, hosted.guest() as guest:
        name = guest.name
    engine = database.engine_for(str(tmp_path / "house.sqlite"))
    for change in (5, -5):
        filled(engine, name, change)
        left = f"wallet:{name} holds {GUEST_MONEY + change}, and this house left it with"
        with pytest.raises(HouseProblem, match=f"{left} {GUEST_MONEY}"):
            House(Config(tmp_path, books=("online",)))
        filled(engine, name, -change)
    engine.dispose()
    with Hosted(tmp_path, books=("online",)) as hosted:
        assert hosted.house.wallets.amounts[f"wallet:{name}"] == GUEST_MONEY


def test_wallets_of_a_house_that_was_killed_are_known_by_its_rows(tmp_path: Path) -> None:
    """What was not marked any more is read from the rows since the last mark."""
    with Hosted(tmp_path, books=("online",)) as hosted, hosted.guest() as guest:
        guest.private("online", 30_000)
        name = guest.name
    file = tmp_path / marks.FILE
    lines = file.read_text().splitlines(keepends=True)
    early = [line for line in lines if name not in line]
    assert 0 < len(early) < len(lines)
    file.write_text("".join(early))
    with Hosted(tmp_path, books=("online",)) as hosted:
        assert hosted.house.wallets.amounts[f"wallet:{name}"] == GUEST_MONEY - 30_000
        marked = marks.read(file, hosted.house.key.signed)
        assert re.search(f'"wallet:{name}":{GUEST_MONEY - 30_000}', file.read_text())
        assert marked


def test_money_that_another_server_paid_in_can_be_spent(tmp_path: Path) -> None:
    """A wallet that seems short is counted again with the rows of other servers."""
    with Hosted(tmp_path, books=("online",)) as hosted, hosted.guest() as guest:
        house = hosted.house

        async def pay() -> None:
            writer = Writer(str(tmp_path / "house.sqlite"))
            head = database.head_of(house.engine, CASHIER)
            cashier = Cashier(writer.commit, house.clock, house.key, head)
            paid = await cashier.carry_out("desk", "slip", PayIn(guest.name, 7_000))
            assert isinstance(paid, Accepted)
            await writer.close()

        in_time(pay())
        guest.private("online", GUEST_MONEY + 7_000)
        assert house.wallets.amounts[f"wallet:{guest.name}"] == 0
        assert not hosted.significant("tampering_found")
        verify.verify(house.engine, house.key)
