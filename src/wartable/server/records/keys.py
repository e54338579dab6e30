"""The key file that seals seeds and checkpoints at rest."""

import contextlib
import os
from pathlib import Path

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from wartable.refusal import Unusable
from wartable.server.config import writing

KEY_BYTES = 32
NONCE_BYTES = 12


class KeyProblem(Unusable):
    """A key file that cannot be used; the sentence says why."""

    kind = "key"


def load_key(path: Path) -> bytes:
    """The key in the file; if there is no file, make one that only its owner can read."""
    with contextlib.suppress(FileExistsError):
        write_key(path, os.urandom(KEY_BYTES))
    return read_key(path)


def write_key(path: Path, key: bytes) -> None:
    """Write a key to a new file."""
    write_secret(path, key.hex())


def write_secret(path: Path, secret: str) -> None:
    """Write a secret to a new file that only its owner can read, from the first byte."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with writing(path), os.fdopen(handle, "wb") as file:
        file.write(secret.encode())
        file.flush()
        os.fsync(file.fileno())


def read_key(path: Path) -> bytes:
    """The key in a file that must exist and that only its owner may read.

    On a read-only medium, such as a disc, nobody can change the file's mode.
    """
    try:
        shared = path.stat().st_mode & 0o077
        key = bytes.fromhex(path.read_text("ascii").strip())
    except OSError as error:
        raise KeyProblem(f"{path} cannot be read: {error.strerror}.") from None
    except ValueError:
        raise KeyProblem(f"{path} is not a key file of 64 hexadecimal digits.") from None
    if shared and not os.statvfs(path).f_flag & os.ST_RDONLY:
        raise KeyProblem(f"{path} is readable by others; set its mode to 0600.")
    if len(key) != KEY_BYTES:
        raise KeyProblem(f"{path} is not a key file of 64 hexadecimal digits.")
    return key


def seal(key: bytes, data: bytes, place: str) -> str:
    """A secret encrypted for one place in the records; it does not open anywhere else."""
    nonce = os.urandom(NONCE_BYTES)
    sealed = AESGCM(key).encrypt(nonce, data, place.encode())
    return (nonce + sealed).hex()


def unseal(key: bytes, secret: str, place: str) -> bytes:
    """The secret that was sealed for this place."""
    data = bytes.fromhex(secret)
    return AESGCM(key).decrypt(data[:NONCE_BYTES], data[NONCE_BYTES:], place.encode())
