"""The pages' first load, how soon they can be used, and frames while cards are dealt.

python bench/web.py [RUNS]
"""

import platform
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "setup"))

from playwright.sync_api import Browser, Page

from browser import PHONE, WIDE, new_page, running
from hosting import Client, Hosted
from live_tables import PATIENT, Cards, OwnTable
from staffed_tables import house_of
from wartable.rules import NAMES
from working_houses import BOOKS, CONSOLE, GUESTS, four_alike, played

RUNS = 10
TABLET = (820, 1180)
BYTES_MAX = 150_000
INTERACTIVE_MS_MAX = 1_000
ROUNDS = 6
SMOOTH_MS = 1000 / 60 * 1.5
"""A frame that came later than this was missed at 60 frames a second."""

USABLE = {
    "/": "[data-play-now], [data-sit]",
    "/table?name=online+1": "[data-sit]:not([hidden])",
    "/rules?book=maryland": "[data-ranks]",
    "/history": "[data-round], [data-empty]",
    "/fairness?table=online+1": "[data-commitment], [data-empty]",
    "/account": "form, [data-guest]",
}
"""What can be seen of each page as soon as it can be used."""

WATCH = """selector => {
  const look = () => {
    const found = [...document.querySelectorAll(selector)].some((each) => each.checkVisibility());
    if (!found) return requestAnimationFrame(look);
    window.usable_ms = performance.now();
  };
  look();
}"""
FRAMES = """() => {
  window.frames_ms = [];
  let last = performance.now();
  const count = (now) => {
    window.frames_ms.push(now - last);
    last = now;
    window.counting = requestAnimationFrame(count);
  };
  window.counting = requestAnimationFrame(count);
}"""


def wired(page: Page) -> dict[str, int]:
    """What comes over the wire from now on: bytes with headers, and requests."""
    counted = {"bytes": 0, "requests": 0}

    def finished(event: dict[str, Any]) -> None:
        counted["bytes"] += int(event["encodedDataLength"])
        counted["requests"] += 1

    def told(event: dict[str, Any]) -> None:
        counted["bytes"] += len(event["response"]["payloadData"])

    session = page.context.new_cdp_session(page)
    session.on("Network.loadingFinished", finished)
    session.on("Network.webSocketFrameReceived", told)
    session.send("Network.enable")
    return counted


def first_load(
    browser: Browser, hosted: Hosted, path: str, selector: str, who: Client | None = None
) -> tuple[int, int, float]:
    """Bytes, requests and milliseconds until somebody who was never here can use the page.

    Visitors have a phone, who works here a tablet.
    """
    page = new_page(browser, hosted, who, PHONE if who is None else TABLET, still=False)
    page.add_init_script(f"({WATCH})({selector!r})")
    counted = wired(page)
    page.goto(path)
    page.wait_for_function("() => window.usable_ms !== undefined")
    page.wait_for_load_state("networkidle")
    usable_ms = float(page.evaluate("() => window.usable_ms"))
    page.context.close()
    return counted["bytes"], counted["requests"], usable_ms


def frames(browser: Browser, hosted: Hosted, player: Client) -> list[float]:
    """The milliseconds between the frames of a page in which rounds of three hands are dealt."""
    with OwnTable(hosted, player, "online", *[Cards("<<<")] * ROUNDS) as table:
        page = new_page(browser, hosted, player, WIDE, still=False)
        page.goto(f"/table?name={table.name}")
        page.locator("[data-chip]").first.wait_for()
        page.evaluate(FRAMES)
        for number in range(1, ROUNDS + 1):
            for box in (1, 2, 3):
                table.bet(box, 100)
            table.deal()
            page.get_by_text(f"Round {number + 1}.").first.wait_for()
        found: list[float] = page.evaluate("() => window.frames_ms")
        page.context.close()
    return found


def print_loads(path: str, seen: list[tuple[int, int, float]]) -> None:
    """Print the line of a page: the most bytes and requests, the median time."""
    most, requests = max(each[0] for each in seen), max(each[1] for each in seen)
    usable_ms = statistics.median(each[2] for each in seen)
    print(
        f"| {path} | {most / 1000:.0f} | {BYTES_MAX / 1000:.0f} | {requests} |"
        f" {usable_ms:.0f} | {INTERACTIVE_MS_MAX:,} |"
    )


def console(runs: int) -> None:
    """Print the lines of the console's pages, in a house where much has happened."""
    with (
        tempfile.TemporaryDirectory() as folder,
        house_of(Path(folder), *BOOKS, guests=GUESTS) as house,
        running() as browser,
        house.hosted.admin() as admin,
    ):
        played(house)
        with house.table("maryland", 1, 2, name="md award") as table:
            table.open()
            four_alike(table)
            for path, selector in CONSOLE.items():
                seen = [
                    first_load(browser, house.hosted, path, selector, admin) for _ in range(runs)
                ]
                print_loads(path, seen)


def main(runs: int) -> None:
    """Print the tables."""
    print(f"{platform.processor() or platform.machine()}, Python {platform.python_version()}\n")
    print("| page | kB over the wire | at most | requests | usable after, ms | at most |")
    print("|---|---|---|---|---|---|")
    with (
        tempfile.TemporaryDirectory() as folder,
        Hosted(Path(folder), books=NAMES, shared=PATIENT) as hosted,
        running() as browser,
    ):
        for path, selector in USABLE.items():
            print_loads(path, [first_load(browser, hosted, path, selector) for _ in range(runs)])
        with hosted.guest() as player:
            found = sorted(frames(browser, hosted, player))
    console(runs)
    late = sum(each > SMOOTH_MS for each in found) / len(found)
    middle, slow = found[len(found) // 2], found[len(found) * 99 // 100]
    print("\n| while cards are dealt | frames | median, ms | 99 in 100, ms | missed |")
    print("|---|---|---|---|---|")
    print(
        f"| three hands, {ROUNDS} rounds | {len(found)} | {middle:.1f} | {slow:.1f} | {late:.1%} |"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else RUNS)
