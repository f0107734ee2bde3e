"""Reads spans relative to a shown event: `after that`, `the same day`, `the day after`."""

from typing import Any

from butler.contract.agents import PlanStep
from butler.contract.speech import say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.agenda_words import READ
from butler.orchestrator.understanding.act_words import only
from butler.orchestrator.understanding.calendar.slots import shown_event
from butler.orchestrator.understanding.said import Said
from butler.orchestrator.understanding.times.relative import clock_of, relative

BEGINS, MIDNIGHT = "08:00", "00:00"
"""The start of a day for spans before an event, and for whole days."""


def span_by_shown(said: Said) -> tuple[PlanStep, dict[str, Any]] | None:
    """Return the step that reads the event, and the span relative to it; None if the words name no such span."""
    event = shown_event(said)
    args = _span(said) if event is not None else None
    if event is None or args is None:
        return None
    return calls.call(READ, say("Look it up in your calendar"), event={"handle": event.handle}), args


def _span(said: Said) -> dict[str, Any] | None:
    words = " ".join(said.request.words("time"))
    if only("following", words):
        return {"since": _fact("end", minutes=0), "before": _fact("end", days=1, at=MIDNIGHT)}
    if only("preceding", words):
        return {"since": _fact("start", at=BEGINS), "before": _fact("start", minutes=0)}
    by = relative(said) if words else None
    if by is None or by.minutes or abs(by.days) > 1:
        return None
    clock, day = clock_of(by.said), by.said.day if by.said is not None else None
    if day is not None:
        on = {"on": day.isoformat()}
        return {"since": _fact("start", **on), "before": _fact("end", **on)} if clock is None and by.kept else None
    if clock is not None:
        at = f"{clock:%H:%M}"
        return {"since": _fact("start", days=by.days, at=at), "before": _fact("start", days=by.days, at=at, minutes=60)}
    return {
        "since": _fact("start", days=by.days, at=MIDNIGHT),
        "before": _fact("start", days=by.days + 1, at=MIDNIGHT),
    }


def _fact(path: str, **moves: Any) -> dict[str, Any]:
    return {"step": 1, "fact": path, **moves}
