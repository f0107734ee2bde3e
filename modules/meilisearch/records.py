"""The arguments and answers of a search on a Meilisearch server: their schemas are the adapter's contract."""

from typing import Annotated, Any

from pydantic import Field, model_validator

from butler.contract.records import ClosedRecord, Record
from butler.contract.speech import say
from modules._remote.conditions import Condition

SEARCH = "meilisearch.indexes.search.v1"
LOOK = "meilisearch.indexes.look.v1"
INDEX = r"^[A-Za-z0-9_-]+$"
MOST_FOUND = 100
DEEPEST = 1_000
"""Most results of a Meilisearch query, unless its settings differ."""


class SearchArgs(ClosedRecord):
    """Documents that hold words, and of which conditions hold."""

    query: str = Field(default="", max_length=500, description="Words to look for; typos are forgiven.")
    index: Annotated[str, Field(pattern=INDEX, max_length=400)] | Annotated[str, Field(max_length=0)] = Field(
        default="", description="The index to search; the settings' own, when left out."
    )
    filter: tuple[Condition, ...] = Field(
        default=(),
        max_length=20,
        description="What must hold of a document, all of it; of fields made filterable.",
    )
    sort: tuple[Annotated[str, Field(pattern=r"^[^:\s][^:]*:(asc|desc)$", max_length=200)], ...] = Field(
        default=(), max_length=5, description="Another order than what fits best: `year:desc`."
    )
    limit: int = Field(default=10, ge=1, le=MOST_FOUND, description="How many documents at most.")
    offset: int = Field(default=0, ge=0, le=DEEPEST, description="How many of the first ones are passed over.")

    @model_validator(mode="after")
    def _asks_something(self) -> "SearchArgs":
        if not self.query.strip() and not self.filter:
            raise ValueError(say("say what is looked for: words, or what must hold of a document"))
        return self


class LookArgs(ClosedRecord):
    """One index."""

    index: str = Field(pattern=INDEX, max_length=400, description="Which index.")


class Hit(Record):
    """One document that was found."""

    id: str = Field(description="Its id, where it has one.")
    title: str = Field(description="Its title, where it has one.")
    text: str = Field(description="The part of its text that fits.")
    score: float | None = Field(description="How well it fits, from 0 to 1.")
    document: dict[str, Any] = Field(description="The document itself.")


class Found(Record):
    """What was found, what fits best first."""

    hits: tuple[Hit, ...]
    count: int
    estimated: int = Field(description="How many there are in all, as the server estimates.")
    index: str


class Look(Record):
    """How an index is."""

    documents: int = Field(description="How many documents it has, as the server estimates.")
