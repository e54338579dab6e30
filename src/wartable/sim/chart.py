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
    ruin = document["ruin"]["simulated"]
    return (
        f"{document['rules']}: {document['bankroll'] / 100:,.0f} at {document['bet'] / 100:,.2f} a "
        f"round, {document['system']}, {document['rounds']:,} rounds; ruin {ruin:.2%}"
    )
