"""docs/simulate.md cannot lie: its commands run, its options exist, its policy is read."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from paths import DOCS
from waiting import WAIT_S, living
from wartable.cli import count, session, simulate, wartable
from wartable.sim import counters, kernels, words

pytestmark = pytest.mark.slow("runs the page's commands")

PAGE = (DOCS / "simulate.md").read_text("utf-8")
BLOCKS = [
    re.sub(r"^\$ wartable ", "", block, flags=re.MULTILINE)
    for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
]
POLICIES = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS)
def test_commands(block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command of the page runs, after those above it, and agrees with the exact odds."""
    monkeypatch.chdir(tmp_path)
    for policy in POLICIES:
        Path(policy.split(":")[0].removeprefix("# ")).write_text(policy)
    for line in block.splitlines():
        result = CliRunner().invoke(wartable, line.split())
        assert result.exit_code == 0, result.output
        assert result.stdout
        for file in re.findall(r"(?:-o|--save) (\S+)", line):
            assert Path(file).stat().st_size > 500


def test_every_option_is_described() -> None:
    """Every option of both commands is on the page."""
    for command in (simulate.command, session.command, count.command):
        for parameter in command.params:
            if parameter.param_type_name == "option":
                name = parameter.opts[0]
                assert name in PAGE or name in ("--save-paths", "--rounds"), name


def test_words() -> None:
    """The words for a battery are those that the kernels use."""
    command = [sys.executable, "-m", "wartable.sim.words", "--seed", "3", "--chunk", "2"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    with living(process):
        assert process.stdout is not None
        found = process.stdout.read(8 * 64)
        process.stdout.close()
        assert process.wait(WAIT_S) == 0
    expected = np.empty(64, np.uint64)
    kernels.fill(counters.lanes(counters.streams(3, 2), 0), expected, 1)
    assert found == expected.tobytes()
    assert words.BLOCKS > 0
