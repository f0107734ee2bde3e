"""What only the owner can decide stops the reading: a question, with answers as buttons where there are some."""

from collections.abc import Iterable

from butler.orchestrator.planning.plan_types import Choice, Unclear

LABEL = 60
MOST = 8


class Asking(Exception):
    """Ends the reading of a request with a question to the owner."""

    def __init__(self, question: str, choices: Iterable[Choice] = (), stranger: str = "") -> None:
        super().__init__(question)
        self.unclear = Unclear(question, tuple(choices)[:MOST], stranger)


def choice(label: str, words: str) -> Choice:
    """A button; a long label is cut, the words never are."""
    line = " ".join(label.split())
    return Choice(line if len(line) <= LABEL else f"{line[: LABEL - 1]}…", words)
