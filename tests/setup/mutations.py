"""Small changes to a module's source, each of which some test should notice.

A mutation is named by its module, its function and its source text, never by a line number, so
that its name survives changes elsewhere in the file::

    table/people  take_bank  if not 0 < command.amount {<= -> <} stack:
"""

from __future__ import annotations

import ast
import functools
import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

from msgspec import Struct

SOURCE = Path(__file__).parents[2] / "src" / "wartable"

COMPARED = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
    "is": "is not", "is not": "is", "in": "not in", "not in": "in",
}  # fmt: skip  # pairs read best side by side
COMPUTED = {
    "+": "-", "-": "+", "*": "+", "//": "*", "/": "*", "%": "//", "&": "|", "|": "&", "**": "*",
}  # fmt: skip  # pairs read best side by side
CALLED = {"min": "max", "max": "min", "any": "all", "all": "any"}
OPERATOR = re.compile(r"is\s+not\b|not\s+in\b|is\b|in\b|//|\*\*|[<>=!]=|[-<>+*/%&|]")
Node = ast.expr | ast.stmt | ast.keyword
WORD = re.compile(r"[a-z][a-z_]*")
SHOWN = ("__repr__", "__rich_repr__")
"""What a developer is shown, whose wording nothing depends on."""


class Mutation(Struct, frozen=True):
    """A change of a module's text between two offsets, and where it stands."""

    module: str
    function: str
    text: str
    start: int
    end: int
    new: str
    lines: tuple[int, int]
    """The first and the last line of the statement, without what is nested in it."""
    names: tuple[str, ...]
    """The names in the changed expression, by which tests of module-level code are found."""
    made_once: bool
    """Whether it is part of a class, a type or a default, which are made when imported."""

    @property
    def name(self) -> str:
        """The mutation by module, function and text."""
        return f"{self.module}\t{self.function}\t{self.text}"

    def source(self) -> bytes:
        """The whole mutated module."""
        source = path_of(self.module).read_bytes()
        return source[: self.start] + self.new.encode() + source[self.end :]

    def statement(self, source: bytes) -> str:
        """The function, class or table of the module in which it stands, by a source of it."""
        for each in _parsed(source):
            if each.lineno <= self.lines[0] <= (each.end_lineno or each.lineno):
                return ast.unparse(each)
        raise ValueError(f"There is no statement at line {self.lines[0]} of {self.module}.")


@functools.lru_cache(maxsize=1)
def _parsed(source: bytes) -> list[ast.stmt]:
    return ast.parse(source).body


def path_of(module: str) -> Path:
    """The file of a module such as `game/settlement`."""
    return SOURCE / f"{module}.py"


def mutations(module: str) -> list[Mutation]:
    """Every mutation of a module, each with a name of its own."""
    seen: Counter[str] = Counter()
    found = []
    for mutation in filter(_compiles, _Mutator(module).run()):
        seen[mutation.name] += 1
        count = seen[mutation.name]
        if count > 1:  # the same text again in one function
            text = f"{mutation.text} #{count}"
            mutation = Mutation(  # noqa: PLW2901  # the same mutation under its own name
                module, mutation.function, text, mutation.start, mutation.end, mutation.new,
                mutation.lines, mutation.names, mutation.made_once,
            )  # fmt: skip  # the fields in their order
        found.append(mutation)
    return found


class _Mutator:
    """Walks a module's tree and remembers the function and the statement it is in."""

    def __init__(self, module: str) -> None:
        self.module = module
        self.source = path_of(module).read_bytes()
        self.elsewhere: set[int] = set()
        """Words whose comparison or place in a list is changed anyway."""
        self.made_once = False
        lengths = [len(line) for line in self.source.splitlines(keepends=True)]
        self.offsets = [sum(lengths[:number]) for number in range(len(lengths) + 1)]

    def run(self) -> Iterator[Mutation]:
        yield from self.block(ast.parse(self.source).body, "", top=True)

    def block(self, body: list[ast.stmt], function: str, top: bool = False) -> Iterator[Mutation]:
        for statement in body:
            if isinstance(statement, (ast.Import, ast.ImportFrom, ast.Assert)) or _names(statement):
                continue
            if isinstance(statement, ast.FunctionDef) and statement.name in SHOWN:
                continue
            if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
                inner = statement.name if not function else f"{function}.{statement.name}"
                keep = function if function and not top else inner
                if isinstance(statement, ast.FunctionDef):
                    self.made_once = True
                    for each in statement.args.defaults:
                        yield from self.expression(each, inner, statement)
                    self.made_once = False
                    yield from self.block(statement.body, inner if top else keep)
                else:
                    yield from self.block(statement.body, inner, top=True)
                continue
            self.made_once = top and (bool(function) or _is_type(statement))
            yield from self.statement(statement, function)

    def statement(self, statement: ast.stmt, function: str) -> Iterator[Mutation]:
        """The mutations of a statement, and of the blocks within it."""
        whole = self.change(statement, function, statement)
        match statement:
            case ast.Expr(value=ast.Constant()):
                return  # a docstring
            case ast.Expr(value=ast.Call() | ast.Yield() | ast.YieldFrom()):
                yield whole("pass")
            case ast.AugAssign() | ast.Raise() | ast.Continue() | ast.Break():
                yield whole("pass")
            case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
                yield whole("return None")
            case ast.If(test=test) | ast.While(test=test) if not _one_comparison(test):
                yield self.change(test, function, statement)(f"not ({self.text(test)})")
        for field, value in ast.iter_fields(statement):
            if field in ("annotation", "exc", "cause", "msg"):
                if isinstance(value, ast.Call) and value.args:  # a refusal's code, not its words
                    yield from self.expression(value.args[0], function, statement)
                continue
            for each in value if isinstance(value, list) else [value]:
                if isinstance(each, ast.expr):
                    yield from self.expression(each, function, statement)
                elif isinstance(each, ast.stmt):
                    yield from self.block([each], function)
                elif isinstance(each, (ast.match_case, ast.ExceptHandler)):
                    yield from self.block(each.body, function)

    def expression(self, node: ast.expr, function: str, statement: ast.stmt) -> Iterator[Mutation]:
        """The mutations of an expression and of those within it."""
        if isinstance(node, ast.JoinedStr) or _typing(node):
            return  # words for people; types
        at = self.change(node, function, statement)
        match node:
            case ast.Compare(left=left, comparators=others):
                self.elsewhere |= {id(each) for each in (left, *others)}
                for first, second in pairwise([left, *others]):
                    yield from self.operator(first, second, COMPARED, function, statement)
            case ast.BinOp(left=left, right=right) if function or not isinstance(
                node.op, ast.BitOr
            ):
                yield from self.operator(left, right, COMPUTED, function, statement)
            case ast.BoolOp(values=values):
                other = "or" if isinstance(node.op, ast.And) else "and"
                for first, second in pairwise(values):
                    yield self.between(first, second, r"\b(and|or)\b", other, function, statement)
            case ast.UnaryOp(op=ast.Not(), operand=ast.NamedExpr() as operand):
                yield at(f"({self.text(operand)})")
            case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
                yield at(self.text(operand))
            case ast.Constant(value=bool() as value):
                yield at(str(not value))
            case ast.Constant(value=int() as value):
                yield at(str(value + 1))
            case ast.Constant(value=str() as value) if WORD.fullmatch(value):
                if id(node) not in self.elsewhere:
                    yield at(f'"{value}_"')
            case ast.IfExp(test=test, body=body, orelse=other_):
                yield at(f"({self.text(other_)} if {self.text(test)} else {self.text(body)})")
            case ast.Call(func=ast.Name(id=name)) if name in CALLED:
                yield self.change(node.func, function, statement)(CALLED[name])
            case ast.Tuple() | ast.List() | ast.Set() if len(node.elts) > 1:
                self.elsewhere |= {id(each) for each in node.elts}
                yield from self.without(node.elts, node.elts, function, statement)
            case ast.Dict(keys=keys) if len(keys) > 1 and all(keys):
                firsts = [key for key in keys if key is not None]
                yield from self.without(firsts, node.values, function, statement)
        yield from self.parts(node, function, statement)

    def parts(self, node: ast.expr, function: str, statement: ast.stmt) -> Iterator[Mutation]:
        """The mutations of what is within an expression."""
        if isinstance(node, ast.Call):
            for keyword in node.keywords:
                if keyword.arg is not None:
                    yield self.dropped(keyword, function, statement)
                yield from self.expression(keyword.value, function, statement)
        if isinstance(node, (ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp)):
            for each in node.generators:
                yield from self.expression(each.iter, function, statement)
                for test in each.ifs:
                    yield self.change(test, function, statement)("True")
                    yield from self.expression(test, function, statement)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                yield from self.expression(child, function, statement)

    def operator(
        self,
        left: ast.expr,
        right: ast.expr,
        others: dict[str, str],
        function: str,
        statement: ast.stmt,
    ) -> Iterator[Mutation]:
        """The operator between two operands, changed for another."""
        gap = self.source[self.end(left) : self.start(right)].decode()
        found = OPERATOR.search(gap)
        if found is not None and (old := " ".join(found[0].split())) in others:
            yield self.between(left, right, OPERATOR, others[old], function, statement)

    def between(
        self,
        left: ast.expr,
        right: ast.expr,
        pattern: str | re.Pattern[str],
        new: str,
        function: str,
        statement: ast.stmt,
    ) -> Mutation:
        start = self.end(left)
        found = re.search(pattern, self.source[start : self.start(right)].decode())
        assert found is not None
        return self.spliced(start + found.start(), start + found.end(), new, function, statement)

    def without(
        self, firsts: list[ast.expr], lasts: list[ast.expr], function: str, statement: ast.stmt
    ) -> Iterator[Mutation]:
        """A literal without each of its elements, if it keeps one at least."""
        for number, (first, last) in enumerate(zip(firsts, lasts, strict=True)):
            start, end = self.start(first), self.end(last)
            if number + 1 < len(firsts):
                yield self.spliced(start, self.start(firsts[number + 1]), "", function, statement)
            else:
                comma = b"," if not self.source[end:].lstrip().startswith(b",") else b""
                before = self.end(lasts[number - 1])
                yield self.spliced(before, end, comma.decode(), function, statement)

    def dropped(self, keyword: ast.keyword, function: str, statement: ast.stmt) -> Mutation:
        """A call without one of its keyword arguments."""
        start, end = self.start(keyword), self.end(keyword)
        comma = re.match(rb"\s*,", self.source[end:])
        return self.spliced(start, end + (comma.end() if comma else 0), "", function, statement)

    def change(self, node: Node, function: str, statement: ast.stmt) -> Callable[[str], Mutation]:
        """How a node's text is replaced."""
        return lambda new: self.spliced(self.start(node), self.end(node), new, function, statement)

    def spliced(
        self, start: int, end: int, new: str, function: str, statement: ast.stmt
    ) -> Mutation:
        """The mutation that puts a new text in place of another."""
        first = self.source.rfind(b"\n", 0, start) + 1
        last = self.source.find(b"\n", end)
        last = len(self.source) if last < 0 else last
        parts = [self.source[first:start], self.source[start:end], self.source[end:last]]
        before, old, after = (part.decode() for part in parts)
        text = " ".join(f"{before}{{{old} -> {new}}}{after}".split())
        names = tuple(dict.fromkeys(re.findall(r"[A-Za-z_]\w+", f"{before} {old} {after}")))
        lines = (statement.lineno, _last_line(statement))
        return Mutation(self.module, function, text, start, end, new, lines, names, self.made_once)

    def start(self, node: Node) -> int:
        """Where a node's text begins, in bytes."""
        return self.offsets[node.lineno - 1] + node.col_offset

    def end(self, node: Node) -> int:
        """Where a node's text ends, in bytes."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.offsets[node.end_lineno - 1] + node.end_col_offset

    def text(self, node: Node) -> str:
        """A node's own text."""
        return self.source[self.start(node) : self.end(node)].decode()


def _compiles(mutation: Mutation) -> bool:
    """Whether the mutated module is Python: `(*all,)` without its comma is not."""
    if mutation.new.strip(","):
        return True
    try:
        compile(mutation.source(), mutation.module, "exec")
    except SyntaxError:
        return False
    return True


def _is_type(statement: ast.stmt) -> bool:
    """Whether the statement names a type, which classes have taken by the time of a test."""
    value = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
    return isinstance(value, ast.Subscript) and ast.unparse(value.value) == "Annotated"


def _names(statement: ast.stmt) -> bool:
    """Whether the statement says what a module exports."""
    return isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "__all__"


def _one_comparison(node: ast.expr) -> bool:
    """Whether the node is a comparison whose operator's mutation is its negation."""
    if not isinstance(node, ast.Compare) or len(node.ops) > 1:
        return False
    return isinstance(node.ops[0], (ast.Eq, ast.NotEq, ast.Is, ast.IsNot, ast.In, ast.NotIn))


def _typing(node: ast.expr) -> bool:
    """Whether the node only names types, such as `Literal["to_1", "for_1"]`."""
    return isinstance(node, ast.Subscript) and ast.unparse(node.value) in (
        "Literal",
        "dict",
        "list",
        "tuple",
    )


def _last_line(statement: ast.stmt) -> int:
    """The last line of a statement's own, before the block that it opens."""
    body = getattr(statement, "body", None) or getattr(statement, "cases", None)
    if isinstance(body, list) and body:
        first = body[0].pattern if isinstance(body[0], ast.match_case) else body[0]
        return max(statement.lineno, first.lineno - 1)
    return statement.end_lineno or statement.lineno
