"""What the core needs to know about a channel, as its module declares it: name, contents, and whose words they are."""

from dataclasses import dataclass
from enum import StrEnum

from butler.contract.referents import ReferentKind


class Words(StrEnum):
    """Whose words a channel's answers are."""

    OTHERS = "others"
    """Anybody wrote them."""
    STATED = "stated"
    """Each item names its author; an item that does not may be anybody's."""
    OWNER = "owner"
    """The owner wrote them, or took them over from others, as each item says."""
    BUTLER = "butler"
    """The butler made all of it, without anybody else's words."""


@dataclass(frozen=True, slots=True)
class ChannelInfo:
    """A channel's description. Its texts are for the owner, in English, and go through `say` when they are shown."""

    title: str = ""
    """The heading of its results, such as `Calendar`; empty for the channel's name."""
    contents: str = ""
    """The name of all its contents, such as `your calendar`; empty if each item names its sender."""
    thing: str = ""
    """The name of an item in which unnamed others may have written, such as `an event in your calendar`; empty if each
    item names its sender."""
    words: Words = Words.OTHERS
    referent: ReferentKind | None = None
    """The referent kind of its items in a conversation; None if they cannot be referred to."""
    makes_things: bool = False
    """Whether the owner can refer to an item that was just created or changed: `move it to Done`."""
    next_acts: tuple[str, ...] = ()
    """The actions, as in its tools' names, that usually follow once its items were shown; the most usual first."""
    completed_from: str = ""
    """The source from which `ToolSpec.complete` fills in a call, such as `the titles in memory`; empty for the message
    that the call is about."""
    completed_by: str = ""
    """The part of Butler that completes a call from its own rows, as the source of a label; otherwise empty."""
    brands: tuple[str, ...] = ()
    """The names by which people call the channel or its accounts, in lower case, such as `gmail`."""
    login: str = ""
    """The command that signs one of its accounts in again; empty if there is none."""
