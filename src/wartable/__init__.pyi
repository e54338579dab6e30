from wartable.calls import odds as odds
from wartable.calls import play as play
from wartable.calls import session as session
from wartable.calls import settle as settle
from wartable.calls import simulate as simulate

__version__: str

__all__ = ["__version__", "odds", "play", "session", "settle", "simulate"]
