"""Determines the calendar spans of questions, and builds the search for one event."""

from dataclasses import replace
from datetime import date, datetime, time, timedelta

from butler.contract.agents import PlanStep, When
from butler.orchestrator.embedded.agenda_words import look
from butler.orchestrator.embedded.clock import NOON
from butler.orchestrator.embedded.stretch import Stretch, from_now
from butler.orchestrator.embedded.when import DAWN
from butler.orchestrator.understanding.said import Said
from butler.orchestrator.understanding.times.loose import WORDS, loose_time, without_its_day
from butler.understanding.stored_words import whole_in
from butler.understanding.times.saying import TimeSaid

PART_SPANS = {
    "morning": (time(0), time(12)), "noon": (time(11, 30), time(14)), "afternoon": (time(12), time(18)),
    "evening": (time(18), None), "night": (time(18), None), "midnight": (time(0), time(1)),
}  # fmt: skip
EARLY, NEXT = whole_in(*WORDS, "early"), whole_in(*WORDS, "next")
ONE_DAY = timedelta(1)


def likely(found: TimeSaid, words: str) -> TimeSaid:
    """Return an event's likely time: `at five` is in the afternoon, unless the words say morning or night."""
    clock, until = found.clock, found.until_clock
    if clock is None or found.half_said or found.part or not 0 < clock.hour < DAWN or EARLY.search(words):
        return found
    later = clock.replace(hour=clock.hour + NOON)
    if until is not None and until < later and until.hour < NOON:
        until = until.replace(hour=until.hour + NOON)
    return replace(found, clock=later, until_clock=until, half_said=True)


def spanned(said: Said, slot: str = "time") -> Stretch:
    """Return the span of a slot's words; open if there are none. Raise `Asking`."""
    found = loose_time(said, slot)
    if found is None:
        return Stretch()
    span = span_of(likely(found, " ".join(said.request.words(slot))), said.scene.now())
    bound = without_its_day(said, slot) if found.clock is None and found.day is not None else ""
    if bound == "before" and found.bound in {"", bound}:
        return Stretch(None, found.day)
    if bound == "since" and found.bound in {"", bound} and found.day is not None:
        return Stretch((found.until_day or found.day) + ONE_DAY)
    return span


def span_of(found: TimeSaid, now: datetime) -> Stretch:  # noqa: PLR0911 - one way after the other
    """Return the span of a time, in whole days without an hour."""
    if found.moment is not None:
        return Stretch(found.moment, found.moment + timedelta(hours=1))
    day = found.day or now.date()
    if found.bound == "since":
        begin = datetime.combine(day, found.clock) if found.clock else day
        return Stretch(begin, found.until_day + ONE_DAY if found.until_day else day + ONE_DAY if found.clock else None)
    if found.bound == "before":
        begin = found.day if found.day and found.clock else None
        return Stretch(begin, datetime.combine(day, found.clock) if found.clock else day + ONE_DAY)
    if found.until_day is not None:
        return Stretch(day, found.until_day + ONE_DAY)
    if found.clock is not None and found.part not in {"noon", "midnight"}:
        begin = datetime.combine(day, found.clock)
        return Stretch(begin, _ends(day, found) if found.until_clock else begin + timedelta(hours=1))
    if found.part:
        first, last = PART_SPANS[found.part]
        return Stretch(datetime.combine(day, first), datetime.combine(day, last) if last else day + ONE_DAY)
    return Stretch(day, day + ONE_DAY)


def _ends(day: date, found: TimeSaid) -> datetime:
    assert found.until_clock is not None
    ends = datetime.combine(day, found.until_clock)
    return ends if found.clock is None or found.until_clock > found.clock else ends + ONE_DAY


def says_next(said: Said) -> bool:
    """Return whether only the next event is requested: `next` outside of the words of a time."""
    text = said.request.text
    for one in sorted(said.request.slots, key=lambda slot: -slot.start):
        if one.slot in {"time", "time_of", "every"}:
            text = text[: one.start] + text[one.end :]
    return NEXT.search(text) is not None


def search(said: Said, words: str, slot: str) -> PlanStep:
    """Return the step that searches an event by words and the time in a slot."""
    said.need("user_calendar_list_events")
    return look(words, from_now(spanned(said, slot), said.scene.now()))


def only(step: PlanStep) -> PlanStep:
    """Return the step with the condition that the search before it finds exactly one event."""
    return step.model_copy(update={"when": When(step_id=1, fact="count", is_="equal", value=1), "depends_on": [1]})
