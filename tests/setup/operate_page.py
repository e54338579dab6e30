"""The page for operators, docs/operate.md, and the requests of its daily tasks."""

import re
import textwrap

from paths import DOCS

PAGE = (DOCS / "operate.md").read_text("utf-8")


def blocks(section: str, kind: str) -> list[str]:
    """The blocks of this kind in a section of the page, as they are written."""
    _, named, text = PAGE.partition(f"\n## {section}\n")
    assert named, f"docs/operate.md has no section {section}"
    text = text.partition("\n## ")[0]
    found = re.findall(rf"^( *)```{kind}\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL)
    return [textwrap.dedent(block) for _, block in found]


def daily_tasks() -> str:
    """The requests of the page's section, as they are written."""
    return "".join(blocks("Daily tasks", "sh"))
