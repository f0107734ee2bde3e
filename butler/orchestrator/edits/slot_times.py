"""Changes when an event begins, when a card is due, when something is sent, and times in a text."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from functools import reduce
from typing import Any

from butler.contract.speech import phrase, say
from butler.contract.wall_time import moment
from butler.orchestrator.edits.card_content import make, swap
from butler.orchestrator.edits.card_words import card_words
from butler.orchestrator.edits.slot_scene import CANNOT, Edited, Scene, named_in, swapped, with_values
from butler.orchestrator.edits.spots import core, lengths_in, times_in
from butler.orchestrator.edits.times import (
    ANOTHER_TIME,
    HALF_DAY,
    WHICH_TIME,
    NewTime,
    as_moment,
    moved,
    new_time,
    not_past,
    refuses,
    said_of,
    says_sending,
    says_too,
)
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.planning.plan_types import Unclear
from butler.orchestrator.understanding.times.loose import minutes_of
from butler.understanding.times.lengths import Amount, shifted
from butler.understanding.times.parse import length_of, parse
from butler.understanding.times.saying import TimeSaid

NOT_LATER = phrase("This is done right after your yes. To have it done later, ask me anew.")
WHOLE_DAY = phrase("It takes the whole day. Say on which other day it shall be, or at what time, like “at 9”.")
NOON, EVENING = time(12), 17
AN_HOUR = 60
LONGEST_BY_HALF = timedelta(hours=8)
"""How long an event may be made by an end that is said before its beginning."""


def time_value(edited: Edited, words: Sequence[str], scene: Scene) -> Edited:
    if scene.corrects(words) or says_too(scene.said):
        raise Asking(say(WHICH_TIME, words=scene.said))
    if "start" in scene.args:
        by = scene.shift(words)
        return _put_off(edited, by, scene) if by is not None else _timed(edited, words, scene)
    if "due" in scene.args:
        due = scene.args["due"]
        old = datetime.fromisoformat(due) if due else datetime.combine(scene.now.date(), NOON)
        return with_values(edited, due=moved(old, scene.time(words), scene.now).isoformat())
    if scene.draft.not_before is not None:
        at = _sent_at(words, scene.draft.not_before, scene)
        return replace(edited, not_before=at, at_once=at is None)
    if says_sending(scene.said) and edited.sheet.recipients:
        raise Asking(say(NOT_LATER))
    return _time_in_text(edited, words, scene)


def _put_off(edited: Edited, by: Amount, scene: Scene) -> Edited:
    """Move an event by a length of time; it keeps its own."""
    old = _start(scene)
    if by.seconds and not isinstance(old, datetime):
        raise Asking(say(WHOLE_DAY))
    day = shifted(as_moment(old).date(), by.months) + timedelta(by.days)
    new = datetime.combine(day, as_moment(old).time()) + timedelta(seconds=by.seconds)
    return _from(edited, old, not_past(new if isinstance(old, datetime) else new.date(), scene.now), scene)


def _timed(edited: Edited, words: Sequence[str], scene: Scene) -> Edited:
    """When an event begins or, as in `until eleven`, when it ends."""
    found, bound = scene.time(words), scene.bound(words)
    if not bound and card_words("ends").search(scene.said):
        bound = "until"
    over_days = found.until_day is not None and found.until_day != found.day
    if over_days or bound in {"before", "after"} or (bound == "until" and found.clock is None):
        raise Asking(say(WHICH_TIME, words=scene.said))
    return _ends(edited, found, scene) if bound == "until" else _begins(edited, found, scene)


def _ends(edited: Edited, found: TimeSaid, scene: Scene) -> Edited:
    """When an event ends; it begins when it did."""
    old = _start(scene)
    if not isinstance(old, datetime) or found.clock is None or found.day not in {None, old.date()}:
        raise Asking(say(WHICH_TIME, words=scene.said))
    end = _end(old, found.clock, sure=found.half_said)
    if end - old > LONGEST_BY_HALF and old.hour < EVENING:
        # Such an end is rather before it begins.
        raise Asking(say(WHICH_TIME, words=scene.said))
    return with_values(edited, end=end.isoformat(), **({"minutes": None} if "minutes" in scene.args else {}))


def _end(start: datetime, clock: time, *, sure: bool) -> datetime:
    """Return when something ends: at the next such time after the start, in either half of the day if not sure."""
    end = datetime.combine(start, clock)
    step = timedelta(days=1) if sure else timedelta(hours=HALF_DAY)
    while end <= start:
        end += step
    return end


def _begins(edited: Edited, found: TimeSaid, scene: Scene) -> Edited:
    """When an event begins; it keeps its length unless an end is said, too."""
    old = _start(scene)
    new = moved(old, found, scene.now)
    if found.until_clock is not None and isinstance(new, datetime):
        until = _end(new, found.until_clock, sure=found.half_said)
        return with_values(edited, start=new.isoformat(), end=until.isoformat(), minutes=None)
    return _from(edited, old, new, scene)


def _start(scene: Scene) -> date:
    """Return when an event begins so far."""
    was: Mapping[str, Any] = scene.args.get("was") or {}
    return _wall(scene.args["start"] or was.get("named_start"), scene)


def _from(edited: Edited, old: date, new: date, scene: Scene) -> Edited:
    """Begin an event at another time."""
    edited, end = with_values(edited, start=new.isoformat()), scene.args.get("end")
    if isinstance(new, datetime) and not isinstance(old, datetime):
        return with_values(edited, end=None, minutes=AN_HOUR)
    if end:
        later = _wall(end, scene) + (as_moment(new) - as_moment(old))
        return with_values(edited, end=later.isoformat())
    return edited


def _wall(iso: str | None, scene: Scene) -> date:
    """Return a day, or a local time without offset."""
    if iso is None:
        raise Asking(say(CANNOT))
    if len(iso) == len("2026-03-05"):
        return date.fromisoformat(iso)
    at = datetime.fromisoformat(iso)
    return at.astimezone(scene.now.tzinfo).replace(tzinfo=None) if at.tzinfo else at


def _sent_at(words: Sequence[str], shown: datetime, scene: Scene) -> datetime | None:
    """Return when it is to be sent, None for at once; raise `Asking`."""
    zone, whole = scene.people.scene.request.zone, " ".join(words)
    if refuses(scene.said):
        raise Asking(say(ANOTHER_TIME))
    match new_time(said_of(whole, scene.people.scene, scene.about.language), shown, scene.draft.text or ""):
        case NewTime(at=at):
            return at
        case Unclear() as unclear:
            raise Asking(unclear.question, unclear.choices)
        case None:
            old = shown.astimezone(zone).replace(tzinfo=None)
            return moment(as_moment(moved(old, scene.time(words), scene.now)), zone)


def _time_in_text(edited: Edited, words: Sequence[str], scene: Scene) -> Edited:
    whole, language = " ".join(words), scene.about.language
    if len(words) > 1 and language != "en" and all(parse(one, language, scene.now) for one in words):
        return reduce(lambda so_far, one: _time_in_text(so_far, (one,), scene), words, edited)
    clock = parse(whole, language, scene.now)
    if length_of(whole, language, scene.now) is not None and (clock is None or clock.clock is None):
        return duration(edited, (whole,), scene)
    found = scene.time(words)
    new = core(whole, language, scene.now)
    if old := named_in(edited.sheet.body, scene) or scene.replaced(words, edited.sheet.body):
        return replace(edited, sheet=swap(old, new)(edited.sheet))
    if language == "en":
        sheet = edited.sheet
        return replace(edited, sheet=make(f"at {new}" if found.day is None and found.clock else whole)(sheet))
    return swapped(edited, new, times_in(edited.sheet.body, found, language, scene.now))


def duration(edited: Edited, words: Sequence[str], scene: Scene) -> Edited:
    if len(words) > 1 or scene.corrects(words):
        raise Asking(say(WHICH_TIME, words=scene.said))
    found = length_of(words[0], scene.about.language, scene.now)
    if found is None:
        raise Asking(say("How long is “{words}”? Say it like “30 minutes”.", words=words[0]))
    if "start" in scene.args and (by := scene.shift(words[:1])) is not None:
        return _put_off(edited, by, scene)
    if "start" in scene.args and (sign := _longer_or_shorter(scene)):
        return _lengthened(edited, sign * minutes_of(found), scene)
    if "start" in scene.args:
        return with_values(edited, minutes=minutes_of(found), **({"end": None} if scene.args.get("end") else {}))
    if scene.about.language == "en":
        return replace(edited, sheet=make(words[0])(edited.sheet))
    body = edited.sheet.body
    places = lengths_in(body, scene.about.language, scene.now)
    # In French, "huit heures" is a length and a time of day.
    unit = words[0].split()[-1].casefold()
    alike_unit = [(start, end) for start, end in places if body[start:end].casefold().endswith(unit)]
    return swapped(edited, words[0], alike_unit or places)


def _longer_or_shorter(scene: Scene) -> int:
    """Return 1 if an event is to take longer by a length, -1 if shorter, 0 if it is to take that long."""
    return next((sign for kind, sign in (("longer", 1), ("shorter", -1)) if card_words(kind).search(scene.said)), 0)


def _lengthened(edited: Edited, minutes: int, scene: Scene) -> Edited:
    """Have an event take so much longer than it does."""
    old, end = _start(scene), scene.args.get("end")
    taken = (
        (as_moment(_wall(end, scene)) - as_moment(old)) // timedelta(minutes=1) if end else scene.args.get("minutes")
    )
    if not isinstance(old, datetime) or not taken or taken + minutes <= 0:
        raise Asking(say(CANNOT))
    if end:
        return with_values(edited, end=(old + timedelta(minutes=taken + minutes)).isoformat())
    return with_values(edited, minutes=taken + minutes)


def lead(edited: Edited, words: Sequence[str], scene: Scene) -> Edited:
    found = length_of(words[0], scene.about.language, scene.now)
    if found is None or "remind_minutes" not in scene.args:
        raise Asking(say(CANNOT))
    return with_values(edited, remind_minutes=minutes_of(found))
