"""Places new events relative to what was shown or asked about: in a free slot, right after an event, like another one.

The planner does not know the times of a shown event or slot, so the new event's start is a reference.
"""

from dataclasses import dataclass
from typing import Any

from butler.contract.agents import PlanStep
from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.agenda_words import FREE, READ
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.planning.plan_types import Planned
from butler.orchestrator.understanding.act_words import only, says
from butler.orchestrator.understanding.said import Said
from butler.orchestrator.understanding.things.pointing import pointed
from butler.orchestrator.understanding.things.refs import outside, shows
from butler.orchestrator.understanding.things.shown import last_of
from butler.orchestrator.understanding.times.asked_before import asked_messages, asked_time
from butler.orchestrator.understanding.times.relative import Relative, clock_of, relative
from butler.orchestrator.understanding.times.upcoming import likely, span_of
from butler.store.conversation import Referent
from butler.understanding.times.saying import TimeSaid

AN_HOUR = 60
GOING_ON = ("going_on", "there", "gap")
WHICH_DAY = phrase("On which day shall it be?")
EVENT = ReferentKind.EVENT


@dataclass(frozen=True, slots=True)
class Begin:
    """The start of a new event relative to another, and the step that reads the other one."""

    look: PlanStep
    start: dict[str, Any]
    end: dict[str, Any] | None = None
    minutes: int = 0
    title: dict[str, Any] | None = None

    def plan(self, step: PlanStep) -> Planned:
        """Return the plan that creates the event."""
        return calls.plan(self.look, step.model_copy(update={"depends_on": [1]}))

    def args(self) -> dict[str, Any]:
        """Return the time as the tool takes it."""
        ends = {"end": self.end} if self.end is not None else {}
        return {"start": self.start} | ends | ({"minutes": self.minutes} if self.minutes and not ends else {})


def shown_event(said: Said) -> Referent | None:
    """Return the one event that was shown last."""
    return last_of(said, EVENT) if shows(said, EVENT) else None


def by_shown(said: Said, minutes: int, *, titled: bool) -> Begin | None:
    """Return the start if it is relative to what was shown or asked about; else None. Raise `Asking`.

    Args:
        said: The request.
        minutes: The event's length; 0 if unknown.
        titled: Whether the event has a title of its own.
    """
    event = shown_event(said)
    by = relative(said)
    if event is not None:
        if not titled and (says("another", said.request.text) or says("alike", said.request.text)):
            return _like(event, by or Relative(kept=True, said=said.when("time")))
        if (found := _beside(event, said, minutes, by)) is not None:
            return found
    found = said.when("time") if by is None and timed(said) else None
    if by is not None or (found is not None and (found.clock or found.day or found.moment)):
        return None
    return _in_gap(said, minutes, found)


def timed(said: Said) -> str:
    """Return the words of the time; empty if they are only `then`, `after it` or `in that slot`."""
    words = " ".join(said.request.words("time"))
    return "" if any(only(kind, words) for kind in ("there", "gap", "following", "preceding")) else words


def goes_on(said: Said) -> bool:
    """Return whether a request continues a topic of the last minutes: `ok, then put it in at six`."""
    going = said.has("ref") or any(says(kind, outside(said)) for kind in GOING_ON)
    return going and next(asked_messages(said), None) is not None


def _fact(path: str, **moves: Any) -> dict[str, Any]:
    return {"step": 1, "fact": path, **(moves or {"minutes": 0})}


def _read(event: Referent) -> PlanStep:
    return calls.call(READ, say("Look it up in your calendar"), event={"handle": event.handle})


def _beside(event: Referent, said: Said, minutes: int, by: Relative | None) -> Begin | None:
    """Return a start right after the event, right before it, or on its day at another hour."""
    if by is not None and by.moves():
        return Begin(_read(event), _fact("start", **by.moves()), minutes=minutes)
    words = timed(said)
    where = " ".join(said.request.words("time")) or outside(said)
    if not words and says("following", where):
        return Begin(_read(event), _fact("end"), minutes=minutes or AN_HOUR)
    if not words and says("preceding", where):
        return Begin(_read(event), _fact("start", minutes=-(minutes or AN_HOUR)), minutes=minutes or AN_HOUR)
    found = said.when("time") if words and by is None else None
    if found is None or found.day is not None or not goes_on(said):
        return None
    found = likely(found, words)
    clock = clock_of(found)
    if clock is None:
        return None
    end = _fact("start", at=f"{found.until_clock:%H:%M}") if found.until_clock is not None else None
    return Begin(_read(event), _fact("start", at=f"{clock:%H:%M}"), end, minutes)


def _like(event: Referent, by: Relative) -> Begin:
    """Return the same event at another time: `and one the week after`, `otra igual el jueves`. May raise `Asking`."""
    moves = by.moves()
    if not moves or (by.said is not None and by.said.until_day is not None):
        raise Asking(say(WHICH_DAY))
    end = _fact("end", **moves) if "at" not in moves else None
    return Begin(_read(event), _fact("start", **moves), end, title={"step": 1, "fact": "title"})


def _in_gap(said: Said, minutes: int, part: TimeSaid | None) -> Begin | None:
    """Return a start in free time that was asked for just before; the plan looks for it again."""
    where = f"{outside(said)} {' '.join((*said.request.words('ref'), *said.request.words('time')))}"
    asked = asked_time(said) if says("gap", where) or says("there", where) or said.has("ref") else None
    if asked is None or not said.scene.has(FREE) or not (says("free", asked[1]) or says("gap", where)):
        return None
    when = asked[0] if part is None else TimeSaid(day=asked[0].day, part=part.part)
    long = {"minutes": minutes} if minutes else {}
    told = say("Look for free time in your calendar")
    look = calls.call(FREE, told, **span_of(when, said.scene.now()).args(), **long)
    way = pointed(" ".join(said.request.words("ref")), said.language)
    place = way.numbers[0] - 1 if way.numbers else 0
    return Begin(look, _fact(f"free.{place}.start"), minutes=minutes or AN_HOUR)
