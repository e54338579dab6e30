"""Debian packages that tests need: installed where they are missing and we may."""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from waiting import ran

Found = TypeVar("Found")


def installed(package: str, find: Callable[[], Found | None], missing: str) -> Found:
    """What `find` finds, its package installed first where we may; or a failure in one sentence."""
    install(package, lambda: find() is not None)
    if (found := find()) is None:
        pytest.fail(missing, pytrace=False)
    return found


def install(package: str, there: Callable[[], bool]) -> None:
    """Install a package that is not there, if we may and the registry answers."""
    if there() or os.geteuid() != 0 or not shutil.which("apt-get"):
        return
    # One test worker installs, the others wait for that.
    with open(Path(tempfile.gettempdir()) / "wartable-install", "w") as lock:  # noqa: PTH123  # a lock file
        fcntl.flock(lock, fcntl.LOCK_EX)
        if there():
            return
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        add = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", package]
        for command in (["apt-get", "update", "-qq"], add):
            ran(command, env=quiet)
