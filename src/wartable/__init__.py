"""Casino War by the book: one engine plays what five published rule documents say.

`odds`, `settle`, `play`, `simulate` and `session` answer one question each with one call; they are
in `wartable.calls`. `wartable.odds` and `wartable.settle` are packages too, and can be called.
"""

import importlib
import sys
from types import ModuleType
from typing import Any

__version__ = "0.2.0"

__all__ = ["__version__", "odds", "play", "session", "settle", "simulate"]

_CALLS = frozenset(__all__) - {"__version__"}


def _call(name: str) -> Any:
    return getattr(importlib.import_module("wartable.calls"), name)


class _CalledModule(ModuleType):
    """A module that can be called like the function of the same name."""

    def __call__(self, *arguments: Any, **settings: Any) -> Any:
        return _call(self.__name__.rpartition(".")[2])(*arguments, **settings)


class _Package(ModuleType):
    """This package, which imports its calls when they are first used, so that it loads quickly."""

    def __getattr__(self, name: str) -> Any:
        if name in _CALLS:
            return _call(name)
        raise AttributeError(f"module 'wartable' has no attribute {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _CALLS and isinstance(value, ModuleType):
            value.__class__ = _CalledModule
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
