"""Passwords, tokens and keys: how they are made, kept and compared; never stored themselves."""

import hashlib
import hmac
import secrets
from contextlib import suppress

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

TOKEN_BYTES = 32
MADE = "made$"
FINGERPRINT = 32
"""So many hexadecimal digits tell one thing that is kept from another."""

_HASHER = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
NOBODY = _HASHER.hash(secrets.token_hex(TOKEN_BYTES))
"""What a password is compared with where there is no account, so that both take as long."""


def new_token() -> str:
    """A secret of our own making, too long to be guessed."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def new_name() -> str:
    """Ten letters and digits that nobody has yet."""
    return secrets.token_hex(5)


def digest(token: str) -> str:
    """What is kept of a secret of our own making."""
    return hashlib.sha256(token.encode()).hexdigest()


def fingerprint(stored: str) -> str:
    """What the records tell of what is kept: that it is the same, and nothing else of it."""
    return digest(stored)[:FINGERPRINT]


def kept(password: str) -> str:
    """What is kept of a password that a person chose: a slow, salted hash."""
    return _HASHER.hash(password)


def kept_made(password: str) -> str:
    """What is kept of a password that we made: no guess can find it, so a fast hash will do."""
    return MADE + digest(password)


def fits(stored: str, password: str) -> bool:
    """Whether the password is the one of which this is kept, in the same time for every one."""
    made = stored.startswith(MADE)
    slowly = False
    with suppress(Argon2Error, InvalidHashError):
        slowly = _HASHER.verify(NOBODY if made else stored, password)
    return hmac.compare_digest(stored, kept_made(password)) if made else slowly
