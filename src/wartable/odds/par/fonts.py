"""Widths of the PDF's two standard fonts."""

REGULAR, BOLD = "F1", "F2"
FONTS = {REGULAR: "Helvetica", BOLD: "Helvetica-Bold"}

# The printable ASCII characters in thousandths of the size, from the fonts' metrics.
_ASCII = {
    REGULAR: (
        "278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556"
        " 556 556 556 556 278 278 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667"
        " 556 833 722 778 667 778 722 667 611 722 667 944 667 667 611 278 278 278 469 556 333 556"
        " 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 722"
        " 500 500 500 334 260 334 584"
    ),
    BOLD: (
        "278 333 474 556 556 889 722 238 333 333 389 584 278 333 278 278 556 556 556 556 556 556"
        " 556 556 556 556 333 333 584 584 584 611 975 722 722 722 722 667 611 778 722 278 556 722"
        " 611 833 722 778 667 778 722 667 611 722 667 944 667 667 611 333 278 333 584 556 333 556"
        " 611 556 611 556 333 611 611 278 278 556 278 889 611 611 611 611 389 556 333 611 556 778"
        " 556 556 500 389 280 389 584"
    ),
}
_WIDTHS = {
    font: {chr(code): int(width) for code, width in enumerate(text.split(), 32)}
    for font, text in _ASCII.items()
}
OTHER = 600


def text_width(text: str, size: float, font: str = REGULAR) -> float:
    """The width of a text."""
    widths = _WIDTHS[font]
    return sum(widths.get(character, OTHER) for character in text) * size / 1000


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
