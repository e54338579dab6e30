"""Commands and events of sealed seeds, which only the journals of older versions have."""

from wartable.game.messages import Message, Player
from wartable.proof import Digest, NumberText


class SealSeed(Message, frozen=True):
    """Seal your own seed for the next shuffle."""

    player: Player
    seal: Digest


class OpenSeed(Message, frozen=True):
    """Open your sealed seed."""

    player: Player
    seed: NumberText


OlderCommand = SealSeed | OpenSeed


class SeedSealed(Message, frozen=True):
    """A player sealed a seed for the next shuffle."""

    words = "{Player:seal/seals} a seed for the next shuffle."

    player: Player
    seal: Digest


class SeedOpened(Message, frozen=True):
    """A player opened the sealed seed."""

    words = "{Player:open/opens} the sealed seed."

    player: Player
    seed: NumberText
