"""Who may give which command at a table: the whole list, written a second time."""

import random
import re

import pytest

from paths import DOCS
from table_strategies import COMMANDS, any_command
from tables import Play
from wartable.game import Illegal
from wartable.server.house import roles
from wartable.table import Command
from wartable.table import commands as c

pytestmark = pytest.mark.finding(19)

PLAYERS = [
    "join",
    "buy_in",
    "cash_out",
    "cut",
    "refuse_cut",
    "send_number",
    "take_bank",
    "pass_bank",
    "turn_up",
    "bet",
    "withdraw",
    "decline",
    "choose",
    "leave",
]
DEALERS = [
    "close_bets",
    "timeout",
    "shuffle_cards",
    "load_shoe",
    "offer_bank",
    "start_round",
    "count_side_bets",
    "proceed",
    "find_face_up",
    "draw_in_error",
    "miss_box",
    "receive_decks",
    "prepare",
    "go_idle",
    "fail_device",
    "mark_device",
    "jam",
]
FLOORS = [
    "receive_decks",
    "go_idle",
    "fail_device",
    "mark_device",
    "jam",
    "order_recut",
    "order_reshuffle",
    "change_dealer",
    "repair_device",
    "change_method",
    "restrict",
    "approve",
    "void_round",
]
ADMINS = ["approve", "void_round"]
PLATFORMS = ["start_chain", "close_numbers", "decide_cards"]
"""What nobody may do but the platform."""
MAY: dict[roles.Role, list[str]] = {
    "player": PLAYERS,
    "dealer": DEALERS,
    "floor": FLOORS,
    "auditor": [],
    "admin": ADMINS,
}


def one_of_each() -> dict[str, Command]:
    """One command of each kind, by its name in messages."""
    rnd = random.Random(1)
    found: dict[str, Command] = {}
    while len(found) < len(COMMANDS):
        command = any_command(rnd)
        if isinstance(command, c.Prepare):
            command = c.Prepare("dan", "wash")
        found[str(type(command).__struct_config__.tag)] = command
    return found


@pytest.mark.parametrize("role", roles.ROLES)
def test_each_role_gives_its_own_commands_only(role: roles.Role) -> None:
    """At a staffed table a role may give what this list says, and is refused all else."""
    setup, commands = Play("maryland", staffed=True).setup, one_of_each()
    assert set().union(*MAY.values(), PLATFORMS) == set(commands), "every command is somebody's"
    for name, command in commands.items():
        if name in MAY[role]:
            roles.may_command(role, command, setup, owns=False)
            continue
        with pytest.raises(Illegal) as caught:
            roles.may_command(role, command, setup, owns=False)
        assert caught.value.code == "not_your_part", name


@pytest.mark.finding(9)
def test_nobody_is_put_in_where_the_platform_deals() -> None:
    """At a table without staff a floorperson names no dealer, whose burn would change the cards."""
    commands = one_of_each()
    for book in ("maryland", "california"):
        with pytest.raises(Illegal) as caught:
            roles.may_command("floor", commands["change_dealer"], Play(book).setup, owns=False)
        assert caught.value.code == "unattended"


@pytest.mark.parametrize("owns", [False, True])
def test_without_staff_the_platform_deals(owns: bool) -> None:
    """A dealer's work is nobody's there; who owns a private table calls "no more bets" alone."""
    setup, commands = Play("maryland").setup, one_of_each()
    for name in DEALERS:
        for role in roles.ROLES[:2]:
            allowed = owns and role == "player" and name == "close_bets"
            if allowed:
                roles.may_command(role, commands[name], setup, owns)
                continue
            with pytest.raises(Illegal):
                roles.may_command(role, commands[name], setup, owns)


@pytest.mark.finding(4)
@pytest.mark.parametrize("role", ["dealer", "floor", "admin"])
def test_nobody_works_at_a_table_with_their_own_money_on_it(role: roles.Role) -> None:
    """A player who became staff approves no award of their own; they end the round and leave."""
    setup, commands = Play("maryland", staffed=True).setup, one_of_each()
    for name in MAY[role]:
        with pytest.raises(Illegal) as caught:
            roles.may_command(role, commands[name], setup, owns=False, here=True)
        assert caught.value.code == "not_your_part", name
        assert "somebody else on the staff" in caught.value.sentence
    for name in ("choose", "leave", "cash_out", "withdraw"):
        roles.may_command(role, commands[name], setup, owns=False, here=True)


@pytest.mark.parametrize(
    ("step", "whose"),
    [("inspect", "dealer"), ("verify", "floor"), ("view", "player"), ("riffle", "dealer")],
)
def test_each_step_of_the_preparation_has_its_role(step: c.Preparation, whose: str) -> None:
    """A dealer inspects, a floorperson verifies, players view; nobody does another's step."""
    setup, command = Play("maryland", staffed=True).setup, c.Prepare("ann", step)
    for role in roles.ROLES:
        if role == whose:
            roles.may_command(role, command, setup, owns=False)
            continue
        with pytest.raises(Illegal):
            roles.may_command(role, command, setup, owns=False)


def test_the_page_lists_every_role_with_its_commands() -> None:
    """docs/table.md says who may give which command, and forgets none."""
    text = (DOCS / "table.md").read_text("utf-8")
    names = {
        "player": "player",
        "dealer": "dealer",
        "floor": "floorperson",
        "admin": "administrator",
    }
    for role, name in names.items():
        (row,) = re.findall(rf"^\| {name} \| (.*) \|$", text, re.MULTILINE)
        told = re.findall(r"`(\w+)`", row)
        may = [kind.__struct_config__.tag for kind, who in roles.COMMANDS.items() if role in who]
        assert sorted(told) == sorted(may), name
