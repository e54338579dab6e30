"""A drawing of lines, bars and words, for SVG in HTML and for PDF."""

from collections.abc import Sequence
from html import escape
from typing import Literal, NamedTuple

Anchor = Literal["start", "middle", "end"]


class Polyline(NamedTuple):
    """A line through points."""

    points: tuple[tuple[float, float], ...]
    color: str
    width: float = 1.0
    dashed: bool = False


class Area(NamedTuple):
    """A filled polygon."""

    points: tuple[tuple[float, float], ...]
    color: str


class Word(NamedTuple):
    """A text at a point, which is the start, middle or end of its baseline."""

    x: float
    y: float
    text: str
    size: float = 11.0
    anchor: Anchor = "middle"
    color: str = "#333333"
    bold: bool = False


Item = Polyline | Area | Word


class Drawing(NamedTuple):
    """Items on a canvas whose origin is the upper left corner."""

    width: float
    height: float
    label: str
    items: Sequence[Item]


def svg(drawing: Drawing) -> str:
    """The drawing as a self-contained SVG element."""
    head = (
        f'viewBox="0 0 {drawing.width:g} {drawing.height:g}" aria-label="{escape(drawing.label)}"'
    )
    return f'<svg role="img" {head}>{"".join(map(_svg_item, drawing.items))}</svg>'


def _svg_item(item: Item) -> str:
    if isinstance(item, Word):
        weight = ' font-weight="600"' if item.bold else ""
        return (
            f'<text x="{item.x:.2f}" y="{item.y:.2f}" font-size="{item.size:g}"'
            f' text-anchor="{item.anchor}" fill="{item.color}"{weight}>{escape(item.text)}</text>'
        )
    points = " ".join(f"{x:.2f},{y:.2f}" for x, y in item.points)
    if isinstance(item, Area):
        return f'<polygon points="{points}" fill="{item.color}"/>'
    dash = ' stroke-dasharray="5 4"' if item.dashed else ""
    return (
        f'<polyline points="{points}" fill="none" stroke="{item.color}"'
        f' stroke-width="{item.width:g}" stroke-linejoin="round"{dash}/>'
    )


def bar(x: float, y: float, width: float, height: float, color: str) -> Area:
    """A filled rectangle by its upper left corner."""
    corners = ((x, y), (x + width, y), (x + width, y + height), (x, y + height))
    return Area(corners, color)
