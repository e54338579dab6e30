"""Money between the world outside and the wallets: the one writer of the cashier's rows."""

from wartable.server.records import journal, messages
from wartable.server.records.answers import Accepted, Answer, RefusedCommand
from wartable.server.records.chain import Chain
from wartable.server.records.messages import CASHIER, PayIn, PayOut
from wartable.server.records.store import CommitRefused, Repeated


class Cashier(Chain):
    """Deposits and withdrawals, each once for its id."""

    name = CASHIER

    async def carry_out(self, actor: str, command_id: str, command: PayIn | PayOut) -> Answer:
        """Write one movement; a wallet that cannot pay refuses it."""
        _, moved = messages.moved_by(CASHIER, None, messages.decide(None, None, command))
        try:
            number = await self.write(actor, command_id, command, moved)
        except Repeated as error:
            if journal.read_command(error.command) == command:
                return Accepted(command_id, error.number)
            return RefusedCommand(command_id, "id_used", "This id was used for another movement.")
        except CommitRefused as error:
            return RefusedCommand(command_id, error.code, error.sentence)
        return Accepted(command_id, number)
