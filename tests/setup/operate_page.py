"""The page for operators, docs/operate.md, and the requests of its daily tasks."""

import re

from paths import DOCS

PAGE = (DOCS / "operate.md").read_text("utf-8")


def daily_tasks() -> str:
    """The requests of the page's section, as they are written."""
    _, _, section = PAGE.partition("\n## Daily tasks\n")
    section = section.partition("\n## ")[0]
    return "".join(re.findall(r"^```sh\n(.*?)^```$", section, re.MULTILINE | re.DOTALL))
