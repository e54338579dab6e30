"""Who may do what: one table of permissions for commands at tables, one for the house."""

from typing import Any, Literal, get_args

from wartable import game
from wartable.game import Illegal
from wartable.server.config import Money
from wartable.server.records.facts import CardMove
from wartable.table import Setup
from wartable.table import commands as c
from wartable.table.commands import Command

Role = Literal["player", "dealer", "floor", "auditor", "admin"]
ROLES: tuple[Role, ...] = get_args(Role)
Right = Literal[
    "look", "open_tables", "disable", "set_limits", "accounts", "keys", "clock", "records", "cards",
    "disputes", "program", "backups",
]  # fmt: skip  # a list of words

_PLAYER: tuple[Role, ...] = ("player",)
_DEALER: tuple[Role, ...] = ("dealer",)
_FLOOR: tuple[Role, ...] = ("floor",)
_BOTH: tuple[Role, ...] = ("dealer", "floor")
_ABOVE: tuple[Role, ...] = ("floor", "admin")

COMMANDS: dict[type[Any], tuple[Role, ...]] = {
    c.Join: _PLAYER,
    c.BuyIn: _PLAYER,
    c.CashOut: _PLAYER,
    c.SendNumber: _PLAYER,
    c.Cut: _PLAYER,
    c.RefuseCut: _PLAYER,
    c.TakeBank: _PLAYER,
    c.PassBank: _PLAYER,
    c.TurnUp: _PLAYER,
    game.Bet: _PLAYER,
    game.Withdraw: _PLAYER,
    game.Decline: _PLAYER,
    game.Choose: _PLAYER,
    game.Leave: _PLAYER,
    game.CloseBets: _DEALER,
    game.Timeout: _DEALER,
    c.ShuffleCards: _DEALER,
    c.LoadShoe: _DEALER,
    c.OfferBank: _DEALER,
    c.StartRound: _DEALER,
    c.CountSideBets: _DEALER,
    c.Proceed: _DEALER,
    c.FindFaceUp: _DEALER,
    c.DrawInError: _DEALER,
    c.MissBox: _DEALER,
    c.ReceiveDecks: _BOTH,
    c.Prepare: _BOTH,
    c.GoIdle: _BOTH,
    c.FailDevice: _BOTH,
    c.MarkDevice: _BOTH,
    c.Jam: _BOTH,
    c.OrderRecut: _FLOOR,
    c.OrderReshuffle: _FLOOR,
    c.ChangeDealer: _FLOOR,
    c.RepairDevice: _FLOOR,
    c.ChangeMethod: _FLOOR,
    c.Restrict: _FLOOR,
    c.Approve: _ABOVE,
    game.VoidRound: _ABOVE,
    c.StartChain: (),
    c.CloseNumbers: (),
    c.DecideCards: (),
}
"""The roles that may give each command at a table; players act only for themselves.

Commands that no role may give come only from the platform.
"""

ATTENDED = {kind for kind, roles in COMMANDS.items() if roles in (_DEALER, _BOTH)}
ATTENDED.add(c.ChangeDealer)
"""A dealer's work and its hand-over, which the platform does at a table without staff."""

OWNER = {game.CloseBets}
"""What the owner of a private table may do there besides playing: dealing on demand."""

NEW_MONEY = {c.Join, c.BuyIn, c.TakeBank, game.Bet}
"""The commands that bring more money to a table."""

ENDING = {kind for kind, roles in COMMANDS.items() if roles == _PLAYER} - NEW_MONEY
"""What a person with money on a table may do there in any role, to end the round and leave."""

RIGHTS: dict[Right, tuple[Role, ...]] = {
    "look": ("dealer", "floor", "auditor", "admin"),
    "open_tables": _ABOVE,
    "disable": _ABOVE,
    "set_limits": ("admin",),
    "accounts": ("admin",),
    "keys": ("admin",),
    "clock": ("admin",),
    "records": ("auditor", "admin"),
    "cards": ("dealer", "floor", "admin"),
    "disputes": _ABOVE,
    "program": ("admin",),
    "backups": ("admin",),
}
"""The roles that may do each thing in the house itself.

A role that may `look` sees the floor, the cards, other people's rounds and their private tables.
"""


CARD_MOVES: dict[CardMove, tuple[Role, ...]] = {
    "received": _ABOVE,
    "inspected": _DEALER,
    "verified": _FLOOR,
    "shuffled": _BOTH,
    "secured": _ABOVE,
    "issued": _ABOVE,
    "destroyed": _ABOVE,
}
"""The roles that may do each thing with the cards of the inventory."""

STEPS: dict[c.Preparation, tuple[Role, ...]] = {"view": _PLAYER, "verify": _FLOOR}
"""The steps of the cards' preparation that are not the dealer's."""


def roles_for(command: Command) -> tuple[Role, ...]:
    """The roles that may give this command; a step of the cards' preparation has its own."""
    if isinstance(command, c.Prepare):
        return STEPS.get(command.step, _DEALER)
    return COMMANDS[type(command)]


def may_command(role: Role, command: Command, setup: Setup, owns: bool, here: bool = False) -> None:
    """Refuse a command that this role may not give at this table.

    `owns` is true for the private table's owner, `here` for somebody with money on the table: a
    player who became staff can still end the round and leave, but may do no other work there.
    """
    kind = type(command)
    if owns and kind in OWNER and (here or role == "player"):
        return
    if here and kind in ENDING:
        return
    if role not in roles_for(command):
        raise Illegal("not_your_part", f"The role {role} may not do this.")
    if here and role != "player":
        sentence = "You have money on this table; somebody else on the staff must do this."
        raise Illegal("not_your_part", sentence)
    if kind in ATTENDED and not setup.staffed:
        raise Illegal("unattended", "At this table the platform does the dealer's work.")


def may_bring(money: Money, command: Command, house: Money) -> None:
    """Refuse an account whose kind of money is not the house's."""
    if money != house and isinstance(command, c.Join | c.BuyIn):
        sentence = f"This house plays for {house} money, and this account has {money} money."
        raise Illegal("other_money", sentence)


def may(role: Role, right: Right) -> bool:
    """Whether the role has the right."""
    return role in RIGHTS[right]
