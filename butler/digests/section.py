"""A part of a digest: what it is about, how many there are, and a line for each."""

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from zoneinfo import ZoneInfo

from butler.contract.card import Rich


class SectionKind(StrEnum):
    """What a part is about, in the order in which they stand."""

    AGENDA = "agenda"
    REMINDERS = "reminders"
    CARDS = "cards"
    ANSWERS = "answers"
    """Mails that need an answer of the person's."""
    CHATS = "chats"
    """Chats in which somebody waits for one."""
    WAITS = "waits"
    """Answers that the person waits for, and that are overdue."""
    MAILS = "mails"
    BUTLERS = "butlers"
    """Mails to the butler."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Section:
    """One part; empty ones are not made."""

    kind: SectionKind
    count: int
    lines: tuple[Rich, ...] = ()


@dataclass(frozen=True, slots=True)
class Stretch:
    """What a digest is about: what came since the one before it, and one day."""

    since: datetime
    until: datetime
    day: date
    zone: ZoneInfo
    tomorrow: bool = False
    """Whether its day is the one after the digest."""
