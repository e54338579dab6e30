"""A session's chart as a file: the quantile fan and the final bankroll."""

from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

BANDS = (
    ("0.01", "0.99", "1 to 99 %"),
    ("0.05", "0.95", "5 to 95 %"),
    ("0.25", "0.75", "25 to 75 %"),
)

DEPTH_KEYS = ("decks", "seen", "cards_left")
"""What a row of depths has beside its wagers."""


def draw(document: dict[str, Any], paths: Any, file: Path) -> None:
    """Write the chart: the fan by round beside the distribution of the final bankroll."""
    mpl.rcParams["svg.hashsalt"] = "wartable"
    figure = Figure(figsize=(11, 5.2), layout="constrained")
    fan, final = figure.subplots(1, 2, sharey=True, width_ratios=(3.4, 1))
    lines = document["fan"]["quantiles"]
    rounds = document["fan"]["rounds"]
    for (low, high, label), color in zip(BANDS, ("#dbe7f3", "#a9c7e4", "#6f9fce"), strict=True):
        fan.fill_between(
            rounds, _money(lines[low]), _money(lines[high]), color=color, linewidth=0, label=label
        )
    for path in paths:
        fan.plot(range(len(path)), _money(path), color="#44546a", linewidth=0.5, alpha=0.45)
    fan.plot(rounds, _money(lines["0.5"]), color="#12395e", linewidth=2, label="median")
    fan.axhline(document["bankroll"] / 100, color="#888888", linewidth=0.8, linestyle=":")
    for name, color in (("target", "#2d7d46"), ("stop_loss", "#b3542c")):
        if name in document:
            fan.axhline(document[name]["amount"] / 100, color=color, linewidth=1, linestyle="--")
    fan.set(xlabel="rounds", ylabel="bankroll", xlim=(0, document["rounds"]))
    fan.legend(loc="upper left", frameon=False, fontsize=9)
    counts, edges = (
        document["final"]["histogram"]["counts"],
        document["final"]["histogram"]["edges"],
    )
    total = sum(counts)
    final.barh(
        _money(edges[:-1]),
        [100 * count / total for count in counts],
        height=(edges[1] - edges[0]) / 100 * 0.92,
        align="edge",
        color="#6f9fce",
    )
    final.axhline(document["bankroll"] / 100, color="#888888", linewidth=0.8, linestyle=":")
    final.set(xlabel="% of sessions", title="final bankroll")
    for axes in (fan, final):
        axes.spines[["top", "right"]].set_visible(False)
        axes.yaxis.set_major_formatter("{x:,.0f}")
    fan.set_title(_title(document), loc="left")
    file_kind = file.suffix.removeprefix(".")
    metadata = {"Date": None} if file_kind == "svg" else None
    figure.savefig(file, format=file_kind, dpi=130, metadata=metadata)


def _money(cents: Any) -> list[float]:
    return [amount / 100 for amount in cents]


def _title(document: dict[str, Any]) -> str:
    """What was played, and the chance of ruin: the exact one where it is known."""
    exact, simulated = document["ruin"]["exact"], document["ruin"]["simulated"]
    ruin = f"{simulated:.2%} (simulated)" if exact is None else f"{exact:.2%} (exact)"
    return (
        f"{document['rules']}: {document['bankroll'] / 100:,.0f} at {document['bet'] / 100:,.2f} a "
        f"round, {document['system']}, {document['rounds']:,} rounds; ruin {ruin}"
    )


def draw_depths(document: dict[str, Any], file: Path) -> None:
    """Write the study's charts: how often wagers are favourable by depth, and by how much."""
    mpl.rcParams["svg.hashsalt"] = "wartable"
    figure = Figure(figsize=(11, 5.2), layout="constrained")
    often, much = figure.subplots(1, 2)
    colors = (
        "#12395e",
        "#6f9fce",
        "#2d7d46",
        "#b3542c",
        "#8064a2",
        "#444444",
        "#c09000",
        "#008080",
    )
    wagers = [name for name in document["depths"][0] if name not in DEPTH_KEYS]
    for style, kind in zip(("-", "--", ":"), wagers, strict=False):
        for color, decks in zip(colors, dict.fromkeys(_column(document, "decks")), strict=False):
            rows = [row for row in document["depths"] if row["decks"] == decks]
            rows = [row for row in rows if row[kind]["chance"] > 0]
            seen = [100 * row["seen"] for row in rows]
            label = f"{kind}, {decks} {'deck' if decks == 1 else 'decks'}"
            settings: dict[str, Any] = {"color": color, "linestyle": style, "marker": "o"}
            chances = [100 * row[kind]["chance"] for row in rows]
            often.plot(seen, chances, label=label, markersize=3, **settings)
            much.plot(seen, [100 * row[kind]["gain"] for row in rows], markersize=3, **settings)
    often.set(xlabel="% of the shoe seen", ylabel="% of rounds", yscale="log")
    often.set_title(f"{document['rules']}: how often a wager is favourable", loc="left")
    much.set(xlabel="% of the shoe seen", ylabel="% of the wager", yscale="log")
    much.set_title("mean gain when it is", loc="left")
    often.legend(loc="upper left", frameon=False, fontsize=8)
    for axes in (often, much):
        axes.spines[["top", "right"]].set_visible(False)
    kind = file.suffix.removeprefix(".")
    metadata = {"Date": None} if kind == "svg" else None
    figure.savefig(file, format=kind, dpi=130, metadata=metadata)


def _column(document: dict[str, Any], name: str) -> list[Any]:
    return [row[name] for row in document["depths"]]
