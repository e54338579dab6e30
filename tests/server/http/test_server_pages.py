"""The web table's files as the server gives them: pages, policy, marks, compression, misses."""

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from hosting import Hosted
from node import FOLDER, node
from paths import ROOT
from waiting import WAIT_S
from wartable.server.config import LANGUAGES
from wartable.server.http import typings
from wartable.server.http.pages import PAGES as LISTED
from wartable.server.http.pages import Pages, as_sent, made_pages, preloaded

WEB = ROOT / "src" / "wartable" / "web"
PAGES = {
    "/" if name == "lobby.html" else f"/{name.removesuffix('.html')}": plain.decode()
    for name, plain in sorted(
        made_pages({path.name: path.read_bytes() for path in WEB.glob("*.html")}).items()
    )
    if name != "missing.html"
}
FILES = {
    f"/web/{path.relative_to(WEB)}": path
    for path in sorted(WEB.rglob("*.*"))
    if path.suffix != ".html"
}
UNUSED = {f"/web/js/{name}.js" for name in ("types", "texts/es", "texts/es-pages")}
BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.fixture(scope="module")
def http(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A client of a house."""
    with Hosted(tmp_path_factory.mktemp("house"), books=("online",)) as hosted, hosted.http() as it:
        yield it


def test_the_pages_of_the_contract_are_there() -> None:
    """Each page has its address, and everything in the folder is served."""
    players = {"table", "rules", "lab", "history", "replay", "fairness", "account"}
    staff = {"floor", "setup", "decks", "people", "house", "reports", "returns", "cashier"}
    staff |= {"servers"}
    assert set(PAGES) == {"/", *(f"/{name}" for name in players | staff)}
    assert Pages().paths == sorted([*PAGES, *FILES])


@pytest.mark.parametrize("path", PAGES)
def test_a_page_has_a_strict_policy(http: httpx.Client, path: str) -> None:
    """A page is the file itself; it may load nothing but our own files and be framed by nobody."""
    answer = http.get(path)
    assert answer.status_code == 200
    lines = [line for line in answer.text.splitlines() if "modulepreload" not in line]
    assert lines == PAGES[path].splitlines()
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-cache"
    assert answer.headers["x-content-type-options"] == "nosniff"
    (policy,) = answer.headers.get_list("content-security-policy")
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == rules["frame-ancestors"] == rules["base-uri"] == "'none'"
    assert rules["script-src"] == rules["style-src"] == rules["connect-src"] == "'self'"
    assert "unsafe" not in policy


def test_a_page_names_all_its_modules() -> None:
    """Whatever a script imports, and that imports in turn, is asked for with the page, once."""
    contents = {
        "js/a.js": b'import "./b.js";\nimport { c } from "./deep/c.js";\n',
        "js/b.js": b'import {\n  c,\n} from "./deep/c.js";\n/** @type {import("./types.js").X} */',
        "js/deep/c.js": b'export { d } from "../d.js";\nimport "../a.js";\n',
        "js/d.js": b"",
    }
    page = b'<script type="module" src="/web/js/a.js"></script>'
    found = re.findall('modulepreload" href="([^"]+)"', preloaded(page, contents).decode())
    assert found == ["/web/js/b.js", "/web/js/deep/c.js", "/web/js/d.js"]
    assert preloaded(b"<p>none</p>", contents) == b"<p>none</p>"


def test_no_script_is_dead(http: httpx.Client) -> None:
    """Every script is one of some page's, but for types and for texts in other languages."""
    used = {name for path in PAGES for name in re.findall('"(/web/js/[^"]+)"', http.get(path).text)}
    assert {path for path in FILES if path.endswith(".js")} - used == UNUSED


@pytest.mark.parametrize("path", PAGES)
def test_a_page_has_nothing_inline(path: str) -> None:
    """No page has a script, a style or a handler in its markup, or names another host."""
    text = PAGES[path]
    for banned in ("<style", "style=", "onclick=", "://", "<script>"):
        assert banned not in text, banned


def test_files_have_their_types(http: httpx.Client) -> None:
    """Every file is given as what it is."""
    kinds = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
    for path, file in FILES.items():
        answer = http.get(path)
        assert answer.content == as_sent(path.removeprefix("/web/"), file.read_bytes()), path
        assert answer.headers["content-type"].partition(";")[0] == kinds[file.suffix], path
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert ("content-security-policy" in answer.headers) == (file.suffix == ".svg"), path


def test_a_file_that_is_known_is_not_sent_again(http: httpx.Client) -> None:
    """A browser that shows the mark gets 304 without the file, and another mark gets the file."""
    first = http.get("/web/js/link.js")
    again = http.get("/web/js/link.js", headers={"If-None-Match": f'"x", {first.headers["etag"]}'})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    other = http.get("/web/js/link.js", headers={"If-None-Match": '"x"'})
    assert (other.status_code, other.content) == (200, first.content)
    assert http.get("/web/js/fold.js").headers["etag"] != first.headers["etag"]


def test_scripts_are_sent_without_comments(tmp_path: Path) -> None:
    """The code that is sent is the script's own, line by line; what checks shoes is sent whole."""
    scripts = {path: file for path, file in FILES.items() if path.endswith(".js")}
    pairs = [
        (path, plain.decode(), as_sent(path.removeprefix("/web/"), plain).decode())
        for path, plain in ((path, file.read_bytes()) for path, file in scripts.items())
    ]
    assert all(one.count("\n") == other.count("\n") for _, one, other in pairs)
    whole = {path for path, one, other in pairs if one == other}
    assert {"/web/js/check.js", "/web/js/sha256.js"} <= whole
    assert sum(len(other) for _, _, other in pairs) < 0.85 * sum(len(one) for _, one, _ in pairs)
    changed = ("x", "let x = 1; // why", "let x = 2;")
    (tmp_path / "pairs.json").write_text(json.dumps([*pairs, changed]))
    assert json.loads(node(FOLDER / "same-code.js", tmp_path / "pairs.json")) == ["x"]
    kept = b'/** @type {X} */ (a);\nlet b = "/* c */";\n  /* d\n */\n// e\nlet f;\n'
    sent = b'/** @type {X} */ (a);\nlet b = "/* c */";\n\n\n\nlet f;\n'
    assert as_sent("js/x.js", kept) == sent


def test_files_are_compressed_for_who_takes_it(http: httpx.Client) -> None:
    """With gzip the file is smaller on the wire and the same file; without, it is plain."""
    plain = as_sent("js/link.js", (WEB / "js" / "link.js").read_bytes())
    with http.stream("GET", "/web/js/link.js", headers={"Accept-Encoding": "gzip"}) as answer:
        raw = b"".join(answer.iter_raw())
    assert answer.headers["content-encoding"] == "gzip"
    assert gzip.decompress(raw) == plain
    assert len(raw) == int(answer.headers["content-length"]) < len(plain) / 2
    bare = http.get("/web/js/link.js", headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in bare.headers
    assert bare.content == plain
    assert bare.headers["vary"] == "accept-encoding"


def test_head_is_get_without_the_file(http: httpx.Client) -> None:
    """HEAD tells type and length."""
    head, get = http.head("/table"), http.get("/table")
    assert head.content == b""
    for name in ("content-type", "content-length", "etag"):
        assert head.headers[name] == get.headers[name]


@pytest.mark.parametrize(
    "path", ["/nowhere", "/web/js/nowhere.js", "/web/../config.py", "/books/x"]
)
def test_what_is_not_there(http: httpx.Client, path: str) -> None:
    """A browser gets a page with a way back, a program gets a code and a sentence."""
    page = http.get(path, headers=BROWSER)
    assert page.status_code == 404
    lines = [line for line in page.text.splitlines() if "modulepreload" not in line]
    assert lines == (WEB / "missing.html").read_text("utf-8").splitlines()
    assert 'href="/"' in page.text
    problem = http.get(path)
    assert problem.status_code == 404
    assert set(problem.json()) == {"code", "sentence"}


def test_the_interface_keeps_its_headers(http: httpx.Client) -> None:
    """An answer of the interface is not kept by anybody."""
    answer = http.get("/lobby", headers=BROWSER)
    assert answer.json()["type"] == "lobby"
    assert answer.headers["cache-control"] == "no-store"
    assert http.post("/", json={}).status_code == 404


def test_long_answers_are_compressed(http: httpx.Client) -> None:
    """A whole book is sent compressed to who takes it; an answer with a token never is."""
    book = http.get("/books/online/page", headers={"Accept-Encoding": "gzip"})
    assert book.headers["content-encoding"] == "gzip"
    assert book.json() == http.get("/books/online/page", headers={"Accept-Encoding": ""}).json()
    with httpx.Client(base_url=http.base_url, timeout=WAIT_S) as browser:
        made = browser.post("/guest", headers={"Accept-Encoding": "gzip"})
    assert "content-encoding" not in made.headers


def test_who_is_signed_in(http: httpx.Client) -> None:
    """The first question of a page is answered without an error, with a guest or before."""
    with httpx.Client(base_url=http.base_url, timeout=WAIT_S) as browser:
        assert browser.get("/session").json() is None
        made = browser.post("/guest", headers={"Origin": str(http.base_url)})
        cookie = made.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert browser.get("/session").json() == browser.get("/me").json()
        assert browser.get("/session").json()["name"] == made.json()["name"]
        browser.post("/sign-out")
        assert browser.get("/session").json() is None


def test_the_types_of_the_page_are_the_servers() -> None:
    """js/types.js, js/sentences.js and js/navigation.js are what Python gives."""
    there = (WEB / "js" / "types.js").read_text("utf-8")
    path = "src/wartable/web/js/types.js"
    assert there == typings.typings(), f"run: python -m wartable.server.http.typings {path}"
    told = (WEB / "js" / "sentences.js").read_text("utf-8")
    assert told == typings.sentences(), f"run: python -m wartable.server.http.typings {path}"
    pages = (WEB / "js" / "navigation.js").read_text("utf-8")
    assert pages == typings.navigation(), f"run: python -m wartable.server.http.typings {path}"


def test_a_page_has_its_title_in_every_language() -> None:
    """What players see is titled in each language; the console is in English."""
    for page in LISTED:
        assert set(page.title) == ({"en"} if page.rights else set(LANGUAGES)), page.name
        assert page.link is None or set(page.link) == set(LANGUAGES), page.name
        assert f"<h1 data-title>{page.title['en']}</h1>" in PAGES[page.path]
        assert f"<title data-title>{page.title['en']} · Wartable</title>" in PAGES[page.path]
