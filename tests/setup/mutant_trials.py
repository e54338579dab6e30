"""One mutant in a fork: its code put in place, its tests run until one fails."""

from __future__ import annotations

import functools
import gc
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import resource
import signal
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any

import hypothesis
import pytest

from mutant_tests import QUIET, ROOT
from mutations import SOURCE, Mutation, path_of

Tell = Callable[[str], None]
Order = Callable[[Mutation], dict[str, float]]
"""The tests to try, each with the processor time that it should take."""
Verdicts = Callable[[Mutation, str], None]
MEMORY_MAX = 2 << 30
"""A mutant that never ends may also collect for ever."""


class Judge:
    """A pytest plugin that ends the process at the first test that fails."""

    def __init__(self, tell: Tell, begun: Tell = lambda _: None) -> None:
        self.tell = tell
        self.begun = begun

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Say which test begins, in case it never ends."""
        self.begun(nodeid)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        """Tell which test failed, without the time to describe how."""
        if call.excinfo is not None and not call.excinfo.errisinstance(pytest.skip.Exception):
            self.tell(item.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A file that cannot even be collected notices, too."""
        if report.failed:
            self.tell(report.nodeid)

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self) -> None:
        """Let Hypothesis stop at the first failure: nobody reads a smaller one."""
        phases = [hypothesis.Phase.explicit, hypothesis.Phase.generate]
        quick = hypothesis.settings.get_profile("quick")
        hypothesis.settings.register_profile("mutants", quick, phases=phases)
        hypothesis.settings.load_profile("mutants")


def allow(seconds: float) -> None:
    """End this process by a signal after much more processor time than something should take.

    What waits for ever takes no processor time, so it has a very long time by the clock.
    """
    signal.setitimer(signal.ITIMER_PROF, 1 + 3 * seconds)
    signal.alarm(60 + int(60 * seconds))


def forked(act: Callable[[Judge], None]) -> str:
    """The killer that a fork tells which does this, or nothing.

    If the fork had to be ended, the test that ran too long is the killer.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        quiet = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(quiet, number)
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_MAX, MEMORY_MAX))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        def begun(test: str) -> None:
            os.write(writing, f"{test}\n".encode())

        def tell(killer: str) -> None:
            begun(killer)
            os._exit(1)

        try:
            act(Judge(tell, begun))
        except BaseException as error:  # whatever it is, the mutant did not survive it
            tell(f"error {type(error).__name__}")
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        told = pipe.read().decode().splitlines()
    _, status = os.waitpid(child, 0)
    return "" if not status else told[-1] if told else "work"


def patch(mutation: Mutation) -> None:
    """Put the mutated code where the original was, wherever that was imported to."""
    module = importlib.import_module(_dotted(mutation.module))
    if mutation.function:
        _patch_function(mutation, module)
    else:
        _patch_value(mutation, module)
    for each in _ours():
        if mutation.module.startswith("rules/") or not each.__name__.startswith("wartable.rules"):
            for value in list(vars(each).values()):
                if isinstance(value, functools._lru_cache_wrapper):
                    value.cache_clear()


def _patch_function(mutation: Mutation, module: types.ModuleType) -> None:
    """Give the function, as it is, the mutated code."""
    code = compile(mutation.source(), str(path_of(mutation.module)), "exec")
    target: Any = module
    for part in mutation.function.split("."):
        target = vars(target)[part]
        target = getattr(target, "fget", None) or getattr(target, "__func__", None) or target
        while hasattr(target, "__wrapped__"):
            target = target.__wrapped__
        inner = [
            each
            for each in code.co_consts
            if isinstance(each, types.CodeType) and each.co_name == part
        ]
        code = inner[-1]
    target.__code__ = code


def _patch_value(mutation: Mutation, module: types.ModuleType) -> None:
    """Compute a module's values anew, and put them in place of the old wherever they are named."""
    old = dict(vars(module))
    exec(
        mutation.statement(mutation.source()), vars(module)
    )  # the project's own code, a little changed
    for name, value in list(vars(module).items()):
        if name in old and value is not old[name]:
            for each in _ours():
                if vars(each).get(name) is old[name]:
                    setattr(each, name, value)
            if isinstance(value, dict):
                _patch_merged(old[name], value)


def _patch_merged(old: dict[Any, Any], new: dict[Any, Any]) -> None:
    """Take what a table has lost out of the tables that were made of it."""
    for each in _ours():
        for whole in vars(each).values():
            if isinstance(whole, dict) and all(whole.get(key) is old[key] for key in old):
                for key in old.keys() - new.keys():
                    del whole[key]


def _ours() -> list[types.ModuleType]:
    """The modules of the project and its tests."""
    folders = (str(SOURCE), str(ROOT / "tests"))
    named = [(each, getattr(each, "__file__", None)) for each in sys.modules.values()]
    return [each for each, file in named if file and file.startswith(folders)]


def _dotted(module: str) -> str:
    return "wartable." + module.replace("/", ".").removesuffix(".__init__")


class Trials:
    """A pytest plugin that tries mutants in forks of the process that has collected the tests."""

    def __init__(self, chosen: Sequence[Mutation], order: Order, judge: Verdicts) -> None:
        self.chosen = chosen
        self.order = order
        self.judge = judge

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try each mutant instead of running the tests once."""
        items = {item.nodeid: item for item in session.items}
        killers: dict[pytest.Item, float] = {}
        gc.collect()
        gc.freeze()
        for mutation in self.chosen:
            order = self.order(mutation)
            chosen = {items[test]: each for test, each in order.items() if test in items}
            killer = forked(functools.partial(_try, session, mutation, chosen)) if chosen else ""
            self.judge(mutation, killer)
            if killer in items:
                killers[items[killer]] = order[killer]
        if killers and (failed := forked(functools.partial(_try, session, None, killers))):
            raise pytest.UsageError(f"This test fails without any mutant: {failed}")
        return True


def _try(
    session: pytest.Session,
    mutation: Mutation | None,
    chosen: dict[pytest.Item, float],
    judge: Judge,
) -> None:
    """Run the tests against the mutant, or against the code as it is."""
    session.config.pluginmanager.register(judge)
    if mutation is not None:
        patch(mutation)
    for item, following in zip(chosen, [*list(chosen)[1:], None], strict=True):
        allow(chosen[item])
        session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)


def warm(
    files: Sequence[str], selection: str, chosen: Sequence[Mutation], order: Order, judge: Verdicts
) -> bool:
    """Try mutations in a process of their own; whether the tests that killed pass without any."""
    child = os.fork()
    if not child:
        arguments = [*QUIET, "-s", "-m", selection, *files]
        plugins = [Trials(chosen, order, judge), Judge(lambda _: None)]
        os._exit(int(pytest.main(arguments, plugins)))
    return os.waitpid(child, 0)[1] == 0


class Loader(importlib.machinery.SourceFileLoader):
    """Loads a module from another text than its file's."""

    def __init__(self, module: str, source: bytes) -> None:
        super().__init__(_dotted(module), str(path_of(module)))
        self.source = source

    def get_code(self, _: str) -> types.CodeType:
        """The code of the other text, past what is cached of the file."""
        return compile(self.source, self.path, "exec")


class Finder(importlib.abc.MetaPathFinder):
    """Finds the one module that has another loader."""

    def __init__(self, loader: Loader) -> None:
        self.loader = loader

    def find_spec(self, fullname: str, *_: object) -> importlib.machinery.ModuleSpec | None:
        """The module's place, if it is the one."""
        if fullname != self.loader.name:
            return None
        path = self.loader.path
        return importlib.util.spec_from_file_location(fullname, path, loader=self.loader)


def fresh(module: str, source: bytes, tests: dict[str, float]) -> str:
    """The killer among the tests if a module has another text when it is imported."""

    def act(judge: Judge) -> None:
        allow(20 + sum(tests.values()))
        sys.meta_path.insert(0, Finder(Loader(module, source)))
        arguments = [*QUIET, "-x", *tests]
        code = pytest.main(arguments, plugins=[judge])
        if code:
            judge.tell(f"exit {int(code)}")

    return forked(act)
