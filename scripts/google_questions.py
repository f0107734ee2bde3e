# pyright: reportUnknownMemberType=false
# pyright: reportMissingTypeStubs=false
"""What both emulators of Google's APIs are asked: each question is a few calls and the part of the answer that counts.

In their order, as later ones refer to what earlier ones made.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from googleapiclient.errors import HttpError

ME = "me@home.example"


@dataclass
class Side:
    """One of the two that are asked: its APIs, one with a token that nobody issued, and what earlier answers gave."""

    gmail: Any
    calendar: Any
    drive: Any
    stranger: Any
    kept: dict[str, Any] = field(default_factory=dict[str, Any])


Question = Callable[[Side], Any]
QUESTIONS: list[tuple[str, Question]] = []


def asks(what: str) -> Callable[[Question], Question]:
    """Put a question on the list."""

    def keep(question: Question) -> Question:
        QUESTIONS.append((what, question))
        return question

    return keep


def status(act: Callable[[], Any]) -> Any:
    """Return what comes of it, or the HTTP status of the refusal."""
    try:
        return act()
    except HttpError as error:
        return f"HTTP {error.status_code}"
