"""The house's key: it seals seeds and checkpoints, and signs what the house wrote."""

import contextlib
import hashlib
import hmac
import os
import shlex
import subprocess
from functools import cached_property
from pathlib import Path

import msgspec
from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from wartable.refusal import Unusable
from wartable.server.config import writing

KEY_BYTES = 32
NONCE_BYTES = 12
ID_DIGITS = 8
KEYS_MAX = 100
COMMAND_S = 30
"""How long a command may take to print the key."""


class KeyProblem(Unusable):
    """A key file that cannot be used; the sentence says why."""

    kind = "key"


class Secret:
    """One secret, and what is derived from it for each use, so that no use weakens another."""

    def __init__(self, secret: bytes) -> None:
        self.secret = secret
        self.id = self._derived("id").hex()[:ID_DIGITS]
        key = self._derived("rows of the journal").ljust(hashlib.sha256().block_size, b"\0")
        self._inner = hashlib.sha256(bytes(each ^ 0x36 for each in key))
        self._outer = hashlib.sha256(bytes(each ^ 0x5C for each in key))
        self._sessions = self._derived("sessions")

    def _derived(self, use: str) -> bytes:
        return hmac.digest(self.secret, f"wartable: {use}".encode(), "sha256")

    def mac(self, hash_: str) -> str:
        """The authentication code of a row with this hash: HMAC-SHA256.

        Every row needs one. hmac.digest sets up the key again and takes three times as long.
        """
        inner, outer = self._inner.copy(), self._outer.copy()
        inner.update(hash_.encode())
        outer.update(inner.digest())
        return self.id + outer.hexdigest()

    def session_mac(self, session: tuple[str | int, ...]) -> str:
        """The authentication code of a session with these values."""
        values = msgspec.json.encode(session)
        return f"{self.id}{hmac.digest(self._sessions, values, 'sha256').hex()}"

    def alias(self, text: str) -> str:
        """A stand-in for a text that the records must not reveal."""
        return hmac.digest(self._derived("aliases"), text.encode(), "sha256").hex()

    @cached_property
    def sealing(self) -> AESGCM:
        """The cipher that seals secrets."""
        return AESGCM(self.secret)

    @cached_property
    def signing(self) -> Ed25519PrivateKey:
        """The key that signs marks."""
        return Ed25519PrivateKey.from_private_bytes(self._derived("signature of marks"))


class HouseKey:
    """The secret in use, and those it replaced: the first one writes, all of them can read."""

    def __init__(self, secret: bytes, *replaced: bytes) -> None:
        self._secrets = tuple(Secret(each) for each in (secret, *replaced))
        self._by_id = {each.id: each for each in self._secrets}
        self.mac = self._secrets[0].mac
        self.alias = self._secrets[0].alias
        """The authentication code of a row with that hash."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HouseKey) and self.secrets == other.secrets

    def __hash__(self) -> int:
        return hash(self.secrets)

    @property
    def secrets(self) -> tuple[bytes, ...]:
        """The secrets, the one in use first."""
        return tuple(each.secret for each in self._secrets)

    @property
    def id(self) -> str:
        """A name for the secret in use that does not reveal it."""
        return self._secrets[0].id

    @property
    def public(self) -> str:
        """The public key, with which anybody can check the house's signatures."""
        public = self._secrets[0].signing.public_key()
        return public.public_bytes(Encoding.Raw, PublicFormat.Raw).hex()

    def wrote(self, hash_: str, mac: str) -> bool:
        """Whether this house wrote a row with this hash and authentication code."""
        secret = self._by_id.get(mac[:ID_DIGITS])
        return secret is not None and hmac.compare_digest(secret.mac(hash_), mac)

    def session_mac(self, *session: str | int) -> str:
        """The authentication code of a session with these values."""
        return self._secrets[0].session_mac(session)

    def began(self, mac: str | None, *session: str | int) -> bool:
        """Whether this house wrote a session with these values and this authentication code."""
        secret = None if mac is None else self._by_id.get(mac[:ID_DIGITS])
        return secret is not None and hmac.compare_digest(secret.session_mac(session), mac or "")

    def sign(self, data: bytes) -> str:
        """The signature of some data by the secret in use."""
        return self._secrets[0].signing.sign(data).hex()

    def signed(self, data: bytes, signature: str) -> bool:
        """Whether this house signed the data."""
        return any(_signed(each.signing.public_key(), data, signature) for each in self._secrets)

    def seal(self, data: bytes, place: str) -> str:
        """A secret encrypted for one place in the records; it does not open anywhere else."""
        nonce = os.urandom(NONCE_BYTES)
        sealed = self._secrets[0].sealing.encrypt(nonce, data, place.encode())
        return (nonce + sealed).hex()

    def unseal(self, secret: str, place: str) -> bytes:
        """What was sealed for this place; `InvalidTag` if this house did not seal it."""
        data = bytes.fromhex(secret)
        for each in self._secrets:
            with contextlib.suppress(InvalidTag):
                return each.sealing.decrypt(data[:NONCE_BYTES], data[NONCE_BYTES:], place.encode())
        raise InvalidTag


def signed_by(public: str, data: bytes, signature: str) -> bool:
    """Whether the house with this public key signed the data."""
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public))
    except ValueError:
        raise KeyProblem("A public key has 64 hexadecimal digits.") from None
    return _signed(key, data, signature)


def _signed(key: Ed25519PublicKey, data: bytes, signature: str) -> bool:
    try:
        key.verify(bytes.fromhex(signature), data)
    except (InvalidSignature, ValueError):
        return False
    return True


def from_environment() -> HouseKey | None:
    """The key in `WARTABLE_KEY`, or as `WARTABLE_KEY_COMMAND` prints it; None if neither is set."""
    if text := os.environ.get("WARTABLE_KEY"):
        return _parsed("WARTABLE_KEY", text)
    command = os.environ.get("WARTABLE_KEY_COMMAND")
    if not command:
        return None
    try:
        printed = subprocess.run(
            shlex.split(command), capture_output=True, check=True, timeout=COMMAND_S
        ).stdout
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise KeyProblem(f"WARTABLE_KEY_COMMAND gave no key: {error}.") from None
    return _parsed("The output of WARTABLE_KEY_COMMAND", printed.decode("ascii", "replace"))


def house_key(path: Path) -> HouseKey:
    """The key of a house that exists: from the environment, or from its file."""
    return from_environment() or read_key(path)


def load_key(path: Path) -> HouseKey:
    """The key in the file; if there is no file, make one that only its owner can read."""
    with contextlib.suppress(FileExistsError):
        write_key(path, HouseKey(os.urandom(KEY_BYTES)))
    return read_key(path)


def write_key(path: Path, key: HouseKey) -> None:
    """Write a key to a new file: a line for each secret, the one in use first."""
    write_secret(path, "\n".join(each.hex() for each in key.secrets))


def replace_key(path: Path, key: HouseKey) -> None:
    """Replace a key with another."""
    new = path.with_name(path.name + ".new")
    new.unlink(missing_ok=True)
    write_key(new, key)
    new.rename(path)


def write_secret(path: Path, secret: str) -> None:
    """Write a secret to a new file that only its owner can read, from the first byte."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with writing(path), os.fdopen(handle, "wb") as file:
        file.write(secret.encode())
        file.flush()
        os.fsync(file.fileno())


def read_key(path: Path) -> HouseKey:
    """The key in a file that must exist and that only its owner may read.

    On a read-only medium, such as a disc, nobody can change the file's mode.
    """
    try:
        shared = path.stat().st_mode & 0o077
        text = path.read_text("ascii")
    except OSError as error:
        raise KeyProblem(f"{path} cannot be read: {error.strerror}.") from None
    except ValueError:
        raise _no_key(str(path)) from None
    if shared and not os.statvfs(path).f_flag & os.ST_RDONLY:
        raise KeyProblem(f"{path} is readable by others; set its mode to 0600.")
    return _parsed(str(path), text)


def _parsed(where: str, text: str) -> HouseKey:
    try:
        secrets = [bytes.fromhex(line) for line in text.split()]
    except ValueError:
        raise _no_key(where) from None
    if not 0 < len(secrets) <= KEYS_MAX or {len(each) for each in secrets} != {KEY_BYTES}:
        raise _no_key(where)
    return HouseKey(*secrets)


def _no_key(where: str) -> KeyProblem:
    return KeyProblem(f"{where} is not a key of 64 hexadecimal digits.")
