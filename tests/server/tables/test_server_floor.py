"""What the floor page looks at: the own rights, every open table, the accounts."""

from collections.abc import Iterator

import pytest

from hosting import Hosted
from wartable.server.house.roles import COMMANDS, RIGHTS, ROLES


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """A server with one book."""
    with Hosted(tmp_path_factory.mktemp("house"), books=("online",)) as running:
        yield running


@pytest.mark.parametrize("role", [role for role in ROLES if role != "player"])
def test_the_floor_is_told_what_the_role_may_do(hosted: Hosted, role: str) -> None:
    """Just the commands and rights of the role, as the permissions have them."""
    with hosted.staff(role) as staff:
        told = staff.get("/staff")
    commands = {str(k.__struct_config__.tag) for k, roles in COMMANDS.items() if role in roles}
    assert (told["role"], set(told["commands"])) == (role, commands)
    assert set(told["rights"]) == {right for right, roles in RIGHTS.items() if role in roles}
    assert "deal" not in told["commands"]
    assert {table["name"] for table in told["tables"]} >= {"online 1"}


def test_the_floor_sees_private_tables_and_closures(hosted: Hosted) -> None:
    """Who sits where, what a table awaits, and what is disabled."""
    with hosted.guest() as player, hosted.staff("floor") as floor:
        name = player.private("online")
        floor.post("/disable", scope="table", name=name, reason="spilled drink")
        told = floor.get("/staff")
        (table,) = (each for each in told["tables"] if each["name"] == name)
        assert (table["owner"], table["players"]) == (player.name, [player.name])
        assert table["due"][0]["what"] == "bets"
        assert table["closed"] == f"table {name}"
        assert [each["reason"] for each in told["closures"]] == ["spilled drink"]
        floor.post("/enable", scope="table", name=name, reason="wiped")
        assert floor.get("/staff")["closures"] == []


def test_accounts_are_an_administrators_to_see(hosted: Hosted) -> None:
    """By the beginning of their names, taken literally; nobody else is told any."""
    with hosted.staff("dealer") as dealer, hosted.admin() as admin, hosted.guest() as player:
        found = admin.get(f"/accounts?begins={dealer.name[:9]}")
        assert [each["name"] for each in found] == [dealer.name]
        assert found[0]["role"] == "dealer"
        assert "password" not in found[0]
        assert admin.get("/accounts?begins=%25") == []
        for other in (dealer, player):
            assert other.get("/accounts", 403)["code"] == "not_your_part"
        assert player.get("/staff", 403)["code"] == "not_your_part"
    with hosted.http() as nobody:
        assert nobody.get("/staff").status_code == 401
