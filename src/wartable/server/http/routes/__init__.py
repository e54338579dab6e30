"""HTTP routes by topic."""

from wartable.server.http.routes import books, history, house, lab, people, staff

__all__ = ["books", "history", "house", "lab", "people", "staff"]
