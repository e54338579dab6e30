"""Rule books: the model, loading, checking and comparing."""

from wartable.rules.load import (
    NAMES,
    Book,
    RulesError,
    load,
    load_any,
    load_file,
    option_values,
    with_options,
)
from wartable.rules.model import WAGERS, Ratio, RuleBook, WagerKind
from wartable.rules.raw import Source

__all__ = [
    "NAMES",
    "WAGERS",
    "Book",
    "Ratio",
    "RuleBook",
    "RulesError",
    "Source",
    "WagerKind",
    "load",
    "load_any",
    "load_file",
    "option_values",
    "with_options",
]
