"""A whole table as PettingZoo environments: the checkers, the money, the bank, masks and values."""

import xml.etree.ElementTree as ET
from collections import Counter
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import (  # type: ignore[import-untyped]  # it ships no types
    api_test,
    parallel_api_test,
    parallel_seed_test,
    seed_test,
)

from wartable.environments import sharing, stepping
from wartable.environments.table import TableEnv, TableParallelEnv
from wartable.odds import Odds, Plan
from wartable.rules import NAMES, load
from wartable.sim.setup import SetupError

pytestmark = pytest.mark.slow("plays whole tables through the engine")


@pytest.mark.parametrize("name", NAMES)
def test_pettingzoo_accepts_the_table(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """PettingZoo's own tests pass for agents in turn and for agents all at once."""
    api_test(TableEnv(name, rounds=10), num_cycles=100)
    seed_test(lambda: TableEnv(name, rounds=10), num_cycles=40)
    parallel_api_test(TableParallelEnv(name, rounds=10), num_cycles=100)
    parallel_seed_test(lambda: TableParallelEnv(name, rounds=10), num_cycles=40)
    assert capsys.readouterr().out.count("Passed") == 2


def turns(env: TableEnv, seed: int, most: int = 2000) -> Any:
    """Random legal actions: the agent, its action, and what the environment was before it."""
    random = np.random.default_rng(seed)
    env.reset(seed=seed)
    for _ in range(most):
        agent = env.agent_selection
        if env.terminations[agent] or env.truncations[agent]:
            return
        action = int(random.choice(np.flatnonzero(env.infos[agent]["action_mask"])))
        yield agent, action
        env.step(action)
        assert not env.infos[agent]["refused"]


@pytest.mark.parametrize("cover", ["matched", "running", "payoffs_only", "ties_last"])
def test_californias_money_stays_at_the_table(cover: str) -> None:
    """The agents' money is a closed sum at the end of every round, whoever banks how little."""
    env = TableEnv(
        "california", players=4, banks=(1500, 20_000), bankroll=30_000, rounds=40,
        options={"bank_cover": cover},
    )  # fmt: skip  # one call
    bankers: Counter[str] = Counter()
    for agent, action in turns(env, 3):
        table = env.table
        if table.phase(agent) == sharing.BANKING:
            assert sum(table.stacks.values()) == 4 * 30_000
            assert min(table.stacks.values()) >= 0
            bankers[agent] += action > 0
    assert env.table.over
    assert sum(env.table.stacks.values()) == 4 * 30_000
    assert len(bankers) == 4


@pytest.mark.parametrize("name", NAMES)
def test_rewards_are_the_money(name: str) -> None:
    """What an agent is rewarded adds up to what its stack gained, in units of its first bet."""
    env = TableEnv(name, rounds=30, stakes=(2000,), ties=(0, 500), bankroll=50_000)
    total: Counter[str] = Counter()
    random = np.random.default_rng(8)
    env.reset(seed=8)
    while not env.table.over:
        mask = env.infos[env.agent_selection]["action_mask"]
        env.step(int(random.choice(np.flatnonzero(mask))))
        for agent, reward in env.rewards.items():
            total[agent] += round(reward * 2000)
    for agent in env.possible_agents:
        assert env.table.stacks[agent] == 50_000 + total[agent]
    assert len({*total.values()}) > 1


def test_the_bank_goes_around() -> None:
    """An agent banks as many rounds in a row as the book allows; one who passes hands it on."""
    env = TableEnv("california", players=3, rounds=12)
    post = env.actions.index(f"post {env.table.banks[0]}")
    order: list[str] = []
    env.reset(seed=1)
    while not env.table.over:
        agent = env.agent_selection
        phase = env.table.phase(agent)
        if phase == sharing.BANKING and (not order or len(order) == env.table.rounds):
            order.append(agent)
        mask = env.infos[agent]["action_mask"]
        action = post if phase == sharing.BANKING else int(np.flatnonzero(mask)[-1])
        env.step(action)
    assert env.setup.rules.bank is not None
    assert env.setup.rules.bank.rounds_max == 2
    assert order[:6] == ["player_1"] * 2 + ["player_2"] * 2 + ["player_3"] * 2
    env.reset(seed=1)
    env.step(0)
    assert env.agent_selection == "player_2"
    env.step(0)
    env.step(0)
    assert env.table.rounds == 1, "nobody banks, so the round is over"
    assert not env.table.last.hands  # type: ignore[union-attr]  # a round was closed


def test_a_banker_does_not_bet() -> None:
    """The banker is asked for no bet, and sees that it banks and what is posted."""
    env = TableEnv("california", players=2, banks=(5000,))
    env.reset(seed=2)
    env.step(env.actions.index("post 5000"))
    assert env.agent_selection == "player_2"
    banker, other = (env.observe(agent) for agent in env.possible_agents)
    assert (banker[sharing.IS_BANKER], other[sharing.IS_BANKER]) == (1, 0)
    assert (banker[sharing.POSTED], other[sharing.POSTED]) == (5000, 5000)
    assert banker[stepping.OBSERVED_PHASE] == sharing.WAITING
    assert env.table.mask("player_1").tolist() == [1] + [0] * (len(env.actions) - 1)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_refused_changes_nothing(name: str) -> None:
    """An action that the mask forbids leaves the table, the turn and the money as they were."""
    env = TableEnv(name, rounds=6)
    refused = 0
    for agent, _ in turns(env, 5, 60):
        before = (env.table.state, dict(env.table.stacks), list(env.table.asked))
        for action in np.flatnonzero(env.infos[agent]["action_mask"] == 0).tolist():
            env.step(action)
            assert env.infos[agent]["refused"]
            assert (env.table.state, env.table.stacks, env.table.asked) == before
            refused += 1
    assert refused > 20


def test_values_of_a_bet_are_those_of_the_odds() -> None:
    """Beside other agents a bet is worth what it is worth alone; a short bank leaves it unknown."""
    exact = float(Odds(load("maryland")).best(Plan(primary=1000)).odds.ev)
    env = TableEnv("maryland", shuffle="every_round")
    env.reset(seed=1)
    assert env.infos["player_1"]["ev"][1] == pytest.approx(exact, abs=1e-14)
    env.step(2)
    assert env.infos["player_3"]["ev"][1] == pytest.approx(exact, abs=1e-14)
    assert "ev" not in env.infos["player_1"], "it has bet and is asked nothing"
    banked = TableEnv("california", players=2, banks=(1000, 60_000), shuffle="every_round")
    for amount, known in ((1000, False), (60_000, True)):
        banked.reset(seed=1)
        assert "ev" not in banked.infos["player_1"]
        banked.step(banked.actions.index(f"post {amount}"))
        info = banked.infos["player_2"]
        assert ("ev" in info) == known
        if known:
            assert info["ev"][1] == pytest.approx(exact, abs=1e-14)


def test_agents_at_once_play_as_agents_in_turn() -> None:
    """The same seed and the same actions lead both environments through the same rounds."""
    together, in_turn = TableParallelEnv("washington", rounds=8), TableEnv("washington", rounds=8)
    _, infos = together.reset(seed=9)
    in_turn.reset(seed=9)
    random = np.random.default_rng(9)
    won: dict[str, Counter[str]] = {"together": Counter(), "in turn": Counter()}
    while together.agents:
        asked = list(together.table.asked)
        actions = dict.fromkeys(together.agents, 0)
        for agent in asked:
            actions[agent] = int(random.choice(np.flatnonzero(infos[agent]["action_mask"])))
        _, rewards, _, _, infos = together.step(actions)
        won["together"].update({agent: round(1000 * each) for agent, each in rewards.items()})
        for agent in asked:
            assert in_turn.agent_selection == agent
            in_turn.step(actions[agent])
            rewards = in_turn.rewards
            won["in turn"].update({each: round(1000 * got) for each, got in rewards.items()})
        assert together.table.stacks == in_turn.table.stacks
    assert in_turn.table.over
    assert won["together"] == won["in turn"]


def test_pictures_of_a_table() -> None:
    """Text has everybody's stack, the SVG is one document, and the pixels are a picture."""
    for mode in ("ansi", "svg", "rgb_array"):
        env = TableEnv("maryland", render_mode=mode, rounds=4)
        for _ in turns(env, 1, 12):
            pass
        drawn = env.render()
        if mode == "ansi":
            assert all(f"{agent}: +$" in drawn for agent in env.possible_agents)
        elif mode == "svg":
            assert ET.fromstring(drawn).tag.endswith("svg")
        else:
            assert drawn.shape == (240, 320, 3)
        env.close()


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"rules": "maryland", "players": 0}, "takes 1 to"),
        ({"rules": "maryland", "players": 40}, "not 40"),
        ({"rules": "california", "players": 1}, "takes 2 to"),
        ({"rules": "california", "banks": ()}, "name the amounts that a banker may post"),
        ({"rules": "maryland", "options": {"electronic": "3"}}, "leave the option electronic off"),
    ],
    ids=str,
)
def test_what_is_no_table(settings: dict[str, Any], sentence: str) -> None:
    """What cannot be played is refused with a sentence when the table is made."""
    with pytest.raises(SetupError, match=sentence):
        TableEnv(**settings)
