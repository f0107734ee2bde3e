"""Changes when an event begins, when a card is due, when something is sent, and times in a text."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from typing import Any

from butler.contract.speech import phrase, say
from butler.contract.wall_time import moment
from butler.orchestrator.edits.card_content import make, swap
from butler.orchestrator.edits.slot_scene import CANNOT, Edited, Scene, named_in, swapped, with_values
from butler.orchestrator.edits.spots import core, lengths_in, times_in
from butler.orchestrator.edits.times import PAST, NewTime, moved, new_time, said_of, says_sending
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.planning.plan_types import Unclear
from butler.understanding.times.lengths import Amount, shifted
from butler.understanding.times.parse import length_of, parse
from butler.understanding.times.saying import TimeSaid

NOT_LATER = phrase("This is done right after your yes. To have it done later, ask me anew.")
NOON = time(12)


def time_value(edited: Edited, words: Sequence[str], scene: Scene) -> Edited:
    if "start" in scene.args:
        by = scene.shift(words)
        return _put_off(edited, by, scene) if by is not None else _begins(edited, scene.time(words), scene)
    if "due" in scene.args:
        due = scene.args["due"]
        old = datetime.fromisoformat(due) if due else datetime.combine(scene.now.date(), NOON)
        return with_values(edited, due=moved(old, scene.time(words), scene.now).isoformat())
    if scene.draft.not_before is not None:
        return replace(edited, not_before=_sent_at(words, scene.draft.not_before, scene))
    if says_sending(scene.said) and edited.sheet.recipients:
        raise Asking(say(NOT_LATER))
    return _time_in_text(edited, words, scene)


def _put_off(edited: Edited, by: Amount, scene: Scene) -> Edited:
    """Move an event by a length of time; it keeps its own."""
    was: Mapping[str, Any] = scene.args.get("was") or {}
    old = _wall(scene.args["start"] or was.get("named_start"), scene)
    day = shifted(_at(old).date(), by.months) + timedelta(by.days)
    new = datetime.combine(day, _at(old).time()) + timedelta(seconds=by.seconds)
    if new < scene.now.replace(tzinfo=None):
        raise Asking(say(PAST))
    return _from(edited, old, new if isinstance(old, datetime) else new.date(), scene)


def _begins(edited: Edited, found: TimeSaid, scene: Scene) -> Edited:
    """When an event begins; it keeps its length."""
    was: Mapping[str, Any] = scene.args.get("was") or {}
    old = _wall(scene.args["start"] or was.get("named_start"), scene)
    new = moved(old, found, scene.now)
    if found.until_clock is not None:
        until = datetime.combine(new, found.until_clock)
        return with_values(edited, start=new.isoformat(), end=until.isoformat(), minutes=None)
    return _from(edited, old, new, scene)


def _from(edited: Edited, old: date, new: date, scene: Scene) -> Edited:
    """Begin an event at another time."""
    edited, end = with_values(edited, start=new.isoformat()), scene.args.get("end")
    if end:
        later = _wall(end, scene) + (_at(new) - _at(old))
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


def _at(day: date) -> datetime:
    return day if isinstance(day, datetime) else datetime.combine(day, time())


def _sent_at(words: Sequence[str], shown: datetime, scene: Scene) -> datetime:
    zone, whole = scene.people.scene.request.zone, " ".join(words)
    match new_time(said_of(whole, scene.people.scene, scene.about.language), shown, scene.draft.text or ""):
        case NewTime(at=at):
            return at
        case Unclear() as unclear:
            raise Asking(unclear.question, unclear.choices)
        case None:
            old = shown.astimezone(zone).replace(tzinfo=None)
            return moment(_at(moved(old, scene.time(words), scene.now)), zone)


def _time_in_text(edited: Edited, words: Sequence[str], scene: Scene) -> Edited:
    whole, language = " ".join(words), scene.about.language
    clock = parse(whole, language, scene.now)
    if length_of(whole, language, scene.now) is not None and (clock is None or clock.clock is None):
        return duration(edited, (whole,), scene)
    found = scene.time(words)
    new = core(whole, language, scene.now)
    if old := named_in(edited.sheet.body, scene):
        return replace(edited, sheet=swap(old, new)(edited.sheet))
    if language == "en":
        sheet = edited.sheet
        return replace(edited, sheet=make(f"at {new}" if found.day is None and found.clock else whole)(sheet))
    return swapped(edited, new, times_in(edited.sheet.body, found, language, scene.now))


def duration(edited: Edited, words: Sequence[str], scene: Scene) -> Edited:
    found = length_of(words[0], scene.about.language, scene.now)
    if found is None:
        raise Asking(say("How long is “{words}”? Say it like “30 minutes”.", words=words[0]))
    if "start" in scene.args and (by := scene.shift(words[:1])) is not None:
        return _put_off(edited, by, scene)
    if "start" in scene.args:
        minutes = found.seconds // 60 + (found.days + 30 * found.months) * 24 * 60
        return with_values(edited, minutes=minutes, **({"end": None} if scene.args.get("end") else {}))
    if scene.about.language == "en":
        return replace(edited, sheet=make(words[0])(edited.sheet))
    body = edited.sheet.body
    places = lengths_in(body, scene.about.language, scene.now)
    # In French, "huit heures" is a length and a time of day.
    unit = words[0].split()[-1].casefold()
    alike_unit = [(start, end) for start, end in places if body[start:end].casefold().endswith(unit)]
    return swapped(edited, words[0], alike_unit or places)


def lead(edited: Edited, words: Sequence[str], scene: Scene) -> Edited:
    found = length_of(words[0], scene.about.language, scene.now)
    if found is None or "remind_minutes" not in scene.args:
        raise Asking(say(CANNOT))
    return with_values(edited, remind_minutes=found.seconds // 60 + found.days * 24 * 60)
