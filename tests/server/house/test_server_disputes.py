"""Disputes: a player says that a round is wrong, the floor answers, and the records agree."""

from pathlib import Path
from unittest import mock

import pytest

from hosting import Client, Json
from opened_houses import opened
from staffed_tables import House, win_lose_win
from waiting import in_time
from wartable.server.audit import verify
from wartable.server.denied import Denied
from wartable.server.house import disputes
from wartable.server.house.complaints import Complaints
from wartable.server.house.disputes import DAY_MAX, FLOOR_MAX, OPEN_MAX
from wartable.server.records.counting import DAY_MS
from wartable.server.records.facts import AnswerFacts, DisputeFacts
from wartable.server.records.journal import Broken
from wartable.server.records.messages import Correct, Note
from wartable.server.records.schema import results

BOOKS = ("maryland", "california")
GUESTS = 3
MD, CA = "md disputed", "ca disputed"


@pytest.fixture(scope="module")
def played(house: House) -> House:
    """A house in which the second guest lost $7 at a table of the house's and won as a bank."""
    with house.table("maryland", 1, 2, 3, name=MD) as table:
        table.play(win_lose_win, {"primary": 500}, {"primary": 700}, {"primary": 1_000})
        table.start()
        table.place({"primary": 500}, {"primary": 500}, {"primary": 500})
        table.must(table.floor, "void_round", reason="a test")
    with house.table("california", 1, 2, name=CA) as table:
        ann, bob = table.players
        table.open(lambda cards: cards[0][0] != cards[1][0])
        table.must(ann, "take_bank", amount=1_500)
        table.start()
        table.bet(bob, 2, 1_000)
        table.must(table.dealer, "close_bets")
        table.proceed()
    return house


def raised(client: Client, number: int = 1, table: str = MD, status: int = 201) -> Json:
    """A dispute, or its refusal."""
    words = "The dealer's card was lower."
    found: Json = client.post("/me/disputes", status, table=table, round=number, words=words)
    return found


def answered(client: Client, number: int, status: int = 200, **body: object) -> Json:
    """An answer, or its refusal."""
    asked = {"end": "stands", "words": "The cameras show a king.", **body}
    found: Json = client.post(f"/disputes/{number}/answer", status, **asked)
    return found


def wallet(client: Client) -> int:
    """What somebody has in the wallet."""
    return int(client.get("/me")["holds"]["wallet"])


def test_a_round_is_taken_back(played: House) -> None:
    """The floor gets the round with its result; the player gets what it cost, and the answer."""
    bob, floor = played.guests[1], played.staff.floor
    before, lost = wallet(bob), bob.get("/me")["session_net"]
    assert raised(played.guests[2], number=99, status=404)["code"] == "no_round"
    assert raised(bob, table="nowhere", status=404)["code"] == "no_round"
    dispute = raised(bob)
    assert raised(bob, status=409)["code"] == "disputed"
    assert floor.get("/staff")["disputes"] == 1
    (shown,) = floor.get("/disputes")
    assert shown["dispute"] == dispute
    assert (shown["result"]["player"], shown["result"]["net"]) == (bob.name, -700)
    number = dispute["number"]
    for body, code in (
        ({"amount": 5}, "stands"),
        ({"end": "void", "amount": 5}, "void"),
        ({"end": "corrected"}, "no_amount"),
        ({"end": "corrected", "amount": FLOOR_MAX + 1}, "too_much"),
    ):
        assert answered(floor, number, 409, **body)["code"] == code
    assert answered(floor, 10**6, 404)["code"] == "no_dispute"
    assert wallet(bob) == before
    for net in (-70_000, -700):  # somebody puts a larger loss into the database for a moment
        with played.hosted.house.engine.begin() as connection:
            mine = (results.c.table_name == MD) & (results.c.player == bob.name)
            change = results.update().where(mine, results.c.round == 1)
            assert connection.execute(change.values(net=net)).rowcount == 1
        if net != -700:
            assert answered(floor, number, 409, end="void")["code"] == "not_ours"
            assert wallet(bob) == before
    answered(floor, number, end="void")
    assert wallet(bob) == before + 700
    assert bob.get("/me")["session_net"] == lost + 700
    (own,) = bob.get("/me/disputes")
    answer = own["answer"]
    assert (answer["by"], answer["end"], answer["amount"]) == (floor.name, "void", 700)
    assert answered(floor, number, 409)["code"] == "answered"
    assert floor.get("/staff")["disputes"] == 0
    assert wallet(bob) == before + 700
    with played.hosted.admin() as admin:
        assert admin.get("/records/report")["corrected"] == 700
    for kind in ("round_disputed", "dispute_answered"):
        (event,) = played.hosted.significant(kind)
        assert event["subject"] == bob.name
        assert f"{MD}, round 1" in event["before"] + event["after"]


def test_each_role_has_its_part(played: House) -> None:
    """Nobody but the floor and administrators answers, and nobody reads another's disputes."""
    carl, dealer, floor = played.guests[2], played.staff.dealer, played.staff.floor
    number = raised(carl)["number"]
    assert [each["number"] for each in carl.get("/me/disputes")] == [number]
    assert number not in [each["number"] for each in played.guests[1].get("/me/disputes")]
    with played.hosted.staff("auditor") as auditor, played.hosted.admin() as admin:
        for client in (carl, dealer, auditor):
            assert answered(client, number, 403)["code"] == "not_your_part"
        for client in (carl, dealer):
            client.get("/disputes", 403)
        assert auditor.get("/disputes")[0]["dispute"]["number"] == number
        with played.hosted.http() as nobody:
            body = {"table": MD, "round": 1, "words": "mine"}
            assert nobody.post("/me/disputes", json=body).status_code == 401
            assert nobody.get("/disputes").status_code == 401
        # A round that won has nothing to give back, and only an administrator pays much.
        assert answered(floor, number, 409, end="void")["code"] == "nothing_lost"
        assert answered(floor, number, 409, end="corrected", amount=FLOOR_MAX + 1)["code"]
        before = wallet(carl)
        answered(admin, number, end="corrected", amount=FLOOR_MAX + 1)
        assert wallet(carl) == before + FLOOR_MAX + 1


def test_nobody_answers_for_themselves(played: House) -> None:
    """A player who has become the floor leaves the own dispute to somebody else."""
    ann = played.hosted.sign_in(played.guests[0].name, played.guests[0].password)
    number = raised(ann)["number"]
    with played.hosted.admin() as admin:
        admin.put(f"/accounts/{ann.name}/role", role="floor", reason="hired")
        ann = played.hosted.sign_in(ann.name, ann.password)
        assert answered(ann, number, 403)["code"] == "own_dispute"
        answered(played.staff.floor, number)
        admin.put(f"/accounts/{ann.name}/role", role="player", reason="left")
    # Her sessions have ended with the change.
    played.guests[0].http.headers["Authorization"] = (
        f"Bearer {played.hosted.sign_in(ann.name, ann.password).token}"
    )


def test_the_house_does_not_pay_where_players_bank(played: House) -> None:
    """The house has no part in California's wagers: it can only say that the round stands."""
    bob, floor = played.guests[1], played.staff.floor
    number = raised(bob, table=CA)["number"]
    for body in ({"end": "void"}, {"end": "corrected", "amount": 500}):
        assert answered(floor, number, 409, **body)["code"] == "not_banked"
    answered(floor, number)


def test_a_payment_is_made_once(played: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a crash between payment and answer, only that answer is taken, and nothing twice."""
    bob, floor = played.guests[1], played.staff.floor
    number = raised(bob)["number"]
    before = wallet(bob)
    office = played.hosted.house.office
    with monkeypatch.context() as crash:
        failing = mock.AsyncMock(side_effect=Denied("database", "It failed here."))
        crash.setattr(office, "note", failing)
        answered(floor, number, 503, end="corrected", amount=300)
    assert wallet(bob) == before + 300
    for body in ({}, {"end": "void"}, {"end": "corrected", "amount": 200}):
        assert answered(floor, number, 409, **body)["code"] == "already_paid"
    answered(floor, number, end="corrected", amount=300)
    assert wallet(bob) == before + 300


def test_disputes_have_a_limit(played: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody fills the floor's list: so many wait, and so many are raised in a day."""
    carl, floor, clock = played.guests[2], played.staff.floor, played.hosted.clock
    monkeypatch.setattr(disputes, "OPEN_MAX", 1)
    number = raised(carl)["number"]
    assert raised(carl, number=2, status=409)["code"] == "too_many_disputes"
    answered(floor, number)
    monkeypatch.setattr(disputes, "DAY_MAX", 1)  # whatever the tests before have raised
    assert raised(carl, status=409)["code"] == "too_many_disputes"
    clock.ahead_ms += DAY_MS  # and stays there, since no row may be older than another
    carl = played.hosted.sign_in(carl.name, carl.password)
    floor = played.hosted.sign_in(floor.name, floor.password)
    answered(floor, raised(carl)["number"])
    long = {"table": MD, "round": 1, "words": "x" * 501}
    assert carl.http.post("/me/disputes", json=long).status_code == 400
    assert (OPEN_MAX, DAY_MAX) == (10, 20)


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (("raise", "pay 300", "answer 300"), None),
        (("raise", "pay 300"), None),
        (("raise", "answer 0"), None),
        (("raise", "answer 300"), "a payment that the cashier never made"),
        (("raise", "pay 300", "answer 200"), "paid 300 for dispute 1, its answer says 200"),
        (("pay 300",), "for dispute 1, which is not theirs"),
        (("raise", "answer 0", "answer 0"), "has no open dispute 1"),
        (("answer 0",), "has no open dispute 1"),
    ],
)
def test_answers_and_payments_fit(rows: tuple[str, ...], told: str | None) -> None:
    """What the office says of disputes and what the cashier paid must agree."""

    def read() -> str | None:
        found = Complaints()
        for row in rows:
            what, _, amount = row.partition(" ")
            if what == "raise":
                found.raised(1, "ann", 5, DisputeFacts("online 1", 1), "wrong")
            elif what == "pay":
                found.paid[1] = ("ann", int(amount))
            else:
                end = "corrected" if int(amount) else "stands"
                facts = AnswerFacts(1, end, int(amount))  # type: ignore[arg-type]  # an end
                found.answered("floor", "ann", 6, facts, "so")
        return found.problem()

    if told is None:
        assert read() is None
        return
    try:
        problem = read() or ""
    except ValueError as error:
        problem = str(error)
    assert told in problem


def test_verify_covers_disputes(tmp_path: Path) -> None:
    """A dispute about a round that nobody played, and a payment without a dispute, are named."""

    async def forged(*work: str) -> str:
        folder = tmp_path / "-".join(work)
        address = str(tmp_path / f"{'-'.join(work)}.sqlite")
        house = await opened(folder, address)
        await house.accounts.open("admin", "ann-lee", "correct horse battery")
        try:
            if "dispute" in work:
                facts = DisputeFacts("online 1", 1)
                await house.office.note("ann-lee", Note("round_disputed", "ann-lee", facts=facts))
            if "pay" in work:
                await house.cashier.carry_out("x", "x", Correct("ann-lee", 300, 7))
            verify.verify(house.engine, house.key)
        except Broken as error:
            return str(error)
        finally:
            await house.stop()
        return ""

    assert in_time(forged()) == ""
    assert "ann-lee disputes online 1 round 1, and took no part" in in_time(forged("dispute"))
    assert "paid ann-lee for dispute 7, which is not theirs" in in_time(forged("pay"))
