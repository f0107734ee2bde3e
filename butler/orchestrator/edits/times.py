"""Reads a new time in a reply to the card of a scheduled act: `make it 9`, `morgen um 8`, `une heure plus tard`.

A bare hour is on the day that the card shows, and a bare day keeps the card's hour. If the card's text has a time that
the reply may mean as well, the owner is asked which.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import TypeVar

from butler.contract.speech import phrase, say, say_short_moment
from butler.contract.wall_time import moment
from butler.orchestrator.edits.card_words import PACKAGE, card_words
from butler.orchestrator.edits.values import only_values, targets
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.later import said_in_words
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.planning.plan_types import Choice, Unclear
from butler.orchestrator.understanding.act_words import says, without
from butler.orchestrator.understanding.said import Said
from butler.orchestrator.understanding.times.loose import after
from butler.orchestrator.understanding.times.relative import LENGTH, shift, signed
from butler.understanding.reader import Request
from butler.understanding.stored_words import stored, words_in
from butler.understanding.tables import LANGUAGES
from butler.understanding.times.lengths import Amount
from butler.understanding.times.lexicon import folded
from butler.understanding.times.parse import length_of, parse
from butler.understanding.times.saying import USUAL_CLOCKS, TimeSaid

PAST = phrase("That time is past. Nothing was changed.")
WHICH_TIME = phrase("Which time is “{words}”? Say it like “tomorrow at 9”.")
ANOTHER_TIME = phrase("When shall it be sent then? Say it like “tomorrow at 9”, or tap Deny.")
CLAUSE_ENDS = re.compile(r"[,;.!?–—]+(?:\s+|$)")
WAKING = range(7, 23)
"""Hours that are meant where an hour may be of either half of the day."""
HALF_DAY, LATE, LAST_YEAR = 12, 20, 2199
Day = TypeVar("Day", bound=date)
LONGEST = 80
"""Characters of a reply that says nothing but a time."""


@dataclass(frozen=True, slots=True)
class NewTime:
    """The moment that the act is to wait for; None if it is to be done at once."""

    at: datetime | None


def said_of(words: str, scene: Scene, language: str) -> Said:
    """Return words that change a card, with the scene that they are said in."""
    return Said(Request(words, 0, (("approve.change", 1.0),), ()), scene, language, words)


def says_sending(words: str) -> bool:
    """Return whether words speak of the sending, and not of what is sent."""
    return _words("sure").search(folded(words)) is not None


def new_time(said: Said, shown: datetime, text: str) -> NewTime | Unclear | None:
    """Return the time that a reply says; a question if it may mean the text, None if it says no time.

    `shown` is the time that the card shows, `text` what it sends. Raises `Asking` for a time that is past.
    """
    zone, words = said.scene.request.zone, said.request.text
    if len(words) > LONGEST:
        return None
    now, wall, plain = said.scene.now(), shown.astimezone(zone).replace(tzinfo=None), folded(words)
    clauses = CLAUSE_ENDS.split(plain)
    meant = _meant(clauses, said)
    rest = _without_manners(", ".join(meant))
    at_once = _words("at_once").fullmatch(rest) is not None
    if not at_once and (by := _moved_by(rest, meant, said)) is not None:
        return NewTime(moment(_later(by, wall, now, words), zone))
    found = TimeSaid(moment=_this_minute(now)) if at_once else _said_time(rest, clauses, said)
    if found is None:
        return None
    if found.or_day is not None or found.until_day is not None or found.bound:
        raise Asking(say(WHICH_TIME, words=words))
    if found.moment == _this_minute(now):
        return NewTime(None)
    at = moved(wall, found, now, towards=_direction(plain))
    assert isinstance(at, datetime)
    if not _words("sure").search(plain) and (also := _in_text(rest, text)):
        send = choice(say("Send it at {when}", when=say_short_moment(at)), f"send it {said_in_words(at)}")
        return Unclear(say("Shall it be sent at another time, or is the text to be changed?"), (send, also))
    return NewTime(moment(at, zone))


def _said_time(rest: str, clauses: Sequence[str], said: Said) -> TimeSaid | None:
    """Return the time that is meant; raise `Asking` if it is only said which one is not."""
    found = _time(rest, said) or _time(_without_direction(rest), said)
    if found is not None:
        return found
    refused = _refused(clauses, said)
    if refused is not None and refused.bound != "before":
        raise Asking(say(ANOTHER_TIME))
    # Not before nine is at nine.
    return replace(refused, bound="") if refused is not None else None


def _meant(clauses: Sequence[str], said: Said) -> list[str]:
    """Return the clauses that say a time which is not refused or corrected; raise `Asking` for several hours."""
    meant: list[str] = []
    for one in clauses:
        if _words("no").fullmatch(one.strip()) or _words("correcting").match(one.strip()):
            # What was said before is corrected: `at ten, no, at eleven`.
            meant.clear()
        if not _refuses(one):
            meant.append(one)
    times = [found for one in meant if (found := _time(_without_manners(one), said)) is not None]
    either = (card_words("or").split(one) for one in meant)
    several = any(len(parts) > 1 and all(_time(_without_manners(one), said) for one in parts) for parts in either)
    if several or len([one for one in times if one.clock is not None]) > 1:
        raise Asking(say(WHICH_TIME, words=said.request.text))
    return meant


def _direction(plain: str) -> int:
    """Return 1 for what puts something off, -1 for what brings it forward, 0 for neither."""
    for kind, sign in (("later", 1), ("earlier", -1)):
        if _words(kind).search(plain) or says(kind, plain):
            return sign
    return 0


def _later(by: Amount, wall: datetime, now: datetime, words: str) -> datetime:
    """Return a local time so much later; raise `Asking` if it is past, or beyond the calendar."""
    try:
        return not_past(after(by, wall.replace(tzinfo=now.tzinfo)), now)
    except (OverflowError, ValueError):
        raise Asking(say(WHICH_TIME, words=words)) from None


def _this_minute(now: datetime) -> datetime:
    return now.replace(tzinfo=None, second=0, microsecond=0)


def says_too(words: str) -> bool:
    """Return whether a reply says only that a time is too early or too late."""
    return _words("too").search(folded(words)) is not None


def refuses(words: str) -> bool:
    """Return whether a reply says which time it is not to be, or that it is too early or too late."""
    return any(map(_refuses, CLAUSE_ENDS.split(folded(words))))


def _refuses(clause: str) -> bool:
    """Return whether a clause says which time it is not to be: `not today`, `mañana no`."""
    answers = _words("no").fullmatch(clause.strip()) is not None
    return not answers and any(_words(kind).search(clause) for kind in ("no", "refusing", "too"))


def _refused(clauses: Sequence[str], said: Said) -> TimeSaid | None:
    """Return the time that it is not to be, if nothing but a time is refused: `not tomorrow`."""
    for one in filter(_refuses, clauses):
        left = _without_manners(_words("no").sub(" ", _words("refusing").sub(" ", _words("too").sub(" ", one))))
        if (found := _time(left, said)) is not None:
            return found
    return None


def _moved_by(rest: str, clauses: Sequence[str], said: Said) -> Amount | None:
    """Return by how much it is put off or brought forward, in any of the languages: `an hour later`."""
    for language in dict.fromkeys((said.language, *LANGUAGES)):
        one = replace(said, language=language)
        if (by := shift(rest, one) or _put_off(clauses, one)) is not None:
            return by
    return None


def _put_off(clauses: Sequence[str], said: Said) -> Amount | None:
    """Return by how much a verb moves it: `verschieb es um zwei Stunden`, `push it back an hour`."""
    for clause in clauses:
        words = _without_manners(_words("later").sub(" ", _words("earlier").sub(" ", clause)))
        if not _is_clock(words, said) and (by := put_off(words, clause, said)) is not None:
            return by
    return None


def put_off(words: str, around: str, said: Said) -> Amount | None:
    """Return by how much words move a time if the words around them say that it is moved; None for no length."""
    amount = length_of(LENGTH.sub("", words, count=1), said.language, said.scene.now())
    for kind, sign in (("later", 1), ("earlier", -1)):
        if amount is not None and (says(kind, around) or _words(kind).search(folded(around))):
            return signed(amount, sign)
    return None


def _is_clock(words: str, said: Said) -> bool:
    """Return whether words that may be a length are a time of day: `à 9h`, here without its accent."""
    found = _time(words, said) if card_words("at").match(words) or words.startswith("a ") else None
    return found is not None and found.clock is not None


def _without_manners(words: str) -> str:
    """Return words without those that only speak of the sending, and without polite ones."""
    return " ".join(_words("perhaps").sub(" ", _words("sure").sub(" ", words)).strip(" ,.!?;:").split())


def _without_direction(words: str) -> str:
    """Return words without those that say only that it is put off or brought forward: `earlier, at 8`."""
    for kind in ("later", "earlier"):
        words = _words(kind).sub(" ", without(kind, words))
    return _without_manners(words)


def _time(words: str, said: Said) -> TimeSaid | None:
    """Return the time that words are from the first to the last, in any of the languages; `9` alone is an hour."""
    for language in dict.fromkeys((said.language, *LANGUAGES)):
        at = stored(PACKAGE, "times", "at", language)[0]
        for text in (words, f"{at} {words}"):
            if (found := parse(text, language, said.scene.now())) is not None:
                return found
    return None


def moved(old: date, found: TimeSaid, now: datetime, *, towards: int = 0) -> date:
    """Return the new time: what was not said is taken from the old one; raise `Asking` if it is past.

    `now` is local and aware; `old` and the result are local, days or without offset. `towards` is 1 for later than the
    old time, -1 for earlier, 0 if that was not said.
    """
    wall = now.replace(tzinfo=None)
    if found.moment is not None:
        return not_past(found.moment, now)
    day = found.day or as_moment(old).date()
    clock = found.clock if found.clock is not None else USUAL_CLOCKS.get(found.part)
    if clock is None:
        new: date = datetime.combine(day, old.time()) if isinstance(old, datetime) else day
    else:
        new = datetime.combine(day, clock if found.half_said else _likely(clock, old, towards))
    if found.weekday:
        new = _of_week(new, old, wall)
    return not_past(new, now)


def _of_week(new: date, old: date, wall: datetime) -> date:
    """Return a weekday in the week that the card shows, or the next one if that is over."""
    weeks = _monday(old) - _monday(new)
    nearest = max(new, new + weeks)
    return nearest if as_moment(nearest) >= wall else nearest + timedelta(7)


def _monday(day: date) -> date:
    return as_moment(day).date() - timedelta(day.weekday())


def not_past(new: Day, now: datetime) -> Day:
    """Return a local day or a local time without offset; raise `Asking` if it is past."""
    wall = now.replace(tzinfo=None)
    if new < (wall if isinstance(new, datetime) else wall.date()):
        raise Asking(say(PAST))
    if new.year > LAST_YEAR:
        raise Asking(say(WHICH_TIME, words=str(new.year)))
    return new


def as_moment(day: date) -> datetime:
    """Return a day as its beginning, and a time as it is."""
    return day if isinstance(day, datetime) else datetime.combine(day, time())


def _likely(clock: time, old: date, towards: int = 0) -> time:
    """Return an hour of unsaid half in the half of the day that the card has, unless people sleep then."""
    if not isinstance(old, datetime):
        late, shown = False, time()
    else:
        late, shown = old.hour >= HALF_DAY, old.time()
    halves = [clock.replace(hour=clock.hour % HALF_DAY + more) for more in ((HALF_DAY, 0) if late else (0, HALF_DAY))]
    there = [one for one in halves if (one > shown if towards > 0 else one < shown)] if towards else []
    if there:
        return there[0]
    awake = (one for one in halves if one.hour in WAKING or (shown.hour >= LATE and one > shown))
    return next(awake, clock)


def _in_text(words: str, text: str) -> Choice | None:
    """Return the change of the text that the words may mean instead."""
    found = [(old, new) for new in only_values(words) for old in targets(text, new)]
    if not found:
        return None
    old, new = found[0]
    value = words[new.start : new.end]
    return choice(say("{old} becomes {new} in the text", old=old.text, new=value), f"change “{old.text}” to “{value}”")


def _words(kind: str) -> re.Pattern[str]:
    return words_in(PACKAGE, "times", kind)
