"""Every page in a real browser: it opens without error, is accessible, and fits a phone."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from playwright.sync_api import Error as PlaywrightError

from browser import (
    NARROW,
    Kept,
    Look,
    Visit,
    Watch,
    assert_accessible,
    assert_fits,
    chromium_program,
    page_in,
)
from hosting import Hosted

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


def test_a_kept_context_begins_empty(chromium: Browser, hosted: Hosted) -> None:
    """The next test's page has no cookie, nothing stored and no page of the test before."""
    kept, look = Kept(), Look(hosted.host)
    context = kept.take(chromium, look)
    with hosted.guest() as somebody:
        page = page_in(context, hosted, somebody)
    page.goto("/health")
    page.evaluate("() => { localStorage.a = sessionStorage.b = document.cookie = 'c=d'; }")
    kept.leave(look, context)
    assert kept.take(chromium, look) is context
    assert page.is_closed()
    assert context.cookies() == []
    page = page_in(context, hosted)
    page.goto("/health")
    assert page.evaluate("() => [localStorage.length, sessionStorage.length]") == [0, 0]
    kept.leave(look, context)
    other = Look(hosted.host.replace("127.0.0.1", "localhost"))
    another = kept.take(chromium, other)
    kept.leave(other, another)
    assert not context.pages, "the contexts of a house that is closed are closed"
    another.close()


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
    answers = f"http://{hosted.host.replace('127.0.0.1', 'localhost')}/health"
    page.goto(answers)
    with pytest.raises(PlaywrightError):
        page.goto("http://127.0.0.1:1/")
    told = "\n".join(watch.problems)
    for problem in ("page error: thrown", "console: spoken", "refused: 404 GET /nowhere"):
        assert problem in told
    assert "other.invalid" in told
    assert f"another host: {answers}" in told
    assert "another host: http://127.0.0.1:1/" in told
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
    allowed.append("refused: 404 GET /nowhere")
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
