"""Exact odds by asking the engine: wagers, plans, boxes, side bets, bank, shoe; PAR sheets."""

from wartable.odds.boxes import Joint, Shape, joint, shapes
from wartable.odds.classes import DealClass, WarClass, kind_of, weigh
from wartable.odds.composition import Composition, OddsError
from wartable.odds.expectation import Expectation
from wartable.odds.figures import Distribution, exact
from wartable.odds.wagers import Best, Odds
from wartable.odds.walk import Engine, MeterReadings, Plan

__all__ = [
    "Best",
    "Composition",
    "DealClass",
    "Distribution",
    "Engine",
    "Expectation",
    "Joint",
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
