"""The rule that no test passes or fails by chance: seeds are named, and what is altered differs."""

import ast
from collections.abc import Iterator

from tidy import Module

ALLOWED = {
    "tests/server/house/test_office_commands.py": "its long variant walks elsewhere each time",
    "tests/setup/hosting.py": "names and command ids that nobody else has",
    "tests/setup/drill.py": "a drill deals other cards each time",
    "tests/setup/postgres.py": "a port that no other cluster has",
}
"""Files that may ask the operating system for random numbers, with the reason."""

SYSTEM = ("os.urandom", "secrets.", "random.SystemRandom", "uuid.uuid4")
SEEDED = ("random.Random", "Random", "np.random.default_rng", "numpy.random.default_rng")
"""What is made with a seed; without one, each run is another."""
CLOCKS = ("datetime.now", "date.today", "datetime.datetime.now", "datetime.date.today", "time.time")


def check_chances(module: Module) -> Iterator[str]:
    """A test's outcome depends on no random number, and on no hour or day."""
    if module.path.parts[0] != "tests":
        return
    for node in module.nodes:
        match node:
            case ast.Call(func=func):
                name = ast.unparse(func)
                yield from (f"{module.at(node)} {wrong}" for wrong in _wrong(module, name, node))
            case (
                ast.BinOp(left=ast.Subscript(slice=ast.Slice()), op=ast.Add(), right=end)
                | ast.BinOp(left=end, op=ast.Add(), right=ast.Subscript(slice=ast.Slice()))
            ) if isinstance(end, ast.Constant) and _is_hexadecimal(end.value):
                yield (
                    f"{module.at(node)} puts {end.value!r} in the place of what may be the same: "
                    "use altered."
                )


def _wrong(module: Module, name: str, node: ast.Call) -> Iterator[str]:
    """What is wrong with a call that asks for chance or for the time."""
    given = node.args or node.keywords
    allowed = str(module.path) in ALLOWED
    if name.startswith(SYSTEM) and not allowed:
        yield f"calls {name}: name a seed, or give the file's reason in ALLOWED."
    if name in SEEDED and not given:
        yield f"calls {name} without a seed."
    shared = name.startswith("random.") and name[7:8].islower()
    if shared and "random" in module.imports and not allowed:
        yield f"calls {name}, whose numbers everybody shares: make a Random with a seed."
    if name in CLOCKS and not given:
        yield f"calls {name}: name the time, so that the test passes at any hour."


def _is_hexadecimal(value: object) -> bool:
    """Whether a text may be the end of a hash."""
    return isinstance(value, str) and bool(value) and set(value) <= set("0123456789abcdef")
