"""The console in the browser: a table's page with its steps and forms, the form of a new table."""

from urllib.parse import quote

from playwright.sync_api import Locator, Page, expect

from browser import Visit
from hosting import Client


def office(visit: Visit, who: Client, table: str, **options: object) -> Page:
    """The floor page of somebody who works there, with a table chosen."""
    page = visit(f"/floor?table={quote(table)}", who=who, **options)
    expect(page.locator("[data-due]")).to_be_visible()
    return page


def step(page: Page, command: str) -> None:
    """Do the step that the page offers next."""
    page.locator(f'[data-step-command="{command}"]').click()


def duty(page: Page, command: str, **fields: str) -> Locator:
    """Give one of the commands that are not due by themselves."""
    form = page.locator(f'form[data-command="{command}"]')
    if not form.is_visible():
        page.locator("details", has=form).locator("summary").click()
    for name, value in fields.items():
        field = form.locator(f'[name="{command}-{name}"]')
        if field.evaluate("(element) => element.tagName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(value)
    form.get_by_role("button").click()
    return form.locator("[data-notice]")


def done(told: Locator) -> None:
    """The command was accepted."""
    expect(told).to_have_attribute("data-notice", "good")


def setup_page(visit: Visit, who: Client, book: str, **options: object) -> Page:
    """The form of a new table of this book, with its edges."""
    page = visit(f"/setup?book={book}", who=who, **options)
    expect(page.locator("[data-edge]").first).to_be_visible()
    return page


def setting(page: Page, key: str) -> Locator:
    """A field of the form by its key."""
    return page.locator(f'[data-setting="{key}"]').locator("input, select")


def put(page: Page, **values: str) -> None:
    """Change fields, one after the other (`a__b` is the key `a.b`), and wait for the edges."""
    edges = page.locator("[data-edges]")
    for key, value in values.items():
        before = edges.get_attribute("data-edges") or ""
        field = setting(page, key.replace("__", "."))
        group = page.locator("details", has=field).last
        if group.get_attribute("open") is None:
            group.locator("summary").first.click()
        if field.evaluate("(element) => element.tagName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(value)
        expect(edges).not_to_have_attribute("data-edges", before)


def refused(page: Page, key: str, value: str, words: str) -> None:
    """A value that the form does not take: the sentence says why; then the old value stands."""
    before = setting(page, key).input_value()
    put(page, **{key.replace(".", "__"): value})
    expect(page.locator("[data-edges] [data-problem]")).to_contain_text(words)
    put(page, **{key.replace(".", "__"): before})
    expect(page.locator("[data-edges] [data-problem]")).to_have_count(0)


def edge(page: Page, wager: str) -> float:
    """The edge that the page shows for a wager."""
    return float(page.locator(f'[data-edge="{wager}"]').get_attribute("data-value") or "nan")


def felt_says(page: Page) -> str:
    """What the felt of the table would say."""
    return page.locator("[data-felt-says]").text_content() or ""


def opens(page: Page, name: str) -> None:
    """Open the table as the form stands."""
    page.locator("[name=table-name]").fill(name)
    page.locator("[data-open-table] button[type=submit]").click()
    expect(page.locator("[data-open-table] [data-notice]")).to_have_text(f"{name} is open.")


def clauses(page: Page, key: str) -> set[str]:
    """The clauses that stand beside a field."""
    return set(
        (page.locator(f'[data-setting="{key}"]').get_attribute("data-clauses") or "").split()
    )


def batch(page: Page, name: str) -> Locator:
    """The row of a batch in the table's detail."""
    return page.get_by_role("row").filter(has=page.locator(f'[data-batch="{name}"]'))


def where(page: Page, name: str, place: str) -> None:
    """A batch is shown at this place."""
    expect(page.locator(f'[data-batch="{name}"]')).to_have_attribute("data-where", place)
