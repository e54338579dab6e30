"""A whole table as PettingZoo environments: agents in turn, or all at once."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import AECEnv, ParallelEnv  # type: ignore[import-untyped]  # it ships no types

from wartable.environments import sharing, stepping
from wartable.environments.seat import RENDER_MODES, check_render_mode, observation_space, rendered
from wartable.environments.setup import AMOUNT_MAX, SeatSetup, set_up_seat
from wartable.environments.sharing import AgentTable
from wartable.picture import Picture, round_picture, signed

PLAYERS = 3
BANK_SHARE = 2
"""A banker posts a bankroll divided by this, unless other amounts are named."""

METADATA: dict[str, Any] = {
    "name": "wartable_v0",
    "render_modes": list(RENDER_MODES),
    "is_parallelizable": True,
    "render_fps": 4,
}


def table_observation_space(setup: SeatSetup, agents: int) -> spaces.Box:
    """The space of a table's observations: 23 whole numbers, see docs/environments.md."""
    most = np.append(observation_space(setup).high, [1, AMOUNT_MAX, agents]).astype(np.int32)
    most[stepping.OBSERVED_PHASE] = sharing.WAITING
    return spaces.Box(np.zeros_like(most), most, dtype=np.int32)


class _Shared:
    """What both environments of a table have: its setup, spaces, infos and pictures."""

    def __init__(
        self,
        rules: Any = "california",
        players: int = PLAYERS,
        banks: Sequence[int] | None = None,
        render_mode: str | None = None,
        **seat: Any,
    ) -> None:
        check_render_mode(render_mode)
        self.setup = set_up_seat(rules, **seat)
        self.render_mode = render_mode
        self.possible_agents = [f"player_{number}" for number in range(1, players + 1)]
        amounts = (self.setup.bankroll // BANK_SHARE,) if banks is None else tuple(banks)
        self.table = AgentTable(self.setup, self.possible_agents, amounts)
        self.actions = self.table.actions
        self.observation_spaces = {
            agent: table_observation_space(self.setup, players) for agent in self.possible_agents
        }
        self.action_spaces = {
            agent: spaces.Discrete(len(self.actions)) for agent in self.possible_agents
        }
        self._random: Any = None

    def observation_space(self, agent: str) -> Any:
        """The agent's observation space."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The agent's action space."""
        return self.action_spaces[agent]

    def _start(self, seed: int | None) -> None:
        """A new episode; without a seed the next one of the last seed's sequence."""
        if seed is not None or self._random is None:
            self._random, _ = seeding.np_random(seed)
        self.table.start(int(self._random.integers(2**62)))

    def _info(self, agent: str, refused: bool = False) -> dict[str, Any]:
        info = {"action_mask": self.table.mask(agent), "refused": refused}
        values = self.table.values(agent)
        return info if values is None else info | {"ev": values}

    def _rewards(self) -> dict[str, float]:
        unit = self.setup.unit
        return {agent: cents / unit for agent, cents in self.table.results().items()}

    def picture(self) -> Picture:
        """The round as it stands, or the last one, and everybody's stack."""
        table = self.table
        state = table.last if table.last is not None and not table.state.hands else table.state
        drawn = round_picture(self.setup.book, state)
        stacks = tuple(f"{agent}: {signed(stack)}" for agent, stack in table.stacks.items())
        return Picture(drawn.title, drawn.dealer, drawn.spots, (*drawn.notes, *stacks))

    def render(self) -> Any:
        """The table as text, pixels or SVG, by the render mode."""
        return rendered(self.picture(), self.render_mode)

    def close(self) -> None:
        """Nothing is held open."""


class TableEnv(_Shared, AECEnv[str, Any, Any]):  # type: ignore[misc]  # PettingZoo has no types
    """A table whose agents act in turn, each when it is asked."""

    metadata: ClassVar[dict[str, Any]] = METADATA

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        AECEnv.__init__(self)
        _Shared.__init__(self, *arguments, **settings)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start an episode."""
        self._start(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: self._info(agent) for agent in self.agents}
        self.agent_selection = self.table.asked[0]

    def observe(self, agent: str) -> Any:
        """The agent's observation."""
        return self.table.observe(agent)

    def step(self, action: Any) -> None:
        """Take the selected agent's action; one that its mask forbids changes nothing."""
        agent, table = self.agent_selection, self.table
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        taken = table.act(agent, int(action))
        self._cumulative_rewards[agent] = 0.0
        self.rewards = self._rewards()
        self._accumulate_rewards()
        self.infos = {each: self._info(each) for each in self.agents}
        self.infos[agent]["refused"] = not taken
        if table.over:
            self.truncations = dict.fromkeys(self.agents, table.cut_off)
            self.terminations = dict.fromkeys(self.agents, not table.cut_off)
            self.agent_selection = self.agents[0]
        else:
            self.agent_selection = table.asked[0]


class TableParallelEnv(_Shared, ParallelEnv[str, Any, Any]):  # type: ignore[misc]  # PettingZoo has no types
    """A table whose agents all act at once; one who is asked nothing passes."""

    metadata: ClassVar[dict[str, Any]] = METADATA

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        _Shared.__init__(self, *arguments, **settings)
        self.agents: list[str] = []

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start an episode."""
        self._start(seed)
        self.agents = list(self.possible_agents)
        return self._seen(), {agent: self._info(agent) for agent in self.agents}

    def _seen(self) -> dict[str, Any]:
        return {agent: self.table.observe(agent) for agent in self.agents}

    def step(self, actions: dict[str, Any]) -> tuple[Any, Any, Any, Any, Any]:
        """Take everybody's action; an agent whose action is refused is asked again."""
        refused = {}
        asked = {agent: self.table.phase(agent) for agent in self.agents}
        for agent, action in actions.items():
            # Another agent's action may already have led to the next question, still unanswered.
            if self.table.phase(agent) == asked[agent]:
                refused[agent] = not self.table.act(agent, int(action))
        ended = dict.fromkeys(self.agents, self.table.over and not self.table.cut_off)
        cut_off = dict.fromkeys(self.agents, self.table.over and self.table.cut_off)
        infos = {agent: self._info(agent, refused.get(agent, False)) for agent in self.agents}
        answer = (self._seen(), self._rewards(), ended, cut_off, infos)
        if self.table.over:
            self.agents = []
        return answer
