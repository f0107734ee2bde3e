"""What a planner is given and what it gives back. Untrusted text has no field here to stand in.

The owner's words, contacts by confirmed alias, handles with trusted metadata, typed facts: nothing else reaches a
planner. What it makes is data; binding, policy and approvals decide what becomes of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NewType, Protocol
from zoneinfo import ZoneInfo

from butler.contract.agents import PlanStep
from butler.contract.conversation import ConversationMessage, LastShown, Referent
from butler.contract.errors import Bug, Refuse
from butler.contract.provenance import Labelled
from butler.contract.speech import say
from butler.contract.tools import ToolSpec
from butler.orchestrator.experts.expert import Expert
from butler.orchestrator.planning.planner_view import Fact
from butler.orchestrator.planning.preferences import Preference
from butler.provenance import Labels
from butler.store.queries.contacts import Contact

OwnersWords = NewType("OwnersWords", Labelled[str])
"""A text in which nobody but the owner had a hand. Only `owners()` makes one, so that the type checker can tell."""


def owners(words: Labelled[str]) -> OwnersWords:
    """The words as a planner may read them. Raises `Refuse` where anybody else had a hand in them."""
    if not words.from_owner:
        raise Refuse(say("only the owner's own words are planned"))
    return OwnersWords(words)


@dataclass(frozen=True, slots=True)
class PlannerInput:
    """One request of the owner."""

    words: OwnersWords
    source_line: str
    """Receiving identity and account, channel, kind, time (`Inbound.source_line()`)."""
    tools: tuple[ToolSpec, ...]
    contacts: tuple[Contact, ...]
    referents: tuple[Referent, ...]
    replied_to: tuple[Referent, ...]
    """What the message showed that the owner replied to, or the message itself when it is somebody's."""
    history: tuple[ConversationMessage, ...]
    now: datetime
    zone: ZoneInfo
    butler_name: str
    language: str = "en"
    """The two-letter code of the language that the owner is answered in."""
    facts: tuple[Fact, ...] = ()
    """What the rounds before have come to, in order; empty in a request's first round."""
    last_shown: LastShown | None = None
    """What the butler showed last, an empty list included; None where it has shown nothing."""
    own_reply: str = ""
    """The owner's own words of the message that this one is a reply to; empty where anybody else had a hand in it."""
    others_reply: bool = False
    """Whether it is a reply to a text in which anybody else had a hand, the butler included. That text is for nobody to
    read who plans: `{"replied": "text"}` stands for it in an argument."""
    expert: Expert | None = None
    """Whoever plans uses this expert's tools and no others; None for all tools there are."""
    refused: Mapping[str, str] = field(default_factory=dict[str, str])
    """The tools that are set up and were refused, by name, with why."""

    def __post_init__(self) -> None:
        """Raises `Bug` for words that anybody but the owner had a hand in."""
        if not self.words.from_owner:
            raise Bug("a planner is given the owner's own words")


@dataclass(frozen=True, slots=True)
class Planned:
    """Steps to take. Literal arguments are the planner's; references are bound outside it.

    What stands in place of an argument, such as `{"handle": "mail-3"}`, is told in `references.py`.
    """

    steps: tuple[PlanStep, ...]
    labels: Labels = frozenset()
    """What every argument of every step inherits, because it had a hand in the whole plan."""
    more: bool = False
    """True where the planner wants to go on once it sees what these steps came to, as `PlannerInput.facts`."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A request in the owner's words that a button stands for, and the name that it gives to an address first.

    Where there are `steps`, it stands for these, and nobody has said them; `labels` are of who had a hand in them.
    """

    label: str
    words: str
    alias: str = ""
    address: str = ""
    steps: tuple[PlanStep, ...] = ()
    labels: Labels = frozenset()


@dataclass(frozen=True, slots=True)
class Unclear:
    """Not understood well enough: one question, and perhaps the answers as buttons."""

    question: str
    choices: tuple[Choice, ...] = ()
    stranger: str = ""
    """A name, as the owner said it, that nobody confirmed has."""


@dataclass(frozen=True, slots=True)
class Beyond(Unclear):
    """The request's expert has no tools for what is asked, says whoever planned, and nothing is planned."""


class Command(StrEnum):
    """What the house itself answers, without a plan."""

    HELP = "help"
    PENDING = "pending"
    STATUS = "status"
    RULES = "rules"
    CONTACTS = "contacts"
    """Who is known by name is listed, and who might be."""
    PAUSE = "pause"
    """What acts as the owner is stopped."""
    RESUME = "resume"
    UNDO = "undo"
    """What was approved and has not begun is listed."""
    BULK = "bulk"
    """What runs over many things is listed, with its buttons."""
    DIGEST = "digest"
    """What there is to tell of the day."""
    WAITING = "waiting"
    """Whose answers are waited for is listed."""
    AUTOMATIONS = "automations"
    """What is done by itself is listed, with its buttons."""
    WHY = "why"
    """What made a message is told: the one that it is a reply to, or the last."""
    EXPERTS = "experts"
    """Who may be asked by name is listed."""
    PREFERENCES = "preferences"
    """What the owner prefers is listed, to be taken back."""


PlannerOutput = Planned | Unclear | Command | Preference
"""A `Preference` is only ever taken from the owner's own words, whoever planned it."""


class Planner(Protocol):
    """Makes a plan out of the owner's words."""

    async def plan(self, request: PlannerInput) -> PlannerOutput:
        """Raises `ModelUnavailableError` or `ModelOutputError` where a model is behind it."""
        ...
