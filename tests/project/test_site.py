"""The documentation site: built without a warning, served by a house, and found by its search."""

import os
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

import site_builder
from browser import Visit
from hosting import Hosted
from paths import DOCS
from sharing import made_once
from waiting import WAIT_S, ran
from wartable.server.http import app
from wartable.server.http.pages import Pages

pytestmark = pytest.mark.slow("builds the documentation")

TASKS = {
    "play a round in the terminal": ("tutorial-player", "play"),
    "keyboard shortcuts": ("web", "play"),
    "what should a hand have paid": ("settle", "start"),
    "verify a shoe": ("fairness", "sealed"),
    "backup of the database": ("operate", "tutorial-operator"),
    "reset a password": ("operate",),
    "write a rule book": ("tutorial-inventor", "rules", "contributing"),
    "PAR sheet": ("odds", "tutorial-operator"),
    "count cards": ("simulate", "tutorial-mathematician"),
    "resume a simulation": ("simulate", "tutorial-researcher"),
    "train an agent": ("tutorial-researcher", "environments"),
    "SeatEnv": ("api-wartable.environments", "environments"),
}
"""What a new reader looks for, and the pages that answer it."""
SEARCH = """(task) => {
  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
  document.querySelector("#search-results").replaceChildren();
  Search.performSearch(task);
}"""
"""What the page of the results does with a question; it need not load every page that it found."""
RESULTS = 5
"""How many results a reader looks at."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built site."""

    def build(folder: Path) -> None:
        built = ran([sys.executable, site_builder.__file__, str(folder)])
        assert (built.returncode, built.stderr) == (0, "")

    return made_once(tmp_path_factory, "site", build)


@pytest.fixture(scope="module")
def hosted(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """A house that serves the site."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app, "Pages", partial(Pages, documentation=site))
        with Hosted(tmp_path_factory.mktemp("house")) as running:
            yield running


def test_every_public_name_is_in_the_reference(site: Path) -> None:
    """The reference has every name of every public module, and every page of docs/ is there."""
    for module in site_builder.public_modules():
        page = (site / f"api-{module}.html").read_text("utf-8")
        exported = __import__(module, fromlist=["__all__"]).__all__
        missing = [name for name in exported if name not in page and name != "__version__"]
        assert not missing, f"{module}: {missing}"
    for source in DOCS.glob("*.md"):
        assert (site / f"{source.stem}.html").exists() or source.stem == "README"


BROKEN = """
import sys
from pathlib import Path
import site_builder
staged = site_builder.stage
def broken(folder):
    folder.mkdir(parents=True)
    (folder / "index.md").write_text("# One\\n\\n[nowhere](nothing.md)\\n", "utf-8")
site_builder.stage = broken
site_builder.SETTINGS |= {"html_static_path": [], "html_sidebars": {}}
sys.exit(site_builder.build(Path(sys.argv[1])))
"""


def test_a_warning_fails_the_build(tmp_path: Path) -> None:
    """A link that leads nowhere is a warning of Sphinx, and so an error."""
    command = [sys.executable, "-c", BROKEN, str(tmp_path / "docs")]
    path = str(Path(site_builder.__file__).parent)
    built = ran(command, env={**os.environ, "PYTHONPATH": path})
    assert built.returncode == 1
    assert "nothing.md" in built.stderr


def test_twelve_tasks_are_found(visit: Visit, site: Path) -> None:
    """The search of the site, as a house serves it, leads a reader to a page for each task."""
    assert len(TASKS) == 12
    page = visit("/docs")
    assert page.url.endswith("/docs/index.html")
    lost = {}
    for number, (task, pages) in enumerate(TASKS.items()):
        if number == 0:
            field = page.get_by_role("textbox", name="Search the documentation")
            field.fill(task)
            field.press("Enter")
            page.wait_for_url("**/docs/search.html?*")
        else:
            page.evaluate(SEARCH, task)
        page.wait_for_function(
            "() => document.querySelector('#search-results')?.innerText.includes('finished')",
            timeout=WAIT_S * 1000,
        )
        links = page.locator("ul.search > li > a").evaluate_all(
            "links => links.map(link => link.getAttribute('href'))"
        )
        found = [link.split("#")[0].split("?")[0].removesuffix(".html") for link in links[:RESULTS]]
        if not set(found) & set(pages):
            lost[task] = found
    assert not lost
    assert (site / "searchindex.js").exists()


def test_without_a_built_site_there_is_none(tmp_path: Path) -> None:
    """A house without the built site has no page there, and none of its files outside of it."""
    pages = Pages(documentation=tmp_path)
    assert pages.answer("GET", "/docs", []) is None
    (tmp_path / "index.html").write_text("<p>here")
    (tmp_path / "secret.key").write_text("no")
    built = Pages(documentation=tmp_path)
    found = built.answer("GET", "/docs/index.html", [])
    assert found is not None
    assert found.status == 200
    for path in ("/docs/secret.key", "/docs/../docs/index.html", "/docs/nothing.html"):
        assert built.answer("GET", path, []) is None
