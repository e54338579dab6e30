"""Books of one's own for tests: a document's book with other values, under its own name."""

from typing import Any

from wartable.rules.load import whole_of
from wartable.rules.raw import Raw


def own(name: str, extends: str, title: str = "", **sections: dict[str, Any]) -> Raw:
    """The whole content of a book that extends a shipped one: `options={"war_pays": ...}`."""
    head = {"extends": extends, "name": name, "title": title or name}
    return whole_of({**head, **sections})


def own_books(*books: Raw) -> dict[str, Raw]:
    """The books by name, as a house takes them."""
    return {book["name"]: book for book in books}
