"""The tools of a calendar, the search for an event, and how a plan refers to one that a step finds."""

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from butler.contract.agents import PlanStep, When
from butler.contract.speech import say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.people import Person
from butler.orchestrator.embedded.scene import words_of
from butler.orchestrator.embedded.stretch import Stretch, day_of
from butler.orchestrator.planning.plan_types import Planned

PREFIX = "user_calendar_"
LIST, READ, FREE = f"{PREFIX}list_events", f"{PREFIX}read_event", f"{PREFIX}find_free_time"
CALENDARS, CREATE, CHANGE = f"{PREFIX}list_calendars", f"{PREFIX}create_event", f"{PREFIX}change_event"
DELETE, MOVE, DECLINE = f"{PREFIX}delete_event", f"{PREFIX}move_event", f"{PREFIX}decline_event"
REMIND, COLOUR = f"{PREFIX}remind_event", f"{PREFIX}colour_event"

A_YEAR = timedelta(365)


def name_in_title(person: Person) -> str:
    """Return a person's name for a title: as it was said, unless the owner's words are not part of the name."""
    name = person.name
    return person.said if set(words_of(person.said)) <= set(words_of(name)) else name


@dataclass(frozen=True, slots=True)
class Found:
    """An event as a step refers to it, and to its times."""

    event: dict[str, Any]
    read: tuple[PlanStep, ...] = ()
    """The steps that find or read the event first."""
    fact: str = ""
    """The beginning of the path to the event in the first step's data."""
    when: When | None = None

    def time(self, name: str, **moves: Any) -> dict[str, Any]:
        """Return a reference to the event's `start` or `end`, moved."""
        return {"step": 1, "fact": f"{self.fact}{name}", **moves}

    def then(self, step: PlanStep) -> Planned:
        """Return the plan that finds the event and takes this step."""
        before = len(self.read)
        return calls.plan(*self.read, step.model_copy(update={"when": self.when, "depends_on": [1] if before else []}))


def look(words: str, when: Stretch, **more: object) -> PlanStep:
    """Return the step that lists events."""
    told = say("Look into your calendar")
    if words and when.since is not None and when.before is None:
        # An event that is searched by name may be months away.
        when = replace(when, before=day_of(when.since) + A_YEAR)
    return calls.call(LIST, told, **when.args(), **({"words": words} if words else {}), **more)
