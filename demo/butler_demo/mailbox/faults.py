"""Faults by order: what the stand-in shall do wrong, how often, kept apart from how it does right."""

from dataclasses import dataclass
from typing import Literal

SmtpStage = Literal["connect", "auth", "mail", "rcpt", "data", "after_data"]
ImapAnswer = Literal["NO", "BAD", "BYE", "DROP", "HANG"]


@dataclass(frozen=True, slots=True)
class SmtpFault:
    """An SMTP answer to give; without a code the connection is cut with no answer."""

    code: int | None
    text: str


@dataclass(frozen=True, slots=True)
class ImapFault:
    """What a command gets: a tagged NO or BAD, a BYE, a cut connection, or no answer for ever."""

    answer: ImapAnswer
    text: str
