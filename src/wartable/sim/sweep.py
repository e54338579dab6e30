"""A sweep: one job that counts a run for every combination of some settings."""

from collections.abc import Sequence
from itertools import product
from typing import Any

from wartable.sim.setup import SetupError

RUNS_MAX = 1000
FIGURES = ("rounds", "wagered", "returned", "edge", "stderr", "exact", "z")

SweptSettings = dict[str, str]
"""The swept settings of one run, as they were written."""


def combinations(sweeps: Sequence[str]) -> list[SweptSettings]:
    """Every combination of the settings, each written `name=value,value`; one without a sweep."""
    values: dict[str, list[str]] = {}
    for sweep in sweeps:
        name, equals, listed = sweep.partition("=")
        found = [value.strip() for value in listed.split(",") if value.strip()]
        if not (name and equals and found):
            raise SetupError(f"A sweep is written name=value,value, not {sweep!r}.")
        if name in values:
            raise SetupError(f"The sweep names {name} twice; write its values in one list.")
        if len(set(found)) < len(found):
            raise SetupError(f"The sweep over {name} has a value twice.")
        values[name] = found
    runs = [dict(zip(values, chosen, strict=True)) for chosen in product(*values.values())]
    if len(runs) > RUNS_MAX:
        raise SetupError(f"A sweep has at most {RUNS_MAX} runs, not {len(runs)}.")
    return runs


def sweep_document(
    runs: Sequence[SweptSettings], documents: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """The results of all runs as one document."""
    return {
        "runs": [{"settings": run, **each} for run, each in zip(runs, documents, strict=False)],
        "partial": len(documents) < len(runs) or any(each["partial"] for each in documents),
        "agrees": all(each["agrees"] for each in documents),
    }


def wager_rows(
    runs: Sequence[SweptSettings], documents: Sequence[dict[str, Any]]
) -> dict[str, list[Any]]:
    """The results as one table, with a row for each wager of each run."""
    plain = ("rules", "decks", "boxes", "shuffle", "policy", "seed")
    swept = [name for name in (runs[0] if runs else ()) if name not in plain]
    table: dict[str, list[Any]] = {name: [] for name in (*plain, *swept, "wager", *FIGURES)}
    for run, document in zip(runs, documents, strict=False):
        for kind, wager in document["wagers"].items():
            row = {name: document[name] for name in plain} | {name: run[name] for name in swept}
            row |= {"wager": kind} | {name: wager[name] for name in FIGURES}
            for name, values in table.items():
                values.append(row[name])
    return table
