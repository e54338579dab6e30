"""HTTP routes by topic."""

from wartable.server.http.routes import books, history, house, people, staff

__all__ = ["books", "history", "house", "people", "staff"]
