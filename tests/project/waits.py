"""The rule that no test waits for ever: it waits with an end, or by tests/setup/waiting.py."""

import ast
from collections.abc import Iterator

from tidy import Module

HOME = "tests/setup/waiting.py"
ALLOWED = {
    "tests/setup/hosting.py": "a server runs until its test stops it, which has an end",
    "tests/setup/drill.py": "a program that plays for the seconds it is told",
}
"""Files that may call `asyncio.run`, with the reason."""

RUNS = ("run", "call", "check_call", "check_output")
BLOCKING = ("wait", "join", "recv", "acquire", "get")
"""Methods that wait for ever when they are called without arguments."""


def check_waits(module: Module) -> Iterator[str]:
    """A test waits with an end, by an argument or by what tests/setup/waiting.py has."""
    if module.path.parts[0] != "tests" or str(module.path) == HOME:
        return
    bounded = _bounded(module)
    names = {node.id for node in module.nodes if isinstance(node, ast.Name)}
    for node in module.nodes:
        if isinstance(node, ast.Call) and id(node) not in bounded:
            name = ast.unparse(node.func)
            for wrong in _wrong(module, name, node):
                yield f"{module.at(node)} calls {name}{wrong}"
            if name == "subprocess.Popen" and "living" not in names:
                yield f"{module.at(node)} starts a program that may outlive its test: use living."


def _wrong(module: Module, name: str, node: ast.Call) -> Iterator[str]:
    """What is wrong with a call that waits."""
    keywords = {each.arg for each in node.keywords}
    owner, _, method = name.rpartition(".")
    timed = bool(keywords & {"timeout", None})
    if name == "asyncio.run" and str(module.path) not in ALLOWED:
        yield ", which may never end: use in_time."
    if owner == "subprocess" and method in RUNS and not timed:
        yield " without a timeout: use ran."
    if "preexec_fn" in keywords:
        yield " with preexec_fn, which may hang between fork and exec in a process with threads."
    if name == "socket.create_connection" and len(node.args) < 2 and not timed:
        yield " without a timeout."
    if method == "communicate" and not timed:
        yield " without a timeout."
    if owner and method in BLOCKING and not node.args and not keywords:
        yield " without a timeout."


def _bounded(module: Module) -> set[int]:
    """The calls that something else ends: what is awaited ends with `in_time`."""
    found: set[int] = set()
    for node in module.nodes:
        match node:
            case ast.Await(value=ast.Call() as call):
                found.add(id(call))
            case ast.Call(func=ast.Attribute(value=value, attr=attr), args=args) if (
                attr == "run_until_complete" or ast.unparse(value) == "asyncio"
            ):
                found |= {id(each) for each in args}
    return found
