"""The charts of a PAR sheet."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import log10
from typing import NamedTuple

from wartable.odds.par.drawing import Area, Drawing, Item, Polyline, Word, bar

WIDTH, HEIGHT = 720.0, 300.0
LEFT, RIGHT, TOP, BOTTOM = 62.0, 24.0, 24.0, 46.0
INK, GRID, HOUSE, SOFT, ACCENT = "#33383d", "#dfe3e6", "#1f5f8b", "#a9c7dc", "#b4532a"
SERIES = (HOUSE, ACCENT, "#5b7f3a", "#7a5195")


class Axis(NamedTuple):
    """Where values lie on the canvas."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """The place of a value."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


def across(low: float, high: float) -> Axis:
    """The horizontal axis."""
    return Axis(low, high, LEFT, WIDTH - RIGHT)


def upward(low: float, high: float) -> Axis:
    """The vertical axis."""
    return Axis(low, high, HEIGHT - BOTTOM, TOP)


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Round numbers between two values."""
    raw = (high - low) / about
    power = 10 ** int(log10(raw) // 1)
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw)
    first = -(-low // step)
    return [step * (first + n) for n in range(int((high - first * step) / step + 1e-9) + 1)]


def frame(horizontal: str, vertical: str, up: Axis, write: Callable[[float], str]) -> list[Item]:
    """The grid, the scale of the vertical axis and the names of both axes."""
    items: list[Item] = []
    for value in ticks(up.low, up.high):
        y = up.at(value)
        items.append(Polyline(((LEFT, y), (WIDTH - RIGHT, y)), GRID))
        items.append(Word(LEFT - 8, y + 4, write(value), anchor="end", color=INK))
    items.append(Word((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, horizontal, color=INK))
    items.append(Word(LEFT - 54, TOP - 9, vertical, anchor="start", color=INK))
    return items


def distribution_chart(label: str, pmf: dict[Fraction, Fraction], unit: str) -> Drawing:
    """Bars of probability by net result; losses are darker than gains."""
    nets = list(pmf)
    low, high = float(min(nets)), float(max(nets))
    span = max(high - low, 1.0)
    right = across(low - span * 0.06 - 0.5, high + span * 0.06 + 0.5)
    top = float(max(pmf.values()))
    up = upward(0.0, top * 1.12)
    items = frame(f"net result in {unit}", "probability", up, lambda v: f"{100 * v:.0f} %")
    width = min(46.0, (right.at(1.0) - right.at(0.0)) * 0.82)
    few = len(nets) <= 8
    for net, chance in pmf.items():
        x, y = right.at(float(net)), up.at(float(chance))
        color = ACCENT if net < 0 else HOUSE if net > 0 else "#8a9299"
        items.append(bar(x - width / 2, y, width, HEIGHT - BOTTOM - y, color))
        if few:
            items.append(Word(x, y - 5, f"{100 * float(chance):.2f} %", 10.5, color=INK))
        if few or net % _every(high - low) == 0:
            items.append(Word(x, HEIGHT - BOTTOM + 15, f"{float(net):+g}" if net else "0"))
    items.append(_base())
    return Drawing(WIDTH, HEIGHT, label, items)


def _every(span: float) -> int:
    return next(step for step in (1, 2, 5, 10, 20, 50, 100, 10**6) if span / step <= 22)


def _base() -> Polyline:
    y = HEIGHT - BOTTOM
    return Polyline(((LEFT, y), (WIDTH - RIGHT, y)), INK, 1.2)


def bands_chart(
    label: str, edge: float, bands: dict[int, dict[str, tuple[float, float]]]
) -> Drawing:
    """The hold's bands by number of rounds; the widest is the palest."""
    rounds = sorted(bands)
    right = across(log10(rounds[0]), log10(rounds[-1]))
    levels = sorted(next(iter(bands.values())), reverse=True)
    values = [end for band in bands.values() for pair in band.values() for end in pair]
    up = upward(min(values), max(values))
    items = frame("rounds", "hold", up, _signed)
    for level, color in zip(levels, ("#dbe8f1", SOFT, "#6f9fbf"), strict=False):
        places = [
            (right.at(log10(number)), up.at(bands[number][level][end]))
            for end, numbers in ((0, rounds), (1, rounds[::-1]))
            for number in numbers
        ]
        items.append(Area(tuple(places), color))
    y = up.at(edge)
    items.append(Polyline(((LEFT, y), (WIDTH - RIGHT, y)), ACCENT, 1.8))
    items.append(Word(WIDTH - RIGHT, y - 6, f"edge {100 * edge:.2f} %", 11, "end", ACCENT, True))
    items.append(Polyline(((LEFT, up.at(0)), (WIDTH - RIGHT, up.at(0))), INK, 1.0, True))
    for number in rounds:
        if log10(number) % 1 == 0:
            items.append(Word(right.at(log10(number)), HEIGHT - BOTTOM + 15, _count(number)))
    for level, color, x in zip(levels, ("#dbe8f1", SOFT, "#6f9fbf"), (0, 70, 140), strict=False):
        items.append(bar(WIDTH - RIGHT - 206 + x, TOP - 2, 12, 10, color))
        items.append(Word(WIDTH - RIGHT - 190 + x, TOP + 7, level, 10.5, "start", INK))
    return Drawing(WIDTH, HEIGHT, label, items)


def _signed(value: float) -> str:
    return f"{100 * value:+.0f} %" if abs(value) > 1e-9 else "0 %"


def _count(number: int) -> str:
    for size, name in ((10**6, " million"), (1000, " thousand")):
        if number >= size:
            return f"{number // size}{name}"
    return str(number)


def lines_chart(
    label: str,
    horizontal: str,
    vertical: str,
    series: Mapping[str, Sequence[tuple[float, float]]],
    write_x: Callable[[float], str],
    marks: Sequence[tuple[float, float, str]] = (),
    floor: tuple[float, str] | None = None,
) -> Drawing:
    """Lines through points, with marked points and a required level."""
    points = [point for line in series.values() for point in line]
    xs, ys = [x for x, _ in points], [y for _, y in points]
    levels = [*ys, *([floor[0]] if floor else [])]
    low, high = min(levels), max(levels)
    room = (high - low) * 0.1 or 0.01
    right, up = across(min(xs), max(xs)), upward(max(0.0, low - room), high + room)
    small = up.high - up.low < 0.03
    items = frame(
        horizontal, vertical, up, lambda v: f"{100 * v:.1f} %" if small else f"{100 * v:.0f} %"
    )
    whole = all(x == int(x) for x in xs) and max(xs) <= 20
    for x in sorted(set(xs)) if whole else ticks(min(xs), max(xs), 6):
        items.append(Word(right.at(x), HEIGHT - BOTTOM + 15, write_x(x)))
    if floor is not None:
        y = up.at(floor[0])
        items.append(Polyline(((LEFT, y), (WIDTH - RIGHT, y)), ACCENT, 1.2, True))
        items.append(Word(WIDTH - RIGHT, y - 5, floor[1], 10.5, "end", ACCENT))
    for number, ((name, line), color) in enumerate(zip(series.items(), SERIES, strict=False)):
        places = tuple((right.at(x), up.at(y)) for x, y in line)
        items.append(Polyline(places, color, 2.0))
        if whole:
            items.extend(bar(x - 2.5, y - 2.5, 5, 5, color) for x, y in places)
        if len(series) > 1:
            items.append(bar(LEFT + 70 + 150 * number, TOP - 18, 14, 4, color))
            items.append(Word(LEFT + 90 + 150 * number, TOP - 12, name, 11, "start", INK))
    for x, y, name in marks:
        px, py = right.at(x), up.at(y)
        items.append(bar(px - 4, py - 4, 8, 8, ACCENT))
        if px > WIDTH * 0.7:
            items.append(Word(px - 8, py - 9, name, 10.5, "end", INK, True))
        else:
            items.append(Word(px + 8, py + 16, name, 10.5, "start", INK, True))
    items.append(_base())
    return Drawing(WIDTH, HEIGHT, label, items)
