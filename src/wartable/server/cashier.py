"""Money between the world outside and the wallets: the one writer of the cashier's rows."""

from wartable.server import journal, records
from wartable.server.chain import Chain
from wartable.server.live import Accepted, Answer, Refusal
from wartable.server.records import CASHIER, PayIn, PayOut
from wartable.server.store import Refused, Repeated


class Cashier(Chain):
    """Deposits and withdrawals, each once for its id."""

    name = CASHIER

    async def carry_out(self, actor: str, command_id: str, command: PayIn | PayOut) -> Answer:
        """Write one movement; a wallet that cannot pay refuses it."""
        _, moved = records.moved_by(CASHIER, None, records.decide(None, None, command))
        try:
            number = await self.write(actor, command_id, command, moved)
        except Repeated as error:
            if journal.read_command(error.command) == command:
                return Accepted(command_id, error.number)
            return Refusal(command_id, "id_used", "This id was used for another movement.")
        except Refused as error:
            return Refusal(command_id, error.code, error.sentence)
        return Accepted(command_id, number)
