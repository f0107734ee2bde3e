"""Builds questions about one event: `where is the dentist`, `who comes to Thursday's lunch`, `how long is that one`."""

from butler.contract.speech import say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.agenda_words import LIST, READ, look
from butler.orchestrator.embedded.stretch import Stretch, from_now
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput
from butler.orchestrator.understanding.calendar.event import One, joined, ones_of_calendar
from butler.orchestrator.understanding.said import Said
from butler.orchestrator.understanding.things.named import event_words
from butler.orchestrator.understanding.times.upcoming import only


def read(said: Said) -> PlannerOutput:
    """Read all details of the shown event that is meant, or of the next event with such a title."""
    said.need(READ)
    return joined([_read(one, said) for one in ones_of_calendar(_without_guests(said))])


def _read(one: One, said: Said) -> Planned:
    told = say("Look it up in your calendar")
    if one.handle:
        return calls.plan(calls.call(READ, told, event={"handle": one.handle}))
    said.need(LIST)
    single = {"limit": 1} if one.next or one.when == Stretch() else {}
    when = one.when if one.next else from_now(one.when, said.scene.now())
    found = calls.call(READ, told, event={"step": 1, "fact": "events.0.event_id"})
    return calls.plan(look(one.words, when, **single), only(found))


def _without_guests(said: Said) -> Said:
    """Return the request without guests if the event is named: `has Ada accepted for the board meeting`."""
    if not any(event_words(one) for one in said.request.words("topic")):
        return said
    slots = tuple(one for one in said.request.slots if one.slot != "with")
    return said.with_slots(slots)
