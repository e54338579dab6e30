"""One seat as a Gymnasium environment, and many at once as a vector environment."""

from fractions import Fraction
from typing import Any, SupportsInt

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from wartable.cards import RANKS, SUITS
from wartable.environments import stepping
from wartable.environments.episodes import Episodes
from wartable.environments.raster import pixels
from wartable.environments.setup import AMOUNT_MAX, SeatSetup, set_up_seat
from wartable.game.messages import money
from wartable.odds import Expectation, Odds, Plan
from wartable.picture import Picture, Spot, signed
from wartable.sim.setup import SetupError

CARD_NAMES = tuple(rank + suit for rank in RANKS for suit in SUITS)
"""The cards by the number that a shoe holds: four of each rank."""
RENDER_MODES = ("ansi", "rgb_array", "svg")

Observation = NDArray[np.int32]


def observation_space(setup: SeatSetup) -> Any:
    """The space of observations: 20 whole numbers, see docs/environments.md."""
    most = np.zeros(stepping.OBSERVATION_SIZE, np.int32)
    most[: stepping.RANKS] = 4 * setup.decks
    most[stepping.OBSERVED_PHASE] = 1
    most[stepping.TIED_RANK] = stepping.RANKS
    most[stepping.STAKE] = max(bet.primary for bet in setup.bets)
    most[stepping.TIE_STAKE] = max(1, *(bet.tie for bet in setup.bets))
    most[stepping.STACK] = AMOUNT_MAX
    most[stepping.BEFORE_COVER] = max(1, setup.cover)
    most[stepping.ROUNDS_LEFT] = setup.rounds
    return spaces.Box(np.zeros_like(most), most, dtype=np.int32)


class SeatEnv(gymnasium.Env[Observation, SupportsInt]):
    """One seat: bets and choices are actions, money won is the reward."""

    metadata: dict[str, Any] = {  # noqa: RUF012  # Gymnasium declares it so
        "render_modes": list(RENDER_MODES),
        "render_fps": 4,
    }

    def __init__(self, rules: Any = "online", render_mode: str | None = None, **seat: Any) -> None:
        check_render_mode(render_mode)
        self.setup = set_up_seat(rules, **seat)
        self.actions = self.setup.actions
        self.render_mode = render_mode
        self.observation_space = observation_space(self.setup)
        self.action_space = spaces.Discrete(len(self.actions))
        self._episodes = Episodes(self.setup, 1)
        self._action = np.zeros(1, np.int64)
        self._won = self._episodes.numbers[:, stepping.WON]
        self._unit = self.setup.unit
        self._over = True

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode with a new shoe; a seed gives the same episodes for the same actions."""
        seeded = self._np_random is not None
        super().reset(seed=seed)
        if seed is not None:
            self._episodes.seed(seed)
        elif not seeded:
            self._episodes.seed(int(self.np_random.integers(2**62)))
        observations, marks, values = self._episodes.start()
        self._over = False
        mask = marks[0, stepping.MASK :]
        return observations[0], {"action_mask": mask, "ev": values[0], "refused": False}

    def step(self, action: SupportsInt) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take an action; one that the mask forbids is refused and changes nothing."""
        if self._over:
            raise SetupError("The episode is over or was never started; call reset.")
        self._action[0] = action
        observations, marks, values = self._episodes.step(self._action)
        ended, cut_off, refused, *_ = marks[0].tolist()
        self._over = ended + cut_off > 0
        reward = self._won.item() / self._unit
        info = {"action_mask": marks[0, stepping.MASK :], "ev": values[0], "refused": refused > 0}
        return observations[0], reward, ended > 0, cut_off > 0, info

    def expectations(self) -> dict[int, Fraction]:
        """The exact expectation of each legal action, in units; `info["ev"]` has it as floats."""
        numbers, unit = self._episodes.numbers[0], self.setup.unit
        phase, counts = numbers[stepping.PHASE], numbers[stepping.COUNTS : stepping.STREAM].tolist()
        found: dict[int, Fraction] = {}
        for action in range(len(self.actions)):
            if not stepping.legal(self._episodes.numbers, self._episodes.table, 0, action):
                continue
            if phase == stepping.CHOOSING:
                found[action] = self._choice(counts, action) / unit
            else:
                found[action] = self._bet(counts, action) / unit if action else Fraction(0)
        return found

    def _values(self, bet: int, wagered: bool) -> Expectation:
        """The closed form of a bet, with or without a tie wager on its war."""
        primary, tie, war_tie = self.setup.bets[bet - 1]
        return Expectation(Odds(self.setup.book), Plan(primary, tie, war_tie=war_tie * wagered))

    def _choice(self, counts: list[int], action: int) -> Fraction:
        """What a choice still wins or loses on average, in cents."""
        bet, choice = (
            int(self._episodes.numbers[0, stepping.BET]),
            action - 1 - len(self.setup.bets),
        )
        form = self._values(bet, choice == 2)
        values = form.choice(counts)
        whole = values.war if choice else values.surrender
        return whole * form.unit - self.setup.payments[bet - 1].tied

    def _bet(self, counts: list[int], action: int) -> Fraction:
        """What a bet wins or loses in its round on average, in cents."""
        bet, ends = self.setup.bets[action - 1], self.setup.payments[action - 1]
        left = int(self._episodes.numbers[0, stepping.MONEY]) - bet.primary + ends.tied
        size = sum(counts)
        tied = sum(number * (number - 1) for number in counts)
        total = Fraction(ends.higher + ends.lower, 2) * (size * (size - 1) - tied)
        plain, wagered = self._values(action, False), self._values(action, True)
        for rank, number in enumerate(counts):
            if number > 1:
                after = [each - 2 * (place == rank) for place, each in enumerate(counts)]
                worth = [Fraction(ends.surrendered)]
                if left >= bet.primary:
                    worth.append(plain.choice(after).war * plain.unit)
                if self.setup.offers_war_tie and left >= bet.primary + bet.war_tie:
                    worth.append(wagered.choice(after).war * wagered.unit)
                total += number * (number - 1) * max(worth)
        return total / (size * (size - 1))

    def picture(self) -> Picture:
        """The last cards, wagers and money, to be drawn."""
        return seat_picture(self.setup, self._episodes.numbers[0])

    def render(self) -> Any:
        """The seat as text, pixels or SVG, by the render mode."""
        return rendered(self.picture(), self.render_mode)


class SeatVectorEnv(VectorEnv[Observation, Any, Any]):
    """Many seats stepped at once by compiled code; each row plays its own cards and money."""

    metadata: dict[str, Any] = {  # noqa: RUF012  # Gymnasium declares it so
        "render_modes": list(RENDER_MODES),
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        rules: Any = "online",
        render_mode: str | None = None,
        ev: bool = False,
        **seat: Any,
    ) -> None:
        check_render_mode(render_mode)
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.setup = set_up_seat(rules, **seat)
        self.actions = self.setup.actions
        self.single_observation_space = observation_space(self.setup)
        self.single_action_space = spaces.Discrete(len(self.actions))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._episodes = Episodes(self.setup, num_envs, values=ev)
        self._ev = ev

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode in every row; row n has the cards of a single seat with seed + n."""
        seeded = self._np_random is not None
        super().reset(seed=seed)
        if seed is not None:
            self._episodes.seed(seed)
        elif not seeded:
            self._episodes.seed(int(self.np_random.integers(2**62)))
        observations, marks, values = self._episodes.start()
        return observations, self._info(marks, values)

    def step(self, actions: Any) -> tuple[Observation, Any, Any, Any, dict[str, Any]]:
        """Take an action in every row; a row whose episode is over starts the next one instead."""
        whole = np.asarray(actions, dtype=np.int64)
        if whole.shape != (self.num_envs,):
            raise SetupError(f"Give {self.num_envs} actions, not an array of {whole.shape}.")
        observations, marks, values = self._episodes.step(whole)
        rewards = self._episodes.numbers[:, stepping.WON] / self.setup.unit
        ended, cut_off = marks[:, stepping.ENDED] != 0, marks[:, stepping.CUT_OFF] != 0
        return observations, rewards, ended, cut_off, self._info(marks, values)

    def _info(self, marks: Any, values: Any) -> dict[str, Any]:
        info = {
            "action_mask": marks[:, stepping.MASK :],
            "refused": marks[:, stepping.REFUSED] != 0,
        }
        return info | {"ev": values} if self._ev else info

    def render(self) -> Any:
        """Every row as text, pixels or SVG, by the render mode."""
        pictures = (seat_picture(self.setup, row) for row in self._episodes.numbers)
        return tuple(rendered(each, self.render_mode) for each in pictures)


def check_render_mode(mode: str | None) -> None:
    """Refuse an unknown mode."""
    if mode is not None and mode not in RENDER_MODES:
        raise SetupError(f"A render mode is {', '.join(RENDER_MODES)} or None, not {mode!r}.")


def rendered(picture: Picture, mode: str | None) -> Any:
    """The picture by the render mode; None without one."""
    if mode is None:
        return None
    return (
        pixels(picture)
        if mode == "rgb_array"
        else picture.svg()
        if mode == "svg"
        else picture.text()
    )


def seat_picture(setup: SeatSetup, numbers: Any) -> Picture:
    """The last cards of an episode, its wagers and its money."""
    cards = [int(number) for number in numbers[stepping.CARD : stepping.WAR_DEALER + 1]]
    mine, dealers, war_mine, war_dealers = (
        (CARD_NAMES[card],) if card >= 0 else () for card in cards
    )
    bet, lines = int(numbers[stepping.BET]), []
    if bet:
        primary, tie, _ = setup.bets[bet - 1]
        lines = [f"primary {money(primary)}", *([f"tie {money(tie)}"] if tie else [])]
    choosing = numbers[stepping.PHASE] == stepping.CHOOSING
    net = "" if choosing or not bet else signed(int(numbers[stepping.NET]))
    return Picture(
        setup.rules.title,
        (*dealers, *war_dealers),
        (Spot("seat", (*mine, *war_mine), tuple(lines), net),),
        (f"{money(int(numbers[stepping.MONEY]))} bankroll",)
        + (("a tie: war or surrender",) if choosing else ()),
    )
