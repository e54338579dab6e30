"""Exact odds by asking the engine: wagers, plans, boxes, side bets, bank, shoe; PAR sheets."""

from wartable.odds.boxes import Joint, Shape, joint, shapes
from wartable.odds.classes import Kind, WarClass, kind_of, weigh
from wartable.odds.composition import Composition, OddsError
from wartable.odds.figures import Distribution, exact
from wartable.odds.wagers import Best, Odds
from wartable.odds.walk import Engine, MeterReadings, Plan

__all__ = [
    "Best",
    "Composition",
    "Distribution",
    "Engine",
    "Joint",
    "Kind",
    "MeterReadings",
    "Odds",
    "OddsError",
    "Plan",
    "Shape",
    "WarClass",
    "exact",
    "joint",
    "kind_of",
    "shapes",
    "weigh",
]
