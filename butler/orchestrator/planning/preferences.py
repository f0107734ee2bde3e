"""How the owner wants to be answered: by which name, in which language and tone. Only the owner says so.

A preference is never text for a planner to act on. All but one take a value of a closed set; the free one, the owner's
name, must occur in the owner's own words. Every other one must be asked for in the owner's words too
(`preference_requests.py`), so that no planner sets one alone.
"""

from dataclasses import dataclass

from butler.contract.errors import Refuse
from butler.contract.own_commands import LONGEST_NAME, PreferenceName, preference_fault
from butler.contract.own_commands import PREFERENCE_VALUES as VALUES
from butler.contract.provenance import Labelled, Trust
from butler.orchestrator.planning.preference_requests import asks_for

__all__ = ["LONGEST_NAME", "VALUES", "Preference", "PreferenceName", "is_set_by_owner"]


@dataclass(frozen=True, slots=True)
class Preference:
    """A preference that the owner has just stated; an empty value takes it back."""

    name: PreferenceName
    value: str

    def __post_init__(self) -> None:
        """Raise `Refuse` if the value is not allowed."""
        if why := preference_fault(self.name, self.value):
            raise Refuse(why)


def is_set_by_owner(preference: Preference, words: Labelled[str]) -> bool:
    """Return whether these words set the preference: they are the owner's alone, and ask for that value."""
    owners = bool(words.origins) and all(origin.trust is Trust.OWNER for origin in words.origins)
    if preference.value and preference.name not in VALUES:
        return owners and preference.value in words.value
    return owners and asks_for(preference.name.value, preference.value, words.value)
