"""The arguments of the automations' tools, and the preview of a new automation."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from butler.contract.automation_words import act_words, conditions, limits, may, when_words
from butler.contract.automations import MOST_ACTS, PER_DAY, PER_HOUR, Act, Automation, Hours
from butler.contract.events import EventFilter
from butler.contract.records import ClosedRecord
from butler.contract.schedules import RecurrenceRule
from butler.contract.speech import say
from butler.contract.tools import Preview

TAKEN_WHOLE = frozenset({"when", "clock", "hours", "do"})
"""In these stand references for later."""


class CreateArgs(ClosedRecord):
    """An automation: `when` an event that fits, or by the `clock`, `do` these."""

    name: Annotated[str, Field(min_length=1, max_length=80)]
    when: EventFilter | None = None
    """An event, and `where`: conditions on its facts that all have to hold."""
    clock: RecurrenceRule | None = None
    hours: Hours | None = None
    """Of an event: only what happens between these times of the day."""
    do: Annotated[tuple[Act, ...], Field(min_length=1, max_length=MOST_ACTS)]
    """Of `{"tell": text}` with facts as `{subject}`, `{"request": words}` of the owner's, and `{"call": tool, "args":
    {...}}`, in which `{"fact": name}` stands for a fact and `{"item": true}` for the mail or message itself."""
    per_hour: Annotated[int, Field(ge=1, le=1_000)] = PER_HOUR
    per_day: Annotated[int, Field(ge=1, le=10_000)] = PER_DAY
    dry_run: Annotated[str, Field(max_length=4_000)] = ""
    """When it would have fired lately; left out, it is worked out."""

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        self.automation()
        return self

    def automation(self) -> Automation:
        """Return the automation to store. Raise `ValueError`."""
        return Automation(
            name=self.name,
            when=self.when,
            clock=self.clock,
            hours=self.hours,
            do=self.do,
            per_hour=self.per_hour,
            per_day=self.per_day,
        )


class NoArgs(ClosedRecord):
    """Nothing to say."""


class NumberArgs(ClosedRecord):
    """Which automation, by its number."""

    number: Annotated[int, Field(ge=1)]


class ReplayArgs(ClosedRecord):
    """Which event, by its id or how that begins, and for which automation; 0 for all that it fits."""

    event: Annotated[str, Field(min_length=4, max_length=40)]
    number: Annotated[int, Field(ge=0)] = 0


def preview(args: CreateArgs) -> Preview:
    """Return the preview: the whole automation, in words."""
    automation = args.automation()
    facts = [(say("Name"), args.name), (say("When"), when_words(automation))]
    facts += [(say("If"), "; ".join(wheres))] if (wheres := conditions(automation)) else []
    facts += [(say("Then"), "; ".join(act_words(act) for act in args.do))]
    facts += [(say("May"), may(automation)), (say("Limits"), limits(automation))]
    return Preview(
        effect=say("Saves an automation, which then does this by itself"),
        facts=tuple(facts),
        body=args.dry_run,
        told=tuple(CreateArgs.model_fields),
    )
