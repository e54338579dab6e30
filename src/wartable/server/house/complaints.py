"""What players dispute: the round, their words, and the answer of the house."""

import msgspec
from msgspec.structs import replace

from wartable.server.records.facts import AnswerFacts, DisputeEnd, DisputeFacts


class DisputeAnswer(msgspec.Struct, frozen=True):
    """The answer to a dispute: who gave it, when, how it ended, what was paid, and why."""

    by: str
    at_ms: int
    end: DisputeEnd
    amount: int
    words: str


class Dispute(msgspec.Struct, frozen=True):
    """A round that a player finds wrong; its number is that of its row in the office's chain."""

    number: int
    player: str
    at_ms: int
    table: str
    round: int
    words: str
    answer: DisputeAnswer | None = None


class Complaints(msgspec.Struct):
    """Every dispute by its number, and what the cashier's rows paid for each."""

    all: dict[int, Dispute] = {}
    paid: dict[int, tuple[str, int]] = {}
    """The player and the amount; only a check of the records fills it."""

    def raised(self, number: int, player: str, at_ms: int, facts: DisputeFacts, words: str) -> None:
        """Add a dispute."""
        self.all[number] = Dispute(number, player, at_ms, facts.table, facts.round, words)

    def answered(self, by: str, player: str, at_ms: int, facts: AnswerFacts, words: str) -> None:
        """Add the answer to an open dispute; `ValueError` if there is none of this player."""
        found = self.all.get(facts.dispute)
        if found is None or found.answer is not None or found.player != player:
            raise ValueError(f"{player} has no open dispute {facts.dispute}")
        answer = DisputeAnswer(by, at_ms, facts.end, facts.amount, words)
        self.all[facts.dispute] = replace(found, answer=answer)

    def open(self, player: str | None = None) -> list[Dispute]:
        """The disputes without an answer, of this player or of everybody."""
        return [
            each
            for each in self.all.values()
            if each.answer is None and player in (None, each.player)
        ]

    def problem(self) -> str | None:
        """Why answers and payments do not fit each other, if they do not.

        A payment is written before its answer, so one without an answer is not wrong.
        """
        for number, (player, amount) in self.paid.items():
            dispute = self.all.get(number)
            if dispute is None or dispute.player != player:
                return f"the cashier paid {player} for dispute {number}, which is not theirs"
            if dispute.answer is not None and dispute.answer.amount != amount:
                answered = dispute.answer.amount
                return f"the cashier paid {amount} for dispute {number}, its answer says {answered}"
        for number, dispute in self.all.items():
            if dispute.answer is not None and dispute.answer.amount and number not in self.paid:
                return f"the answer to dispute {number} says a payment that the cashier never made"
        return None
