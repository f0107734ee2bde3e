"""The provenance of values. Untrusted text is a type of its own, so that it cannot pass for the owner's words."""

from enum import StrEnum
from typing import Generic, Self, TypeVar

from pydantic import BaseModel

T = TypeVar("T")


class Trust(StrEnum):
    """The trust in the author of a value, from the owner down to anybody."""

    OWNER = "owner"
    BUTLER = "butler"
    CONTACT = "contact"
    UNTRUSTED = "untrusted"


class SourceKind(StrEnum):
    """The kinds of sources that have values. The kinds are stored, so a released one keeps its value."""

    MAIL = "mail"
    """Has `who` wrote it, empty if unknown; so do all kinds below unless they say otherwise."""
    MAIL_QUOTED = "mail_quoted"
    MAIL_FORWARDED = "mail_forwarded"
    MESSAGE = "message"
    TELEGRAM_MESSAGE = "telegram_message"
    FORWARDED_MESSAGE = "forwarded_message"
    DELIVERY_REPORT = "delivery_report"
    FILE = "file"
    """Has `name`, as do all kinds below."""
    FILE_FROM = "file_from"
    """Has `who` too."""
    FILE_FROM_CHAT = "file_from_chat"
    DRIVE_FILE = "drive_file"
    PAGE = "page"
    WEBHOOK = "webhook"
    ALERT = "alert"


class SourceName(BaseModel, frozen=True):
    """How a source is named to a person: a code with its values, worded where it is shown."""

    kind: SourceKind
    who: str = ""
    name: str = ""


class Origin(BaseModel, frozen=True):
    """One source of a value: who stands behind it, and where it was read (`telegram:42`, `mail:<id>`)."""

    trust: Trust
    source: str
    shown_as: SourceName | str = ""
    """The source's name on a card: with its values, or a text marked by `phrase`."""
    set_going: bool = False
    """Whether it only triggered the act, such as the event of an automation, and contributed nothing to the value."""

    @classmethod
    def owner(cls, source: str) -> Self:
        return cls(trust=Trust.OWNER, source=source, shown_as="your own words")

    @classmethod
    def butler(cls, source: str = "butler") -> Self:
        return cls(trust=Trust.BUTLER, source=source, shown_as="Butler")


class Labelled(BaseModel, Generic[T], frozen=True):
    """A value with the union of its sources' labels."""

    value: T
    origins: frozenset[Origin]

    @property
    def tainted(self) -> bool:
        """Whether anybody but the owner, the butler's own code or a confirmed contact influenced the value."""
        return not self.origins or any(origin.trust is Trust.UNTRUSTED for origin in self.origins)

    @property
    def from_owner(self) -> bool:
        """Whether every source is the owner or the butler's own deterministic code."""
        return bool(self.origins) and all(o.trust in {Trust.OWNER, Trust.BUTLER} for o in self.origins)
