"""HTTP for the house's upkeep: its program and who approved it, operators' keys, backups."""

import asyncio
from pathlib import Path
from typing import Any

import msgspec
from litestar import get, post
from litestar.params import JSONBody
from litestar.status_codes import HTTP_200_OK, HTTP_201_CREATED

import wartable
from wartable.server import manifest
from wartable.server.audit import backup, selfcheck
from wartable.server.denied import Denied
from wartable.server.http import requests as r
from wartable.server.http.access import Asked, house_of, with_right
from wartable.server.period import utc
from wartable.server.records import database, servers
from wartable.server.running import House

BACKUPS = "backups"
"""The name of the folder for backups made here, inside the house's folder."""
BACKUPS_MAX = 30
"""How many backups that folder holds; an administrator moves older ones away."""
ENDING = ".backup"


class ProgramShown(msgspec.Struct, frozen=True):
    """The running program, and the approval that it is compared with."""

    version: str
    running: str
    approved: tuple[str, ...]
    """The digests of the approved programs: of two during an upgrade."""
    by: str
    at_ms: int
    reason: str


class KeyShown(msgspec.Struct, frozen=True):
    """An operator's key by its name, and whether it still works."""

    name: str
    holds: bool


class BackupShown(msgspec.Struct, frozen=True):
    """A backup in the house's folder."""

    name: str
    bytes: int
    at_ms: int


@get("/program")
async def program(request: Asked) -> ProgramShown:
    """The running program and its approval; for auditors and administrators."""
    await with_right(request, "records")
    engine = house_of(request).engine

    def read() -> ProgramShown:
        row, note = database.notes_of(engine, "code_approved")[-1]
        values = (selfcheck.approved_by(note), row.actor, row.at_ms, note.reason)
        return ProgramShown(wartable.__version__, manifest.running(), *values)

    return await asyncio.to_thread(read)


@post("/program/approve", status_code=HTTP_200_OK)
async def approve_program(request: Asked, data: JSONBody[r.Approved]) -> r.SelfCheck:
    """Approve the program that is running; the answer is what the self-check still finds.

    For an upgrade, approve another server's program beside it, and later the new one alone.
    """
    by, house = await with_right(request, "program"), house_of(request)
    if data.beside is not None:
        return await _approve_beside(house, by.name, data.reason, data.beside)
    found = await asyncio.to_thread(manifest.manifest)
    if manifest.digest_of(found) != manifest.running():
        raise Denied(
            "not_running",
            "The program's files are not those that this server runs; restart it, then approve.",
        )
    note, kept = await asyncio.to_thread(selfcheck.approval, house.engine, data.reason, found)
    await house.office.note(by.name, note, kept)
    wrong = await selfcheck.check_house(house.engine, house.office, house.stop_gaming)
    return r.SelfCheck(not wrong, wrong)


async def _approve_beside(house: House, by: str, reason: str, digest: str) -> r.SelfCheck:
    """Approve a program that another server has brought, beside the one that is running."""
    engine, own = house.engine, manifest.running()
    found = await asyncio.to_thread(selfcheck.brought, engine, digest)
    running = await asyncio.to_thread(servers.running, engine)
    versions = [each.version for each in running if each.program == digest]
    if found is None or not versions:
        raise Denied(
            "not_brought",
            "No server of this house runs a program with that digest; start one, then approve it.",
        )
    if digest == own or own not in await asyncio.to_thread(selfcheck.approved, engine):
        sentence = "Approve the program of the server that has the house first, without another."
        raise Denied("not_beside", sentence)
    approving = (engine, reason, found, versions[0], own)
    note, kept = await asyncio.to_thread(selfcheck.approval, *approving)
    await house.office.note(by, note, kept)
    wrong = await selfcheck.check_house(house.engine, house.office, house.stop_gaming)
    return r.SelfCheck(not wrong, wrong)


@get("/keys")
async def keys(request: Asked) -> list[KeyShown]:
    """The operators' keys by their names; for an administrator."""
    await with_right(request, "keys")
    known = house_of(request).guard.rights.keys
    return [KeyShown(name, each.holds) for name, each in sorted(known.items())]


@get("/backups")
async def backups(request: Asked) -> list[BackupShown]:
    """The backups in the house's folder, the newest first; for an administrator."""
    await with_right(request, "backups")
    return await asyncio.to_thread(_backups, house_of(request))


@post("/backups", status_code=HTTP_201_CREATED)
async def back_up(request: Asked) -> BackupShown:
    """Write a backup of the house as of now into its folder."""
    by, house = await with_right(request, "backups"), house_of(request)
    return await house.turns.read(by.name, lambda: _back_up(house))


def _folder(house: House) -> Path:
    return house.config.folder / BACKUPS


def _shown(path: Path) -> BackupShown:
    found = path.stat()
    return BackupShown(path.name, found.st_size, int(found.st_mtime * 1000))


def _backups(house: House) -> list[BackupShown]:
    files = _folder(house).glob(f"*{ENDING}")
    return sorted(map(_shown, files), key=lambda each: each.name, reverse=True)


def _back_up(house: House) -> BackupShown:
    if len(_backups(house)) >= BACKUPS_MAX:
        sentence = f"The folder {BACKUPS} holds {BACKUPS_MAX} backups; move some away first."
        raise Denied("full_folder", sentence)
    folder = _folder(house)
    folder.mkdir(mode=0o700, exist_ok=True)
    day, time, _ = utc(house.clock.now_ms()).split()
    path = folder / f"wartable-{day}-{time.replace(':', '')}{ENDING}"
    backup.back_up(house.address, path)
    return _shown(path)


HANDLERS: list[Any] = [program, approve_program, keys, backups, back_up]
