"""Builds changes of existing reminders: done, snoozed, moved, skipped, removed; the last one, or one by its words."""

from dataclasses import replace
from datetime import date, datetime, time, timedelta
from typing import Any, cast

from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase, say, say_clock
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.clock import NOON
from butler.orchestrator.embedded.reminding import DESCRIBED, ONE_BY_ONE, WHEN
from butler.orchestrator.embedded.say import capital, one_line
from butler.orchestrator.embedded.when import DAWN, at_time
from butler.orchestrator.planning.plan_types import Choice, Planned, PlannerOutput
from butler.orchestrator.understanding.reminders.again import TIME, fact, is_found
from butler.orchestrator.understanding.reminders.reminder_words import whole
from butler.orchestrator.understanding.reminders.rules import SURELY_LATE, rule_said
from butler.orchestrator.understanding.reminders.times import NOT_NOW, in_morning, soon, wakes
from butler.orchestrator.understanding.said import Said, bare
from butler.orchestrator.understanding.things.named import POINTING, REMINDERS, pointing, reminder_words, telling
from butler.orchestrator.understanding.things.pointing import ALL, pointed
from butler.orchestrator.understanding.things.shown import last_of, meant, points
from butler.orchestrator.understanding.times.loose import after, loose_time, time_within
from butler.orchestrator.understanding.times.relative import Relative, amount_of, clock_of, on, relative
from butler.store.conversation import Referent
from butler.understanding.times.parse import parse
from butler.understanding.times.saying import TimeSaid

Which = dict[str, Any]
REMINDER = ReferentKind.REMINDER
ALARM = whole("alarm")
WHICH = phrase("Which reminder do you mean? Say what it is about, like “the reminder about the dentist”.")
SHOW = phrase("Show my reminders")
LATER = 60
"""The default minutes of a snooze."""


def remove(said: Said) -> PlannerOutput:
    """Remove a reminder."""
    return _plan("remove", said, _which(said, "remove"))


def done(said: Said) -> PlannerOutput:
    """Mark a reminder as done."""
    return _plan("done", said, _which(said, "done"))


def skip(said: Said) -> PlannerOutput:
    """Skip the next time of a recurring reminder."""
    return _plan("skip", said, _which(said, "skip"))


def snooze(said: Said) -> PlannerOutput:
    """Snooze a reminder."""
    which = _which(said, "snooze")
    for slot in ("duration", "time"):
        words = ", ".join(said.request.words(slot))
        if words and (args := _until(words, slot, said)) is not None:
            return _plan("snooze", said, which, **args)
    return _plan("snooze", said, which, minutes=LATER)


def _until(words: str, slot: str, said: Said) -> dict[str, Any] | None:
    """Return the end of the snooze; None if the request only says `later`."""
    if words.strip().isdigit() and slot == "duration":
        return {"minutes": int(words)}
    timed = time_within(words, said)
    if (slot == "duration" or timed is None) and (amount := amount_of(words, said)) is not None:
        return at_time("until", after(amount, said.scene.now()))
    if slot == "time" and timed is None and NOT_NOW.search(words):
        return None
    found = relative(said, slot)
    moved = found.said if found is not None and found.kept and found.said is not None else loose_time(said, slot)
    assert moved is not None
    whole = clock_of(moved) or moved.moment
    from_now = moved if whole else _at_this_hour(moved)
    return at_time("until", said.settled(from_now, slot))


def _at_this_hour(found: TimeSaid) -> TimeSaid:
    return TimeSaid(day=found.day, until_day=found.until_day, weekday=found.weekday, same_clock=True)


def change(said: Said) -> PlannerOutput:
    """Change a reminder's time, days or text."""
    said = _named_by_text(said)
    which = _which(said, "change")
    args = _times(said)
    texts = said.request.words("text") or said.request.words("value") or said.request.words("reported")
    if texts:
        args["text"] = capital(one_line(", ".join(bare(one) for one in texts)))
    if not args:
        raise Asking(say(WHEN), soon(said, "time"))
    return _plan("change", said, which, **args)


def _named_by_text(said: Said) -> Said:
    """Return the request with its text as the reminder's name, if no reminder was shown: `put the pills to nine`."""
    named = said.has("topic", "ref", "time_of") or last_of(said, REMINDER) is not None
    if named or not said.has("text") or not said.has("time", "every", "duration"):
        return said
    slots = tuple(replace(one, slot="topic") if one.slot == "text" else one for one in said.request.slots)
    return said.with_slots(slots)


def _times(said: Said) -> dict[str, Any]:
    if said.has("every"):
        rule, hour_said = rule_said(said, morning=wakes(said))
        return rule if hour_said else {**rule, "at": fact(TIME, minutes=0)}
    slot = next((slot for slot in ("time", "duration") if said.has(slot)), "")
    return _moved(said, slot) if slot else {}


def _moved(said: Said, slot: str) -> dict[str, Any]:
    """Return another moment, or another time of day; a day alone keeps the hour."""
    words = ", ".join(said.request.words(slot))
    if (by := relative(said, slot)) is not None:
        return _by(by, said, slot)
    if time_within(words, said) is None and (amount := amount_of(words, said)) is not None:
        return at_time("at", after(amount, said.scene.now()))
    found = loose_time(said, slot)
    assert found is not None
    clock = clock_of(found)
    if found.day is not None and found.or_day is None and clock is None and found.moment is None:
        return {"at": fact(TIME, **on(found.day, None))}
    if found.day is not None or found.moment is not None:
        return at_time("at", said.settled(in_morning(found, said), slot))
    if clock is None:
        raise Asking(say(WHEN), soon(said, slot))
    return {"to_clock": f"{_sure(clock, found, said, slot):%H:%M}"}


def _by(by: Relative, said: Said, slot: str) -> dict[str, Any]:
    """Return the new time relative to the reminder's own, or the day and hour if both are said."""
    moves = by.moves()
    if {"on", "at"} <= moves.keys() and by.said is not None and not by.days:
        return at_time("at", said.settled(by.said, slot))
    if not moves:
        raise Asking(say(WHEN), soon(said, slot))
    return {"at": fact(TIME, **moves)}


def _sure(clock: time, found: TimeSaid, said: Said, slot: str) -> time:
    """Return the hour; raise `Asking` if it may be in the morning or in the afternoon."""
    if found.half_said or not 0 < clock.hour < DAWN or wakes(said):
        return clock
    late = clock.replace(hour=clock.hour + NOON)
    if clock.hour < SURELY_LATE:
        return late
    choices = [choice(say_clock(one), said.again(slot, f"{one:%H:%M}")) for one in (clock, late)]
    raise Asking(say("In the afternoon or in the morning?"), choices)


def _which(said: Said, action: str) -> list[Which]:
    """Return the reminders that are meant: by what was shown, by their words, or by their time of day."""
    about = [one for one in said.request.words("topic") if not pointing(one)]
    ref = said.words("ref")
    if action == "remove" and not about and _all(said) and not meant(said, REMINDER):
        raise Asking(say(ONE_BY_ONE))
    only_points = bool(ref) and (points(ref, said.language) or _is_day(ref, said))
    shown = meant(said, REMINDER) if only_points or not (about or ref or said.has("time_of")) else ()
    if only_points and shown:
        return _handles(shown)
    if about:
        return [{"words": reminder_words(one)} for one in about]
    if ref and not points(ref, said.language) and not shown:
        return [_by_clock("ref", said) or {"words": reminder_words(ref)}]
    if said.has("time_of") and (named := _by_clock("time_of", said)):
        return [named]
    if action == "done" and said.has("text"):
        return [{"words": reminder_words(said.words("text"))}]
    if shown or (shown := meant(said, REMINDER)):
        return _handles(shown)
    raise Asking(say(WHICH), _list_button(said))


def _is_day(ref: str, said: Said) -> bool:
    """Return whether words point by a day (`the one on Tuesday`), which identifies no reminder."""
    left = telling(ref, POINTING, REMINDERS)
    found = parse(left, said.language, said.scene.now()) if left else None
    return found is not None and found.clock is None


def _handles(shown: tuple[Referent, ...]) -> list[Which]:
    return [{"reminder_id": {"handle": one.handle}} for one in shown]


def _list_button(said: Said) -> list[Choice]:
    steps = calls.plan(calls.list_reminders()).steps
    return [Choice(say(SHOW), "what reminders do I have", steps=steps)] if said.scene.has("bot_reminders_list") else []


def _all(said: Said) -> bool:
    """Return whether all reminders are meant."""
    if said.has("ref"):
        return any(pointed(one, said.language).every for one in said.request.words("ref"))
    return not said.has("time_of") and ALL.search(said.request.text) is not None


def _by_clock(slot: str, said: Said) -> Which:
    """Return a reminder by its hour: `my nine o'clock reminder`, `die um neun`; days alone identify none."""
    words = " ".join(said.request.words(slot))
    found = time_within(words, said)
    clock = found.clock if found is not None else None
    if found is None or clock is None:
        return {}
    if ALARM.search(said.request.text):
        return {"clock": f"{clock:%H:%M}"}
    return {"clock": f"{_sure(clock, found, said, slot):%H:%M}"}


def _plan(action: str, said: Said, which: list[Which], **args: Any) -> Planned:
    """Return the plan with the action for each reminder, which is read first if its time is needed."""
    said.need(f"bot_reminders_{action}")
    plans = [_one(action, one, args) for one in which]
    plan = plans[0]
    for later in plans[1:]:
        plan = calls.plan(*plan.steps, *calls.moved(later, len(plan.steps)))
    return plan


def _one(action: str, which: Which, args: dict[str, Any]) -> Planned:
    at = args.get("at")
    step = calls.reminder(action, say(DESCRIBED[action]), **which, **args)
    if not isinstance(at, dict):
        return calls.plan(step)
    if (handle := which.get("reminder_id")) is not None:
        look = calls.reminder("list", say("Look the reminder up"), reminder_id=handle)
        return calls.plan(look, step.model_copy(update={"depends_on": [1]}))
    if (clock := which.get("clock")) is not None:
        known = _at_clock(cast("dict[str, Any]", at), time.fromisoformat(clock))
        return calls.plan(
            calls.reminder(
                action,
                say(DESCRIBED[action]),
                **which,
                **{name: value for name, value in args.items() if name != "at"} | known,
            )
        )
    words = which["words"]
    return calls.plan(calls.reminder("list", say("Look the reminder up"), words=words), is_found(step))


def _at_clock(moves: dict[str, Any], clock: time) -> dict[str, Any]:
    """Return the new time of a reminder with a known hour: on another day, or by an amount; else raise `Asking`."""
    if "on" in moves and "days" not in moves:
        return {"at": f"{moves['on']}T{clock:%H:%M}:00"}
    if moves.keys() <= {"step", "fact", "minutes"}:
        later = datetime.combine(date(2000, 1, 1), clock) + timedelta(minutes=moves["minutes"])
        return {"to_clock": f"{later:%H:%M}"}
    raise Asking(say(WHEN))
