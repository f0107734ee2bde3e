"""The records of a parsed mail, which travel from the child process that parses to the daemon.

Their content comes from the sender; only `problems` are ours. This module imports nothing else of ours.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints


@dataclass(frozen=True, slots=True)
class Address:
    """An address in lower case, and its display name."""

    address: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class AttachedFile:
    """A part of a mail that is no text to read. Its bytes travel separately."""

    name: str
    media_type: str
    size: int
    content_id: str = ""
    inline: bool = False
    """Whether the text shows it as a picture."""
    within: str = ""
    """The name of the attached mail that contains it; empty for a file of the mail itself."""


@dataclass(frozen=True, slots=True)
class Link:
    """A link as it is shown, and where it really leads."""

    text: str
    target: str


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a calendar part (RFC 5545). Times are ISO 8601: a date for whole days, else with an offset.

    A time without an offset is a local time wherever somebody is, or in `unknown_zone`. For whole days, `ends` is the
    day after the last.
    """

    method: str
    uid: str
    sequence: int = 0
    status: str = ""
    """STATUS in upper case."""
    recurrence_id: str = ""
    following: bool = False
    """Whether it concerns the occurrence with `recurrence_id` and all later ones."""
    summary: str = ""
    location: str = ""
    starts: str = ""
    ends: str = ""
    unknown_zone: str = ""
    """The name of a time's zone, if no zone of this name is known."""
    rule: str = ""
    organizer: Address | None = None
    attendees: tuple[Address, ...] = ()
    answer: str = ""
    """The first attendee's answer (PARTSTAT), in a REPLY."""


@dataclass(frozen=True, slots=True)
class Report:
    """A delivery report (RFC 3464) about one recipient."""

    action: str
    recipient: str
    status: str = ""
    diagnostic: str = ""
    message_id: str = ""
    """The Message-ID of the reported mail."""
    mark: str = ""
    """Butler's mark in the reported mail, if it is one of Butler's."""


@dataclass(frozen=True, slots=True)
class Invoice:
    """The facts of an invoice as written, each of which may be empty; `due` is an ISO date."""

    amount: str = ""
    due: str = ""
    number: str = ""


@dataclass(frozen=True, slots=True)
class Forwarded:
    """The inner mail of a forward."""

    sender: Address | None = None
    to: tuple[Address, ...] = ()
    subject: str = ""
    date: str = ""
    """The date as written."""
    sent_at: str = ""
    """The date as ISO 8601 in UTC; empty if it cannot be read."""
    text: str = ""
    message_id: str = ""
    attached: bool = False
    """Whether it was attached whole, as a file."""
    one_click: bool = False
    """Whether an attached mail offers unsubscribing by one POST."""


@dataclass(frozen=True, slots=True)
class Filled:
    """A problem with values: its text among the problems, and the phrase to translate."""

    told: str
    phrase: str
    values: dict[str, str]

    @classmethod
    def of(cls, phrase: str, values: dict[str, str]) -> "Filled":
        """Fill a phrase that has the names of values in braces."""
        return cls(phrase.format(**values), phrase, values)


@dataclass(frozen=True, slots=True)
class ParsedMail:
    """A mail's fields."""

    subject: str = ""
    sender: Address | None = None
    to: tuple[Address, ...] = ()
    cc: tuple[Address, ...] = ()
    reply_to: tuple[Address, ...] = ()
    sent_at: str = ""
    """The date as ISO 8601 in UTC; empty if there is none that can be read."""
    message_id: str = ""
    in_reply_to: str = ""
    references: tuple[str, ...] = ()
    auto_submitted: str = ""
    precedence: str = ""
    list_id: str = ""
    butler_mark: str = ""
    authentication_results: tuple[str, ...] = ()
    """The headers as written, topmost first."""
    return_path: str | None = None
    """The envelope's sender, empty for the null path; None if no server recorded it."""
    list_unsubscribe: tuple[str, ...] = ()
    """The `https:` and `mailto:` addresses of the header, as written."""
    one_click: bool = False
    """Whether the mail offers unsubscribing by one POST (RFC 8058)."""
    several_senders: bool = False
    marks: tuple[str, ...] = ()
    """Header lines by which machines identify themselves, in lower case, such as `x-loop: a@b`."""
    hops: int = 0
    """The number of servers that the mail passed."""
    media_type: str = ""
    """The media type of the whole mail, with `; report-type=...` if it has one."""
    text: str = ""
    words: str = ""
    """The sender's words above anything quoted or forwarded; the whole text if nothing is."""
    command: str = ""
    """The words that may command, if any: those above everything that may be another's by its form."""
    doubtful: str = ""
    """The other words, which may or may not be the sender's."""
    quotes: bool = False
    """Whether the text quotes an earlier mail."""
    forwarded: Forwarded | None = None
    links: tuple[Link, ...] = ()
    event: Event | None = None
    reports: tuple[Report, ...] = ()
    kind: str = "personal"
    """A `MailKind`."""
    topics: tuple[str, ...] = ()
    """The `Topic`s of the mail at issue."""
    invoice: Invoice | None = None
    protection: str = ""
    """`signed` or `encrypted`; else empty."""
    attachments: tuple[AttachedFile, ...] = ()
    problems: tuple[str, ...] = ()
    filled: tuple[Filled, ...] = ()
    """The problems that have values."""
    of_form: tuple[str, ...] = ()
    """The problems that lose no content, or that are visible in the shown text."""

    @property
    def thread_root(self) -> str:
        """The Message-ID of the conversation's first mail, as far as this mail's headers name it; may be empty."""
        return next((known for known in (*self.references, self.in_reply_to) if known), self.message_id)


def to_json(mails: Sequence[ParsedMail]) -> bytes:
    """Return mails in their transport form; default values are left out."""
    return json.dumps(mails, default=_told).encode()


def _told(record: Any) -> dict[str, object]:
    return {field.name: value for field in fields(record) if (value := getattr(record, field.name)) != field.default}


def from_json(answer: bytes) -> list[ParsedMail]:
    """Return the mails that `to_json` wrote."""
    return [_built(ParsedMail, item) for item in json.loads(answer)]


_SHAPES: dict[type, dict[str, tuple[Any, bool]]] = {}
"""For each record type, its fields that are records: the inner type, and whether the field is a tuple."""


def _built(kind: type[Any], data: dict[str, Any]) -> Any:
    for name, (inner, several) in _shape(kind).items():
        value = data.get(name)
        if value is None:
            continue
        if several:
            data[name] = tuple(value if inner is None else (_built(inner, item) for item in value))
        else:
            data[name] = _built(inner, value)
    return kind(**data)


def _shape(kind: type[Any]) -> Mapping[str, tuple[Any, bool]]:
    if kind not in _SHAPES:
        hints = get_type_hints(kind)
        _SHAPES[kind] = {f.name: shape for f in fields(kind) if (shape := _of_hint(hints[f.name])) is not None}
    return _SHAPES[kind]


def _of_hint(hint: Any) -> tuple[Any, bool] | None:
    if get_origin(hint) is tuple:
        inner = get_args(hint)[0]
        return (inner if is_dataclass(inner) else None), True
    if get_origin(hint) in {Union, UnionType}:
        hint = next(one for one in get_args(hint) if one is not NoneType)
    return (hint, False) if is_dataclass(hint) else None
