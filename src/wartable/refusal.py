"""The one family of what is refused: a code for programs, and a sentence for people.

A refusal is raised where it is decided and caught at the edges: by the command line, the HTTP
application, a WebSocket connection, a table's answer.
"""

from typing import ClassVar


class Refusal(ValueError):
    """A refusal to do what was asked, with the reason as a code and as a sentence."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence


class Unusable(Refusal):
    """A refusal of input that cannot be used; all refusals of one class have the same code."""

    kind: ClassVar[str]

    def __init__(self, sentence: str) -> None:
        super().__init__(self.kind, sentence)
