"""Builds requests about the digest: its time, and days without it."""

from butler.contract.agents import PlanStep
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.planning.plan_types import Command, Planned, PlannerOutput
from butler.orchestrator.understanding.said import Builder, Said
from butler.understanding.marked import SlotWords
from butler.understanding.stored_words import patterns_in, whole_in
from butler.understanding.times.loose import within
from butler.understanding.times.saying import TimeSaid

SET, SKIP = "bot_digests_set_time", "bot_digests_skip"
WORDS = ("butler.orchestrator.understanding", "digest_words")
EVENING, MORNING = patterns_in(*WORDS, "evening"), patterns_in(*WORDS, "morning")
OFF, ON = whole_in(*WORDS, "off"), whole_in(*WORDS, "on")
FROM_NOW_ON = patterns_in(*WORDS, "from_now_on")
INSTEAD = whole_in(*WORDS, "instead")
"""Words that replace one digest by the other."""
SOME_DAYS = patterns_in(*WORDS, "some_days")
EVERY_DAY = phrase(
    "The digest comes every day. I can set its time, leave it out on a day, or switch it off. "
    "At what time shall it come?"
)
WHICH_TIME = phrase("At what time shall the digest come?")
AFTERNOON = 15
"""The hour from which on a digest is the evening's."""
USUAL = {"morning": "07:30", "evening": "19:00"}
"""The default times of the digests."""


def set_time(said: Said) -> PlannerOutput:
    """`send the digest at [7:30](time)`, `[in the evening](time)`, or no more."""
    said.need(SET)
    text = said.request.text
    kind = "evening" if EVENING.search(text) and not MORNING.search(said.words("time")) else "morning"
    found = _clock(said)
    if found is not None and found.clock is not None:
        kind = "evening" if found.clock.hour >= AFTERNOON else kind
        plan = _at(kind, f"{found.clock:%H:%M}")
        other = "morning" if kind == "evening" else "evening"
        moved = INSTEAD.search(text) and EVENING.search(text) and MORNING.search(text)
        return calls.plan(*plan.steps, _off(other)) if moved else plan
    if SOME_DAYS.search(text) or (OFF.search(text) and said.has("every")):
        raise Asking(say(EVERY_DAY))
    if OFF.search(text):
        kinds = [kind] if EVENING.search(text) or MORNING.search(text) else ["morning", "evening"]
        return calls.plan(*map(_off, kinds))
    said_when = EVENING.search(said.words("time")) or MORNING.search(said.words("time"))
    if said_when or ON.search(said.words("value") or ("" if said.has("time", "every") else text)):
        return _at(kind, USUAL[kind])
    raise Asking(say(WHICH_TIME))


def now(said: Said) -> PlannerOutput:
    """`what's new`; with a time of day for the future, that is when the digest comes."""
    if FROM_NOW_ON.search(said.request.text) and _clock(said) is not None and said.scene.has(SET):
        return set_time(said)
    return Command.DIGEST


def _at(kind: str, clock: str) -> Planned:
    return calls.plan(calls.call(SET, say("Set the time of the digest"), kind=kind, at=clock))


def _off(kind: str) -> PlanStep:
    return calls.call(SET, say("Switch the digest off"), kind=kind)


def _clock(said: Said) -> TimeSaid | None:
    """Return the time of day in the marked words (`every weekday at 7`), or else anywhere in the request."""
    now = said.scene.now()
    marked = [
        words for slot in ("time", "every") for words in (" ".join(said.request.words(slot)), *said.request.words(slot))
    ]
    readings = (within(words, said.language, now) for words in (*marked, *_ends(said.request.text)) if words)
    return next((one for one in readings if one is not None and one.clock is not None), None)


def _ends(text: str) -> list[str]:
    """Return a stretch of words from each word of a request on, as a time may begin anywhere."""
    words = text.split()
    return [" ".join(words[at : at + 6]) for at in range(len(words) - 1)]


def skip(said: Said) -> PlannerOutput:
    """`no digest [tomorrow](time)`."""
    said.need(SKIP)
    today = said.scene.now().date()
    slot = next((slot for slot in ("time", "time_of", "every") if said.has(slot)), "")
    found = within(said.request.text, said.language, said.scene.now()) if not slot else None
    first = found.day if found is not None else None
    if slot:
        first, _ = (said if slot == "time" else _as_time(said, slot)).days("time")
    return calls.plan(calls.call(SKIP, say("Leave out a digest"), day=(first or today).isoformat()))


def _as_time(said: Said, slot: str) -> Said:
    slots = tuple(
        SlotWords("time", one.text, one.start, one.end) if one.slot == slot else one for one in said.request.slots
    )
    return said.with_slots(slots)


BUILDERS: dict[str, Builder] = {"digest.now": now, "digest.time": set_time, "digest.skip": skip}
