"""Debian packages that tests need: installed where they are missing and we may."""

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

Found = TypeVar("Found")


def installed(package: str, find: Callable[[], Found | None], missing: str) -> Found:
    """What `find` finds, its package installed first where we may; or a failure in one sentence."""
    if find() is None and os.geteuid() == 0 and shutil.which("apt-get"):
        # One test worker installs, the others wait for that.
        with open(Path(tempfile.gettempdir()) / "wartable-install", "w") as lock:  # noqa: PTH123  # a lock file
            fcntl.flock(lock, fcntl.LOCK_EX)
            if find() is None:
                quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
                install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", package]
                for command in (["apt-get", "update", "-qq"], install):
                    subprocess.run(command, env=quiet, check=False, capture_output=True)
    if (found := find()) is None:
        pytest.fail(missing, pytrace=False)
    return found
