"""The mutants' tools: what they change, and that what they keep is still true."""

import pytest

import mutants
from mutant_tests import ROOT
from mutations import mutations, path_of
from planted import Planted, planted

pytestmark = pytest.mark.finding(19)


@pytest.mark.parametrize("fault", planted(), ids=lambda fault: fault.name)
def test_a_planted_fault_can_still_be_planted(fault: Planted) -> None:
    """Its text stands once in its module, it compiles, and its tests are there."""
    compile(fault.source(), fault.module, "exec")
    for test in fault.tests:
        file, name = test.split("::")
        assert f"def {name}(" in (ROOT / file).read_text()


def test_every_reason_is_of_a_mutant() -> None:
    """A reason in the file names a mutation that there is, and says something."""
    reasons = mutants.reasons()
    modules = {name.split("\t")[0] for name in reasons}
    known = {each.name for module in modules for each in mutations(module)}
    for name, reason in reasons.items():
        assert name in known, name
        assert len(reason) > 10, name


def test_mutations_differ_and_compile() -> None:
    """Each has its own name and its own text, which is Python."""
    found = mutations("game/settlement")
    original = path_of("game/settlement").read_bytes()
    assert len({each.name for each in found}) == len(found) > 100
    for each in found:
        assert each.source() != original
        compile(each.source(), each.module, "exec")


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("table/people", "if not 0 < command.amount {<= -> <} stack:"),
        ("table/people", "if not {0 -> 1} < command.amount <= stack:"),
        ("game/settlement", "{course.add(paid) -> pass}"),
        ("table/folding", "{rounds=event.number, -> }"),
        ("game/bank", "if {rules.deal.house_match -> not (rules.deal.house_match)}:"),
    ],
)
def test_kinds_of_mutations(module: str, text: str) -> None:
    """Comparisons, numbers, statements and arguments are changed."""
    assert any(text in each.text for each in mutations(module))
