"""Somebody who plays on at a table with staff, dealt by staff who come to any server."""

import random
import time
from collections.abc import Sequence
from typing import Any

import httpx

from several_servers import LATE, PASSING, SILENT_S, Door, Json, SharedPlayer
from waiting import WAIT_S, until

BOOK, DECKS = "maryland", 6
CHANGE_EVERY = 5
"""After how many rounds the table gets other cards, and the old ones are destroyed."""
BY_FLOOR, BY_PLAYER = ("verify",), ("view",)
"""The steps of preparing cards that the dealer does not take."""


class StaffedPlayer(SharedPlayer):
    """A player and the staff of the table: a dealer, and a floorperson who brings the cards."""

    late = LATE | {"cut_passed", "not_offered", "numbers_closed", "wrong_step"}

    def __init__(
        self, servers: Sequence[Door], chance: random.Random, admin: tuple[str, str]
    ) -> None:
        """`admin` is the name and password of an administrator."""
        super().__init__(servers, chance)
        self._admin, self._staff = admin, dict[str, str]()
        self._door = chance.choice(self._servers)
        self.cards: list[str] = []
        """The sets that were brought to the table, the one in use last."""

    def come(self, first: Door, book: str) -> None:
        """Have the table opened with staff, and sit down there."""
        address = f"http://127.0.0.1:{first.port}"
        with httpx.Client(base_url=address, timeout=WAIT_S) as http:
            admin = {"Authorization": f"Bearer {_signed_in(http, *self._admin)}"}
            for role in ("dealer", "floor"):
                person = {"name": f"{role}-{book}", "password": "three words of theirs"}
                opened = http.post("/accounts", json={**person, "role": role}, headers=admin)
                opened.raise_for_status()
                self._staff[role] = _signed_in(http, *person.values())
            table = {"name": book, "book": BOOK, "decks": DECKS, "staffed": True}
            http.post("/tables", json=table, headers=admin).raise_for_status()
        super().come(first, book)

    def _said(self, role: str, method: str, path: str, **body: Any) -> Json | None:
        """What a server answers to staff; None if it does not, or not now: then another is next."""
        bearer = {"Authorization": f"Bearer {self._staff[role]}"}
        try:
            answer = httpx.request(
                method,
                f"http://127.0.0.1:{self._door.port}{path}",
                json=body or None,
                headers=bearer,
                timeout=SILENT_S,
            )
            said: Json = answer.json()
        except (httpx.HTTPError, ValueError):
            others = [each for each in self._servers if each is not self._door]
            self._door = self._chance.choice(others)
            return None
        self._door = self._chance.choice(self._servers)
        return None if said.get("code") in {*PASSING, "elsewhere", "closed"} else said

    def deals(self, type_: str, role: str = "dealer", **fields: Any) -> None:
        """Have staff give a command under one id, until it is answered."""
        self._count += 1
        body, path = {"type": type_, "id": str(self._count), **fields}, f"/tables/{self.table}"
        began_s = time.monotonic()
        answer = until(
            lambda: self._said(role, "POST", f"{path}/commands", **body), f"no answer to {type_}"
        )
        assert answer is not None
        assert answer["type"] == "accepted", (type_, answer)
        self.longest_s = max(self.longest_s, time.monotonic() - began_s)
        self._follow(answer["number"])

    def _bring(self) -> None:
        """Have a new set issued and received, and the one before destroyed."""
        name = f"{self.table} {len(self.cards) + 1}".replace(" ", "-")
        until(lambda: self._has_come(name), "no cards are issued")
        self.deals("receive_decks")
        if self.cards:
            until(lambda: self._is(self.cards[-1], "destroyed", "shredder"), "not destroyed")
        self.cards.append(name)

    def _has_come(self, name: str) -> bool:
        if self._said("floor", "GET", f"/cards/{name}") == self._none(name):
            self._said("floor", "POST", "/cards", name=name, decks=DECKS, back="red")
        return self._is(name, "issued", self.table)

    def _none(self, name: str) -> Json:
        return {"code": "no_set", "sentence": f"The inventory has no set {name}."}

    def _is(self, name: str, what: str, place: str) -> bool:
        """Whether a set is where it should be; it is moved there if it is not."""
        found = self._said("floor", "GET", f"/cards/{name}")
        if found is None or "cards" not in found:
            return False
        if found["cards"]["state"] == what:
            return bool(found["cards"]["place"] == place)
        self._said("floor", "POST", f"/cards/{name}/moves", what=what, place=place)
        return False

    def _play(self) -> None:
        """Do what is due until a round is over, now and then with new cards."""
        if self.rounds // CHANGE_EVERY >= len(self.cards):
            self._wait("decks", "start")
            self._bring()
        before = self.rounds
        while self.rounds == before:
            self._step(self._awaited["due"][0])

    def _step(self, due: Json) -> None:
        """Do what is due."""
        match due["what"]:
            case "prepare" if due["step"] in BY_PLAYER:
                self.do("prepare", step=due["step"], batch=due["batch"])
            case "prepare":
                role = "floor" if due["step"] in BY_FLOOR else "dealer"
                self.deals("prepare", role, step=due["step"], batch=due["batch"])
            case "cut":
                self.do("cut", position=100)
            case "shuffle":
                self.deals("shuffle_cards")
            case "load":
                self.deals("load_shoe")
            case "start":
                self.deals("start_round")
            case "bets":
                if self.do("bet", box=1, wager="primary", amount=500):
                    self.deals("close_bets")
                elif not self.do("buy_in", amount=50_000):
                    self._refill()
            case "proceed":
                self.deals("proceed")
            case "choice":
                self.do("choose", box=1, choice="surrender")
            case what:  # the platform's part
                self._wait(*{"shuffle", "cut", "load", "start", "bets", "proceed"} - {what})


def _signed_in(http: httpx.Client, name: str, password: str) -> str:
    """The token of somebody's session."""
    body = {"name": name, "password": password}
    return str(http.post("/sign-in", json=body).raise_for_status().json()["token"])
