"""The web table's files, kept in memory: pages, scripts, styles, images."""

import gzip
import hashlib
import posixpath
import re
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import msgspec

from wartable.server.config import LANGUAGES, Money
from wartable.server.house.roles import Right

PREFIX = "/web/"
BUILT = Path(__file__).resolve().parents[4] / "build" / "docs"
"""Where `make docs` builds the documentation, in a house that runs from the project."""
PLAY_MONEY = b'data-money="play"'
"""The mark in every page for the house's kind of money."""
LOBBY = "lobby"
MISSING = "missing.html"
SHELL = "page.html"
"""The template from which the pages of `PAGES` are made."""
SMALL_BYTES = 500
"""Compression saves too little below this size."""

KINDS = {
    "html": b"text/html; charset=utf-8",
    "css": b"text/css; charset=utf-8",
    "js": b"text/javascript; charset=utf-8",
    "json": b"application/json",
    "svg": b"image/svg+xml",
    "png": b"image/png",
    "jpg": b"image/jpeg",
    "webmanifest": b"application/manifest+json",
}
PARTS = (KINDS["js"], KINDS["css"])
"""Parts of a page, covered by the page's policy; a page has dozens of them."""

POLICY = (
    b"content-security-policy",
    (
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        b"connect-src 'self'; font-src 'self'; manifest-src 'self'; base-uri 'none'; "
        b"form-action 'none'; frame-ancestors 'none'"
    ),
)
DOCUMENTATION = "/docs"
# The documentation has a search form, and some of its elements have a style of their own.
DOCUMENTATION_POLICY = (
    POLICY[0],
    POLICY[1]
    .replace(b"form-action 'none'", b"form-action 'self'")
    .replace(b"style-src 'self'", b"style-src 'self' 'unsafe-inline'"),
)
SCRIPT = re.compile(rf'<script type="module" src="{PREFIX}(?P<name>[^"]+)">')
COMMENT = re.compile(rb"^[ \t]*(?:/\*(?:(?!\*/).)*\*/[ \t]*$|//[^\n]*$)", re.MULTILINE | re.DOTALL)
"""A comment that has its lines to itself."""
READ_WHOLE = re.compile(r"js/(check[\w-]*|sha256)\.js")
"""Scripts sent with their comments, because players read them to see what is checked."""
IMPORTED = re.compile(r'(?:^import|\bfrom) *"(\.[^"]+)"', re.MULTILINE)
# Browsers revalidate every file each time, so a page and its scripts always match.
CACHING = (b"cache-control", b"no-cache")

Header = tuple[bytes, bytes]


class Page(msgspec.Struct, frozen=True):
    """A page: its name, which its path and its script have too, and its title by language.

    `link` is its name in the header, if the header links to it. `rights` is set for a staff page.
    """

    name: str
    title: dict[str, str]
    link: dict[str, str] | None = None
    rights: tuple[Right, ...] = ()
    styles: tuple[str, ...] = ("pages",)
    wide: bool = False

    @property
    def path(self) -> str:
        """Where it is served."""
        return "/" if self.name == LOBBY else f"/{self.name}"


def _staff(name: str, title: str, *rights: Right) -> Page:
    """A page of the console, in English, for people with one of the rights."""
    return Page(name, {"en": title}, None, rights, ("pages", "console"), wide=True)


def _linked(name: str, english: str, spanish: str, *styles: str) -> Page:
    """A page that the header links to by its title."""
    words = {"en": english, "es": spanish}
    return Page(name, words, words, styles=("pages", *styles))


PAGES = (
    _linked(LOBBY, "Lobby", "Sala"),
    Page(
        "rules",
        {"en": "Rules and odds", "es": "Reglas y probabilidades"},
        {"en": "Rules", "es": "Reglas"},
    ),
    _linked("lab", "Lab", "Laboratorio", "lab"),
    _linked("history", "History", "Historial"),
    _linked("fairness", "Fairness", "Juego limpio"),
    Page("account", {"en": "Account", "es": "Cuenta"}),
    Page(
        "replay",
        {"en": "Replay", "es": "Repetición"},
        styles=("felt", "boxes", "pages"),
        wide=True,
    ),
    _staff("floor", "Pit", "look"),
    _staff("setup", "Open a table", "open_tables"),
    _staff("decks", "Cards", "cards", "records"),
    _staff("people", "Players", "disable", "records"),
    _staff("cashier", "Cashier", "keys"),
    _staff("reports", "Reports", "records"),
    _staff("returns", "Returns", "records"),
    _staff("house", "House", "disable", "records"),
    _staff("servers", "Servers", "accounts"),
)
"""Every page but the table, in the order of the links."""


class PageAnswer(msgspec.Struct, frozen=True):
    """An answer: status, headers and body, and whether a browser may show it on its own."""

    status: int
    headers: list[Header]
    body: bytes
    document: bool = True


class File(msgspec.Struct, frozen=True):
    """A file as it is sent, plain and compressed, with its entity tag."""

    kind: bytes
    plain: bytes
    packed: bytes | None
    mark: bytes


@cache
def read_file(name: str, plain: bytes) -> File:
    """The file of that name with this content; cached, because compressing takes long."""
    packed = gzip.compress(plain, mtime=0) if len(plain) > SMALL_BYTES else None
    # Weak, because the plain and the compressed bytes have the same tag.
    mark = f'W/"{hashlib.sha256(plain).hexdigest()[:24]}"'
    return File(KINDS[name.rpartition(".")[2]], plain, packed, mark.encode())


def _walk(folder: Traversable, prefix: str = "") -> dict[str, bytes]:
    """The contents of all files below a folder, by path."""
    found: dict[str, bytes] = {}
    for entry in folder.iterdir():
        name = prefix + entry.name
        if entry.is_dir():
            found |= _walk(entry, f"{name}/")
        elif entry.name.rpartition(".")[2] in KINDS:
            found[name] = entry.read_bytes()
    return found


@cache
def as_sent(name: str, plain: bytes) -> bytes:
    """A file as it is sent: a script without comments, which are a fifth of it, on the same lines.

    A test compares what is left with the script.
    """
    if not name.endswith(".js") or READ_WHOLE.fullmatch(name):
        return plain
    return COMMENT.sub(lambda comment: b"\n" * comment[0].count(b"\n"), plain)


@cache
def _imported(name: str, script: bytes) -> tuple[str, ...]:
    """The scripts that one imports, by name; cached, because many import the same script."""
    folder = posixpath.dirname(name)
    written = IMPORTED.findall(script.decode())
    return tuple(posixpath.normpath(posixpath.join(folder, near)) for near in written)


def _modules(contents: dict[str, bytes], first: str) -> list[str]:
    """The script of that name and everything it imports, nearest first."""
    found, known = [first], {first}
    for name in found:  # grows while it is read
        new = [near for near in _imported(name, contents[name]) if near not in known]
        found += dict.fromkeys(new)
        known.update(new)
    return found


def preloaded(page: bytes, contents: dict[str, bytes]) -> bytes:
    """The page with a preload link for every module that its script imports."""
    text = page.decode()
    script = SCRIPT.search(text)
    if script is None:
        return page
    names = _modules(contents, script["name"])[1:]
    links = [f'<link rel="modulepreload" href="{PREFIX}{name}">' for name in names]
    return text.replace(script[0], "\n  ".join([*links, script[0]])).encode()


def made_pages(contents: dict[str, bytes]) -> dict[str, bytes]:
    """The files, with the finished pages in place of their template."""
    shell = contents[SHELL].decode()
    made = {}
    for page in PAGES:
        styles = [f'<link rel="stylesheet" href="{PREFIX}css/{each}.css">' for each in page.styles]
        filled = {
            "@name": page.name,
            "@title": page.title["en"],
            "@styles": "\n  ".join(styles),
            "@class": ' class="wide"' if page.wide else "",
        }
        text = shell
        for slot, said in filled.items():
            text = text.replace(slot, said)
        made[f"{page.name}.html"] = text.encode()
    return {name: plain for name, plain in contents.items() if name != SHELL} | made


def documentation_files(folder: Path) -> dict[str, File]:
    """The files of the documentation site by path; none if it is not built."""
    if not (folder / "index.html").is_file():
        return {}
    return {
        f"{DOCUMENTATION}/{file.relative_to(folder).as_posix()}": read_file(
            file.name, file.read_bytes()
        )
        for file in sorted(folder.rglob("*"))
        if file.is_file() and file.suffix.removeprefix(".") in KINDS
    }


def placed(page: bytes, money: Money, locale: str, currency: str) -> bytes:
    """The page with the money, the figures and the language of the house."""
    language = locale.partition("-")[0]
    said = {
        PLAY_MONEY: f'data-money="{money}"',
        b'data-locale="en-US"': f'data-locale="{locale}"',
        b'data-currency="USD"': f'data-currency="{currency}"',
        b'<html lang="en"': f'<html lang="{language if language in LANGUAGES else "en"}"',
    }
    for old, new in said.items():
        page = page.replace(old, new.encode())
    return page


class Pages:
    """The files of the web table: pages by their names, everything else below `/web/`."""

    def __init__(
        self,
        money: Money = "play",
        documentation: Path = BUILT,
        locale: str = "en-US",
        currency: str = "USD",
    ) -> None:
        self._files: dict[str, File] = {}
        self._documentation = documentation_files(documentation)
        files_ = made_pages(_walk(files("wartable").joinpath("web")))
        contents = {
            name: placed(plain, money, locale, currency) if name.endswith(".html") else plain
            for name, plain in files_.items()
        }
        for name, plain in contents.items():
            page, _, kind = name.rpartition(".")
            whole = preloaded(plain, contents) if kind == "html" else as_sent(name, plain)
            file = read_file(name, whole)
            if kind != "html":
                self._files[PREFIX + name] = file
            elif name == MISSING:
                self._missing = file
            else:
                self._files["/" if page == LOBBY else f"/{page}"] = file

    @property
    def paths(self) -> list[str]:
        """Every path that has an answer."""
        return sorted(self._files)

    def answer(self, method: str, path: str, headers: list[Header]) -> PageAnswer | None:
        """The answer with the requested file; None if the path is not one of ours."""
        asked = dict(headers)
        if method not in ("GET", "HEAD"):
            return None
        file = self._files.get(path)
        if file is not None:
            return _answer(200, file, method, asked)
        if self._documentation and path in (DOCUMENTATION, DOCUMENTATION + "/"):
            first = f"{DOCUMENTATION}/index.html".encode()
            return PageAnswer(302, [(b"location", first), (b"content-length", b"0")], b"")
        file = self._documentation.get(path)
        if file is not None:
            return _answer(200, file, method, asked, DOCUMENTATION_POLICY)
        if path.startswith(PREFIX):
            return self.missing(method, headers)
        return None

    def missing(self, method: str, headers: list[Header]) -> PageAnswer | None:
        """The "no such page" page, for a browser that asks for a page."""
        asked = dict(headers)
        if method in ("GET", "HEAD") and b"text/html" in asked.get(b"accept", b""):
            return _answer(404, self._missing, method, asked)
        return None


def _answer(
    status: int, file: File, method: str, asked: dict[bytes, bytes], policy: Header = POLICY
) -> PageAnswer:
    """The file, compressed if the browser accepts that, or "not modified"."""
    headers = [(b"content-type", file.kind), (b"etag", file.mark), (b"vary", b"accept-encoding")]
    headers.append(CACHING)
    document = file.kind not in PARTS
    if document:
        headers.append(policy)
    known = [mark.strip() for mark in asked.get(b"if-none-match", b"").split(b",")]
    if status == 200 and file.mark in known:
        return PageAnswer(304, headers, b"", document)
    body = file.plain
    if file.packed is not None and b"gzip" in asked.get(b"accept-encoding", b""):
        body = file.packed
        headers.append((b"content-encoding", b"gzip"))
    headers.append((b"content-length", str(len(body)).encode()))
    return PageAnswer(status, headers, b"" if method == "HEAD" else body, document)
