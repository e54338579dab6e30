"""The two fonts of a PDF, which go into each file, and the widths of their characters.

They are Arimo, cut down to what a sheet can print: sheet_fonts/ has them with their licence.
"""

from functools import cache
from importlib.resources import files

REGULAR, BOLD = "F1", "F2"
FONTS = {REGULAR: "Arimo-Regular", BOLD: "Arimo-Bold"}
_FILES = {REGULAR: "regular.ttf", BOLD: "bold.ttf"}
ENCODING = "cp1252"
FIRST_CODE = 32

# Widths of the encoding's characters from the first on, in thousandths of the size; 0: no such one.
_NUMBERS = {
    REGULAR: (
        "278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556"
        " 556 556 556 556 278 278 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667"
        " 556 833 722 778 667 778 722 667 611 722 667 944 667 667 611 278 278 278 469 556 333 556"
        " 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 722"
        " 500 500 500 334 260 334 584 0 556 0 222 0 333 1000 0 0 333 0 0 333 1000 0 0 0 0 222 222"
        " 333 333 350 556 1000 333 1000 0 333 944 0 0 0 278 333 556 556 556 556 260 556 333 737 370"
        " 556 584 333 737 552 400 549 333 333 333 576 537 333 333 333 365 556 834 834 834 611 667"
        " 667 667 667 667 667 1000 722 667 667 667 667 278 278 278 278 722 722 778 778 778 778 778"
        " 584 778 722 722 722 722 667 667 611 556 556 556 556 556 556 889 500 556 556 556 556 278"
        " 278 278 278 556 556 556 556 556 556 556 549 611 556 556 556 556 500 556 500"
    ),
    BOLD: (
        "278 333 474 556 556 889 722 238 333 333 389 584 278 333 278 278 556 556 556 556 556 556"
        " 556 556 556 556 333 333 584 584 584 611 975 722 722 722 722 667 611 778 722 278 556 722"
        " 611 833 722 778 667 778 722 667 611 722 667 944 667 667 611 333 278 333 584 556 333 556"
        " 611 556 611 556 333 611 611 278 278 556 278 889 611 611 611 611 389 556 333 611 556 778"
        " 556 556 500 389 280 389 584 0 556 0 278 0 500 1000 0 0 333 0 0 333 1000 0 0 0 0 278 278"
        " 500 500 350 556 1000 333 1000 0 333 944 0 0 0 278 333 556 556 556 556 280 556 333 737 370"
        " 556 584 333 737 552 400 549 333 333 333 600 556 333 333 333 365 556 834 834 834 611 722"
        " 722 722 722 722 722 1000 722 667 667 667 667 278 278 278 278 722 722 778 778 778 778 778"
        " 584 778 722 722 722 722 667 667 611 556 556 556 556 556 556 889 556 556 556 556 556 278"
        " 278 278 278 611 611 611 611 611 611 611 549 611 611 611 611 611 556 611 556"
    ),
}
WIDTHS = {font: tuple(map(int, text.split())) for font, text in _NUMBERS.items()}


@cache
def font_file(font: str) -> bytes:
    """The font as a TrueType file."""
    return (files(__package__) / "sheet_fonts" / _FILES[font]).read_bytes()


def printable(text: str, font: str) -> bytes:
    """The text in the fonts' encoding, with a question mark for what a font lacks."""
    codes = text.encode(ENCODING, "replace")
    widths = WIDTHS[font]
    return bytes(
        code if code >= FIRST_CODE and widths[code - FIRST_CODE] else ord("?") for code in codes
    )


def text_width(text: str, size: float, font: str = REGULAR) -> float:
    """The width of a text."""
    widths = WIDTHS[font]
    return sum(widths[code - FIRST_CODE] for code in printable(text, font)) * size / 1000


def wrapped(text: str, width: float, size: float, font: str = REGULAR) -> list[str]:
    """The text in lines that fit the width; a word that is too long is split."""
    lines: list[str] = []
    line = ""
    for word in text.split():
        whole = f"{line} {word}" if line else word
        if text_width(whole, size, font) <= width:
            line = whole
            continue
        if line:
            lines.append(line)
        while text_width(word, size, font) > width and len(word) > 1:
            fits = next(
                n
                for n in range(len(word) - 1, 0, -1)
                if text_width(word[:n], size, font) <= width or n == 1
            )
            lines.append(word[:fits])
            word = word[fits:]  # noqa: PLW2901  # the rest of a split word
        line = word
    return [*lines, line] if line or not lines else lines
