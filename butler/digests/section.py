"""A section of a digest: its kind, the number of its entries, and a line for each."""

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from zoneinfo import ZoneInfo

from butler.contract.card import Rich


class SectionKind(StrEnum):
    """The kind of a section, in the order of display."""

    AGENDA = "agenda"
    REMINDERS = "reminders"
    CARDS = "cards"
    ANSWERS = "answers"
    """Mails that need the owner's answer."""
    CHATS = "chats"
    """Chats in which somebody waits for one."""
    WAITS = "waits"
    """Overdue answers that the owner waits for."""
    MAILS = "mails"
    BUTLERS = "butlers"
    """Mails to the butler."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Section:
    """One section, never empty."""

    kind: SectionKind
    count: int
    lines: tuple[Rich, ...] = ()


@dataclass(frozen=True, slots=True)
class DigestPeriod:
    """What a digest covers: what came since the last one, and one day."""

    since: datetime
    until: datetime
    day: date
    zone: ZoneInfo
    tomorrow: bool = False
    """Whether its day is the one after the digest."""
