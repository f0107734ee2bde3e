"""Represents one marked request, and turns its words into values."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

from butler.contract.speech import phrase, say, say_clock, say_day, say_short_day, say_short_moment
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.clock import Part
from butler.orchestrator.embedded.scene import Scene, missing
from butler.orchestrator.embedded.when import Spoken, in_each_zone, settle
from butler.orchestrator.planning.plan_types import Choice, PlannerOutput
from butler.orchestrator.understanding.other_clocks import OtherClock, other_clock
from butler.understanding.marked import SlotWords
from butler.understanding.reader import Request
from butler.understanding.tables import intents
from butler.understanding.times.halves import likely
from butler.understanding.times.lengths import FEWEST_MINUTES, Amount
from butler.understanding.times.lexicon import lexicon, tokens_of
from butler.understanding.times.loose import marked_time
from butler.understanding.times.parse import length_of, minute_of
from butler.understanding.times.saying import TimeSaid

PARTS = {
    "morning": Part.MORNING, "noon": Part.AFTERNOON, "afternoon": Part.AFTERNOON, "evening": Part.EVENING,
    "night": Part.NIGHT,
}  # fmt: skip
PART_SPANS = {
    "morning": (time(6), time(12)), "noon": (time(11, 30), time(14)), "afternoon": (time(12), time(18)),
    "evening": (time(18), time(22)), "night": (time(18), time(23, 59)),
}  # fmt: skip
WHOSE_TIME = phrase("On whose clock is that?")
NEAR = 2
"""The most words between two parts of a slot that belong to it."""
CLOCKS = (time(9), time(12), time(18))
MOST_MINUTES = 120
"""The highest bare number that counts as minutes."""
LOOKS_BACK = re.compile(r"(?:mail|chat|memory|file|note|server|web)\.|digest\.now")
"""Intents that ask about the past."""
FROM_NOW = frozenset({"reminder.create", "reminder.snooze", "message.send", "mail.send"})
"""Intents whose time is that of something new, not of an existing thing."""


@dataclass(frozen=True, slots=True)
class Said:
    """A request, its scene, and the language of its words."""

    request: Request
    scene: Scene
    language: str
    whole: str
    """The whole message, of which the request may be a part."""

    def words(self, slot: str) -> str:
        """Return the first words of a slot; empty if it has none."""
        found = self.request.words(slot)
        return found[0] if found else ""

    def all_words(self, slot: str) -> str:
        """Return all words of a slot, with the words between adjacent parts: `every day` except `holidays`."""
        marked = [one for one in self.request.slots if one.slot == slot]
        found = ""
        for at, one in enumerate(marked):
            between = self.request.text[marked[at - 1].end : one.start] if at else ""
            found += (between if len(between.split()) <= NEAR and "\n" not in between else ", ") + one.text
        return found

    def has(self, *slots: str) -> bool:
        """Return whether any of these slots has words."""
        return any(self.request.words(slot) for slot in slots)

    def with_slots(self, slots: Iterable[SlotWords]) -> "Said":
        """Return the request with other slots in place of its own."""
        return replace(self, request=replace(self.request, slots=tuple(slots)))

    def need(self, tool: str) -> None:
        """Raise `Asking` with what is missing if a tool is not set up."""
        if not self.scene.has(tool):
            raise Asking(missing(tool, self.scene))

    def missing(self, slot: str) -> Asking:
        """Return the question in the intent's table for a missing slot."""
        return Asking(say(intents()[self.request.intent].ask[slot]))

    def again(self, slot: str, words: str) -> str:
        """Return the request in the owner's words with other words in a slot; a missing slot is added at the end."""
        marked = [one for one in self.request.slots if one.slot == slot]
        text = self.request.text
        if not marked:
            return f"{text.rstrip(' .!?')} {words}"
        for one in reversed(marked[1:]):
            text = text[: one.start] + text[one.end :]
        return text[: marked[0].start] + words + text[marked[0].end :]

    def when(self, slot: str = "time") -> TimeSaid | None:
        """Return the time of all words of a slot together; raise `Asking` if it is not understood."""
        marked = self.request.words(slot)
        if not marked:
            return None
        other = other_clock(self.request, slot)
        plain = other.without(self.request) if other is not None else self.request
        found = self._marked(slot, back=None, request=plain) or self._next_minute(marked)
        if found is None:
            raise self.not_read(slot)
        return found

    def _marked(self, slot: str, *, back: bool | None, request: Request | None = None) -> TimeSaid | None:
        asked, now = request or self.request, self.scene.now()
        places = [(one.start, one.end) for one in asked.slots if one.slot == slot]
        return marked_time(asked.text, places, self.language, now, back=back, bounds=slot == "time") if places else None

    def _next_minute(self, words: tuple[str, ...]) -> TimeSaid | None:
        """Return the next time with the named minute for something new: `at quarter past`."""
        now = self.scene.now()
        minute = minute_of(" ".join(words), self.language, now) if self.request.intent in FROM_NOW else None
        if minute is None:
            return None
        later = now + timedelta(minutes=(minute - now.minute - 1) % 60 + 1)
        return TimeSaid(moment=later.replace(tzinfo=None, second=0, microsecond=0))

    def not_read(self, slot: str) -> Asking:
        """Return the question about a time that is not understood."""
        words = " ".join(self.request.words(slot))
        return Asking(say("Which time is “{words}”? Say it like “tomorrow at 9”.", words=words))

    def length(self, slot: str) -> Amount | None:
        """Return a duration; raise `Asking` if it is not understood."""
        words = self.words(slot)
        if not words:
            return None
        found = length_of(words, self.language, self.scene.now()) or _in_minutes(words, slot, self.language)
        if found is None:
            raise Asking(say("How long is “{words}”? Say it like “30 minutes”.", words=words))
        return found

    def minutes(self, slot: str) -> int | None:
        """Return a duration in whole minutes."""
        found = self.length(slot)
        return None if found is None else found.seconds // 60 + (found.days + 30 * found.months) * 24 * 60

    def moment(self, slot: str = "time", *, assumed: time | None = None) -> datetime | None:
        """Return the local moment that is meant; None if no time was said. Raise `Asking` if it is in doubt.

        Args:
            slot: The slot with the time.
            assumed: The default time of day; without it, a missing one is asked for.
        """
        found = self.when(slot)
        return None if found is None else self.settled(found, slot, assumed=assumed)

    def settled(self, found: TimeSaid, slot: str = "time", *, assumed: time | None = None) -> datetime:
        """Return the local moment of a parsed time; raise `Asking` if it is in doubt."""
        now = self.scene.now()
        found = likely(_begun(found, now), now)
        said = spoken(found)
        other = other_clock(self.request, slot) if said.clock is not None else None
        if other is not None:
            said = replace(said, zone=other.zone)
        if found.or_day is not None and found.day is not None:
            days = [found.day, found.or_day]
            raise Asking(say("Which day do you mean?"), [self._on(slot, day, found.clock or time(9)) for day in days])
        if not said.whole:
            day = found.day or now.date()
            if assumed is None:
                wall = now.replace(tzinfo=None)
                clocks = [clock for clock in CLOCKS if datetime.combine(day, clock) > wall]
                raise Asking(say("At what time on {day}?", day=say_day(day)), [self._on(slot, day, c) for c in clocks])
            return datetime.combine(day, assumed)
        if moments := in_each_zone(said, now):
            raise Asking(say(WHOSE_TIME), [self._in_zone(slot, name, at, other) for name, at in moments])
        at = settle(said, now)
        if at is None:
            raise Asking(say("That time is past. When do you mean?"))
        return at

    def stretch(self, slot: str = "time") -> tuple[datetime | None, datetime | None]:
        """Return the local start and end of a requested span of time; None for an open end.

        In requests about the past, `Friday` is the last one, and `in May` is the latest May.
        """
        back, now = LOOKS_BACK.match(self.request.intent) is not None, self.scene.now()
        found = self._marked(slot, back=back) or self.when(slot)
        return (None, None) if found is None else span_of(_over(found, now) if back else likely(found, now), now)

    def days(self, slot: str = "time") -> tuple[date | None, date | None]:
        """Return the span as days, the end excluded."""
        first, last = self.stretch(slot)
        until = last.date() + timedelta(1) if last and last.time() != time(0) else last.date() if last else None
        return (first.date() if first else None), until

    def _in_zone(self, slot: str, name: str, at: datetime, other: OtherClock | None) -> Choice:
        """Return a choice for a moment in one zone, in the owner's local time."""
        whose = name.rpartition("/")[2].replace("_", " ") if name else say("Mine")
        plain = replace(self, request=other.without(self.request)) if other is not None else self
        words = " ".join(plain.again(slot, _said_in(at)).split())
        return choice(f"{whose}: {say_short_moment(at)}", words)

    def _on(self, slot: str, day: date, clock: time) -> Choice:
        at = datetime.combine(day, clock)
        label = say("{day} at {clock}", day=say_short_day(at), clock=say_clock(at))
        return choice(label, self.again(slot, _said_in(at)))


Builder = Callable[[Said], PlannerOutput]
"""Makes a plan, a question or a command of one request; may raise `Asking`."""


def _said_in(at: datetime) -> str:
    """Return a moment in a form that all languages read alike."""
    return f"{at:%Y-%m-%d} {at:%H:%M}"


def spoken(found: TimeSaid) -> Spoken:
    """Return a parsed time in the form that `settle()` takes."""
    return Spoken(
        day=found.day, clock=found.clock, part=PARTS.get(found.part) if found.clock is None else None,
        moment=found.moment, same_clock=found.same_clock, weekday=found.weekday, half_said=found.half_said,
    )  # fmt: skip


def span_of(found: TimeSaid, now: datetime) -> tuple[datetime | None, datetime | None]:
    """Return the local span of a time: a day, a part of it, an hour from a clock time, or all the days named."""
    wall = now.replace(tzinfo=None)
    if found.moment is not None:
        return found.moment, found.moment + timedelta(hours=1)
    day = found.day or wall.date()
    if found.bound == "since":
        return datetime.combine(day, found.clock or time(0)), None
    if found.bound == "before":
        return None, datetime.combine(day, found.clock or time(0)) + (
            timedelta(1) if found.clock is None else timedelta(0)
        )
    if found.clock is not None:
        begin = datetime.combine(day, found.clock)
        return begin, datetime.combine(day, found.until_clock) if found.until_clock else begin + timedelta(hours=1)
    if found.part and found.until_day is None:
        first, last = PART_SPANS.get(found.part, (time(0), time(23, 59)))
        return datetime.combine(day, first), datetime.combine(day, last)
    return datetime.combine(day, time(0)), datetime.combine(found.until_day or day, time(0)) + timedelta(1)


def _in_minutes(words: str, slot: str, language: str) -> Amount | None:
    """Return a bare number such as `ten` as minutes, if it is in the range for minutes."""
    tokens = tokens_of(words)
    meant = lexicon(language).phrases.get(tuple(tokens), {}).get("number", tokens[0] if len(tokens) == 1 else "")
    small = slot in {"duration", "lead"} and meant.isdigit() and FEWEST_MINUTES <= int(meant) <= MOST_MINUTES
    return Amount(seconds=60 * int(meant)) if small else None


def _begun(found: TimeSaid, now: datetime) -> TimeSaid:
    """Return a part of today that has begun with its next full hour, at least half an hour from now."""
    wall = now.replace(tzinfo=None)
    if found.day != wall.date() or found.clock is not None or found.part not in PART_SPANS or found.weekday:
        return found
    usual, ends = PARTS[found.part].value, PART_SPANS[found.part][1]
    hour = (wall + timedelta(minutes=90)).replace(minute=0, second=0, microsecond=0)
    soon = datetime.combine(wall.date(), usual) <= wall and hour.date() == wall.date() and hour.time() <= ends
    return replace(found, clock=hour.time()) if soon else found


def _over(found: TimeSaid, now: datetime) -> TimeSaid:
    """Return a past time: a part of the day that has not begun today is yesterday's."""
    found = likely(found, now, back=True)
    wall = now.replace(tzinfo=None)
    first = found.clock or PART_SPANS.get(found.part, (time(0), None))[0]
    if found.day is None and found.moment is None and datetime.combine(wall.date(), first) > wall:
        return replace(found, day=wall.date() - timedelta(1))
    return found


def bare(words: str) -> str:
    """Return words without quotation marks and punctuation around them."""
    return re.sub(r"^[\s\"'“”„«»,:;–—-]+|[\s\"'“”„«»,;–—-]+$", "", words)
