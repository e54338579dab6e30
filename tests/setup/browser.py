"""A real browser for tests: the system's Chromium, pages that are watched, accessibility.

A module that uses `page` or `visit` has a fixture `hosted`, the server that the pages belong to,
its own or that of tests/setup/staffed_tables.py.
Known cards are planted with tests/setup/live_tables.py, whose players `visit` takes as visitors.
"""

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import ClassVar, Literal, NamedTuple
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    WebSocketRoute,
    expect,
    sync_playwright,
)
from playwright.sync_api import Error as PlaywrightError

import hosting
from debian import install
from fonts import have_fonts
from hosting import Client, Hosted
from postgres import free_port
from waiting import WAIT_S
from wartable.server.http import pages
from wartable.server.http.access import COOKIE

SHELL = "chromium-headless-shell"
"""Chromium without a window: a page costs it a third of the time."""
NAMES = (SHELL, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
MISSING = (
    "The browser tests need Chromium: install the package chromium-headless-shell or chromium, or "
    "name a program in the environment variable CHROMIUM."
)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # Fewer processes: a page costs a tenth less.
    "--in-process-gpu",
    "--enable-features=NetworkServiceInProcess2",
    # The pages of one context share their process, so that a kept one need not be started.
    "--renderer-process-limit=1",
    # No other machine answers: a request to one fails, which `Watch` is told of.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost",
]
AXE = Path(sys.prefix) / "npm" / "node_modules" / "axe-core" / "axe.min.js"
FAILED = "Failed to load resource"
REFUSED = re.compile(rf"{FAILED}: the server responded with a status of (\d+)")
ANSWERED = "performance.getEntriesByType('resource').map(({ name }) => name)"
"""The addresses of what a page has loaded."""
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
WAIT_MS = 1_000 * WAIT_S
expect.set_options(timeout=WAIT_MS)
WIDE = (1440, 900)
PHONE = (390, 844)
NARROW = (360, 740)
TOUCH_PX = 600
"""A window that is narrower is touched."""
PLAIN = """() => {
  const style = new CSSStyleSheet();
  const paint = ["box-shadow", "text-shadow", "background-image", "filter"];
  const none = paint.map((name) => `${name}: none !important;`).join(" ");
  style.replaceSync(`*, *::before, *::after { ${none} } :root { opacity: 0 !important; }`);
  document.adoptedStyleSheets = [style];
}"""
"""Nobody looks at these pages: all is laid out, hit and spoken as ever, and nothing is painted.

Painting took a quarter of a page's time. `looked_at` asks for what can be seen.
"""
UNCHANGED = (b"cache-control", b"max-age=86400")
"""A house of a test never changes its files: a page asks once, and costs a seventh less."""
KEPT_MAX = 6
"""How many pages wait for the next test."""
LASTING = (
    "add_init_script",
    "expose_binding",
    "expose_function",
    "on",
    "once",
    "route",
    "route_from_har",
    "route_web_socket",
    "set_default_navigation_timeout",
    "set_default_timeout",
    "set_extra_http_headers",
)
"""What a test may do to a page that would stay with it: such a page is for that test only."""


def find_chromium() -> str | None:
    """The program, by the environment or by its usual names."""
    named = os.environ.get("CHROMIUM")
    return next(filter(None, map(shutil.which, [named] if named else NAMES)), None)


def chromium_program() -> str:
    """The program: the one named, else the shell, installed first where we may, else another."""
    if "CHROMIUM" not in os.environ:
        install(SHELL, lambda: shutil.which(SHELL) is not None)
    if (found := find_chromium()) is None:
        pytest.fail(MISSING, pytrace=False)
    return found


class Watch:
    """What must not happen in a page: errors, failed or refused requests, other hosts."""

    def __init__(self, page: Page, host: str) -> None:
        self.problems: list[str] = []
        self._host = host
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.problems.append(f"page error: {error}"))
        # To hear of every answer costs an eighth of a page. The console has the refused ones.
        page.on("requestfailed", self._failed)
        page.on("framenavigated", lambda frame: self._asked(frame.url))

    def _console(self, message: ConsoleMessage) -> None:
        if message.type != "error":
            return
        if refused := REFUSED.match(message.text):
            path = urlsplit(message.location["url"]).path
            self.problems.append(f"refused: {refused[1]} {path}")
        elif not message.text.startswith(FAILED):  # which is told with its address
            self.problems.append(f"console: {message.text}")

    def _asked(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme in ("http", "https") and parts.netloc != self._host:
            self.problems.append(f"another host: {url}")

    def _failed(self, request: Request) -> None:
        self._asked(request.url)
        if request.failure != "net::ERR_ABORTED":  # the page was left before it was there
            self.problems.append(f"failed: {request.url} {request.failure}")

    def look(self, page: Page) -> None:
        """Hear of all that happened before: it is told before an answer is."""
        for url in page.evaluate(ANSWERED):
            self._asked(url)


class Network:
    """What lies between page and server: it can be cut, and it can lose the server's words."""

    _of: ClassVar[WeakKeyDictionary[Page, "Network"]] = WeakKeyDictionary()

    def __init__(self, page: Page) -> None:
        self.down = False
        self.deaf = False
        self._open: list[WebSocketRoute] = []
        page.route_web_socket("**/play*", self._connect)
        self._of[page] = self

    @classmethod
    def of(cls, page: Page) -> "Network":
        """That of a page which was opened with `routed`."""
        return cls._of[page]

    def begin_again(self) -> None:
        """Let everything pass, as at first."""
        self.down = self.deaf = False
        self._open.clear()

    def _connect(self, route: WebSocketRoute) -> None:
        if self.down:
            route.close()
            return
        server = route.connect_to_server()
        server.on_message(lambda message: None if self.deaf else route.send(message))
        self._open.append(route)

    def cut(self) -> None:
        """End every connection, as a network does."""
        while self._open:
            self._open.pop().close()


@contextmanager
def running() -> Iterator[Browser]:
    """A browser without a window."""
    program = chromium_program()
    have_fonts()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


def with_fonts(browser: Browser, fonts: Path) -> Browser:
    """Another browser beside one that runs, which finds the fonts of a configuration only."""
    environment: dict[str, str | float | bool] = {**os.environ, "FONTCONFIG_FILE": str(fonts)}
    program = chromium_program()
    return browser.browser_type.launch(executable_path=program, args=FLAGS, env=environment)


class Look(NamedTuple):
    """Whose pages a context has, and how they are looked at."""

    host: str
    size: tuple[int, int] = WIDE
    dark: bool = False
    still: bool = True
    routed: bool = False
    """Whether a `Network` lies between page and server."""

    def context(self, browser: Browser) -> BrowserContext:
        """A new context, which shares nothing with any other."""
        context = browser.new_context(
            base_url=f"http://{self.host}",
            viewport={"width": self.size[0], "height": self.size[1]},
            color_scheme="dark" if self.dark else "light",
            reduced_motion="reduce" if self.still else "no-preference",
            has_touch=self.size[0] < TOUCH_PX,
        )
        context.set_default_timeout(WAIT_MS)
        return context

    def like(self, other: "Look") -> bool:
        """Whether a page of this look can take on the other one."""
        return self._lasting == other._lasting

    @property
    def _lasting(self) -> tuple[str, bool, bool, bool]:
        """What a page cannot change any more."""
        return (self.host, self.still, self.routed, self.size[0] < TOUCH_PX)

    def take_on(self, page: Page) -> None:
        """Give a page that was looked at otherwise this window and these colours."""
        width, height = self.size
        if page.viewport_size != {"width": width, "height": height}:
            page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(
            media="null",
            color_scheme="dark" if self.dark else "light",
            reduced_motion="reduce" if self.still else "no-preference",
            forced_colors="null",
        )

    def plain(self, browser: Browser) -> BrowserContext:
        """A new context whose pages have no shadows and no gradients."""
        context = self.context(browser)
        context.add_init_script(f"({PLAIN})()")
        return context


class Lent(NamedTuple):
    """A page that a test has, or that waits for the next one."""

    look: Look
    page: Page
    watch: Watch
    spoilt: list[str]
    """What was done to it that no other test could take back."""

    @property
    def context(self) -> BrowserContext:
        """Where the page is, alone unless its test opens others."""
        return self.page.context

    @property
    def browser(self) -> Browser:
        """The browser that it belongs to."""
        found = self.context.browser
        assert found is not None
        return found


class Kept:
    """Pages that earlier tests are done with: to load one costs half of what a new one does.

    One begins again with nothing of the test before but the files of the house. The next house
    listens at the same port, as long as its pages are the same.
    """

    def __init__(self) -> None:
        self._free: list[Lent] = []

    def take(self, browser: Browser, look: Look) -> Lent:
        """An empty page, a kept one if there is one that can look like that."""
        self._free = [each for each in self._free if each.browser.is_connected()]
        alike = [each for each in self._free if each.browser == browser and each.look.like(look)]
        for lent in sorted(alike, key=lambda each: each.look != look)[:1]:
            self._free.remove(lent)
            lent.page.evaluate("localStorage.clear(), sessionStorage.clear()")
            lent.context.clear_cookies()
            look.take_on(lent.page)
            lent.watch.problems.clear()
            if look.routed:
                Network.of(lent.page).begin_again()
            return lent._replace(look=look)
        return new_lent(browser, look)

    def leave(self, lent: Lent) -> None:
        """Keep a page, if its test has not closed or changed it for good, instead of the oldest."""
        page = lent.page
        if page.is_closed() or lent.spoilt:
            lent.context.close()
            return
        for other in lent.context.pages:
            if other != page:
                other.close()
        try:
            page.goto("/health")
        except PlaywrightError:  # its house is closed, or its network is down
            lent.context.close()
            return
        page.mouse.move(-1, -1)  # it points at nothing
        usual, port = hosting.ADDRESS  # where the next house is, too
        hosts = (lent.look.host, f"{usual}:{port}")
        self._free.append(lent)
        self._free.sort(key=lambda each: each.look.host in hosts)
        while len(self._free) > KEPT_MAX or self._free[0].look.host not in hosts:
            self._free.pop(0).context.close()


def new_lent(browser: Browser, look: Look) -> Lent:
    """A new page, which tells when something is done to it that stays."""
    page = look.plain(browser).new_page()
    lent = Lent(look, page, Watch(page, look.host), [])
    if look.routed:
        Network(page)
    for name in LASTING:
        setattr(page, name, _telling(getattr(page, name), lent.spoilt, name))
    return lent


def _telling(do: Callable[..., object], done: list[str], name: str) -> Callable[..., object]:
    def told(*words: object, **named: object) -> object:
        done.append(name)
        return do(*words, **named)

    return told


class _Shared:
    """The browser of all tests that need one, started by the first of them."""

    def __init__(self) -> None:
        self._open = ExitStack()
        self._browser: Browser | None = None
        self._prepared = False
        self.kept = Kept()

    def prepare(self) -> None:
        """Let houses, from the first of a browser test on, be alike for a browser."""
        if not self._prepared:
            self._prepared = True
            patch = self._open.enter_context(pytest.MonkeyPatch.context())
            patch.setattr(pages, "CACHING", UNCHANGED)
            patch.setattr(hosting, "ADDRESS", ("127.0.0.1", free_port()))

    def browser(self) -> Browser:
        """The browser, running."""
        if self._browser is None:
            self.prepare()
            self._browser = self._open.enter_context(running())
        return self._browser

    def close(self) -> None:
        """End it, if it runs."""
        self.kept = Kept()
        self._browser = None
        self._prepared = False
        self._open.close()


_SHARED = _Shared()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """End the browser before any other test: its event loop runs here, where theirs would."""
    if item.get_closest_marker("browser") is None:
        _SHARED.close()
    else:
        _SHARED.prepare()


def pytest_sessionfinish() -> None:
    """End the browser with the run."""
    _SHARED.close()


@pytest.fixture
def chromium() -> Browser:
    """The browser that the tests share, started again after a test that needs none."""
    return _SHARED.browser()


@pytest.fixture(scope="module")
def module_chromium() -> Browser:
    """The same browser for a file whose tests all need one."""
    return _SHARED.browser()


def new_page(
    browser: Browser,
    hosted: Hosted,
    who: Client | None = None,
    size: tuple[int, int] = WIDE,
    dark: bool = False,
    still: bool = True,
) -> Page:
    """A page of somebody's, or of a new visitor's, that shares nothing with the others."""
    context = Look(hosted.host, size, dark, still).context(browser)
    sign_in(context, hosted, who)
    return context.new_page()


def sign_in(context: BrowserContext, hosted: Hosted, who: Client | None) -> None:
    """Make the pages of a context somebody's."""
    if who is not None and who.token is not None:
        address = f"http://{hosted.host}"
        context.add_cookies([{"name": COOKIE, "value": who.token, "url": address}])


@pytest.fixture
def allowed() -> list[str]:
    """Patterns of problems that a test expects in its pages; it appends to this."""
    return []


Visit = Callable[..., Page]


@pytest.fixture
def visit(chromium: Browser, hosted: Hosted, allowed: list[str]) -> Iterator[Visit]:
    """Open a page as somebody: `visit("/", who=ann, size=PHONE)`; what is wrong fails the test.

    With `first` the browser has no file of the house yet; with `routed` the page has a `Network`.
    """
    opened: list[tuple[Lent, bool]] = []

    def open_page(
        path: str | None = None,
        who: Client | None = None,
        size: tuple[int, int] = WIDE,
        dark: bool = False,
        still: bool = True,
        browser: Browser = chromium,
        first: bool = False,
        routed: bool = False,
    ) -> Page:
        look = Look(hosted.host, size, dark, still, routed)
        lent = new_lent(browser, look) if first else _SHARED.kept.take(browser, look)
        opened.append((lent, not first))
        sign_in(lent.context, hosted, who)
        if path is not None:
            lent.page.goto(path)
        return lent.page

    yield open_page
    problems = []
    for lent, keeps in opened:
        # What happened before is told before the answer; a page that is closed or left has none.
        with suppress(PlaywrightError):
            lent.watch.look(lent.page)
        problems += lent.watch.problems
        if keeps:
            _SHARED.kept.leave(lent)
        else:
            lent.context.close()
    unexpected = [
        each for each in problems if not any(re.search(pattern, each) for pattern in allowed)
    ]
    assert not unexpected, "\n".join(unexpected)


@pytest.fixture
def page(visit: Visit) -> Page:
    """One watched page of a new visitor, at no address yet."""
    return visit()


def assert_accessible(page: Page) -> None:
    """Every rule of axe holds, light and dark."""
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        if not page.evaluate("() => 'axe' in window"):
            page.evaluate(AXE.read_text("utf-8"))
        found = page.evaluate(
            """async () => {
              // Contrast is that of the real colours, gradients and all.
              const plain = document.adoptedStyleSheets;
              document.adoptedStyleSheets = [];
              // Only the rule for sounds looks at anything that would have to be loaded again.
              const preload = document.querySelector("audio, video") !== null;
              const options = { resultTypes: ["violations"], preload };
              const { violations } = await axe.run(document, options);
              document.adoptedStyleSheets = plain;
              return violations.flatMap(({ id, help, nodes }) =>
                nodes.map(({ target, failureSummary }) =>
                  `${id} (${help}) at ${target.join(" ")}: ${failureSummary}`));
            }"""
        )
        assert not found, f"{page.url} {scheme}:\n" + "\n".join(found)


def looked_at(page: Page, script: str, wanted: object = None) -> list[str]:
    """What a script finds that asks what can be seen, in a page that is not painted otherwise."""
    told: list[str] = page.evaluate(
        f"""(wanted) => {{
          const {{ style }} = document.documentElement;
          style.setProperty("opacity", "1", "important");
          try {{
            return ({script})(wanted);
          }} finally {{
            style.removeProperty("opacity");
          }}
        }}""",
        wanted,
    )
    return told


def sized(page: Page) -> tuple[int, int]:
    """How large the page's window is."""
    size = page.viewport_size
    assert size is not None
    return size["width"], size["height"]


def resize(page: Page, size: tuple[int, int]) -> None:
    """Give the page's window that size, and let the page fit its print to it."""
    if sized(page) == size:
        return
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.wait_for_function("(width) => innerWidth === width", arg=size[0])
    # What is observed of a size is told within the next frame.
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def assert_fits(page: Page) -> None:
    """Nothing reaches beyond the sides of the window."""
    wide = page.evaluate("() => [document.documentElement.scrollWidth, window.innerWidth]")
    assert wide[0] <= wide[1], f"{page.url} is {wide[0]} px wide in a window of {wide[1]}"
