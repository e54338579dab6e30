"""Every page in a real browser: it opens without error, is accessible, and fits a phone."""

from collections.abc import Iterator
from contextlib import suppress

import pytest
from playwright.sync_api import Browser, Page, expect
from playwright.sync_api import Error as PlaywrightError

from browser import (
    LASTING,
    NARROW,
    PHONE,
    Kept,
    Look,
    Visit,
    Watch,
    assert_accessible,
    assert_fits,
    chromium_program,
    looked_at,
    sign_in,
)
from hosting import Hosted

OTHER = ["print", "(prefers-color-scheme: dark)", "(forced-colors: active)"]
"""What a page in its usual look is not."""
UNSEEN = """() => [document.body]
  .filter((each) => !each.checkVisibility({ opacityProperty: true })).map((each) => each.tagName)"""

PATHS = (
    "/",
    "/table?name=online+1",
    "/rules?book=maryland",
    "/history",
    "/replay",
    "/fairness?table=online+1",
    "/account",
    "/floor",
    "/setup",
)


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """A house with a table of every book."""
    with Hosted(tmp_path_factory.mktemp("house")) as running:
        yield running


@pytest.mark.parametrize("path", PATHS)
def test_a_page_opens(visit: Visit, path: str) -> None:
    """No error, no refused request, no other host; header, one heading, and all of axe's rules."""
    page = visit(path, size=NARROW)
    page.wait_for_load_state("networkidle")
    expect(page.locator("wt-header a", has_text="Wartable")).to_be_visible()
    expect(page.locator("main#main")).to_be_visible()
    expect(page.locator("h1")).to_have_count(1)
    assert_fits(page)
    assert_accessible(page)


def test_without_chromium_one_sentence_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that is not there is not looked for elsewhere, and nothing is installed for it."""
    monkeypatch.setenv("CHROMIUM", "no-such-program")
    with pytest.raises(
        pytest.fail.Exception, match="install the package chromium-headless-shell or"
    ):
        chromium_program()


def test_a_kept_page_begins_empty(chromium: Browser, hosted: Hosted) -> None:
    """The next test's page has no cookie, nothing stored, and the size and colours it asks for."""
    kept, look = Kept(), Look(hosted.host)
    lent = kept.take(chromium, look)
    page, context = lent.page, lent.context
    with hosted.guest() as somebody:
        sign_in(context, hosted, somebody)
    page.goto("/history")
    page.evaluate("() => { localStorage.a = sessionStorage.b = document.cookie = 'c=d'; }")
    page.set_viewport_size({"width": 800, "height": 700})
    page.emulate_media(media="print", color_scheme="dark", forced_colors="active")
    lent.watch.problems.append("a problem of the test before")
    other = context.new_page()
    kept.leave(lent)
    assert other.is_closed()
    assert page.url.endswith("/health")
    again = kept.take(chromium, look)
    assert again.page is page
    assert context.cookies() == []
    assert not again.watch.problems
    assert page.evaluate("() => [localStorage.length, sessionStorage.length]") == [0, 0]
    assert page.evaluate("() => [innerWidth, innerHeight]") == list(look.size)
    assert not page.evaluate("(media) => media.some((each) => matchMedia(each).matches)", OTHER)
    kept.leave(again)
    dark = kept.take(chromium, look._replace(size=(800, 700), dark=True))
    assert dark.page is page
    assert page.evaluate("() => [innerWidth, innerHeight]") == [800, 700]
    assert page.evaluate("() => matchMedia('(prefers-color-scheme: dark)').matches")
    kept.leave(dark)
    touched = kept.take(chromium, look._replace(size=PHONE))
    assert touched.page is not page, "a page that is touched is another"
    kept.leave(touched)
    other_house = Look(hosted.host.replace("127.0.0.1", "localhost"))
    another = kept.take(chromium, other_house)
    kept.leave(another)
    assert context.pages, "the next house is where this one is"
    kept.leave(kept.take(chromium, look))
    assert not another.context.pages, "the pages of a house elsewhere are closed"
    context.close()
    touched.context.close()


def test_a_page_that_was_changed_for_good_is_not_kept(chromium: Browser, hosted: Hosted) -> None:
    """What a test did to a page that would stay with it ends with that test."""
    kept = Kept()
    lent = kept.take(chromium, Look(hosted.host))
    for name in LASTING:
        with suppress(TypeError, PlaywrightError):  # it is noted even if nothing is given to it
            getattr(lent.page, name)()
        assert lent.spoilt[-1] == name
    kept.leave(lent)
    assert lent.page.is_closed()


def test_what_can_be_seen_is_looked_at(page: Page) -> None:
    """A page is transparent, and not to a script that asks what can be seen."""
    page.goto("/history")
    assert page.evaluate(UNSEEN) == ["BODY"]
    assert looked_at(page, UNSEEN) == []
    assert page.evaluate(UNSEEN) == ["BODY"]


def test_what_is_wrong_in_a_page_is_noticed(page: Page, hosted: Hosted, allowed: list[str]) -> None:
    """Errors, refused requests and other hosts are told; a page with a fault is not accessible."""
    watch = Watch(page, hosted.host)
    page.goto("/history")
    page.evaluate("() => { setTimeout(() => { throw new Error('thrown') }); }")
    page.evaluate("() => console.error('spoken')")
    page.evaluate("async () => { await fetch('/nowhere') }")
    page.evaluate("async () => { await fetch('http://other.invalid/').catch(() => 0) }")
    page.evaluate("() => document.querySelector('main').append(document.createElement('button'))")
    with pytest.raises(AssertionError, match="button-name"):
        assert_accessible(page)
    page.evaluate("() => { document.querySelector('main').style.minWidth = '5000px' }")
    with pytest.raises(AssertionError, match="px wide"):
        assert_fits(page)
    # Where no policy is in force, an answer of another host is noticed, and that there was none.
    named = f"http://{hosted.host.replace('127.0.0.1', 'localhost')}"
    page.goto(f"{named}/health")
    page.evaluate("async () => (await fetch('/me')).text()")
    watch.look(page)
    silent = ("http://127.0.0.1:1/", "http://other.invalid/")
    for address in silent:
        with pytest.raises(PlaywrightError):
            page.goto(address)
    told = "\n".join(watch.problems)
    for problem in ("page error: thrown", "console: spoken", "refused: 404 /nowhere"):
        assert problem in told
    assert "other.invalid" in told
    for address in (f"{named}/health", f"{named}/me", *silent):
        assert f"another host: {address}\n" in f"{told}\n"
    allowed.append("")


def test_the_policy_is_in_force(page: Page, allowed: list[str]) -> None:
    """What is not ours does not run: the browser refuses an inline script and says so."""
    page.goto("/history")
    page.evaluate(
        """() => {
          const script = document.createElement("script");
          script.textContent = "window.ran = true";
          document.body.append(script);
        }"""
    )
    assert page.evaluate("() => window.ran") is None
    allowed.append("console: .*Content Security Policy")


def test_a_wrong_address_leads_back(page: Page, allowed: list[str]) -> None:
    """The page that is not there has a way to the lobby."""
    allowed.append("refused: 404 /nowhere")
    page.goto("/nowhere")
    page.get_by_role("link", name="lobby").click()
    expect(page).to_have_title("Lobby · Wartable")


def test_a_visitor_is_a_guest_and_connects_by_cookie(page: Page) -> None:
    """A page makes a guest in one step, whose cookie signs in the connection to a table."""
    page.goto("/history")
    name = page.evaluate("async () => (await (await import('/web/js/session.js')).ensure()).name")
    heard = page.evaluate(
        """async () => {
          const { Link } = await import("/web/js/link.js");
          const link = new Link("online 1");
          const told = new Promise((resolve, reject) => {
            link.addEventListener("table", resolve);
            link.addEventListener("refused", ({ detail }) => reject(detail));
          });
          link.open();
          const { detail } = await told;
          link.close();
          return [detail.welcome.name, detail.welcome.role];
        }"""
    )
    assert heard == [name, "player"]
    cookies = page.context.cookies()
    assert {(each["name"], each["httpOnly"], each["sameSite"]) for each in cookies} == {
        ("wartable", True, "Strict"),
        ("wartable-device", True, "Strict"),
    }
