"""What the owner can tell the butler about itself, as its tools see it: commands, preferences, quiet hours.

The core does each as it does the same command in the chat; a tool only says which is meant.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import time
from enum import StrEnum
from typing import Protocol

from butler.contract.speech import phrase, say


class OwnCommand(StrEnum):
    """The commands that tools can give, by their names in the chat."""

    HELP = "help"
    PENDING = "pending"
    STATUS = "status"
    RULES = "rules"
    CONTACTS = "contacts"
    PREFERENCES = "preferences"
    BULK = "bulk"
    DIGEST = "digest"
    WAITING = "waiting"
    DONE = "done"
    EXPERTS = "experts"
    WHY = "why"
    UNDO = "undo"
    PAUSE = "pause"
    RESUME = "resume"


class PreferenceName(StrEnum):
    """The preferences that can be set."""

    NAME = "name"
    """How to address the owner, as the owner wrote it."""
    LANGUAGE = "language"
    """The language of answers and cards."""
    PERSONA = "persona"
    """The tone of answers from documents."""
    LENGTH = "length"
    """How long such answers are."""
    SOURCES = "sources"
    """Whether sources are shown with the quoted words, or by name alone."""


PREFERENCE_VALUES: Mapping[PreferenceName, tuple[str, ...]] = {
    PreferenceName.LANGUAGE: ("en", "de", "fr", "es"),
    PreferenceName.PERSONA: ("Technical", "Executive", "General"),
    PreferenceName.LENGTH: ("brief", "full"),
    PreferenceName.SOURCES: ("quoted", "named"),
}
"""The allowed values; a preference without an entry takes the owner's own words."""
LONGEST_NAME = 40
_IN_WORDS: Mapping[tuple[str, str], str] = {
    (PreferenceName.LANGUAGE, "en"): phrase("I answer in English"),
    (PreferenceName.LANGUAGE, "de"): phrase("I answer in German"),
    (PreferenceName.LANGUAGE, "fr"): phrase("I answer in French"),
    (PreferenceName.LANGUAGE, "es"): phrase("I answer in Spanish"),
    (PreferenceName.PERSONA, "Technical"): phrase("answers are technical"),
    (PreferenceName.PERSONA, "Executive"): phrase("answers are for an executive"),
    (PreferenceName.PERSONA, "General"): phrase("answers are for everybody"),
    (PreferenceName.LENGTH, "brief"): phrase("answers are brief"),
    (PreferenceName.LENGTH, "full"): phrase("answers are full"),
    (PreferenceName.SOURCES, "quoted"): phrase("sources are shown with what they say"),
    (PreferenceName.SOURCES, "named"): phrase("sources are shown by name"),
}


def preference_fault(name: PreferenceName, value: str) -> str:
    """Return why a preference cannot have this value; empty if it can. An empty value takes it back."""
    known = PREFERENCE_VALUES.get(name)
    if value and known is not None and value not in known:
        return f"{name.value} can be {', '.join(known)}"
    if known is None and (len(value) > LONGEST_NAME or not value.isprintable()):
        return f"a name has at most {LONGEST_NAME} characters in one line"
    return ""


def preference_words(name: str, value: str) -> str:
    """Return a preference in words, such as `I answer in German`."""
    if name == PreferenceName.NAME:
        return say("I call you {name}", name=value)
    text = _IN_WORDS.get((name, value))
    return f"{name}: {value}" if text is None else say(text)


@dataclass(frozen=True, slots=True)
class PreferenceChange:
    """A preference to set; an empty value takes it back."""

    name: PreferenceName
    value: str


@dataclass(frozen=True, slots=True)
class QuietChange:
    """Quiet hours by the owner's clock; none at all without times, or those of the settings again."""

    start: time | None = None
    end: time | None = None
    by_settings: bool = False


OwnRequest = OwnCommand | PreferenceChange | QuietChange


class OwnCommands(Protocol):
    """Does what the owner tells the butler about itself, for a step of a plan."""

    async def check(self, request: OwnRequest, call_id: str) -> None:
        """Raise `Refuse` if the request behind this call may not ask for it, as an automation may not."""
        ...

    async def run(self, request: OwnRequest, call_id: str) -> str:
        """Do it, once for each call; raises what `check` raises.

        The answer to a command or a preference is sent to the chat of the request by itself; what is left to be said
        is returned.
        """
        ...

    def asks_for(self, request: OwnRequest, words: str) -> bool:
        """Return whether these words of the owner ask for exactly this, whoever planned it."""
        ...
