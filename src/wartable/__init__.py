"""Casino War by the book: one engine plays what five published rule documents say."""

__version__ = "0.1.0"
