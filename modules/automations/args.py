"""The arguments of the automations' tools, and the preview of a new automation."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from butler.contract.automation_words import act_words, asks_words, conditions, limits, until_words, when_words
from butler.contract.automations import MOST_ACTS, PER_DAY, PER_HOUR, Act, Automation, Hours, Until
from butler.contract.events import EventFilter
from butler.contract.records import ClosedRecord
from butler.contract.schedules import RecurrenceRule
from butler.contract.speech import say
from butler.contract.tools import Preview

TAKEN_WHOLE = frozenset({"clock", "hours", "until", "do"})
"""In these stand references for later."""


class CreateArgs(ClosedRecord):
    """An automation: `when` an event that fits, or by the `clock`, `do` these."""

    name: str = Field(
        min_length=1, max_length=80, description="A few words for the list of them.", examples=["Invoices"]
    )
    when: EventFilter | None = Field(
        default=None,
        description="The event. Facts of a mail: sender, contact, domain, sender_name, subject, text, files, proved.",
        examples=[
            {"event": "mail.received", "where": [{"fact": "subject", "compare": "contains", "value": "invoice"}]}
        ],
    )
    clock: RecurrenceRule | None = Field(
        default=None,
        description="Times instead of an event: local, from `start` on.",
        examples=[{"zone": "Europe/Berlin", "start": "2026-03-02T08:00", "every": "week", "on": ["monday"]}],
    )
    hours: Hours | None = Field(
        default=None,
        description="Only events between these times of day, included.",
        examples=[{"begins": "09:00", "ends": "17:00", "zone": "Europe/Berlin"}],
    )
    until: Until | None = Field(
        default=None,
        description="The last day of an event's automation, or a time of it.",
        examples=[{"day": "2026-03-20", "zone": "Europe/Berlin"}],
    )
    do: tuple[Act, ...] = Field(
        min_length=1,
        max_length=MOST_ACTS,
        description="In order: `tell` a text (`urgent`: in quiet hours too), `request` by the owner's words, `call`.",
        examples=[[{"tell": "{sender_name} sent an invoice: {subject}"}]],
    )
    per_hour: int = Field(default=PER_HOUR, ge=1, le=1_000, description="How often at most per hour.", examples=[5])
    per_day: int = Field(default=PER_DAY, ge=1, le=10_000, description="How often at most per day.", examples=[20])
    replaces: int = Field(
        default=0, ge=0, description="One that this takes the place of, by number or handle.", examples=[3]
    )
    dry_run: Annotated[str, Field(max_length=4_000, json_schema_extra={"readOnly": True})] = ""
    """When it would have fired lately; left out, it is worked out."""
    people: Annotated[dict[str, str], Field(max_length=200, json_schema_extra={"readOnly": True})] = Field(
        default_factory=dict[str, str]
    )
    """The names of the contacts that it names by id, as the card shows them; left out, they are looked up."""

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
            until=self.until,
            do=self.do,
            per_hour=self.per_hour,
            per_day=self.per_day,
        )


class NoArgs(ClosedRecord):
    """Nothing to say."""


class NumberArgs(ClosedRecord):
    """Which automation, by its number."""

    number: int = Field(ge=1, description="Its number in the list, or its handle.", examples=[3])


class ReplayArgs(ClosedRecord):
    """Which event, by its id or how that begins, and for which automation; 0 for all that it fits."""

    event: str = Field(
        min_length=4, max_length=40, description="Id of the event, or how that begins.", examples=["3f9c2a"]
    )
    number: int = Field(default=0, ge=0, description="Of one automation only; 0: of all that it fits.", examples=[3])


FACTS = {
    "list": ("count",),
    "show": ("fired",),
    "create": ("number",),
    "pause": ("number",),
    "resume": ("number",),
    "remove": ("number",),
    "replay": ("numbers.0",),
}
"""What later steps can use of the result of an action."""


def preview(args: CreateArgs) -> Preview:
    """Return the preview: the whole automation, in words."""
    automation = args.automation()
    facts = [(say("Asks you"), asks_words(automation)), (say("Name"), args.name), (say("When"), when_words(automation))]
    facts += [(say("If"), "; ".join(wheres))] if (wheres := conditions(automation)) else []
    facts += [(say("Then"), "; ".join(act_words(act, args.people) for act in args.do))]
    facts += [(say("Until"), until_words(args.until))] if args.until is not None else []
    # The clock's times are all on the card; no limit holds them.
    facts += [(say("Replaces"), say("automation {number}", number=args.replaces))] if args.replaces else []
    facts += [(say("Limits"), limits(automation))] if automation.clock is None else []
    return Preview(
        effect=say("Saves an automation, which then does this by itself"),
        facts=tuple(facts),
        body=args.dry_run,
        told=tuple(CreateArgs.model_fields),
    )
