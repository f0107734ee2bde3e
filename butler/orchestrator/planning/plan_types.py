"""A planner's input and output types. They have no field for untrusted text.

A planner gets the owner's words, contacts by confirmed alias, handles with trusted metadata and typed facts, nothing
else. What it returns is data; binding, policy and approvals decide what is done with it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NewType, Protocol
from zoneinfo import ZoneInfo

from butler.agents.llm import OnText
from butler.contract.agents import PlanStep
from butler.contract.automations import AutomationState
from butler.contract.errors import Bug, Refuse
from butler.contract.provenance import Labelled
from butler.contract.speech import phrase, say
from butler.contract.tools import ToolSpec
from butler.orchestrator.experts.expert import Expert
from butler.orchestrator.planning.card_orders import CardOrder, WaitingCard
from butler.orchestrator.planning.planner_view import Fact
from butler.orchestrator.planning.preferences import Preference
from butler.provenance import Labels
from butler.store.conversation import ConversationMessage, LastShown, Referent
from butler.store.queries.contacts import Contact

OwnersWords = NewType("OwnersWords", Labelled[str])
"""A text in which nobody but the owner had a hand. Only `owners()` makes one, so that the type checker can tell."""


def owners(words: Labelled[str]) -> OwnersWords:
    """Return the words as a planner may read them; raise `Refuse` if anybody else had a hand in them."""
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
    """The items shown in the message that the owner replied to, or that message itself if somebody else sent it."""
    history: tuple[ConversationMessage, ...]
    """What was said before, the oldest first."""
    now: datetime
    zone: ZoneInfo
    butler_name: str
    summary: ConversationMessage | None = None
    """What is kept of the conversation before `history`."""
    language: str = "en"
    """The two-letter code of the language to answer the owner in."""
    facts: tuple[Fact, ...] = ()
    """The results of earlier rounds, in order; empty in a request's first round."""
    reports: tuple[ConversationMessage, ...] = ()
    """What the butler said by itself, for a model alone: the words of the request answer the last of `history`."""
    last_shown: LastShown | None = None
    """The last thing that the butler showed, even an empty list; None if it has shown nothing."""
    automations: Mapping[str, AutomationState] = field(default_factory=dict[str, AutomationState])
    """How the automations stand that have a handle, by number; one that is no longer there is not among them."""
    card_waits: bool = False
    """Whether a card of this conversation waits for a yes."""
    cards: tuple[WaitingCard, ...] = ()
    """The newest cards of this conversation that wait for a yes, or for their time."""
    own_reply: str = ""
    """The owner's own words in the message that this one replies to; empty if anybody else had a hand in it."""
    others_reply: bool = False
    """Whether it replies to a text in which anybody else had a hand, the butler included. No planner may read that
    text: `{"replied": "text"}` stands for it in an argument.
    """
    asks: frozenset[str] | None = None
    """The names of the tools that ask the owner as the policy is set; None for those that ask of themselves."""
    expert: Expert | None = None
    """The expert whose tools alone may be used; None for all tools."""
    refused: Mapping[str, str] = field(default_factory=dict[str, str])
    """The tools that are set up but were refused, by name, with the reason."""
    preferences: Mapping[str, str] = field(default_factory=dict[str, str])
    """How the owner wants to be answered, by the name of each preference."""
    on_text: OnText | None = field(default=None, compare=False)
    """Takes the words of an answer while they come in."""

    def __post_init__(self) -> None:
        """Raise `Bug` if anybody but the owner had a hand in the words."""
        if not self.words.from_owner:
            raise Bug("a planner is given the owner's own words")


@dataclass(frozen=True, slots=True)
class Planned:
    """Steps to take. Literal arguments are the planner's; references are bound outside it.

    References such as `{"handle": "mail-3"}` are described in `references.py`.
    """

    steps: tuple[PlanStep, ...]
    labels: Labels = frozenset()
    """Labels that every argument of every step inherits, because they influenced the whole plan."""
    more: bool = False
    """True if the planner wants to continue once it has these steps' results, as `PlannerInput.facts`."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The request that a button stands for, in the owner's words, and the name that a tap first gives to an address.

    With `steps`, the button stands for these instead of words of the owner; `labels` say who had a hand in them.
    """

    label: str
    words: str
    alias: str = ""
    address: str = ""
    steps: tuple[PlanStep, ...] = ()
    labels: Labels = frozenset()


@dataclass(frozen=True, slots=True)
class Unclear:
    """The request was not clear: one question, and perhaps the answers as buttons."""

    question: str
    choices: tuple[Choice, ...] = ()
    stranger: str = ""
    """A name, as the owner said it, that no confirmed contact has."""
    labels: Labels = field(default=frozenset(), compare=False)
    """Who had a hand in the question, if a model worded it."""


@dataclass(frozen=True, slots=True)
class NotUnderstood(Unclear):
    """No planner understood the request."""


@dataclass(frozen=True, slots=True)
class OutsideExpertise(Unclear):
    """The planner reports that the request's expert has no tools for it; nothing is planned."""


LONGEST_REMEMBERED = 2_000
"""Characters of an answer in words that the conversation keeps."""
NOTHING_DONE = phrase("(These are only words: I did nothing just now.)")
"""Added below a model's words where they might claim anything."""
NOTHING_MORE_DONE = phrase("(These are only words: I did nothing but what my own reports and cards say.)")
"""Added instead if an earlier round may have done something, which its records report."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A model's answer in words, which does nothing and is no report of anything done."""

    text: str
    labels: Labels = frozenset()
    """Who had a hand in it: the model, and the authors of what it was told before."""


class Command(StrEnum):
    """A command that the core answers itself, without a plan."""

    HELP = "help"
    PENDING = "pending"
    STATUS = "status"
    RULES = "rules"
    CONTACTS = "contacts"
    """List the contacts, and the suggested ones."""
    PAUSE = "pause"
    """Stop all acts in the owner's name."""
    RESUME = "resume"
    UNDO = "undo"
    """List what was approved and has not begun."""
    BULK = "bulk"
    """List the bulk runs, with their buttons."""
    DIGEST = "digest"
    """Report the day's news."""
    WAITING = "waiting"
    """List whose answers are awaited."""
    DONE = "done"
    """List what was done today, and how it ended."""
    AUTOMATIONS = "automations"
    """List the automations, with their buttons."""
    WHY = "why"
    """Explain what caused a message: the one that this replies to, or the last."""
    EXPERTS = "experts"
    """List the experts that may be asked by name."""
    PREFERENCES = "preferences"
    """List the owner's preferences, with buttons to take them back."""


class CardAct(StrEnum):
    """The owner's wish about a card."""

    SEND = "send"
    """Show the card, or bring back a withdrawn one; never an approval."""
    DENY = "deny"
    CHANGE = "change"


@dataclass(frozen=True, slots=True)
class AboutCards:
    """A request about cards that wait for a yes or were just withdrawn.

    The planner sees no cards, so it cannot say which card is meant.
    """

    act: CardAct
    named: tuple[str, ...] = ()
    """Words that say which card is meant."""
    every: bool = False
    """Whether all waiting cards are meant."""
    values: tuple[tuple[str, str], ...] = ()
    """New values in the owner's words, by the slot of each."""
    language: str = "en"
    """The language of the words."""
    otherwise: Planned | Unclear | Command = Command.PENDING
    """The output to use if there is no such card, or none that can be reached from where it was said."""
    then: Planned | None = None
    """The plan for whatever else the same message asks for."""
    confidence: float = field(default=1.0, compare=False)
    """The probability that the words are about a card at all."""


@dataclass(frozen=True, slots=True)
class CardOrders:
    """What a planner that was told of the waiting cards wants of them."""

    orders: tuple[CardOrder, ...]
    labels: Labels = frozenset()
    """Labels that every new value inherits."""
    then: Planned | None = None
    """The plan for whatever else the same message asks for."""


PlannerOutput = Planned | Unclear | Answer | Command | Preference | AboutCards | CardOrders
"""A `Preference` is taken only from the owner's own words, whichever planner returns it."""


class Planner(Protocol):
    """Makes a plan out of the owner's words."""

    async def plan(self, request: PlannerInput) -> PlannerOutput:
        """Plan a request; a planner with a model raises `ModelUnavailableError` or `ModelOutputError`."""
        ...
