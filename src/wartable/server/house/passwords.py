"""Passwords, tokens and keys: made here, stored only as hashes, and compared."""

import hashlib
import hmac
import secrets
from contextlib import suppress

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

TOKEN_BYTES = 32
MADE = "made$"
FINGERPRINT = 32
"""The number of hexadecimal digits in a fingerprint."""

_HASHER = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
NOBODY = _HASHER.hash(secrets.token_hex(TOKEN_BYTES))
"""The hash for a name without an account, so that a comparison takes equally long."""


def new_token() -> str:
    """A generated secret, too long to guess."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def new_name() -> str:
    """Ten random letters and digits for a new name."""
    return secrets.token_hex(5)


def digest(token: str) -> str:
    """The stored digest of a generated secret."""
    return hashlib.sha256(token.encode()).hexdigest()


def fingerprint(stored: str) -> str:
    """The fingerprint of a stored hash, which only shows whether two hashes are equal."""
    return digest(stored)[:FINGERPRINT]


def kept(password: str) -> str:
    """The slow, salted hash that is stored for a password that a person chose."""
    return _HASHER.hash(password)


def kept_made(password: str) -> str:
    """The fast hash that is stored for a generated password, which nobody can guess."""
    return MADE + digest(password)


def fits(stored: str, password: str) -> bool:
    """Whether the password fits the stored hash, compared in constant time."""
    made = stored.startswith(MADE)
    slowly = False
    with suppress(Argon2Error, InvalidHashError):
        slowly = _HASHER.verify(NOBODY if made else stored, password)
    return hmac.compare_digest(stored, kept_made(password)) if made else slowly
