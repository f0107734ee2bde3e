"""How the owner wants to be answered: by which name, in which language and tone. Only the owner says so.

A preference is never text for a planner to act on. All but one take a value of a closed set; the free one, the owner's
name, must occur in the owner's own words. Every other one must be asked for in the owner's words too
(`preference_requests.py`), so that no planner sets one alone.
"""

from dataclasses import dataclass
from enum import StrEnum

from butler.contract.errors import Refuse
from butler.contract.provenance import Labelled, Trust
from butler.orchestrator.planning.preference_requests import asks_for

LONGEST_NAME = 40


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


VALUES: dict[PreferenceName, tuple[str, ...]] = {
    PreferenceName.LANGUAGE: ("en", "de", "fr", "es"),
    PreferenceName.PERSONA: ("Technical", "Executive", "General"),
    PreferenceName.LENGTH: ("brief", "full"),
    PreferenceName.SOURCES: ("quoted", "named"),
}
"""The allowed values; a preference without an entry takes the owner's own words."""


@dataclass(frozen=True, slots=True)
class Preference:
    """A preference that the owner has just stated; an empty value takes it back."""

    name: PreferenceName
    value: str

    def __post_init__(self) -> None:
        """Raise `Refuse` if the value is not allowed."""
        known = VALUES.get(self.name)
        if self.value and known is not None and self.value not in known:
            raise Refuse(f"{self.name.value} can be {', '.join(known)}")
        if known is None and (len(self.value) > LONGEST_NAME or not self.value.isprintable()):
            raise Refuse(f"a name has at most {LONGEST_NAME} characters in one line")


def is_set_by_owner(preference: Preference, words: Labelled[str]) -> bool:
    """Return whether these words set the preference: they are the owner's alone, and ask for that value."""
    owners = bool(words.origins) and all(origin.trust is Trust.OWNER for origin in words.origins)
    if preference.value and preference.name not in VALUES:
        return owners and preference.value in words.value
    return owners and asks_for(preference.name.value, preference.value, words.value)
