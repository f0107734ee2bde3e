"""The events of Butler with their typed facts, and filters over them.

An event is a row. The name of an event determines its facts and their types. Some facts are others' words, so
everything made from an event has its provenance. A filter names only facts that its event has, and compares each only
as its type allows: any other filter is refused when it is made, not when an event comes in.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Self

from pydantic import AwareDatetime, Field, model_validator

from butler.contract.names import Identity
from butler.contract.provenance import Origin
from butler.contract.records import ClosedRecord, Record

MOST_TEXT = 2_000
"""The most characters of a text that an event keeps."""
Fact = str | int | float | bool


class EventName(StrEnum):
    """What can happen."""

    MAIL_RECEIVED = "mail.received"
    CHAT_RECEIVED = "chat.received"
    APPROVAL_DECIDED = "approval.decided"
    APPROVAL_FINISHED = "approval.finished"
    BULK_FINISHED = "bulk.finished"
    REMINDER_DUE = "reminder.due"
    EVENT_STARTING = "event.starting"
    EVENT_CHANGED = "event.changed"
    CARD_CHANGED = "card.changed"
    FILE_CHANGED = "file.changed"
    ALERT_FIRED = "alert.fired"
    CALL_CHANGED = "call.changed"
    HOOK_RECEIVED = "hook.received"
    CHANNEL_DEAF = "channel.deaf"
    CLOCK = "clock"
    """A due time of an automation."""


class FactType(StrEnum):
    """The type of a fact, which determines how it can be compared."""

    TEXT = "text"
    """Words that a person or another program wrote, compared ignoring case."""
    NAME = "name"
    """One of a few names, or an id, compared ignoring case."""
    NUMBER = "number"
    FLAG = "flag"


@dataclass(frozen=True, slots=True)
class FactSpec:
    """One fact of an event: its type, and what it is."""

    type: FactType
    meaning: str


_T, _I, _N, _F = FactType.TEXT, FactType.NAME, FactType.NUMBER, FactType.FLAG
_ACCOUNT = {
    "identity": FactSpec(_I, "`user` for the person's own account, `bot` for the butler's"),
    "account": FactSpec(_I, "the account's name"),
}
_SENDER = {
    "sender": FactSpec(_I, "the address, such as `mail:anna@friends.example` or `telegram:1001`"),
    "contact": FactSpec(_I, "the name that you gave to the sender, where you know them; empty for anybody else"),
    "sender_name": FactSpec(_T, "what the sender calls themselves"),
}

FACTS: Mapping[EventName, Mapping[str, FactSpec]] = {
    EventName.MAIL_RECEIVED: {
        **_ACCOUNT,
        **_SENDER,
        "domain": FactSpec(_I, "what follows the @ of the sender"),
        "subject": FactSpec(_T, "the subject"),
        "text": FactSpec(_T, "the text"),
        "files": FactSpec(_N, "how many files hang on it"),
        "answer": FactSpec(_F, "whether it answers a mail"),
        "list": FactSpec(_F, "whether a list or a machine sent it"),
        "proved": FactSpec(_F, "whether it is proved who sent it"),
        "ref": FactSpec(_I, "its id in its account"),
    },
    EventName.CHAT_RECEIVED: {
        **_ACCOUNT,
        **_SENDER,
        "chat": FactSpec(_I, "the chat's address"),
        "chat_title": FactSpec(_T, "what the chat is called"),
        "kind": FactSpec(_I, "`person`, `group`, `channel` or `bot`"),
        "text": FactSpec(_T, "the text"),
        "files": FactSpec(_N, "how many files hang on it"),
        "answer": FactSpec(_F, "whether it answers a message"),
        "ref": FactSpec(_I, "its id in its chat"),
    },
    EventName.APPROVAL_DECIDED: {
        "approval": FactSpec(_I, "the card's id"),
        "tool": FactSpec(_I, "the tool that it is about"),
        "decision": FactSpec(_I, "`approved`, `denied`, `expired`, `cancelled` or `superseded`"),
        "account": FactSpec(_I, "the account that it is about"),
    },
    EventName.APPROVAL_FINISHED: {
        "approval": FactSpec(_I, "the card's id"),
        "tool": FactSpec(_I, "the tool that it is about"),
        "outcome": FactSpec(_I, "`done`, `failed` or `unknown`"),
        "account": FactSpec(_I, "the account that it is about"),
    },
    EventName.BULK_FINISHED: {
        "run": FactSpec(_I, "the run's id"),
        "tool": FactSpec(_I, "the tool that was asked for"),
        "outcome": FactSpec(_I, "`done`, `stopped` or `failed`"),
        "total": FactSpec(_N, "how many things it was about"),
        "failed": FactSpec(_N, "how many of them failed"),
    },
    EventName.REMINDER_DUE: {
        "reminder": FactSpec(_I, "the reminder's id"),
        "text": FactSpec(_T, "what it says"),
        "late": FactSpec(_F, "whether it is said late"),
    },
    EventName.EVENT_STARTING: {
        "account": FactSpec(_I, "the calendar's account"),
        "event": FactSpec(_I, "the event's id"),
        "title": FactSpec(_T, "the title"),
        "place": FactSpec(_T, "where it is"),
        "organizer": FactSpec(_I, "the address of who asks to it"),
        "guests": FactSpec(_N, "how many others are asked"),
        "minutes": FactSpec(_N, "in how many minutes it begins"),
        "all_day": FactSpec(_F, "whether it takes the whole day"),
    },
    EventName.EVENT_CHANGED: {
        "account": FactSpec(_I, "the calendar's account"),
        "event": FactSpec(_I, "the event's id"),
        "title": FactSpec(_T, "the title"),
        "change": FactSpec(_I, "`made`, `changed` or `cancelled`"),
        "organizer": FactSpec(_I, "the address of who asks to it"),
        "own": FactSpec(_F, "whether Butler did it for you, as far as it can be told"),
    },
    EventName.CARD_CHANGED: {
        "account": FactSpec(_I, "the account's name"),
        "card": FactSpec(_I, "the card's id"),
        "name": FactSpec(_T, "what the card is called"),
        "board": FactSpec(_T, "what its board is called"),
        "list": FactSpec(_T, "what its list is called"),
        "change": FactSpec(_I, "`made`, `moved`, `changed`, `archived`, `deleted` or `commented`"),
        "by": FactSpec(_T, "who did it"),
        "own": FactSpec(_F, "whether Butler did it for you, as far as it can be told"),
    },
    EventName.FILE_CHANGED: {
        "account": FactSpec(_I, "the account's name"),
        "file": FactSpec(_I, "the file's id"),
        "name": FactSpec(_T, "what the file is called"),
        "change": FactSpec(_I, "`made`, `changed` or `removed`"),
        "by": FactSpec(_T, "who did it"),
    },
    EventName.ALERT_FIRED: {
        "source": FactSpec(_I, "`alertmanager`, `grafana` or another endpoint's name"),
        "name": FactSpec(_T, "the alert's name"),
        "state": FactSpec(_I, "`firing` or `resolved`"),
        "severity": FactSpec(_I, "the label `severity`; empty without one"),
        "instance": FactSpec(_T, "the label `instance`; empty without one"),
        "summary": FactSpec(_T, "its summary, or its description"),
    },
    EventName.CALL_CHANGED: {
        "room": FactSpec(_I, "the room"),
        "change": FactSpec(_I, "`joined`, `left`, `started` or `ended`"),
        "person": FactSpec(_T, "who joined or left"),
    },
    EventName.HOOK_RECEIVED: {
        "endpoint": FactSpec(_I, "the endpoint's name"),
        "text": FactSpec(_T, "what its template makes of it"),
    },
    EventName.CHANNEL_DEAF: {
        "channel": FactSpec(_I, "the source that is not heard of"),
        "minutes": FactSpec(_N, "for how long"),
    },
    EventName.CLOCK: {"automation": FactSpec(_I, "whose time it is")},
}
"""The facts of each event, by name."""


class Event(Record):
    """An event: something that happened."""

    event_id: str
    name: EventName
    channel: str
    identity: Identity
    account: str
    at: AwareDatetime
    facts: dict[str, Fact]
    origin: Origin
    """The origin of its facts' words."""
    subject: str = ""
    """The row that it reports: an inbound's id, `channel/account/chat/ref` of a message in the mirror, ..."""
    depth: int = 0
    """The number of automations in succession that led to it; 0 for none."""

    @model_validator(mode="after")
    def _has_its_facts(self) -> Self:
        wrong = sorted(set(self.facts) ^ set(FACTS[self.name]))
        if wrong:
            raise ValueError(f"{self.name} has other facts: {', '.join(wrong)}")
        return self


class Compare(StrEnum):
    """How a fact is compared."""

    IS = "is"
    IS_NOT = "is_not"
    CONTAINS = "contains"
    LACKS = "lacks"
    STARTS_WITH = "starts_with"
    NOT_STARTS_WITH = "not_starts_with"
    ENDS_WITH = "ends_with"
    NOT_ENDS_WITH = "not_ends_with"
    ANY_OF = "any_of"
    NONE_OF = "none_of"
    AT_LEAST = "at_least"
    AT_MOST = "at_most"


_SEVERAL = frozenset({Compare.ANY_OF, Compare.NONE_OF})
_ENDS = frozenset({Compare.STARTS_WITH, Compare.NOT_STARTS_WITH, Compare.ENDS_WITH, Compare.NOT_ENDS_WITH})
_WORDS = _SEVERAL | _ENDS | {Compare.IS, Compare.IS_NOT}
_CAN: Mapping[FactType, frozenset[Compare]] = {
    FactType.TEXT: _WORDS | {Compare.CONTAINS, Compare.LACKS},
    FactType.NAME: _WORDS,
    FactType.NUMBER: frozenset({Compare.IS, Compare.IS_NOT, Compare.AT_LEAST, Compare.AT_MOST}),
    FactType.FLAG: frozenset({Compare.IS}),
}
_VALUES: Mapping[FactType, tuple[type, ...]] = {
    FactType.TEXT: (str,),
    FactType.NAME: (str,),
    FactType.NUMBER: (int, float),
    FactType.FLAG: (bool,),
}


class Condition(ClosedRecord):
    """One fact compared with one value, or for `any_of` and `none_of` with several."""

    fact: str
    compare: Compare = Compare.IS
    value: bool | int | float | str | tuple[str, ...]

    def holds(self, facts: Mapping[str, Fact]) -> bool:
        """Return whether the condition is true of an event's facts."""
        fact = facts[self.fact]
        if isinstance(self.value, tuple):
            return any(_folded(fact) == _folded(one) for one in self.value) is (self.compare is Compare.ANY_OF)
        if self.compare in {Compare.AT_LEAST, Compare.AT_MOST}:
            more = float(fact) - float(self.value)
            return more >= 0 if self.compare is Compare.AT_LEAST else more <= 0
        return _HOLDS[self.compare](_folded(fact), _folded(self.value))


_HOLDS: Mapping[Compare, Callable[[Fact, Fact], bool]] = {
    Compare.IS: lambda fact, value: fact == value,
    Compare.IS_NOT: lambda fact, value: fact != value,
    Compare.CONTAINS: lambda fact, value: str(value) in str(fact),
    Compare.LACKS: lambda fact, value: str(value) not in str(fact),
    Compare.STARTS_WITH: lambda fact, value: str(fact).startswith(str(value)),
    Compare.NOT_STARTS_WITH: lambda fact, value: not str(fact).startswith(str(value)),
    Compare.ENDS_WITH: lambda fact, value: str(fact).endswith(str(value)),
    Compare.NOT_ENDS_WITH: lambda fact, value: not str(fact).endswith(str(value)),
}


def _folded(value: Fact) -> Fact:
    return value.casefold().strip() if isinstance(value, str) else value


class EventFilter(ClosedRecord):
    """An event's name, and what has to hold of its facts, all of it."""

    event: EventName
    where: Annotated[tuple[Condition, ...], Field(max_length=20)] = ()

    @model_validator(mode="after")
    def _fits_the_event(self) -> Self:
        for one in self.where:
            if why := misfit(self.event, one):
                raise ValueError(why)
        return self

    def matches(self, event: Event) -> bool:
        """Return whether an event passes the filter."""
        return event.name is self.event and all(one.holds(event.facts) for one in self.where)


def misfit(event: EventName, condition: Condition) -> str:
    """Return why a condition cannot apply to an event; empty if it can."""
    facts = FACTS[event]
    spec = facts.get(condition.fact)
    if spec is None:
        return f"{event} has no fact {condition.fact}; it has {', '.join(facts)}"
    can = _CAN[spec.type]
    if condition.compare not in can:
        return f"{condition.fact} of {event} cannot be compared by {condition.compare}; it can by {_listed(can)}"
    several = isinstance(condition.value, tuple)
    if several != (condition.compare in _SEVERAL):
        return f"{condition.fact}: several values go with any_of and none_of, and only with these"
    values: Sequence[object] = condition.value if isinstance(condition.value, tuple) else (condition.value,)
    wanted = _VALUES[spec.type]
    if not values or not all(type(one) in wanted for one in values):
        return f"{condition.fact} of {event} is compared with a {spec.type}"
    if any(isinstance(one, str) and not one.strip() for one in values) and condition.compare is not Compare.IS:
        return f"{condition.fact} of {event} is compared with no empty text"
    return ""


def _listed(names: frozenset[Compare]) -> str:
    return ", ".join(one for one in Compare if one in names)
