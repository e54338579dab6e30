"""Money between the outside world and the wallets: the only writer of the cashier's rows."""

from wartable.server.clock import Clock
from wartable.server.records import journal
from wartable.server.records.answers import Accepted, Answer, RefusedCommand
from wartable.server.records.chain import HouseChain
from wartable.server.records.decisions import of_house
from wartable.server.records.journal import Head
from wartable.server.records.keys import HouseKey
from wartable.server.records.messages import Correct, PayIn, PayOut
from wartable.server.records.rows import CASHIER, Claim, Commit
from wartable.server.records.store import CommitRefused, Repeated

CashierCommand = PayIn | PayOut | Correct

ID_USED = ("id_used", "This id was used for another movement.")


class Cashier(HouseChain):
    """Deposits and withdrawals, one for each id."""

    def __init__(self, commit: Commit, clock: Clock, key: HouseKey, head: Head | None) -> None:
        super().__init__(CASHIER, commit, clock, key, head)

    async def carry_out(
        self, actor: str, command_id: str, command: CashierCommand, claim: Claim | None = None
    ) -> Answer:
        """Write one movement; refuse it if the wallet cannot pay, or its claim does not hold."""
        try:
            decision = of_house(CASHIER, command)
            number = await self.write(actor, command_id, decision, claim=claim)
        except Repeated as error:
            if journal.read_command(error.command) == command:
                return Accepted(command_id, error.number)
            return RefusedCommand(command_id, *ID_USED)
        except CommitRefused as error:
            return RefusedCommand(command_id, error.code, error.sentence)
        return Accepted(command_id, number)
