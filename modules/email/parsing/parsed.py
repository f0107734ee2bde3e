"""The records of a parsed mail, which travel from the child process that parses to the daemon.

Everything in them is the sender's say; only `problems` are ours. Nothing else of ours is imported here.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints


@dataclass(frozen=True, slots=True)
class Address:
    """An address in lower case, and what its owner calls themselves."""

    address: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class AttachedFile:
    """A part that is no text to read. `data` travels apart from the rest."""

    name: str
    media_type: str
    size: int
    content_id: str = ""
    inline: bool = False
    """Whether the text shows it, as a picture of it."""
    within: str = ""
    """The name of the attached mail that it came in; empty for a file of the mail itself."""


@dataclass(frozen=True, slots=True)
class Link:
    """A link as it is shown, and where it really leads."""

    text: str
    target: str


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a calendar part (RFC 5545). Times are ISO 8601: a date for whole days, else with an offset.

    A time without one is a time wherever somebody is, or in `unknown_zone`. Whole days end before the day that `ends`
    names.
    """

    method: str
    uid: str
    sequence: int = 0
    status: str = ""
    """STATUS in upper case."""
    recurrence_id: str = ""
    following: bool = False
    """Whether it is about the one with `recurrence_id` and all later ones."""
    summary: str = ""
    location: str = ""
    starts: str = ""
    ends: str = ""
    unknown_zone: str = ""
    """The name of the zone that a time is in, where it is not known which zone that is."""
    rule: str = ""
    organizer: Address | None = None
    attendees: tuple[Address, ...] = ()
    answer: str = ""
    """What the first of them answers (PARTSTAT), in a REPLY."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a delivery report (RFC 3464) says of one recipient."""

    action: str
    recipient: str
    status: str = ""
    diagnostic: str = ""
    message_id: str = ""
    """Of the mail that it reports on."""
    mark: str = ""
    """Of that mail, where it is one of Butler's."""


@dataclass(frozen=True, slots=True)
class Invoice:
    """What can be read of an invoice; as written, each may be empty. `due` is an ISO date."""

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
    """As it stands."""
    sent_at: str = ""
    """ISO 8601 in UTC; empty where the date cannot be read."""
    text: str = ""
    message_id: str = ""
    attached: bool = False
    """Whether it came whole, as a file of its own."""
    one_click: bool = False
    """Whether, as it came whole, it says that one POST unsubscribes."""


@dataclass(frozen=True, slots=True)
class Filled:
    """A problem with values: as it stands among the problems, and the phrase that says it in any language."""

    told: str
    phrase: str
    values: dict[str, str]


@dataclass(frozen=True, slots=True)
class ParsedMail:
    """A mail's fields."""

    subject: str = ""
    sender: Address | None = None
    to: tuple[Address, ...] = ()
    cc: tuple[Address, ...] = ()
    reply_to: tuple[Address, ...] = ()
    sent_at: str = ""
    """ISO 8601 in UTC; empty when there is no date that can be read."""
    message_id: str = ""
    in_reply_to: str = ""
    references: tuple[str, ...] = ()
    auto_submitted: str = ""
    precedence: str = ""
    list_id: str = ""
    butler_mark: str = ""
    authentication_results: tuple[str, ...] = ()
    """As they stand, topmost first."""
    return_path: str | None = None
    """The envelope's sender, empty for the null path; None where no server noted it."""
    list_unsubscribe: tuple[str, ...] = ()
    """Its addresses, `https:` and `mailto:`, as they stand."""
    one_click: bool = False
    """Whether it says that one POST unsubscribes (RFC 8058)."""
    several_senders: bool = False
    marks: tuple[str, ...] = ()
    """Header lines by which machines tell that they are some, in lower case, such as `x-loop: a@b`."""
    hops: int = 0
    """How many servers it passed."""
    media_type: str = ""
    """Of the mail as a whole, with `; report-type=...` where it has one."""
    text: str = ""
    words: str = ""
    """What the sender wrote above anything quoted or forwarded; all of the text where nothing is."""
    command: str = ""
    """Those of the words that may command, if anything in the mail may: above all that may be another's by its form."""
    doubtful: str = ""
    """The words besides, of which nobody can tell whether they are the sender's."""
    quotes: bool = False
    """Whether the text holds an earlier mail, quoted."""
    forwarded: Forwarded | None = None
    links: tuple[Link, ...] = ()
    event: Event | None = None
    reports: tuple[Report, ...] = ()
    kind: str = "personal"
    """A `MailKind`."""
    topics: tuple[str, ...] = ()
    """Each a `Topic`, of the mail at issue."""
    invoice: Invoice | None = None
    protection: str = ""
    """`signed` or `encrypted`; else empty."""
    attachments: tuple[AttachedFile, ...] = ()
    problems: tuple[str, ...] = ()
    filled: tuple[Filled, ...] = ()
    """Those of the problems that have values."""
    of_form: tuple[str, ...] = ()
    """Those of the problems that lose no content, or that are visible in what is shown."""

    @property
    def thread_root(self) -> str:
        """The Message-ID that the conversation began with, as far as this mail tells; may be empty."""
        return next((known for known in (*self.references, self.in_reply_to) if known), self.message_id)


def to_json(mails: Sequence[ParsedMail]) -> bytes:
    """Return mails in their transport form; default values are left out."""
    return json.dumps(mails, default=_told).encode()


def _told(record: Any) -> dict[str, object]:
    return {field.name: value for field in fields(record) if (value := getattr(record, field.name)) != field.default}


def from_json(answer: bytes) -> list[ParsedMail]:
    """What `to_json` wrote, as it was."""
    return [_built(ParsedMail, item) for item in json.loads(answer)]


_SHAPES: dict[type, dict[str, tuple[Any, bool]]] = {}
"""Of each record's fields that are records themselves: the record's type, and whether it is a tuple of them."""


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
