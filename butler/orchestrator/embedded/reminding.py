"""Texts about reminders, and a rule as their tools take it."""

from typing import Any

from butler.contract.schedules import RecurrenceRule
from butler.contract.speech import phrase

WHEN = phrase("When shall I remind you? Say a time, like “in 2 hours”, “tomorrow at 8” or “every Friday at 10”.")
ONE_BY_ONE = phrase("I remove reminders one at a time: “what reminders do I have” lists them, each with a button.")
DESCRIBED = {
    "change": phrase("Change the reminder"),
    "snooze": phrase("Put the reminder off"),
    "done": phrase("Note the reminder as done"),
    "skip": phrase("Leave out its next time"),
    "remove": phrase("Remove the reminder"),
}
OF_WHAT = phrase("Remind you of what? Say it like “remind me tomorrow at 9 to call mum”.")
THE_MAIL = phrase("look at this mail")
"""The text of a reminder that the owner asks for above a mail without saying what for."""


def rule_args(rule: RecurrenceRule) -> dict[str, Any]:
    """Return a rule as the tools take it, in the owner's current zone."""
    said = rule.model_dump(mode="json", exclude_defaults=True, exclude={"zone", "start", "at", "keeps"})
    clocks = {"clocks": [f"{at:%H:%M}" for at in rule.at]} if rule.at else {}
    within = {"within": [f"{at:%H:%M}" for at in rule.within]} if rule.within else {}
    return {"at": rule.start.isoformat(timespec="seconds")} | said | clocks | within
