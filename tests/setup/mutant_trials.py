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
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any

import hypothesis
import pytest

from mutant_tests import QUIET
from mutations import Mutation, path_of

Tell = Callable[[str], None]
Order = Callable[[Mutation], tuple[list[str], float]]
"""The tests to try and the processor time that they should take."""
Verdicts = Callable[[Mutation, str], None]


class Judge:
    """A pytest plugin that ends the process at the first test that fails."""

    def __init__(self, tell: Tell) -> None:
        self.tell = tell

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Tell which test failed."""
        if report.failed:
            self.tell(report.nodeid)

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


def forked(seconds: float, act: Callable[[Tell], None]) -> str:
    """What a fork tells that does this within processor time: a killer, `work`, or nothing."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        quiet = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(quiet, number)
        limit = int(3 * seconds) + 10
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        def tell(killer: str) -> None:
            os.write(writing, killer.encode()[:2_000])
            os._exit(1)

        try:
            act(tell)
        except BaseException as error:  # whatever it is, the mutant did not survive it
            tell(f"error {type(error).__name__}")
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        told = pipe.read().decode()
    _, status = os.waitpid(child, 0)
    return told or ("work" if os.WIFSIGNALED(status) else "")


def patch(mutation: Mutation) -> None:
    """Put the mutated code into the function as it is, wherever it was imported to."""
    module = importlib.import_module("wartable." + mutation.module.replace("/", "."))
    path = str(path_of(mutation.module))
    code = compile(mutation.source(), path, "exec")
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
    for name, each in list(sys.modules.items()):
        if name.startswith("wartable"):
            for value in list(vars(each).values()):
                if isinstance(value, functools._lru_cache_wrapper):
                    value.cache_clear()


class Trials:
    """A pytest plugin that tries mutants in forks of the process that has collected the tests."""

    def __init__(self, chosen: Sequence[Mutation], order: Order, judge: Verdicts) -> None:
        self.chosen = chosen
        self.order = order
        self.judge = judge

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try each mutant instead of running the tests once."""
        items = {item.nodeid: item for item in session.items}
        gc.collect()
        gc.freeze()
        for mutation in self.chosen:
            tests, seconds = self.order(mutation)
            chosen = [items[test] for test in tests if test in items]
            act = functools.partial(_try, session, mutation, chosen)
            self.judge(mutation, forked(seconds, act) if chosen else "")
        return True


def _try(
    session: pytest.Session, mutation: Mutation, items: Sequence[pytest.Item], tell: Tell
) -> None:
    """Run the tests against the mutant."""
    session.config.pluginmanager.register(Judge(tell))
    patch(mutation)
    for item, following in zip(items, [*items[1:], None], strict=True):
        session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)


def warm(
    files: Sequence[str], selection: str, chosen: Sequence[Mutation], order: Order, judge: Verdicts
) -> None:
    """Try mutations of functions, in a process that this one does not share its imports with."""
    child = os.fork()
    if not child:
        arguments = [*QUIET, "-s", "-m", selection, *files]
        plugins = [Trials(chosen, order, judge), Judge(lambda _: None)]
        os._exit(int(pytest.main(arguments, plugins)))
    os.waitpid(child, 0)


class Loader(importlib.machinery.SourceFileLoader):
    """Loads a module from another text than its file's."""

    def __init__(self, module: str, source: bytes) -> None:
        name = "wartable." + module.replace("/", ".").removesuffix(".__init__")
        super().__init__(name, str(path_of(module)))
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


def fresh(module: str, source: bytes, tests: Sequence[str], seconds: float) -> str:
    """The killer among the tests if a module has another text when it is imported."""

    def act(tell: Tell) -> None:
        sys.meta_path.insert(0, Finder(Loader(module, source)))
        arguments = [*QUIET, "-x", *tests]
        code = pytest.main(arguments, plugins=[Judge(tell)])
        if code:
            tell(f"exit {int(code)}")

    return forked(seconds + 20, act)
