"""What the owner wants of the butler's answers: what to be called, the language, the tone. Only the owner says so.

A preference is never text for a planner to act on: all but one take a value of a closed set, and the one that is
free, the owner's name, has to stand in the owner's own words. So has what stands for any other, so that no planner sets
one by itself: which words those are is in `preference_requests.py`.
"""

from dataclasses import dataclass
from enum import StrEnum

from butler.contract.errors import Refuse
from butler.contract.provenance import Labelled, Trust
from butler.orchestrator.planning.preference_requests import asks_for

LONGEST_NAME = 40


class PreferenceName(StrEnum):
    """What can be preferred."""

    NAME = "name"
    """What the owner is called, as the owner wrote it."""
    LANGUAGE = "language"
    """Of answers and cards."""
    PERSONA = "persona"
    """The tone of answers from documents."""
    LENGTH = "length"
    """How long such answers are."""
    SOURCES = "sources"
    """Whether each source is shown with the words that are quoted, or by name alone."""


VALUES: dict[PreferenceName, tuple[str, ...]] = {
    PreferenceName.LANGUAGE: ("en", "de", "fr", "es"),
    PreferenceName.PERSONA: ("Technical", "Executive", "General"),
    PreferenceName.LENGTH: ("brief", "full"),
    PreferenceName.SOURCES: ("quoted", "named"),
}
"""What each may be; what is not here takes the owner's own words."""


@dataclass(frozen=True, slots=True)
class Preference:
    """One that the owner has just stated; an empty value takes it back."""

    name: PreferenceName
    value: str

    def __post_init__(self) -> None:
        """Raises `Refuse` where there is no such value."""
        known = VALUES.get(self.name)
        if self.value and known is not None and self.value not in known:
            raise Refuse(f"{self.name.value} can be {', '.join(known)}")
        if known is None and (len(self.value) > LONGEST_NAME or not self.value.isprintable()):
            raise Refuse(f"a name has at most {LONGEST_NAME} characters in one line")


def said_by_owner(preference: Preference, words: Labelled[str]) -> bool:
    """Whether these words set it: they are the owner's alone, and ask for that value."""
    owners = bool(words.origins) and all(origin.trust is Trust.OWNER for origin in words.origins)
    if preference.value and preference.name not in VALUES:
        return owners and preference.value in words.value
    return owners and asks_for(preference.name.value, preference.value, words.value)
