"""No trap: what an office, a copied folder or an earlier version did, a house opens and pays."""

import asyncio
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import pytest

from hosting import Hosted, Json
from live_tables import Cards, Planted
from opened_houses import opened
from waiting import LOOK_S, in_time, until
from wartable import game
from wartable.server.audit import verify
from wartable.server.config import HouseProblem, lock, owner_id
from wartable.server.denied import Denied
from wartable.server.opening import notices
from wartable.server.records.answers import Accepted, RefusedCommand
from wartable.server.records.facts import RoleFact
from wartable.server.records.lease import HouseTaken
from wartable.server.records.messages import Note, PayIn
from wartable.server.running import House
from wartable.table.commands import Join

PASSWORD = "correct horse battery"


@contextmanager
def as_before(house: House, money: str) -> Iterator[None]:
    """Let accounts be opened with another kind of money, as an earlier version did."""
    with mock.patch.object(house.accounts, "money", money):
        yield


def test_an_account_with_another_kind_of_money(tmp_path: Path) -> None:
    """An administrator cannot open one; a house in which one was opened before opens."""
    with Hosted(tmp_path, books=("online",), money="deposited") as hosted, hosted.admin() as admin:
        asked = {"name": "playful", "password": PASSWORD, "money": "play"}
        refused = admin.post("/accounts", 409, **asked)
        told = "This house plays for deposited money; open the account with that."
        assert (refused["code"], refused["sentence"]) == ("other_money", told)
        admin.post("/accounts", 201, **asked | {"money": "deposited"})
        admin.post("/accounts", 201, name="another", password=PASSWORD)
        assert {each["money"] for each in admin.get("/accounts")} == {"deposited"}


def test_a_house_in_which_there_is_one_already(tmp_path: Path, address: str) -> None:
    """The house's kind is that of its first payment; the odd account plays and gets nothing."""

    async def run() -> None:
        house = await opened(tmp_path, address, money="deposited")
        owner = await house.accounts.open("admin", "depositor", PASSWORD)
        with as_before(house, "play"):
            odd = await house.accounts.open("admin", "playful", PASSWORD)
        await house.cage.pay("key:desk", "1", PayIn(owner.name, 5_000))
        await house.stop()
        house = await opened(tmp_path, address, money="deposited")
        refused = await house.cage.refill(odd, "1")
        assert isinstance(refused, RefusedCommand)
        assert refused.code == "no_play_money"
        answer = await house.dispatch.command(odd, "online 1", "1", Join(odd.name, 100, 1))
        assert isinstance(answer, RefusedCommand)
        assert answer.code == "other_money"
        verify.verify(house.engine, house.key)
        await house.stop()
        with pytest.raises(HouseProblem, match="open it with --money deposited"):
            await opened(tmp_path, address, money="play")

    in_time(run())


def test_staff_with_another_kind_of_money(tmp_path: Path, address: str) -> None:
    """A member of staff whose account has other money than the house's is made no player."""

    async def run() -> None:
        house = await opened(tmp_path, address, money="deposited")
        with as_before(house, "play"):
            await house.accounts.open("admin", "berta", PASSWORD, "admin")
        with pytest.raises(Denied, match="berta has play money; open a new account for them"):
            await house.change_role("admin", "berta", "player", "retires")
        await house.change_role("admin", "berta", "dealer", "deals now")
        await house.stop()
        await (await opened(tmp_path, address, money="deposited")).stop()

    in_time(run())


def test_two_administrators_who_depose_each_other(tmp_path: Path, address: str) -> None:
    """The one whose request comes second is no administrator any more, so one always stays."""

    async def run() -> None:
        house = await opened(tmp_path, address)
        await house.accounts.open("admin", "berta", PASSWORD, "admin")
        change = house.change_role
        done = await asyncio.gather(
            change("admin", "berta", "player", "first"),
            change("berta", "admin", "player", "second"),
            return_exceptions=True,
        )
        assert done[0] is None
        assert isinstance(done[1], Denied)
        assert done[1].code == "not_your_part"
        assert (await house.accounts.find("admin")).role == "admin"
        await house.stop()

    in_time(run())


def test_an_administrator_excluded_and_disabled(tmp_path: Path) -> None:
    """Who may not wager still runs the house, and signs in again after a restart."""
    with Hosted(tmp_path, books=("online",)) as hosted, hosted.admin() as admin:
        admin.post("/me/exclude", days=7)
        admin.post("/disable", scope="player", name="admin", reason="for a test")
        admin.post("/disable", scope="gaming", reason="for a test")
    with Hosted(tmp_path, books=("online",)) as hosted, hosted.admin() as admin:
        admin.post("/enable", scope="gaming", reason="for a test")


def test_a_house_whose_administrator_is_a_player(tmp_path: Path, address: str) -> None:
    """A house that an earlier version left without administrator gets one of another name."""

    async def run() -> None:
        house = await opened(tmp_path, address)
        note = Note("role_changed", "admin", "", "admin", "player", RoleFact("player"))
        change = ("UPDATE accounts SET role = ? WHERE name = ?", ("player", "admin"))
        await house.office.note("berta", note, change)
        await house.stop()
        (tmp_path / "admin-password").unlink()
        house = await opened(tmp_path, address)
        path = tmp_path / "admin-2-password"
        assert notices(tmp_path, None) == [
            f"The password of admin-2 is in {path}; change it and delete the file."
        ]
        account, _ = await house.sessions.sign_in("admin-2", path.read_text().strip(), "192.0.2.1")
        assert account.role == "admin"
        await house.stop()

    in_time(run())


def test_a_player_who_becomes_staff_leaves_with_the_money(tmp_path: Path, address: str) -> None:
    """They are stood up at once, also from a private table that is at rest."""

    async def run() -> None:
        house = await opened(tmp_path, address)
        player, _, _ = await house.new_guest("192.0.2.1")
        own = (await house.pit.open_private(player, "online")).live.setup.name
        for table, seat in (("online 1", 1), (own, 1)):
            answer = await house.dispatch.command(
                player, table, "sit", Join(player.name, 10_000, seat)
            )
            assert isinstance(answer, Accepted)
        await house.stop()
        house = await opened(tmp_path, address)
        assert own not in house.floor.places
        assert house.cage.money(player.name) == {
            "wallet": 80_000, "online 1": 10_000, own: 10_000,
        }  # fmt: skip  # a list of tables
        await house.change_role("admin", player.name, "dealer", "deals now")
        async with asyncio.timeout(30):
            while house.cage.money(player.name) != {"wallet": 100_000}:
                await asyncio.sleep(0.01)
        await house.stop()

    in_time(run())


def test_a_player_who_becomes_staff_in_a_round(tmp_path: Path) -> None:
    """They choose and leave as before, make no wager more, and do not become the dealer so."""
    with Hosted(tmp_path, books=("online",)) as hosted, hosted.admin() as admin:
        alice = hosted.register("alice")
        own = alice.private("online")
        Planted(hosted, own, Cards("=", "."))
        alice.until("bets")
        alice.must("bet", box=1, wager="primary", amount=1_000)
        alice.must("close_bets")
        alice.until("choice")
        admin.put("/accounts/alice/role", role="floor", reason="leads now")
        staff, path = hosted.sign_in("alice", PASSWORD), f"/tables/{own}/commands"
        void = {"type": "void_round", "id": "void", "reason": "a bad card"}
        told = staff.http.post(path, json=void).json()
        assert told["code"] == "not_your_part"
        assert told["sentence"].startswith("You have money on this table;")
        admin.put("/accounts/alice/role", role="dealer", reason="deals now")
        staff = hosted.sign_in("alice", PASSWORD)

        def ask(type_: str, **fields: object) -> Json:
            answer: Json = staff.http.post(path, json={"type": type_, "id": type_, **fields}).json()
            return answer

        refused = ask("buy_in", amount=500)
        assert (refused["code"], refused["sentence"]) == (
            "not_your_part",
            "The role dealer may not do this.",
        )
        assert ask("choose", box=1, choice="surrender")["type"] == "accepted"
        assert hosted.house.floor.places[own].live.state.dealer is None

        def home() -> bool:
            return set(staff.get("/me")["holds"]) == {"wallet"}

        if not home():
            assert ask("leave")["type"] == "accepted"
        until(home, "the money stays on the table")
        assert staff.get("/me")["holds"] == {"wallet": 99_500}
        verify.verify(hosted.house.engine, hosted.house.key)


def test_money_at_a_table_of_a_book_that_is_played_no_more(tmp_path: Path, address: str) -> None:
    """The player still sees it and leaves with it; the house gives no new money meanwhile."""
    both, one = ("maryland", "online"), ("online",)
    with Hosted(tmp_path, database=address, books=both) as house, house.register("alice") as alice:
        held = sum(alice.get("/me")["holds"].values())
        alice.private("maryland", held)
        assert alice.get("/me")["holds"] == {"wallet": 0, "maryland@alice": held}
    with Hosted(tmp_path, database=address, books=one) as house:
        again = house.sign_in("alice", alice.password)
        assert again.get("/me")["holds"] == {"wallet": 0, "maryland@alice": held}
        assert again.post("/me/refill", 409, id="more")["code"] == "not_broke"
        leave: Json = {"type": "leave", "id": "out"}
        again.post("/tables/maryland@alice/commands", **leave)
        assert again.get("/me")["holds"] == {"wallet": held}


def test_a_stranger_at_a_private_table(tmp_path: Path) -> None:
    """Only who has money on a table may end a round there without a player's role."""
    with Hosted(tmp_path, books=("online",)) as hosted, hosted.staff("floor") as floor:
        own = hosted.guest().private("online")
        for asked in ({"type": "leave"}, {"type": "close_bets"}, {"type": "cash_out", "amount": 1}):
            answer = floor.http.post(f"/tables/{own}/commands", json=asked | {"id": "1"}).json()
            assert answer["code"] == "not_your_part", asked


def test_a_copied_folder_is_another_owner(tmp_path: Path) -> None:
    """The same folder owns its leases after a restart, and a copy of it, with all files, does not.

    A file of an earlier version does not tell where it was made, and stays its folder's.
    """
    one, two = tmp_path / "one", tmp_path / "two"

    def owner(folder: Path) -> str:
        handle = lock(folder / "lock")
        try:
            return owner_id(folder, handle)
        finally:
            os.close(handle)

    one.mkdir()
    first = owner(one)
    shutil.copytree(one, two)
    assert owner(two) not in ("", first)
    assert owner(one) == first
    one.rename(tmp_path / "moved")
    assert owner(tmp_path / "moved") == first
    (two / "owner").write_text("0123456789abcdef\n")
    assert [owner(two), owner(two)] == ["0123456789abcdef"] * 2


@pytest.mark.parametrize("address", ["postgres"], indirect=True)
def test_a_copied_folder_on_the_same_database(tmp_path: Path, address: str) -> None:
    """The copy does not open as long as the first has the house, and takes it after that."""
    one, two = tmp_path / "one", tmp_path / "two"

    async def run() -> None:
        first = await opened(one, address)
        shutil.copytree(one, two)
        player, _, _ = await first.new_guest("192.0.2.1")
        answer = await first.dispatch.command(player, "online 1", "1", Join(player.name, 5_000, 1))
        assert isinstance(answer, Accepted), answer
        with pytest.raises(HouseTaken, match="another server has this house open"):
            await opened(two, address)
        await first.pit.renew()
        assert "online 1" in first.floor.places
        assert first.well()
        await first.stop()
        second = await opened(two, address)
        assert second.well()
        leaving = game.Leave(player.name)
        assert isinstance(await second.dispatch.command(player, "online 1", "2", leaving), Accepted)
        await second.stop()

    in_time(run())


@pytest.mark.parametrize("address", ["postgres"], indirect=True)
def test_a_copied_machine_on_the_same_database(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two houses that cannot be told apart: the one that lost its tables does not claim them."""
    monkeypatch.setattr("wartable.server.running.owner_id", lambda *_: "the same")

    async def run() -> None:
        first = await opened(tmp_path / "one", address)
        (tmp_path / "two").mkdir()
        shutil.copy2(tmp_path / "one" / "key", tmp_path / "two" / "key")
        second = await opened(tmp_path / "two", address)
        await first.pit.renew()
        await second.pit.renew()
        assert not first.floor.places
        while first.well():  # until it cannot renew the house either
            await asyncio.sleep(LOOK_S)
        assert second.well()
        await first.stop()
        await second.stop()

    in_time(run())
