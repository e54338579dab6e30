"""One seat as a Gymnasium environment: the checkers, the engine's money, masks, values, seeds."""

import runpy
import xml.etree.ElementTree as ET
from fractions import Fraction
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from paths import ROOT
from wartable.cards import RANKS
from wartable.environments import NAME, SeatEnv, SeatVectorEnv, stepping
from wartable.environments.seat import CARD_NAMES, RENDER_MODES
from wartable.environments.setup import SeatBet, bet_commands
from wartable.game import Round, legal, step
from wartable.game.moves import MayBet
from wartable.odds import Composition, Odds, Plan
from wartable.odds.walk import BOX, PLAYER, MeterReadings, play
from wartable.refusal import Refusal
from wartable.rules import NAMES, load, with_options
from wartable.sim.setup import SetupError

pytestmark = pytest.mark.slow("trains an agent")

SETTINGS: list[dict[str, Any]] = [
    {"rules": "maryland"},
    {"rules": "california", "stakes": (1000, 2500), "ties": (0, 300), "sees": "seen"},
    {"rules": "new-zealand", "options": {"war_burn": "each_card"}},
    {"rules": "online", "stakes": (700,), "ties": (0, 300), "shuffle": "shoe"},
    {
        "rules": "washington",
        "options": {"war_pays": "war_only", "odd_half": "up"},
        "stakes": (501,),
    },
]


def made(**settings: Any) -> SeatEnv:
    """A seat as Gymnasium makes it, without its wrappers."""
    env = gymnasium.make(NAME, **settings).unwrapped
    assert isinstance(env, SeatEnv)
    return env


def cards_of(env: SeatEnv) -> list[str]:
    """The cards of the last round: the box's, the dealer's, then those of the war."""
    numbers = env._episodes.numbers[0, stepping.CARD : stepping.WAR_DEALER + 1]
    return [CARD_NAMES[number] for number in numbers if number >= 0]


@pytest.mark.parametrize("mode", [None, *RENDER_MODES])
def test_gymnasium_accepts_the_seat(mode: str | None) -> None:
    """Gymnasium's own checker finds nothing, in every render mode."""
    check_env(made(rules="maryland", render_mode=mode))


@pytest.mark.parametrize("name", NAMES)
def test_gymnasium_accepts_every_book(name: str) -> None:
    """Every book has a seat that Gymnasium accepts, also by the name of its module."""
    env = gymnasium.make(f"wartable.environments:{NAME}", rules=name)
    check_env(env.unwrapped)
    assert env.spec is not None
    assert env.spec.id == NAME


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda each: str(each["rules"]))
def test_every_round_pays_what_the_engine_pays(settings: dict[str, Any]) -> None:
    """The rewards of a round add up to what the engine pays for its cards, wagers and choice."""
    env = made(**settings)
    random = np.random.default_rng(5)
    _, info = env.reset(seed=7)
    bets, ends = len(env.setup.bets), set()
    total, bet, choice = 0.0, SeatBet(0, 0, 0), 1
    for _ in range(1500):
        action = int(random.choice(np.flatnonzero(info["action_mask"][1:]) + 1))
        before = env._episodes.numbers[0, stepping.ROUNDS]
        _, reward, ended, cut_off, info = env.step(action)
        assert not info["refused"]
        total += reward
        bet, choice = (
            (env.setup.bets[action - 1], 1) if action <= bets else (bet, action - 1 - bets)
        )
        if ended or cut_off or env._episodes.numbers[0, stepping.ROUNDS] != before:
            cards = (*cards_of(env), "2c", "3c")[:4]
            plan = Plan(
                bet.primary,
                bet.tie,
                war_tie=bet.war_tie if choice == 2 else 0,
                choice="war" if choice else "surrender",
            )
            paid = play(env.setup.rules, plan, cards, MeterReadings())  # type: ignore[arg-type]  # always four cards
            assert total * env.setup.unit == pytest.approx(paid.hands[0].net)
            ends |= {wager.outcome for wager in paid.hands[0].wagers}
            total = 0.0
        if ended or cut_off:
            _, info = env.reset()
    assert {"won", "lost", "surrendered", "war_won", "war_lost"} <= ends


def test_a_shoe_deals_each_card_once() -> None:
    """What is left and what was dealt are the whole shoe, until the cover card brings a new one."""
    env = made(rules="washington", shuffle="shoe", decks=2, rounds=500, may_leave=False)
    seen, info = env.reset(seed=3)
    shoes = 0
    for _ in range(300):
        before = env._episodes.numbers[0, stepping.DEALT]
        choosing = bool(seen[stepping.OBSERVED_PHASE])
        seen, *_, info = env.step(4 if choosing else 1)
        dealt = int(env._episodes.numbers[0, stepping.DEALT])
        order = [CARD_NAMES[card] for card in env._episodes.shoes[0]]
        assert sorted(order) == sorted(CARD_NAMES * 2)
        left = [sum(card[0] == rank for card in order[dealt:]) for rank in RANKS]
        assert seen[:13].tolist() == left
        if dealt < before:
            shoes += 1
            assert before > env.setup.cover - 12
            assert dealt == env.setup.burn_first
        if not info["action_mask"].any():
            break
    assert shoes >= 3


def test_burned_cards_stay_among_the_unseen() -> None:
    """A seat that counts what it saw does not know what was burned; its values say so exactly."""
    left, unseen = (
        made(rules="washington", shuffle="shoe", sees=each) for each in ("left", "seen")
    )
    (first, _), (second, info) = left.reset(seed=4), unseen.reset(seed=4)
    burned = left.setup.burn_first
    assert burned > 0
    assert first[:13].sum() == 312 - burned
    assert second[:13].sum() == 312
    exact = Odds(load("washington")).best(Plan(primary=1000)).odds.ev
    assert unseen.expectations()[1] == exact
    assert info["ev"][1] == pytest.approx(float(exact), abs=1e-14)


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda each: str(each["rules"]))
def test_values_are_the_exact_expectations(settings: dict[str, Any]) -> None:
    """`info["ev"]` is the fraction of each legal action, -inf for every other, at every step."""
    env = made(**settings)
    random = np.random.default_rng(2)
    _, info = env.reset(seed=1)
    for _ in range(60):
        exact = env.expectations()
        assert sorted(exact) == np.flatnonzero(info["action_mask"]).tolist()
        for action, value in enumerate(info["ev"]):
            expected = float(exact[action]) if action in exact else -np.inf
            assert value == pytest.approx(expected, abs=1e-12)
        action = int(random.choice(np.flatnonzero(info["action_mask"][1:]) + 1))
        *_, ended, cut_off, info = env.step(action)
        if ended or cut_off:
            _, info = env.reset()


def test_the_exact_expectation_is_the_walks() -> None:
    """From the cards that are left a bet is worth what the walk says, with the best choice."""
    settings = {"war_pays": "war_only"}
    env = made(rules="maryland", options=settings, shuffle="shoe", war_tie=100)
    seen, _ = env.reset(seed=11)
    book = with_options(load("maryland"), settings)
    checked = 0
    for _ in range(40):
        if not seen[stepping.OBSERVED_PHASE]:
            shoe = Composition(dict(zip((f"{r}c" for r in RANKS), seen[:13].tolist(), strict=True)))
            odds = Odds(book, composition=shoe)
            plan = Plan(primary=1000, tie=1000)
            best = max(odds.best(each).odds.ev for each in (plan, plan._replace(war_tie=100)))
            if odds.best(plan).odds.ev == best:  # then no rank is better with the tie wager
                assert env.expectations()[2] == best
                checked += 1
        seen, *_ = env.step(3 if seen[stepping.OBSERVED_PHASE] else 1)
    assert checked > 20


def test_a_bet_that_cannot_pay_its_war_counts_with_surrender() -> None:
    """With money for one bet and no war, surrender is the only choice, and the value knows it."""
    env = made(rules="online", shuffle="every_round", bankroll=1500, ties=(0,), may_leave=False)
    _, info = env.reset(seed=1)
    assert info["ev"][1] == pytest.approx(float(Fraction(-23, 622)), abs=1e-14)
    for seed in range(200):
        env.reset(seed=seed)
        seen, *_, info = env.step(1)
        if seen[stepping.OBSERVED_PHASE]:
            break
    assert env.actions[2:4] == ("surrender", "war")
    assert info["action_mask"].tolist() == [0, 0, 1, 0, 0]
    assert seen[stepping.STACK] == 500


@pytest.mark.parametrize("name", NAMES)
def test_masks_are_what_the_engine_takes(name: str) -> None:
    """A bet is legal if the engine's `legal` offers it and the money is there."""
    env = made(rules=name, stakes=(1000, 4000), ties=(0, 2000), bankroll=5000)
    _, info = env.reset(seed=1)
    rules = env.setup.rules
    for action, bet in enumerate(env.setup.bets, 1):
        opening, primary, *rest = bet_commands(rules, bet)
        state, _ = step(rules, Round(), opening)
        offered = []
        for command in (primary, *rest[:-1]):
            moves = legal(rules, state, PLAYER)
            offered.append(any(isinstance(m, MayBet) and m.permits(command) for m in moves))
            state, _ = step(rules, state, command)
        assert state.hand(PLAYER, BOX) is not None
        assert info["action_mask"][action] == (all(offered) and bet.primary + bet.tie <= 5000)


def test_a_refused_action_changes_nothing() -> None:
    """A choice before the deal, a bet at a tie and a number beyond the space are refused."""
    env = made(rules="online", may_leave=False)
    seen, info = env.reset(seed=1)
    for action in (0, len(env.setup.bets) + 1, 99, -1):
        again, reward, ended, cut_off, after = env.step(action)
        assert after["refused"]
        assert (reward, ended, cut_off) == (0.0, False, False)
        assert (again == seen).all()
        assert (after["action_mask"] == info["action_mask"]).all()


def test_how_an_episode_ends() -> None:
    """Leaving and ruin terminate, the last round truncates, and nothing is stepped after that."""
    env = made(rules="online", rounds=3)
    env.reset(seed=1)
    assert env.step(0)[2:4] == (True, False)
    with pytest.raises(SetupError, match="call reset"):
        env.step(1)
    seen, _ = env.reset(seed=2)
    flags = (False, False)
    while not any(flags):
        assert seen[stepping.ROUNDS_LEFT] > 0
        seen, *_, ended, cut_off, _ = env.step(3 if seen[stepping.OBSERVED_PHASE] else 1)
        flags = (ended, cut_off)
    assert flags == (False, True)
    assert seen[stepping.ROUNDS_LEFT] == 0
    poor = made(rules="online", bankroll=1000, ties=(0,))
    ended_poor = False
    for seed in range(20):
        poor.reset(seed=seed)
        _, reward, ended, cut_off, _ = poor.step(1)
        assert ended == (reward == -1.0)
        assert not cut_off
        ended_poor = ended_poor or ended
    assert ended_poor


def test_seeds_and_configuration() -> None:
    """Equal seeds give equal episodes, other seeds others, and a reset keeps the configuration."""
    env = made(rules="maryland", stakes=(2000,), bankroll=70_000, sees="seen")

    def episode(seed: int) -> list[float]:
        seen, info = env.reset(seed=seed, options={})
        assert seen[stepping.STACK] == 70_000
        assert env.setup.bets[0].primary == 2000
        return [env.step(1 if info["action_mask"][1] else 4)[1] for _ in range(40)]

    assert episode(5) == episode(5)
    assert episode(5) != episode(6)


def test_rows_of_a_vector_are_single_seats() -> None:
    """Row n of a vector is the single seat with seed + n, through the ends of episodes."""
    settings: dict[str, Any] = {"rules": "maryland", "bankroll": 6000, "rounds": 12}
    seats: Any = gymnasium.make_vec(NAME, num_envs=4, ev=True, **settings)
    assert isinstance(seats, SeatVectorEnv)
    singles = [made(**settings) for _ in range(4)]
    seen, info = seats.reset(seed=20)
    alone = [env.reset(seed=20 + row) for row, env in enumerate(singles)]
    random = np.random.default_rng(1)
    over = [False] * 4
    ends = 0
    for _ in range(150):
        assert seats.observation_space.contains(seen)
        actions = [int(random.choice(np.flatnonzero(mask))) for mask in info["action_mask"]]
        seen, rewards, ended, cut_off, info = seats.step(actions)
        for row, env in enumerate(singles):
            if over[row]:
                alone[row] = env.reset()
                mine: tuple[Any, ...] = (0.0, False, False)
            else:
                observation, *mine_, own = env.step(actions[row])
                alone[row], mine = (observation, own), tuple(mine_)
            assert (alone[row][0] == seen[row]).all()
            assert mine == (rewards[row], ended[row], cut_off[row])
            over[row] = bool(ended[row] or cut_off[row])
            ends += over[row]
            if not over[row]:
                assert (info["action_mask"][row] == alone[row][1]["action_mask"]).all()
                assert np.allclose(info["ev"][row], alone[row][1]["ev"])
    assert ends > 10


def test_a_vector_refuses_another_number_of_actions() -> None:
    """Three rows take three actions; without being asked for, values are not computed."""
    seats: Any = gymnasium.make_vec(NAME, num_envs=3, rules="online", render_mode="ansi")
    _, info = seats.reset(seed=1)
    assert "ev" not in info
    with pytest.raises(SetupError, match="Give 3 actions"):
        seats.step([1, 1])
    assert len(seats.render()) == 3


def test_the_mean_reward_is_the_exact_one() -> None:
    """A million rounds of always war at fresh shoes lose what the odds say."""
    seats: Any = gymnasium.make_vec(
        NAME, num_envs=4096, rules="online", shuffle="every_round", bankroll=1_000_000
    )
    seen, _ = seats.reset(seed=1)
    rounds, total = 0, 0.0
    for _ in range(250):
        choosing = seen[:, stepping.OBSERVED_PHASE] == 1
        seen, rewards, *_ = seats.step(np.where(choosing, 4, 1))
        total += rewards.sum()
        rounds += int((seen[:, stepping.OBSERVED_PHASE] == 0).sum())
    odds = Odds(load("online")).wager("primary")
    assert abs(total / rounds - float(odds.ev)) < 4.5 * odds.sd / rounds**0.5


def test_pictures() -> None:
    """Text, SVG and pixels show the cards of the last round."""
    for seed in range(40):
        text, drawn, grid = (
            made(rules="online", render_mode=mode) for mode in ("ansi", "svg", "rgb_array")
        )
        for env in (text, drawn, grid):
            env.reset(seed=seed)
        empty = grid.render()
        for env in (text, drawn, grid):
            env.step(2)
        if seed > 35 or text._episodes.numbers[0, stepping.PHASE] == stepping.CHOOSING:
            break
    shown = text.render()
    mine, dealers = cards_of(text)[:2]
    assert f"dealer  {dealers[0]}" in shown
    assert f"seat  {mine[0]}" in shown
    root = ET.fromstring(drawn.render())
    assert root.tag.endswith("svg")
    words = "".join(root.itertext())
    assert words.count("primary $10") == 1
    assert grid.render().shape == (240, 320, 3)
    assert grid.render().dtype == np.uint8
    assert (grid.render() != empty).any()
    assert made(rules="online").render() is None


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"rules": "nowhere"}, "nowhere"),
        ({"stakes": (0,)}, "bet must be at least one cent"),
        ({"stakes": ()}, "1 to 1000 bets"),
        ({"ties": (-5,)}, "amount"),
        ({"rounds": 1}, "at least 2 rounds"),
        ({"bankroll": 10}, "does not cover a bet of 1000"),
        ({"bankroll": 2**31}, "could pass 2147483647 cents"),
        ({"sees": "all"}, "'left' or 'seen'"),
        ({"rules": "washington", "war_tie": 100}, "offers no tie wager on the war deal"),
        ({"render_mode": "human"}, "ansi, rgb_array, svg or None, not 'human'"),
        ({"decks": 0}, "number of decks"),
        (
            {"rules": "maryland", "options": {"odd_half": "refuse"}, "stakes": (1001,)},
            "an even number",
        ),
    ],
    ids=str,
)
def test_what_is_no_seat(settings: dict[str, Any], sentence: str) -> None:
    """What cannot be played is refused with a sentence when the seat is made."""
    with pytest.raises(Refusal) as refused:
        SeatEnv(**settings)
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    ("settings", "choice"),
    [
        ({"steps": 5_000_000}, "war"),
        ({"steps": 2_000_000, "options": {"war_pays": "primary_lost"}}, "surrender"),
    ],
    ids=["war", "surrender"],
)
def test_a_trained_agent_reaches_the_exact_optimum(settings: dict[str, Any], choice: str) -> None:
    """The example's agent learns the best bet and choice, and regrets nothing in any state."""
    train = runpy.run_path(str(ROOT / "examples" / "train.py"))["train"]
    trained = train(**settings)
    assert len(trained.policy) == 27
    assert trained.policy[0] == "bet 1000"
    assert {action for state, action in trained.policy.items() if state} == {choice}
    assert set(trained.regret.values()) == {0.0}
