"""A session's charts as text for the terminal: the quantile fan and the final bankroll."""

from typing import Any

TEXT_COLUMNS = 64
TEXT_ROWS = 17


def fan_lines(document: dict[str, Any]) -> list[str]:
    """The fan as text: the median, half of the paths and nine tenths of the paths."""
    lines = document["fan"]["quantiles"]
    if not lines:
        return []
    low, high = min(lines["0.05"]), max(lines["0.95"])
    step = max((high - low) / (TEXT_ROWS - 1), 1)
    count = len(lines["0.5"])
    columns = [round(at * (count - 1) / (TEXT_COLUMNS - 1)) for at in range(TEXT_COLUMNS)]
    drawn = []
    for row in range(TEXT_ROWS - 1, -1, -1):
        level = low + row * step
        cells = "".join(_cell(lines, column, level, step) for column in columns)
        drawn.append(f"{level / 100:>12,.0f} │{cells.rstrip()}")
    last = f"{document['rounds']:,}"
    drawn.append(" " * 13 + "└" + "─" * TEXT_COLUMNS)
    drawn.append(" " * 14 + "0" + " " * (TEXT_COLUMNS - 1 - len(last)) + last)
    drawn.append(" " * 14 + "━ median   ▓ half of the sessions   ░ nine tenths")
    return drawn


def _cell(lines: dict[str, list[int]], column: int, level: float, step: float) -> str:
    def inside(low: str, high: str) -> bool:
        return lines[low][column] - step / 2 <= level <= lines[high][column] + step / 2

    if inside("0.5", "0.5"):
        return "━"
    if inside("0.25", "0.75"):
        return "▓"
    return "░" if inside("0.05", "0.95") else " "


def final_lines(document: dict[str, Any], rows: int = 12, width: int = 44) -> list[str]:
    """The distribution of the final bankroll as text."""
    counts, edges = (
        document["final"]["histogram"]["counts"],
        document["final"]["histogram"]["edges"],
    )
    each = -(-len(counts) // rows)
    groups = [
        (edges[at], edges[min(at + each, len(counts))], sum(counts[at : at + each]))
        for at in range(0, len(counts), each)
    ]
    most, total = max(count for *_, count in groups), sum(counts)
    return [
        f"{low / 100:>10,.0f} to {high / 100:>10,.0f} {'█' * round(width * count / most):<{width}}"
        f" {count / total:>7.2%}"
        for low, high, count in reversed(groups)
    ]
