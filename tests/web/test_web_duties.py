"""The floor page's commands and their fields are the server's, each of them and no other."""

import json
from functools import cache
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from msgspec import inspect

import wartable
from node import node
from wartable.game import wagers
from wartable.server.house.roles import COMMANDS
from wartable.server.http import wire
from wartable.shoe import Method
from wartable.table.commands import Preparation
from wartable.table.play import What

MODULE = Path(wartable.__file__).parent / "web" / "js" / "pages" / "duties.js"
METHODS = list(get_args(Method))
SIDE_BETS = {each.kind: each.kind for each in wagers.SIDE_BETS}
LEFT_OUT = {("proceed", "steps"), ("close_bets", "number"), ("close_bets", "round")}
"""What the page never asks for: it deals until people are due, and means the round it shows."""


@cache
def shown() -> dict[str, dict[str, Any]]:
    """The duties of a table of every method with a bank, for whoever may take every step."""
    script = f"""
      import {{ duties }} from {json.dumps(MODULE.as_uri())};
      const side_bets = {json.dumps(SIDE_BETS)};
      const table = {{ methods: {json.dumps(METHODS)}, side_bets, bank: {{}} }};
      const found = duties(table, {json.dumps(get_args(Preparation))});
      console.log(JSON.stringify(found));
    """
    found = json.loads(node("--input-type=module", "--eval", script))
    return {duty["type"]: duty for duty in found}


def forms() -> dict[str, inspect.StructType]:
    """What the server takes of each command of staff, by command."""
    staff = {kind for kind, roles in COMMANDS.items() if {"dealer", "floor"} & set(roles)}
    found = {}
    for form, kind in wire.FORMS.items():
        if kind in staff:
            told = inspect.type_info(form)
            assert isinstance(told, inspect.StructType)
            found[str(told.tag)] = told
    return found


def plain(type_: inspect.Type) -> inspect.Type:
    """A type without that it may be nothing."""
    if isinstance(type_, inspect.UnionType):
        (type_,) = [each for each in type_.types if not isinstance(each, inspect.NoneType)]
    return type_


def accepts(field: inspect.Field, asked: dict[str, Any]) -> str:
    """What is wrong with how the page asks for a field, if anything is."""
    type_ = plain(field.type)
    match asked["kind"]:
        case "choice":
            if not isinstance(type_, inspect.LiteralType):
                return "is no choice for the server"
            offered = [value for value, _ in asked["choices"]]
            if sorted(offered) != sorted(map(str, type_.values)):
                return f"offers {offered}, the server takes {list(type_.values)}"
            return ""
        case "text":
            return "" if isinstance(type_, inspect.StrType) else "is no text for the server"
        case "yes":
            return "" if isinstance(type_, inspect.BoolType) else "is no yes or no for the server"
        case _:
            return "" if isinstance(type_, inspect.IntType) else "is no whole number for the server"


def test_every_command_of_staff_is_on_the_page() -> None:
    """The page has the commands that a dealer or a floorperson may give, and no other."""
    assert set(shown()) == set(forms())


@pytest.mark.parametrize("type_", sorted(forms()))
def test_a_command_asks_for_what_the_server_takes(type_: str) -> None:
    """Every field by its name, of its kind and values, and what may be left out may be empty."""
    asked = {each["name"]: each for each in shown()[type_]["asks"]}
    taken = {field.name: field for field in forms()[type_].fields if field.name != "id"}
    problems = [f"{name} is not known to the server" for name in asked.keys() - taken.keys()]
    for name, field in taken.items():
        if name not in asked:
            if (type_, name) not in LEFT_OUT or field.required:
                problems.append(f"{name} is not asked for")
            continue
        if found := accepts(field, asked[name]):
            problems.append(f"{name} {found}")
        if asked[name].get("optional", False) and field.required:
            problems.append(f"{name} may be left empty, the server needs it")
    assert not problems


def test_what_is_due_leads_to_a_command_of_the_server() -> None:
    """For each thing that a table may await the page's next step is one that the server decodes."""
    script = f"""
      import {{ nextStep }} from {json.dumps(MODULE.as_uri())};
      const whats = {json.dumps(list(get_args(What)))};
      const steps = whats.map((what) =>
        nextStep({{ what, player: "ann", box: 1, step: "wash", batch: "" }}));
      console.log(JSON.stringify(steps.filter((step) => step !== null)));
    """
    steps = json.loads(node("--input-type=module", "--eval", script))
    assert {step["type"] for step in steps} >= {"prepare", "shuffle_cards", "proceed", "timeout"}
    for step in steps:
        message = {"type": step["type"], "id": "1", **step["fields"]}
        decoded = wire.decode(msgspec.json.encode(message))
        assert type(decoded) in wire.FORMS
