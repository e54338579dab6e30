"""Where the files of tests are made."""

import tempfile
from pathlib import Path

import pytest

import memory


def test_a_folder_without_room_is_not_used(tmp_path: Path) -> None:
    """A small memory, such as a container's, is not filled up."""
    assert memory.usable(tmp_path, room=1)
    assert not memory.usable(tmp_path, room=1 << 60)
    assert not memory.usable(tmp_path / "missing", room=1)


def test_who_names_a_folder_gets_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are made in memory only where the environment names no other folder."""
    monkeypatch.setattr(memory, "MEMORY", tmp_path)
    monkeypatch.setattr(memory, "ROOM", 1)
    monkeypatch.setattr(tempfile, "tempdir", "elsewhere")
    monkeypatch.setenv("TMPDIR", "elsewhere")
    memory.keep_files_in_memory()
    assert tempfile.gettempdir() == "elsewhere"
    monkeypatch.delenv("TMPDIR")
    memory.keep_files_in_memory()
    assert tempfile.gettempdir() == str(tmp_path)
