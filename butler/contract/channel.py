"""What the core has to know of a channel, as its module declares it: its name, its content, and whose words that is."""

from dataclasses import dataclass
from enum import StrEnum

from butler.contract.referents import ReferentKind


class Words(StrEnum):
    """Whose words a channel's answers are."""

    OTHERS = "others"
    """Anybody's."""
    STATED = "stated"
    """Each thing says itself whose it is; one that does not is anybody's."""
    OWNER = "owner"
    """The owner said them, or had them taken over from others, as each thing says itself."""
    BUTLER = "butler"
    """Butler has made all of it, and it holds nobody else's words."""


@dataclass(frozen=True, slots=True)
class ChannelInfo:
    """Texts are for the owner, in English, and go through `say` where they are shown."""

    title: str = ""
    """The heading over what it gave, such as `Calendar`; empty for the channel's name."""
    contents: str = ""
    """All that it holds, such as `your calendar`; empty where each thing names its sender."""
    thing: str = ""
    """One of its things in which others may have written without its being said who, such as `an event in your
    calendar`; empty where each thing names its sender."""
    words: Words = Words.OTHERS
    referent: ReferentKind | None = None
    """What one of its things is called in a conversation; None where none can be spoken of."""
    makes_things: bool = False
    """Whether the owner goes on with a thing that was just made or changed: `move it to Done`."""
    completed_from: str = ""
    """What of it a call is completed from (`ToolSpec.complete`), such as `the titles in memory`; empty for the message
    that the call is about."""
    completed_by: str = ""
    """The part of Butler that completes a call from its own rows, as the source of a label; empty for any other."""
    brands: tuple[str, ...] = ()
    """The names by which people call it or its accounts, in small letters, such as `gmail`."""
    login: str = ""
    """The command that signs one of its accounts in again; empty where there is none."""
