"""Commands and events of sealed seeds, which only the journals of older versions have."""

from wartable.game.messages import Message, Player
from wartable.shoe import Hash, PlayerSeedText


class SealSeed(Message, frozen=True):
    """Seal your own seed for the next shuffle."""

    player: Player
    seal: Hash


class OpenSeed(Message, frozen=True):
    """Open your sealed seed."""

    player: Player
    seed: PlayerSeedText


OlderCommand = SealSeed | OpenSeed


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
