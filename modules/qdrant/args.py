"""The arguments and answers of the operations on a Qdrant server: their schemas are the adapter's contract.

A point without an id gets one derived from its text or vector, so that the same content is stored once.
"""

import json
import re
from enum import StrEnum
from typing import Annotated, Any
from uuid import UUID, uuid5

from pydantic import (
    AfterValidator,
    Field,
    JsonValue,
    model_validator,
)

from butler.contract.records import ClosedRecord, Record
from butler.contract.speech import say
from modules._remote.conditions import Condition, Number

COLLECTION = r"^[A-Za-z0-9_-][A-Za-z0-9_.-]*$"
MOST_FOUND = 100
MOST_POINTS = 100
MOST_DIMENSIONS = 4096
LONGEST_TEXT = 8_000
LARGEST_PAYLOAD = 16_384
"""Most characters of a point's payload as JSON."""
TEXT_DIMENSIONS = 384
"""Dimensions of the vectors of the butler's own embedder."""
_POINTS = UUID("0d2f3f0e-4b8c-5a0e-9a3e-6b7f1c2d4e5f")
_NO_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def _plain(text: str) -> str:
    if _NO_TEXT.search(text):
        raise ValueError(say("must not hold control characters"))
    return text


def _named(point: int | str | None) -> int | str | None:
    """Return an id as Qdrant takes it: UUIDs in canonical form."""
    if isinstance(point, str):
        try:
            return str(UUID(point))
        except ValueError:
            raise ValueError(
                say("an id is a whole number or a UUID; leave it out and it is made of the text")
            ) from None
    return point


def _small(payload: dict[str, JsonValue]) -> dict[str, JsonValue]:
    if len(json.dumps(payload, ensure_ascii=False)) > LARGEST_PAYLOAD:
        raise ValueError(say("what is kept with a point is too large"))
    return payload


Vector = Annotated[tuple[Number, ...], Field(max_length=MOST_DIMENSIONS)]
Text = Annotated[str, Field(max_length=LONGEST_TEXT), AfterValidator(_plain)]
PointId = Annotated[Annotated[int, Field(ge=0, lt=2**64)] | str | None, AfterValidator(_named)]
Payload = Annotated[dict[str, JsonValue], AfterValidator(_small)]
Named = Annotated[str, Field(pattern=COLLECTION, max_length=128)]


class SearchArgs(ClosedRecord):
    """What is nearest to a text or a vector."""

    collection: Named | Annotated[str, Field(max_length=0)] = Field(
        default="", description="The collection to search; the settings' own, when left out."
    )
    text: Text = Field(default="", description="What is looked for, in words; for collections of texts.")
    vector: Vector = Field(default=(), description="What is looked for, as a vector; instead of a text.")
    limit: int = Field(default=10, ge=1, le=MOST_FOUND, description="How many points at most.")
    filter: tuple[Condition, ...] = Field(
        default=(), max_length=20, description="What must hold of a point's payload, all of it."
    )
    score_threshold: Number | None = Field(
        default=None,
        description="The worst score that is good enough: the least one, or with Euclid and Manhattan the greatest.",
    )

    @model_validator(mode="after")
    def _one_question(self) -> "SearchArgs":
        if bool(self.text.strip()) == bool(self.vector):
            raise ValueError(say("say what is looked for: either a text or a vector"))
        return self


class Point(ClosedRecord):
    """One thing to keep: a text, or a vector of your own."""

    id: PointId = Field(
        default=None, description="A whole number or a UUID; made of the text or vector, when left out."
    )
    text: Text = Field(default="", description="A text, for collections of texts.")
    vector: Vector = Field(default=(), description="A vector, instead of a text.")
    payload: Payload = Field(
        default_factory=dict[str, JsonValue], description="What is kept with it and can be filtered by."
    )

    @model_validator(mode="after")
    def _one_content(self) -> "Point":
        if bool(self.text.strip()) == bool(self.vector):
            raise ValueError(say("a point has either a text or a vector"))
        return self

    @property
    def point_id(self) -> int | str:
        """Return the id, or one derived from the text or vector."""
        if self.id is not None:
            return self.id
        return str(uuid5(_POINTS, json.dumps(self.vector) if self.vector else self.text))


class UpsertArgs(ClosedRecord):
    """Points that are put into a collection; what has the same id there is overwritten."""

    collection: Named = Field(description="The collection; it has to be there.")
    points: tuple[Point, ...] = Field(min_length=1, max_length=MOST_POINTS, description="What is put there.")

    @model_validator(mode="after")
    def _all_differ(self) -> "UpsertArgs":
        if len({point.point_id for point in self.points}) < len(self.points):
            raise ValueError(say("two of the points are the same; give each once"))
        return self


class Distance(StrEnum):
    """How near two vectors are: Qdrant's own words."""

    COSINE = "Cosine"
    DOT = "Dot"
    EUCLID = "Euclid"
    MANHATTAN = "Manhattan"


class CreateArgs(ClosedRecord):
    """A new collection."""

    collection: Named = Field(description="What it is called.")
    size: int = Field(
        default=TEXT_DIMENSIONS,
        ge=1,
        le=MOST_DIMENSIONS,
        description="Dimensions of its vectors; 384 for texts that the butler embeds.",
    )
    distance: Distance = Field(default=Distance.COSINE, description="How vectors are compared; Cosine for texts.")


class HealthArgs(ClosedRecord):
    """Nothing has to be said."""


class Match(Record):
    """One point that was found."""

    id: int | str
    score: float = Field(description="How near it is; with Euclid and Manhattan a distance, so less is nearer.")
    payload: dict[str, Any] = Field(description="What is kept with it.")
    text: str = Field(description="Its text, where it has one.")


class Found(Record):
    """The nearest points, the nearest first."""

    matches: tuple[Match, ...]
    count: int


class Upserted(Record):
    """What became of an upsert."""

    count: int = Field(description="How many points were put there.")
    status: str = Field(description="`completed` once they can be found.")


class Created(Record):
    """A collection that is there now."""

    collection: str
    created: bool = Field(description="False where it was there already, made the same way.")


class Health(Record):
    """How the server is."""

    ok: bool = Field(description="Whether it is ready to be used.")
    version: str
    collections: tuple[str, ...]
