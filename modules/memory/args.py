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
Kind = Annotated[str, Field(max_length=20), AfterValidator(_kind)]
SourceId = Annotated[str, Field(max_length=2_000)]
Person = Annotated[str, Field(max_length=320)]
"""The sender's address, such as `mail:anna@friends.example`; any of a contact's addresses stands for all of them."""


class SearchArgs(ClosedRecord):
    """A question, and where to look; whatever is empty leaves nothing out."""

    question: str = Field(min_length=1, max_length=1_000)
    source: SourceId = ""
    kind: Kind = ""
    """A `MemoryKind`."""
    person: Person = ""
    after: Time = ""
    before: Time = ""
    limit: int = Field(default=5, ge=1, le=20)
    broad: bool = False
    """Whether passages that fit less well are results, too."""

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

    words: str = Field(default="", max_length=300)
    kind: Kind = ""
    person: Person = ""
    limit: int = Field(default=10, ge=1, le=50)


class ReadArgs(ClosedRecord):
    """One source."""

    source: SourceId = Field(min_length=1)


class Going(ClosedRecord):
    """A source that goes, with its title as it was shown."""

    source_id: SourceId
    title: str


class ForgetArgs(ClosedRecord):
    """One source, or all whose titles hold these words, all that is from somebody, or of those the ones so called.

    `going` is which those are: found out before it is shown.
    """

    source: SourceId = ""
    words: str = Field(default="", max_length=300)
    person: Person = ""
    going: tuple[Going, ...] = Field(default=(), max_length=MOST_FORGOTTEN)


def preview(args: ForgetArgs) -> Preview:
    """Return the preview of forgetting: each source by its title."""
    titles = [" ".join(one.title.split()) or one.source_id for one in args.going]
    return Preview(
        effect=say_many(
            len(titles),
            "Forgets 1 thing for good: the text is deleted from memory, and is not taken over again by itself",
            "Forgets {count} things for good: the text is deleted from memory, and is not taken over again by itself",
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
