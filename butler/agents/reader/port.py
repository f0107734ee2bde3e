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
    """Addresses as texts write them, such as `anna@friends.example`."""


class Amount(BaseModel):
    """An amount of money."""

    value: Decimal
    currency: str
    """The ISO 4217 code, such as `EUR`."""


class ReaderInput(BaseModel):
    """A request to extract one value from texts."""

    kind: ReadKind
    ask: str
    """The question, in words."""
    context_chunks: list[RetrievedContext]
    people: list[KnownPerson] = Field(default_factory=list[KnownPerson])
    """The people who may be meant, if a contact is asked for."""
    zone: str = "UTC"
    """The IANA time zone of the days in the texts."""


class Reading(Record):
    """One value with the words that say it; only the field of its kind is set."""

    kind: ReadKind
    amount: Amount | None = None
    day: date | None = None
    clock: time | None = None
    """The time on that day, if the text gives one."""
    yes: bool | None = None
    contact_id: str = ""
    quote: str
    """The text's own words, verbatim."""
    chunk_id: str


class ReaderOutput(BaseModel):
    """The value that was read; None if the texts do not say it, or say several values."""

    reading: Reading | None = None
    several: list[Reading] = Field(default_factory=list[Reading])
    """The different values, if the texts say more than one."""
    model_used: bool = False
    """Whether a language model was used."""


class Reader(Protocol):
    """Extracts one typed value from texts that anybody may have written. It has no tools."""

    async def read(self, given: ReaderInput) -> ReaderOutput | AgentFailure:
        """Return a value that occurs in one of the texts word for word; nothing in case of doubt."""
        ...
