"""Secrets of a table in its journal: sealed in every row that has one, and found again."""

import msgspec
from msgspec.structs import replace

from tables import Play, seed
from wartable import game, table
from wartable.server.records import journal
from wartable.server.records.keys import HouseKey
from wartable.table.commands import DecideCards, StartChain
from wartable.table.events import CardsDecided, ChainStarted, ShoeEnded

KEY = HouseKey(bytes(32))


def test_links_keys_and_roots_are_stored_sealed_only() -> None:
    """No row of an own table holds a secret in the clear; with the key all of them are read."""
    play = Play("online", own="ann").join("ann").start().bet("ann", 1, primary=500)
    play.do(game.CloseBets(seed("ann")))
    play.finish()
    state, kinds = table.start(play.setup), set[type]()
    for number, command in enumerate(play.commands, start=1):
        state, events = table.step(play.setup, state, command)
        before = (number - 1, "0" * 64)
        row = journal.new_row(before, "t1", 0, "platform", f"id {number}", command, events, KEY)
        text = msgspec.json.encode(row).decode()
        for each in (command, *events):
            for name in () if isinstance(each, ShoeEnded) else ("seed", "root", "link", "key"):
                if secret := getattr(each, name, ""):
                    kinds.add(type(each))
                    assert secret not in text
        read, told = journal.read_row(row, KEY)
        if isinstance(read, DecideCards):  # it is read with what was calculated
            read = replace(read, key="")
        assert (read, told) == (command, events)
    assert kinds == {StartChain, ChainStarted, DecideCards, CardsDecided}
