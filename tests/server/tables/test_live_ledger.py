"""A live table checks where every cent is before it writes a row."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from hosting import Hosted
from wartable import game
from wartable.server.audit import verify
from wartable.table import Table, folding


@pytest.mark.parametrize("lost", [1, -1])
def test_an_event_that_loses_a_cent_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: int
) -> None:
    """A planted bug in a wager's event makes the table refuse the command; mended, it plays on."""
    placed = folding._APPLY[game.Placed]

    def loses(state: Table, event: game.Placed) -> Table:
        after = placed(state, event)
        guest = after.guests[event.player]
        poorer = replace(guest, stack=guest.stack - lost)
        return replace(after, guests={**after.guests, event.player: poorer})

    with Hosted(tmp_path, books=("online",)) as hosted, hosted.guest() as player:
        name = player.private("online")
        player.until("bets")
        live = hosted.house.floor.places[name].live
        before = live.head, live.state
        with monkeypatch.context() as planted:
            planted.setattr(folding, "_APPLY", folding._APPLY | {game.Placed: loses})
            answer = player.do("bet", box=1, wager="primary", amount=500)
        assert (answer["type"], answer["code"]) == ("refused", "unbalanced")
        assert (live.head, live.state) == before
        player.must("bet", box=1, wager="primary", amount=500)
        assert live.state.guests[player.name].stack == before[1].guests[player.name].stack - 500
    house = hosted.house
    verify.verify(house.engine, house.key)
