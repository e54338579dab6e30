"""Money: an amount in whole minor units, and one movement of it."""

from typing import Annotated

import msgspec

Amount = Annotated[int, msgspec.Meta(ge=0, le=10**18)]


class Transfer(msgspec.Struct, frozen=True, gc=False):
    """One movement of money between two accounts of the ledger."""

    source: str
    target: str
    amount: Amount
