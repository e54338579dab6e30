"""Temporary files in memory: a house syncs its records with every commit, and a disk takes long."""

import os
import shutil
import tempfile
from pathlib import Path

MEMORY = Path("/dev/shm")
ROOM = 4 << 30
"""More bytes than the files of a run, of its failed tests and of the runs beside it need."""


def usable(folder: Path, room: int) -> bool:
    """Whether temporary files, and programs among them, have their place in this folder."""
    return (
        folder.is_dir()
        and os.access(folder, os.W_OK)
        and not os.statvfs(folder).f_flag & os.ST_NOEXEC
        and shutil.disk_usage(folder).free >= room
    )


def keep_files_in_memory() -> None:
    """Let this process and those that it starts make their files there, unless TMPDIR is set."""
    if "TMPDIR" not in os.environ and usable(MEMORY, ROOM):
        os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)
