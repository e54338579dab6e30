"""Several servers of one house on one machine, behind one port: `wartable serve --workers`."""

import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import click
from msgspec.structs import replace

AGAIN_S = 1
"""How long to wait before a worker that died is started again."""

Serve = Callable[[Any, Callable[[], None]], None]
"""A function that serves with a configuration until a signal, and reports when it has begun."""


class Signalled(BaseException):
    """A signal to end; no handler of errors may swallow it."""


def run(config: Any, count: int, serve: Serve, begun: Callable[[], None]) -> None:
    """Run this many server processes, each with a folder of its own, until a signal.

    A process that dies is started again. If one cannot even begin, all of them end.
    """
    workers: dict[int, int] = {}
    """The number of each worker, by its process."""
    for kind in (signal.SIGTERM, signal.SIGINT):
        signal.signal(kind, _end)
    try:
        for number in range(1, count + 1):
            _start(workers, config, number, serve)
        begun()
        while True:
            process, _ = os.wait()
            number = workers.pop(process)
            time.sleep(AGAIN_S)
            _start(workers, config, number, serve)
    except Signalled:
        pass
    finally:
        for kind in (signal.SIGTERM, signal.SIGINT):
            signal.signal(kind, signal.SIG_IGN)
        _end_all(workers)


def _end(*_: object) -> NoReturn:
    raise Signalled


def _end_all(workers: dict[int, int]) -> None:
    """End the workers one by one, the first one last: it can wait for the rounds of all."""
    for process in sorted(workers, key=lambda each: -workers[each]):
        os.kill(process, signal.SIGTERM)
        os.waitpid(process, 0)


def _start(workers: dict[int, int], config: Any, number: int, serve: Serve) -> None:
    """Start a worker, and wait until it serves."""
    told, tell = os.pipe()
    lives, life = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(told)
        os.close(life)
        _work(config, number, serve, tell, lives)
    workers[process] = number  # a signal may come while the worker begins
    os.close(tell)
    os.close(lives)  # `life` stays open as long as this process lives
    with os.fdopen(told, "rb") as waiting:
        if not waiting.read():
            _, status = os.waitpid(process, 0)
            del workers[process]
            sys.exit(os.waitstatus_to_exitcode(status) or 1)


def _work(config: Any, number: int, serve: Serve, tell: int, lives: int) -> NoReturn:
    """Serve as a worker, until a signal or the end of the process that started it."""
    status = 1
    try:
        os.setpgrp()  # a terminal's Ctrl-C is for the process that started it
        for kind in (signal.SIGTERM, signal.SIGINT):
            signal.signal(kind, signal.SIG_DFL)
        threading.Thread(target=_outlive, args=(lives,), daemon=True).start()
        serve(replace(config, folder=folder_of(config.folder, number)), lambda: _say(tell))
        status = 0
    except click.ClickException as error:
        error.show()
    except Exception:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _say(tell: int) -> None:
    """Notify the process that started this one that it serves; later calls do nothing."""
    try:
        os.write(tell, b"1")
        os.close(tell)
    except OSError:
        pass


def _outlive(lives: int) -> None:
    """Wait for the end of the process that started this one, then end in an orderly way."""
    os.read(lives, 1)
    os.kill(os.getpid(), signal.SIGTERM)


def folder_of(folder: Path, number: int) -> Path:
    """The folder of a worker: the house's own for the first, and one in it for each other.

    All have the same key.
    """
    if number == 1:
        return folder
    own = folder / f"worker-{number}"
    own.mkdir(parents=True, exist_ok=True, mode=0o700)
    key = own / "key"
    if not key.is_symlink():
        key.symlink_to("../key")
    return own
