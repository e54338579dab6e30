"""Events of sealed seeds, by which shoes of the older kind were shuffled."""

from wartable.game.messages import Message, Player
from wartable.shoe import Hash, PlayerSeedText


class SeedSealed(Message, frozen=True):
    """A player sealed a seed for the next shuffle."""

    words = "{Player:seal/seals} a seed for the next shuffle."

    player: Player
    seal: Hash


class SeedOpened(Message, frozen=True):
    """A player opened the sealed seed."""

    words = "{Player:open/opens} the sealed seed."

    player: Player
    seed: PlayerSeedText
