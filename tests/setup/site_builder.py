"""The documentation site: the pages of docs/ and the API reference, built offline by Sphinx."""

import importlib
import inspect
import re
import shutil
import sys
from pathlib import Path

from sphinx.application import Sphinx

from paths import ROOT
from wartable import __version__

SITE = ROOT / "build" / "docs"
PARTS = {
    "Tutorials": "tutorial-*",
    "Guides": "play operate rules fairness sealed settle odds simulate python environments",
    "Reference": "api notation protocol table web",
    "Project": "design contributing changelog security",
}
OUTSIDE = {
    "README.md": "start.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
}
"""Pages of the project that are not in docs/, by their names on the site."""
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s#]*)(#[^)\s]*)?\)")
PUBLIC = re.compile(r"^\| (`wartable[^|]*) \|", re.MULTILINE)
SETTINGS = {
    "project": "Wartable",
    "author": "The Wartable authors",
    "copyright": "The Wartable authors",
    "version": __version__,
    "extensions": ["myst_parser", "sphinx.ext.autodoc"],
    "html_theme": "alabaster",
    "html_theme_options": {
        "description": "Casino War by the book",
        "fixed_sidebar": True,
        "page_width": "1100px",
        "sidebar_width": "260px",
    },
    "html_sidebars": {"**": ["about.html", "searchfield.html", "navigation.html"]},
    "html_copy_source": False,
    "html_use_index": False,
    "html_domain_indices": False,
    "html_show_sphinx": False,
    "templates_path": ["_templates"],
    "html_static_path": ["_static"],
    "html_css_files": ["site.css"],
    "html_permalinks": False,
    "myst_heading_anchors": 4,
    "autodoc_typehints": "signature",
    "autodoc_member_order": "bysource",
    "autodoc_default_options": {
        "members": True,
        "imported-members": True,
    },
    "root_doc": "index",
    "exclude_patterns": ["README.md"],
    "language": "en",
    "pygments_style": "friendly",
}
# The pages of a house run no script of their own, so the field is shown without one.
SEARCH_FIELD = """<form class="search" action="{{ pathto('search') }}" method="get" role="search">
  <input type="text" name="q" aria-label="Search the documentation" placeholder="Search">
  <input type="submit" value="Go">
</form>
"""
STYLE = """
div.document { margin: 20px auto; }
div.body { max-width: none; }
form.search { margin: 1em 0; display: flex; gap: .3em; }
form.search input[type=text] { min-width: 0; flex: 1; }
table.docutils td, table.docutils th { vertical-align: top; }
div.body pre { overflow-x: auto; }
@media (prefers-color-scheme: dark) {
  body, div.body { background: #14171a; color: #dfe3e6; }
  div.body h1, div.body h2, div.body h3, div.sphinxsidebar h3 { color: #f0f2f4 !important; }
  a, div.sphinxsidebar a { color: #8ab4f8; }
  pre, code, tt, .sig { background: #20252a !important; color: #dfe3e6; }
  .highlight { background: #20252a !important; filter: none; }
  .highlight span { color: #cfe0ef !important; }
}
"""


def public_modules() -> list[str]:
    """The modules that docs/python.md calls public."""
    text = (ROOT / "docs" / "python.md").read_text("utf-8").partition("## What is public")[2]
    return [name for row in PUBLIC.findall(text) for name in re.findall(r"`([\w.]+)`", row)]


def rewritten(text: str, page: Path, pages: dict[Path, str]) -> str:
    """A page whose links lead to the site's own pages; other files are only named."""

    def link(found: re.Match[str]) -> str:
        image, words, target, heading = found.groups(default="")
        if "://" in target or not target or image:
            return found[0].replace("docs/images/", "images/")
        linked = (page.parent / target).resolve()
        return f"[{words}]({pages[linked]}{heading})" if linked in pages else words

    return LINK.sub(link, text)


def _without_code(text: str, page: Path, pages: dict[Path, str]) -> str:
    """The page with the links outside of its code rewritten."""
    parts = re.split(r"(^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(
        part if place % 2 else rewritten(part, page, pages) for place, part in enumerate(parts)
    )


def stage(folder: Path) -> None:
    """Write the site's sources: the project's pages, the API's, the index, templates and style."""
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("_templates", "_static"):
        (folder / name).mkdir(parents=True)
    shutil.copytree(ROOT / "docs" / "images", folder / "images")
    pages = {page.resolve(): page.name for page in sorted((ROOT / "docs").glob("*.md"))}
    pages[(ROOT / "docs" / "README.md").resolve()] = "index.md"
    pages |= {(ROOT / name).resolve(): site for name, site in OUTSIDE.items()}
    for page, name in pages.items():
        text = _without_code(page.read_text("utf-8"), page, pages)
        (folder / name).write_text(text, "utf-8")
    modules = public_modules()
    for module in modules:
        text = f"# {module}\n\n```{{eval-rst}}\n.. automodule:: {module}\n```\n{_values(module)}"
        (folder / f"api-{module}.md").write_text(text, "utf-8")
    listed = "\n".join(f"api-{module}" for module in modules)
    api = f"# API reference\n\nThe public modules, from their docstrings.\n\n{_tree(listed)}"
    (folder / "api.md").write_text(api, "utf-8")
    index = (folder / "index.md").read_text("utf-8")
    for title, names in PARTS.items():
        found = [each for name in names.split() for each in _matching(folder, name)]
        index += f"\n{_tree(chr(10).join(found), title)}"
    index += f"\n{_tree('start')}"
    (folder / "index.md").write_text(index, "utf-8")
    (folder / "_templates" / "searchfield.html").write_text(SEARCH_FIELD, "utf-8")
    (folder / "_static" / "site.css").write_text(STYLE, "utf-8")


def _values(module: str) -> str:
    """The public names of a module that are neither classes nor functions."""
    found = importlib.import_module(module)
    kinds = (inspect.isclass, inspect.isroutine, inspect.ismodule)
    names = [
        f"`{name}`"
        for name in found.__all__
        if not any(kind(getattr(found, name)) for kind in kinds)
    ]
    return f"\nValues and types: {', '.join(names)}.\n" if names else ""


def _matching(folder: Path, name: str) -> list[str]:
    return sorted(page.stem for page in folder.glob(f"{name}.md"))


def _tree(names: str, title: str = "") -> str:
    caption = f":caption: {title}\n" if title else ""
    hidden = ":hidden:\n" if title or names == "start" else ""
    return f"```{{toctree}}\n{caption}{hidden}:maxdepth: 1\n\n{names}\n```\n"


def build(target: Path = SITE) -> int:
    """Build the site; a warning is an error. Returns Sphinx's exit code."""
    sources = target.parent / f"{target.name}-sources"
    stage(sources)
    shutil.rmtree(target, ignore_errors=True)
    site = Sphinx(
        sources,
        None,
        target,
        target.parent / f"{target.name}-trees",
        "html",
        SETTINGS,
        status=None,
        warning=sys.stderr,
        warningiserror=True,
        exception_on_warning=False,
    )
    site.build()
    return site.statuscode


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else SITE
    code = build(folder)
    if not code:
        print(f"The documentation is at {folder / 'index.html'}")
    sys.exit(code)
