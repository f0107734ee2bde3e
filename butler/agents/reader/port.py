"""The reader of texts as other packages see it: its port and its messages."""

from datetime import date, time
from decimal import Decimal
from typing import Protocol

from pydantic import BaseModel, Field

from butler.contract.agents import AgentFailure, ReadKind, RetrievedContext
from butler.contract.records import Record


class KnownPerson(BaseModel):
    """One of the owner's confirmed contacts, as a text may name them."""

    contact_id: str
    aliases: list[str]
    addresses: list[str] = Field(default_factory=list[str])
    """As they are written in texts, such as `anna@friends.example`."""


class Amount(BaseModel):
    """An amount of money."""

    value: Decimal
    currency: str
    """As ISO 4217 has it, such as `EUR`."""


class ReaderInput(BaseModel):
    """What is to be taken out of which texts."""

    kind: ReadKind
    ask: str
    """What is to be found out, in words."""
    context_chunks: list[RetrievedContext]
    people: list[KnownPerson] = Field(default_factory=list[KnownPerson])
    """Who may be meant, where a contact is asked for."""
    zone: str = "UTC"
    """The IANA zone in which texts mean their days."""


class Reading(Record):
    """One value, and the words that say it; of the values, only the one of its kind is set."""

    kind: ReadKind
    amount: Amount | None = None
    day: date | None = None
    clock: time | None = None
    """The time on that day, where the text says one."""
    yes: bool | None = None
    contact_id: str = ""
    quote: str
    """Word for word what the text says."""
    chunk_id: str


class ReaderOutput(BaseModel):
    """What was read; nothing where the texts do not say it, or say several things."""

    reading: Reading | None = None
    several: list[Reading] = Field(default_factory=list[Reading])
    """What the texts say instead of one thing."""
    model_used: bool = False
    """Whether a language model had a hand in it."""


class Reader(Protocol):
    """Extracts one typed value from texts that anybody may have written. It has no tools."""

    async def read(self, given: ReaderInput) -> ReaderOutput | AgentFailure:
        """Return a value that occurs in one of the texts word for word; nothing where it is in doubt."""
        ...
