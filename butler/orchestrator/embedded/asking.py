"""Ends the reading of a request with a question that only the owner can decide, and answers as buttons."""

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
    """Return a button; a long label is cut, its words never are."""
    line = " ".join(label.split())
    return Choice(line if len(line) <= LABEL else f"{line[: LABEL - 1]}…", words)
