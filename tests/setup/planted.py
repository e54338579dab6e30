"""Faults that audits planted and no test noticed: each is named here with the tests that do now."""

from __future__ import annotations

import tomllib
from pathlib import Path

import msgspec

from mutations import path_of

FAULTS = Path(__file__).parents[1] / "data" / "planted.toml"


class Planted(msgspec.Struct, frozen=True):
    """A fault: the text that another takes the place of, and the tests that notice it."""

    name: str
    module: str
    old: str
    new: str
    tests: tuple[str, ...]

    def source(self) -> bytes:
        """The whole module with the fault in it."""
        text = path_of(self.module).read_text()
        if text.count(self.old) != 1:
            sentence = f"{self.name}: the text stands {text.count(self.old)} times, not once, in"
            raise ValueError(f"{sentence} {self.module}: {self.old}")
        return text.replace(self.old, self.new).encode()


def planted() -> list[Planted]:
    """All planted faults."""
    return msgspec.convert(tomllib.loads(FAULTS.read_text())["fault"], list[Planted])
