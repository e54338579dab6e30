"""Meters: fed exactly, never below their floors, won once, counted before any card, restored."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from clauses import proves
from table_strategies import Plan, RandomTable, plans
from tables import BUY_IN, DEALER, FLOOR, Play, problems, rules_of
from wartable import game, ledger, table
from wartable.game.messages import MeterName
from wartable.game.moves import MayLeave
from wartable.rules import RuleBook
from wartable.rules.model import Ratio
from wartable.table import commands as c
from wartable.table import events as e
from wartable.table.meters import show_meters
from wartable.table.state import MeterState


def wheel(stop: str) -> RuleBook:
    """Maryland with a wheel that stops at one hot spot only."""
    rules = rules_of("maryland")
    spin = rules.wagers.bonus_spin
    assert spin is not None
    spin = replace(spin, wheel=replace(spin.wheel, hot_spot={stop: 1}))
    return replace(rules, wagers=replace(rules.wagers, bonus_spin=spin))


def shared(rules: RuleBook, over: int, under: int) -> RuleBook:
    """The book with another contribution to the progressive meter."""
    progressive = rules.wagers.progressive
    assert progressive is not None
    meter = replace(progressive.meter, contribution=Ratio(over, under))
    wagers = replace(rules.wagers, progressive=replace(progressive, meter=meter))
    return replace(rules, wagers=wagers)


def top_award(*players: str, staffed: bool = False) -> Play:
    """A table just before the first of the players' suited four-of-a-kind is paid."""
    play = Play("maryland", staffed=staffed).join(*players).start()
    for player in players:
        play.bet(player, play.state.guests[player].seat or 0, primary=100, progressive=500)
    play.close().rig(" ".join(["7h"] * (len(players) + 1))).proceed()
    for player in players:
        play.do(game.Choose(player, play.state.guests[player].seat or 0, "war"))
    return play.rig(" ".join(["2c", "3c", "4c", *["7h"] * (len(players) + 1)]))


@settings(max_examples=40)
@given(plans(rounds=8, names=("maryland",), few=True))
def test_R7(plan: Plan) -> None:
    """Contributions and the house's seeds are what is paid and displayed, after every event."""
    play = RandomTable(plan, lambda _: None).run()
    for name, meter in play.state.meters.items():
        assert meter.fed + meter.seeded == meter.paid + meter.shown
        read = sum(event.amount for event in play.of(game.MeterRead) if event.meter == name)
        assert meter.paid == read - sum(_undone(play, name))


def _undone(play: Play, name: str) -> list[int]:
    """The readings of a meter in rounds that became void."""
    undone: list[int] = []
    this_round: list[int] = []
    for event in play.events:
        if isinstance(event, e.RoundStarted):
            this_round = []
        elif isinstance(event, game.MeterRead) and event.meter == name:
            this_round.append(event.amount)
        elif isinstance(event, game.RoundVoided):
            undone += this_round
    return undone


@settings(max_examples=30)
@given(st.lists(st.sampled_from([100, 500]), min_size=1, max_size=9), st.integers(1, 97))
def test_R7_remainders_are_carried(stakes: list[int], over: int) -> None:
    """A share below a cent is kept for the next wager: over time the meter gets it exactly."""
    rules = shared(rules_of("maryland", shuffle="every_round"), over, 997)
    play = Play(rules).join("ann")
    for stake in stakes:
        play.start().bet("ann", 1, primary=100, progressive=stake).close().rig("As 2c").finish()
    meter = play.state.meters["progressive"]
    assert meter.fed == sum(stakes) * over // 997
    assert meter.carry == sum(stakes) * over % 997
    assert meter.shown == 1_000_000 + meter.fed


@proves("engine", "MD-10-C-1", "MD-10-D-3a")
def test_MD_10_C_1() -> None:
    """Each wager feeds its meters by the book's rate, exactly; a book must say the rate."""
    play = Play("maryland").join("ann").start()
    play.bet("ann", 1, primary=100, progressive=500, bonus_spin=100).close()
    fed = {event.meter: (event.amount, event.carry) for event in play.of(e.MeterFed)}
    assert fed == {"progressive": (15, 0), "primary": (1, 0), "secondary": (1, 0)}
    missing = problems("maryland", wagers__progressive__meter__contribution=None)
    assert missing == ["wagers.progressive.meter.contribution: this key is missing."]
    for name in ("primary", "secondary"):
        key = f"wagers__bonus_spin__meters__{name}__contribution"
        assert len(problems("maryland", **{key: None})) == 1


@proves("engine", "MD-10-C-2")
@pytest.mark.parametrize("amount", ["initial", "reset"])
def test_MD_10_C_2(amount: str) -> None:
    """The progressive meter starts and restarts with $10,000 or more, and is reset when won."""
    key = f"wagers__progressive__meter__{amount}"
    assert problems("maryland", **{key: 1_000_000}) == []
    (told,) = problems("maryland", **{key: 999_999})
    assert told.startswith(f"wagers.progressive.meter.{amount}: at least 1000000")
    play = top_award("ann")
    play.proceed()
    assert play.of(e.MeterReset) == [e.MeterReset("progressive", 1_000_000)]
    assert play.state.meters["progressive"].shown == 1_000_000


@proves("engine", "MD-10-D-3b-i")
@pytest.mark.parametrize(("meter", "least"), [("primary", 1_000_000), ("secondary", 500_000)])
@pytest.mark.parametrize("amount", ["initial", "reset"])
def test_MD_10_D_3b_i(meter: str, least: int, amount: str) -> None:
    """The bonus spin's meters have at least $10,000 and $5,000."""
    key = f"wagers__bonus_spin__meters__{meter}__{amount}"
    assert problems("maryland", **{key: least}) == []
    assert len(problems("maryland", **{key: least - 1})) == 1


@proves("engine", "MD-2-C")
def test_MD_2_C() -> None:
    """The progressive wager is offered only with a meter behind it."""
    assert problems("maryland", wagers__progressive__meter=None)
    play = Play("maryland").join("ann").start()
    assert "progressive" in play.state.meters
    play.bet("ann", 1, primary=100, progressive=500)
    play = Play(rules_of("washington")).join("ann").start()
    play.bet("ann", 1, primary=100)
    assert play.state.meters == {}
    assert play.refuses(game.Bet("ann", 1, "progressive", 500)) == "not_offered"


@proves("engine", "MD-2-B-7")
@pytest.mark.parametrize("meter", ["primary", "secondary"])
def test_MD_2_B_7(meter: str) -> None:
    """The bonus spin is offered only with both of its meters behind it."""
    gone = (f"meters__{meter}", f"wheel__hot_spot__jackpot_{meter}")
    (told,) = problems("maryland", **{f"wagers__bonus_spin__{key}": None for key in gone})
    assert "both of its meters" in told
    assert meter in Play("maryland").state.meters


@proves("engine", "MD-10-C-3b", "MD-10-D-5b")
def test_MD_10_C_3b() -> None:
    """Envy and community pay follow the one table that the book designates."""
    assert problems("maryland", wagers__progressive__envy=None)
    assert problems("maryland", wagers__bonus_spin__community=None)
    rules = wheel("none")
    progressive, spin = rules.wagers.progressive, rules.wagers.bonus_spin
    assert progressive is not None
    assert spin is not None
    envy = replace(progressive.envy, pays=123_000)
    community = dict.fromkeys(spin.community, 4_500)
    wagers = replace(
        rules.wagers,
        progressive=replace(progressive, envy=envy),
        bonus_spin=replace(spin, community=community),
    )
    play = Play(replace(rules, wagers=wagers)).join("ann", "bob").start()
    play.bet("ann", 1, primary=100).bet("bob", 2, primary=100, progressive=500, bonus_spin=500)
    play.close().rig("7h Ac 7h").proceed()
    paid = [ev.returned for ev in play.of(game.Settled) if ev.wager == "bonus_spin"]
    assert paid == [4_500]
    play.do(game.Choose("ann", 1, "war"))
    play.rig("2c 3c 4c 7h 7h").proceed()
    assert [event.amount for event in play.of(game.EnvyPaid)] == [123_000]


@proves("engine", "MD-8-D-1b")
@pytest.mark.finding(14)
def test_MD_8_D_1b() -> None:
    """No card is dealt before the chips are as many as the wagers that the devices accepted."""
    play = Play("maryland", staffed=True).join("ann", "bob").start()
    play.bet("ann", 1, primary=100, progressive=500, bonus_spin=100)
    play.bet("bob", 2, primary=100, progressive=100)
    assert play.refuses(c.CountSideBets(DEALER, 2, 1)) == "no_count_due"
    play.do(game.CloseBets())
    assert play.what == "count"
    assert play.refuses(c.Proceed()) == "count_due"
    meters = play.state.meters
    for wrong in ((1, 1), (2, 2), (0, 0)):
        play.do(c.CountSideBets(DEALER, *wrong))
        assert play.events[-1] == e.CountDiffered(
            DEALER, *wrong, accepted={"progressive": 2, "bonus_spin": 1}
        )
        assert (play.what, play.state.miscounted) == ("count", True)
        assert play.refuses(c.Proceed()) == "count_due"
    assert play.state.meters == meters
    play.do(c.CountSideBets(DEALER, 2, 1))
    assert not play.state.miscounted
    assert play.refuses(c.CountSideBets(DEALER, 2, 1)) == "no_count_due"
    play.proceed()
    assert play.of(e.SideBetsCounted) == [e.SideBetsCounted(DEALER, 2, 1)]


def test_without_staff_the_platform_counts() -> None:
    """The record says that the platform counted."""
    play = Play("maryland").join("ann").start().bet("ann", 1, primary=100, progressive=500).close()
    assert play.of(e.SideBetsCounted) == [e.SideBetsCounted("platform", 1, 0)]


@proves("engine", "MD-8-D-1c")
def test_MD_8_D_1c() -> None:
    """The counted chips are the house's, less what the meters take of them."""
    play = Play("maryland", staffed=True).join("ann").start()
    before = play.accounts[ledger.HOUSE]
    play.bet("ann", 1, primary=1000, progressive=500, bonus_spin=500)
    play.do(game.CloseBets())
    assert (play.accounts[ledger.FELT], play.accounts[ledger.HOUSE]) == (2000, before)
    play.do(c.CountSideBets(DEALER, 1, 1))
    assert play.accounts[ledger.FELT] == 1000
    assert play.accounts[ledger.HOUSE] == before + 1000 - 15 - 5 - 5


@pytest.mark.parametrize("way", ["leave", "miss"])
def test_side_bets_gone_before_the_count(way: str) -> None:
    """A wager abandoned or void before the count is neither counted nor fed to a meter."""
    play = Play("maryland", staffed=True).join("ann", "bob").start()
    play.bet("ann", 1, primary=100, progressive=500).bet("bob", 2, primary=100, progressive=100)
    play.do(game.CloseBets(), game.Leave("ann") if way == "leave" else c.MissBox(DEALER, 1))
    play.do(c.CountSideBets(DEALER, 1, 0))
    assert play.state.meters["progressive"].fed == 3
    play.finish()
    lost = 600 if way == "leave" else 0
    stack = play.account.stacks.get("ann", BUY_IN + play.account.wallets["ann"])
    assert stack == BUY_IN - lost


@pytest.mark.parametrize("stakes", [(500, 100), (100, 100), (100, 500)])
def test_A10_a_void_box_takes_its_share_back(stakes: tuple[int, int]) -> None:
    """A box that got no card has fed no meter, to the part of a cent."""
    rules = shared(rules_of("maryland"), 7, 333)
    alone = Play(rules).join("ann", "bob").start()
    alone.bet("bob", 2, primary=100, progressive=stakes[1]).close()
    play = Play(rules).join("ann", "bob").start()
    play.bet("ann", 1, primary=100, progressive=stakes[0], bonus_spin=500)
    play.bet("bob", 2, primary=100, progressive=stakes[1]).close()
    play.do(c.MissBox(DEALER, 1))
    assert play.stack("ann") == BUY_IN
    assert play.state.meters == alone.state.meters
    assert play.state.meters["primary"].fed == 0


def test_A8_an_award_waits_for_the_floor() -> None:
    """At a table with staff nothing is paid before a floorperson, not the dealer, approves."""
    play = top_award("ann", staffed=True)
    play.do(c.Proceed())
    assert play.what == "approval"
    assert play.of(e.AwardPending) == [e.AwardPending("progressive")]
    shown = play.state.meters["progressive"].shown
    before = play.stack("ann")
    assert play.refuses(c.Proceed()) == "nothing_due"
    assert play.refuses(c.Approve("platform")) == "not_floor"
    play.do(c.Approve(FLOOR))
    assert play.stack("ann") - before == shown + 500 * 1001
    assert play.refuses(c.Approve(FLOOR)) == "no_award"


def test_A8_the_dealer_does_not_approve() -> None:
    """The dealer at the table is not the floor."""
    play = Play("maryland", staffed=True).join("ann").ready()
    play.do(c.ChangeDealer("dora"))
    play.start().bet("ann", 1, primary=100, progressive=500).close().rig("7h 7h").proceed()
    play.do(game.Choose("ann", 1, "war"))
    play.rig("2c 3c 4c 7h 7h").proceed()
    assert play.refuses(c.Approve("dora")) == "not_floor"


def test_A8_without_staff_the_platform_approves() -> None:
    """The record says that the platform approved."""
    play = top_award("ann").proceed()
    assert play.of(e.AwardApproved) == [e.AwardApproved("progressive", "platform")]
    assert not play.state.in_round


@proves("engine", "MD-10-D-4")
@pytest.mark.parametrize("staffed", [False, True])
def test_MD_10_D_4(staffed: bool) -> None:
    """Of two winners in a round the second gets the reset amount, each award on its own."""
    play = top_award("ann", "bob", staffed=staffed)
    shown = play.state.meters["progressive"].shown
    assert shown > 1_000_000
    play.finish()
    assert [event.amount for event in play.of(game.MeterRead)] == [shown, 1_000_000]
    assert len(play.of(e.AwardApproved)) == 2
    winners = [event.player for event in play.of(game.Settled) if event.returned > 1_000_000]
    assert winners == ["bob", "ann"]
    assert play.state.meters["progressive"].shown == 1_000_000


@pytest.mark.parametrize(("meter", "reset"), [("primary", 1_000_000), ("secondary", 500_000)])
def test_MD_10_D_1_a_jackpot_of_the_wheel(meter: str, reset: int) -> None:
    """A jackpot stop pays the whole of its own meter, which is reset, and leaves the others."""
    play = Play(wheel(f"jackpot_{meter}"), staffed=True).join("ann").start()
    play.bet("ann", 1, primary=100, bonus_spin=500).close().rig("As 7h").proceed()
    shown = {str(name): each.shown for name, each in play.state.meters.items()}
    assert play.what == "approval"
    play.do(c.Approve(FLOOR))
    assert [(ev.meter, ev.amount) for ev in play.of(game.MeterRead)] == [(meter, shown[meter])]
    after = {str(name): each.shown for name, each in play.state.meters.items()}
    assert after == {**shown, meter: reset}


@pytest.mark.finding(4)
@proves("engine", "MD-9-J-4e")
@pytest.mark.parametrize("leavers", ["bob", "ann", "ann bob", "cat", "ann bob cat"])
def test_A14_an_award_that_waits_is_paid_to_who_left(leavers: str) -> None:
    """Whoever leaves before the approval is paid what staying would pay, and so are the others.

    Cat wagers on the progressive without a tie and earns an envy bonus for each of the two hands.
    """

    def gains(*leaving: str) -> dict[str, int]:
        play = Play("maryland", staffed=True).join("ann", "bob", "cat").start()
        for seat, player in enumerate(("ann", "bob", "cat"), 1):
            play.bet(player, seat, primary=100, progressive=500)
        play.close().rig("7h 7h 9c 7h").proceed()
        play.do(game.Choose("ann", 1, "war"), game.Choose("bob", 2, "war"))
        play.rig("2c 3c 4c 7h 7h 7h").proceed()
        assert play.what == "approval"
        for player in leaving:
            play.do(game.Leave(player))
            assert play.what == "approval"
        play.finish()
        assert len(play.of(e.AwardPending)) == len(play.of(e.AwardApproved)) == 2
        assert len(play.of(game.EnvyPaid)) == 4
        for player in leaving:
            assert player not in play.state.guests
        there = {player: play.stack(player) for player in play.state.guests}
        return {p: play.account.wallets[p] + there.get(p, 0) for p in ("ann", "bob", "cat")}

    stayed = gains()
    assert stayed["cat"] == -500 + 100 + 2 * 500_000
    assert stayed["ann"] == 200 + 500 * 1000 + 1_000_000 + 500_000
    assert gains(*leavers.split()) == stayed


@pytest.mark.finding(4)
def test_A14_a_wheel_that_stopped_is_paid_to_who_left() -> None:
    """A jackpot that waits for approval, and what the wheel pays behind it, go to the wallets."""

    def gains(*leaving: str) -> dict[str, int]:
        play = Play(wheel("jackpot_primary"), staffed=True).join("ann", "bob").start()
        play.bet("ann", 1, primary=100, bonus_spin=500).bet("bob", 2, primary=100, bonus_spin=500)
        play.close().rig("As Ks 7h").proceed()
        assert play.what == "approval"
        for player in leaving:
            may = table.legal(play.setup, play.state, player)
            assert [move.forfeits for move in may if isinstance(move, MayLeave)] == [0]
            play.do(game.Leave(player))
        play.do(c.Approve(FLOOR))
        assert not play.state.in_round
        there = {player: play.stack(player) for player in play.state.guests}
        return {p: play.account.wallets[p] + there.get(p, 0) for p in ("ann", "bob")}

    stayed = gains()
    assert max(stayed.values()) > 990_000
    assert min(stayed.values()) > 0, "the community's stop pays the other one"
    for leaving in (["ann"], ["bob"], ["ann", "bob"], ["bob", "ann"]):
        assert gains(*leaving) == stayed


@pytest.mark.finding(4)
def test_A14_a_war_that_is_decided_is_settled_for_who_left() -> None:
    """Behind another's award a won war waits; its player leaves and is paid all of it."""
    play = Play("maryland", staffed=True).join("ann", "bob").start()
    play.bet("ann", 1, primary=1000, progressive=100).bet("bob", 2, primary=100, progressive=500)
    play.close().rig("7h 7h 7h").proceed()
    play.do(game.Choose("ann", 1, "war", 300), game.Choose("bob", 2, "war"))
    play.rig("2c 3c 4c Ks 7h 7h").proceed()
    assert play.what == "approval"
    play.do(game.Leave("ann"), c.Approve(FLOOR))
    # +10 for the won war, 3 lost with its tie wager, a suited tie pays the $1 wager 15 to 1;
    # the envy bonus for Bob's hand is $1,000 for $1.
    assert play.account.wallets["ann"] == 1000 - 300 + 1500 + 100_000
    assert [event.outcome for event in play.of(game.Settled)].count("abandoned") == 0


@pytest.mark.finding(4)
@proves("engine", "MD-7-B-4")
def test_A14_what_is_not_decided_is_lost_in_maryland() -> None:
    """Between the war's cards the wagers are lost, and the tie that was made is paid."""
    play = Play("maryland", staffed=True).join("ann", "bob").start()
    wagers = {"primary": 1000, "progressive": 500, "bonus_spin": 500}
    play.bet("ann", 1, **wagers).bet("bob", 2, primary=100).close().rig("9s 9h 9d").proceed()
    play.do(game.Choose("ann", 1, "war", 200), game.Choose("bob", 2, "war"))
    play.rig("2c 3c 4c 5s 6s 5h").proceed(4)
    assert table.legal(play.setup, play.state, "ann") == (MayLeave("ann", 1000 + 1000 + 200),)
    play.do(game.Leave("ann"))
    last = {event.wager: event for event in play.of(game.Settled) if event.player == "ann"}
    assert {kind: (ev.outcome, ev.returned) for kind, ev in last.items()} == {
        "bonus_spin": ("lost", 0),
        "primary": ("abandoned", 0),
        "war": ("abandoned", 0),
        "war_tie": ("abandoned", 0),
        "progressive": ("tie", 3000),
    }
    play.finish()
    assert play.account.wallets["ann"] == -500 - 2200 + 2500
    assert play.stack("bob") == BUY_IN + 100, "the war goes on for the other"


@pytest.mark.finding(4)
def test_A14_envy_for_a_line_reached_is_paid_when_its_holder_leaves() -> None:
    """In a book with envy for a suited tie, others are paid for the hand of one who goes."""
    rules = rules_of("maryland")
    progressive = rules.wagers.progressive
    assert progressive is not None
    envy = replace(progressive.envy, line="suited_tie")
    wagers = replace(rules.wagers, progressive=replace(progressive, envy=envy))
    for holds in (0, 500):
        play = Play(replace(rules, wagers=wagers), staffed=True).join("ann", "bob").start()
        play.bet("ann", 1, primary=100, **({"progressive": holds} if holds else {}))
        play.bet("bob", 2, primary=100, progressive=500).close().rig("9s 2c 9s").proceed()
        play.do(game.Leave("ann"))
        play.finish()
        assert [(ev.player, ev.amount) for ev in play.of(game.EnvyPaid)] == [("bob", 500_000)]


@pytest.mark.parametrize("when", ["count", "approval", "one paid"])
def test_A11_a_void_restores_the_meters(when: str) -> None:
    """Whenever a round becomes void, its meters are as before it, awards paid in it included."""
    play = top_award("ann", "bob", staffed=True)
    before = play.state.meters_before
    if when != "count":
        play.do(c.Proceed())
    if when == "one paid":
        play.do(c.Approve(FLOOR))
        assert play.stack("bob") > 1_000_000
    play.do(game.VoidRound("the shuffler jammed"))
    assert play.state.meters == before
    assert play.state.meters["progressive"].carry == before["progressive"].carry
    assert (play.stack("ann"), play.stack("bob")) == (BUY_IN, BUY_IN)
    assert play.state.award is None


METER_BEFORE = table.MeterState(shown=1000, carry=10, fed=100, seeded=900)
METER_NOW = table.MeterState(shown=1015, carry=60, fed=115, seeded=900)
OTHERS = [
    # Others put in 20.50: the meter before the round had 1000.10, and would have 1020.60.
    ((1036, 10, 136, 900, 0), (1020, 60, 120, 900, 0)),
    # Others won all that was shown, and the house seeded 500.
    ((500, 60, 115, 1400, 1015), (485, 10, 100, 1400, 1015)),
    # The house seeded 15: what the round had put in and others won is missing, no more.
    ((15, 60, 115, 915, 1015), (0, 10, 100, 915, 1015)),
    # The house seeded 10: it must put in 5 more.
    ((10, 60, 115, 910, 1015), (0, 0, 100, 915, 1015)),
]
"""A shared meter as it is read again, and as it was before the round without this table's part."""


@pytest.mark.finding(19)
@pytest.mark.parametrize(("read", "before"), OTHERS)
def test_a_shared_meter_is_kept_for_a_void_round(read: list[int], before: list[int]) -> None:
    """A void round undoes what this table did to a meter, and nothing that others did."""
    rules = shared(rules_of("maryland"), 3, 100)
    setup = replace(table.new_setup(rules, "t1"), meters="floor")
    started = Play(rules).join("ann").start().state
    state = replace(
        started,
        meters={"progressive": METER_NOW},
        meters_before={"progressive": METER_BEFORE},
    )
    new: dict[MeterName, table.MeterState] = {"progressive": table.MeterState(*read)}
    shown = show_meters(setup, state, 7, new)
    assert shown == e.MetersShown(7, new, {"progressive": table.MeterState(*before)})
    assert show_meters(setup, replace(state, round=None), 8, new) == e.MetersShown(8, new, new)


@pytest.mark.finding(19)
def test_a_table_with_its_own_meters_reads_no_others() -> None:
    """A reading of shared meters is refused where the table has its own."""
    play = Play("maryland").join("ann")
    with pytest.raises(game.Illegal) as refused:
        show_meters(play.setup, play.state, 1, play.state.meters)
    assert refused.value.code == "own_meters"


@pytest.mark.finding(19)
def test_a_void_round_keeps_what_other_tables_did_to_a_shared_meter() -> None:
    """Another table fed 40 cents and won 700 meanwhile, which was seeded again with 500."""
    play = Play("maryland").join("ann").start().bet("ann", 1, primary=1000, progressive=500)
    before = MeterState(shown=1_000, carry=0, fed=100, seeded=1_000, paid=100)
    here = MeterState(shown=1_025, carry=0, fed=125, seeded=1_000, paid=100)
    there = MeterState(shown=865, carry=0, fed=165, seeded=1_500, paid=800)
    held = {**play.state.meters, "progressive": here}
    then = {**play.state.meters, "progressive": before}
    state = replace(play.state, meters=held, meters_before=then)
    shared = replace(play.setup, meters="maryland")
    shown = show_meters(shared, state, 7, {**held, "progressive": there})
    assert shown.meters["progressive"] == there
    kept = MeterState(shown=840, carry=0, fed=140, seeded=1_500, paid=800)
    assert shown.before["progressive"] == kept
