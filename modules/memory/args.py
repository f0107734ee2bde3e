"""The arguments of memory's tools, and the preview of forgetting."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from butler.contract.agent_ports import MemoryKind
from butler.contract.records import ClosedRecord
from butler.contract.speech import say_many
from butler.contract.tools import Preview, ToolMetadata

MOST_FORGOTTEN = 50
"""Most sources that one approval can delete: each is shown on the card."""


def _aware(value: str) -> str:
    if value and datetime.fromisoformat(value).tzinfo is None:
        raise ValueError("a time needs its offset from UTC, such as 2026-05-01T00:00:00+02:00")
    return value


def _kind(value: str) -> str:
    if value and value not in set(MemoryKind):
        raise ValueError(f"it is one of {', '.join(MemoryKind)}")
    return value


Time = Annotated[str, Field(max_length=40), AfterValidator(_aware)]
Kind = Annotated[
    str,
    Field(max_length=20, description="document, page, mail, chat or note; left out: all.", examples=["mail"]),
    AfterValidator(_kind),
]
SourceId = Annotated[str, Field(max_length=2_000)]
OneSource = Annotated[
    SourceId, Field(description="One thing that was shown or found.", examples=[{"handle": "source-2"}])
]
OneSourceOrNote = Annotated[
    SourceId,
    Field(description="One thing that was shown or found.", examples=[{"handle": "source-2"}, {"handle": "note-3"}]),
]
TitleWords = Annotated[
    str, Field(max_length=300, description="Words that all have to stand in its title.", examples=["lease"])
]
Person = Annotated[str, Field(max_length=320, description="Whom it is from.", examples=[{"contact": "c1"}])]
"""The sender's address, such as `mail:anna@friends.example`; any of a contact's addresses stands for all of them."""


class SearchArgs(ClosedRecord):
    """A question, and where to look; whatever is empty leaves nothing out."""

    question: str = Field(
        min_length=1,
        max_length=1_000,
        description="In the owner's own words.",
        examples=["how long is the notice period in my lease?"],
    )
    source: OneSource = ""
    kind: Kind = ""
    """A `MemoryKind`."""
    person: Person = ""
    after: Time = Field(
        default="", description="Time with its offset, included.", examples=["2026-05-01T00:00:00+02:00"]
    )
    before: Time = Field(
        default="", description="Time with its offset, excluded.", examples=["2026-06-01T00:00:00+02:00"]
    )
    limit: int = Field(default=5, ge=1, le=20, description="How many passages at most.", examples=[10])
    broad: bool = Field(
        default=False, description="Whether passages that fit less well are results, too.", examples=[True]
    )

    def filters(self) -> dict[str, Any]:
        """Return the filters as memory takes them."""
        every = {
            "source_id": self.source,
            "kind": self.kind,
            "person": self.person,
            "after": self.after,
            "before": self.before,
        }
        return {name: value for name, value in every.items() if value}


class ListArgs(ClosedRecord):
    """Words that a title has to hold, a kind, and whom it is from; everything without any."""

    words: TitleWords = ""
    kind: Kind = ""
    person: Person = ""
    limit: int = Field(default=10, ge=1, le=50, description="How many at most.", examples=[20])


class ReadArgs(ClosedRecord):
    """One source."""

    source: OneSource = Field(min_length=1)


class Going(ClosedRecord):
    """A source that goes, with its title as it was shown."""

    source_id: SourceId
    title: str


class ForgetArgs(ClosedRecord):
    """One source, or all whose titles hold these words, all that is from somebody, or of those the ones so called.

    `going` is which those are: found out before it is shown.
    """

    source: OneSourceOrNote = ""
    words: TitleWords = ""
    person: Person = ""
    going: tuple[Going, ...] = Field(default=(), max_length=MOST_FORGOTTEN, json_schema_extra={"readOnly": True})


def preview(args: ForgetArgs) -> Preview:
    """Return the preview of forgetting: each source by its title."""
    titles = [" ".join(one.title.split()) or one.source_id for one in args.going]
    return Preview(
        effect=say_many(
            len(titles),
            "Deletes 1 thing from memory for good; it is not taken over again by itself",
            "Deletes {count} things from memory for good; they are not taken over again by themselves",
        ),
        body="\n".join(f"- {title}" for title in titles),
        told=("source", "words", "person", "going"),
    )


ROLES = {
    "bot_memory_search": ToolMetadata.of(target="question source person", option="kind after before limit broad"),
    "bot_memory_list": ToolMetadata.of(target="words person", option="kind limit"),
    "bot_memory_read": ToolMetadata.of(target="source"),
    "bot_memory_forget": ToolMetadata.of(target="source words person going"),
}
FACTS = {
    "bot_memory_search": ("total_found", "results.0.source_id", "results.0.title"),
    "bot_memory_list": ("sources.0.source_id", "sources.0.title"),
    "bot_memory_read": ("document.title", "document.text"),
    "bot_memory_forget": ("forgotten",),
}
"""What later steps can use of the results of these tools."""
