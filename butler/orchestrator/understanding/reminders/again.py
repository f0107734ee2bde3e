"""Builds reminders relative to what was shown: like the last one, at its time, before an event, about a mail."""

from datetime import datetime, timedelta
from typing import Any

from butler.contract.agents import PlanStep, When
from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.agenda_words import READ
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.items import last_shown_kind
from butler.orchestrator.embedded.reminding import OF_WHAT, THE_MAIL
from butler.orchestrator.embedded.say import capital
from butler.orchestrator.embedded.when import at_time
from butler.orchestrator.planning.plan_types import Choice, Planned, PlannerOutput
from butler.orchestrator.understanding.act_words import says
from butler.orchestrator.understanding.reminders.times import lead_minutes, soon, when_for
from butler.orchestrator.understanding.said import CLOCKS, PARTS, Said, bare
from butler.orchestrator.understanding.things.named import event_words, pointing
from butler.orchestrator.understanding.things.refs import shows
from butler.orchestrator.understanding.things.shown import last_of, one_meant
from butler.orchestrator.understanding.times.asked_before import time_in_message
from butler.orchestrator.understanding.times.loose import loose_time
from butler.orchestrator.understanding.times.relative import A_DAY, EVENING, Relative, clock_of, on, relative
from butler.orchestrator.understanding.times.upcoming import only, search
from butler.store.conversation import Referent

CREATE, LIST, REMIND = "bot_reminders_create", "bot_reminders_list", "user_calendar_remind_event"
TIME, TEXT = "reminders.0.local_time", "reminders.0.text"
"""Facts of a reminder: its next wall time, and its text."""
THE_MESSAGE, THEIR_MAIL, THEIR_MESSAGE = (
    phrase("answer this message"), phrase("look at {name}'s mail"), phrase("look at {name}'s message")
)  # fmt: skip
SAME_TIME = phrase("At the same time")


def fact(path: str, **moves: Any) -> dict[str, Any]:
    """Return a reference to a fact of the first step; moving a time, even by 0 minutes, makes it a wall time."""
    return {"step": 1, "fact": path, **moves}


def last_reminder(said: Said) -> Referent | None:
    """Return the reminder shown, made or due last; None if there are several, or something else was shown."""
    return last_of(said, ReferentKind.REMINDER) if shows(said, ReferentKind.REMINDER) else None


def looked_up(one: Referent) -> PlanStep:
    """Return the step that reads a reminder."""
    return calls.reminder("list", say("Look the reminder up"), reminder_id={"handle": one.handle})


def by_the_last(said: Said, text: str) -> Planned | None:
    """Return a reminder relative to the last one or to a shown event; None if the request says nothing of the kind."""
    found = _by_lead(said) or relative(said)
    if found is not None and text and (at := _by_message(found, said)) is not None:
        return calls.plan(calls.remind(text, **at))
    last = last_reminder(said)
    if last is not None:
        moves = _moves(found, said) if found is not None else _moved_day(said) if said.has("time") else None
        if moves is None and not said.has("time") and says("another", said.request.text):
            moves = {}
        return _another(last, text, moves) if moves is not None else None
    if found is not None and (event := _event(said)) is not None:
        return _by_event(event, found, text, said)
    if found is not None and (found.kept or not (found.said and found.said.day)):
        raise Asking(when_for(text), soon(said, "time"))
    return None


def _by_message(found: Relative, said: Said) -> dict[str, Any] | None:
    """Return a moment relative to a time earlier in the message: `on Saturday at 8, and the day before at noon`."""
    base = time_in_message(said)
    if base is None or base.day is None or (found.said is not None and found.said.day is not None):
        return None
    clock = clock_of(found.said) or (EVENING if found.evening else clock_of(base))
    at = datetime.combine(base.day, clock or CLOCKS[0]) + timedelta(found.days, minutes=found.minutes)
    if at <= said.scene.now().replace(tzinfo=None):
        return None
    return at_time("at", at) | ({} if clock is not None else {"assumed": True})


def _by_event(event: Referent, found: Relative, text: str, said: Said) -> Planned:
    """Return a reminder relative to the event: its own alert without a text, or a reminder with its title."""
    moves = _moves(found, said)
    minutes = -(found.minutes + A_DAY * found.days)
    if not text and minutes > 0 and not {"on", "at"} & moves.keys():
        told = say("Set a reminder before the event")
        return calls.plan(calls.call(REMIND, told, events=[{"handle": event.handle}], remind_minutes=minutes))
    look = calls.call(READ, say("Look it up in your calendar"), event={"handle": event.handle})
    at = fact("start", **(moves or {"minutes": 0}))
    return _then(look, calls.call(CREATE, say("Set a reminder"), text=text or fact("title"), at=at))


def _by_lead(said: Said) -> Relative | None:
    """Return the relative time that was marked as a lead: `and one the day before`."""
    if said.has("time") or not said.has("lead"):
        return None
    found = relative(said, "lead")
    return found or Relative(minutes=-(lead_minutes(said) or 0))


def _moves(found: Relative, said: Said) -> dict[str, Any]:
    """Return the moves of the other time, including a lead that was marked beside it."""
    moves = found.moves()
    if said.has("lead") and said.has("time") and not found.minutes:
        minutes = lead_minutes(said)
        moves |= {"minutes": -minutes} if minutes else {}
    return moves


def _moved_day(said: Said) -> dict[str, str] | None:
    """Return the move to another day at the same hour: `the same on Sunday`; None for anything else."""
    if not says("alike", said.request.text) and (said.has("text") or not says("again", said.request.text)):
        return None
    found = loose_time(said)
    if found is None or found.moment is not None or found.clock is not None or found.part in PARTS:
        return None
    return on(found.day, None) or None


def _another(last: Referent, text: str, moves: dict[str, Any]) -> Planned:
    at = fact(TIME, **(moves or {"minutes": 0}))
    return _then(looked_up(last), calls.call(CREATE, say("Set a reminder"), text=text or fact(TEXT), at=at))


def _then(look: PlanStep, step: PlanStep) -> Planned:
    return calls.plan(look, step.model_copy(update={"depends_on": [1]}))


def same_text(said: Said, **when: Any) -> Planned:
    """Return a reminder with the last one's text at a time of its own."""
    last = last_reminder(said)
    if last is None:
        raise Asking(say(OF_WHAT))
    return _then(looked_up(last), calls.call(CREATE, say("Set a reminder"), text=fact(TEXT), **when))


def at_the_same_time(said: Said, text: str) -> list[Choice]:
    """Return a button for the last reminder's time."""
    last = last_reminder(said)
    if last is None:
        return []
    return [Choice(say(SAME_TIME), said.request.text, steps=_another(last, text, {}).steps)]


def text_of_shown(said: Said) -> str:
    """Return the default text, about the mail or message that was shown; empty for anything else."""
    kind = last_shown_kind(said.scene)
    if kind is None or kind not in {ReferentKind.MAIL, ReferentKind.MESSAGE} or (shown := last_of(said, kind)) is None:
        return ""
    contact, is_mail = said.scene.contact(shown), kind is ReferentKind.MAIL
    if contact is not None:
        return capital(say(THEIR_MAIL if is_mail else THEIR_MESSAGE, name=contact.name))
    return capital(say(THE_MAIL if is_mail else THE_MESSAGE))


def text_of_last(said: Said) -> bool:
    """Return whether the last reminder's text is meant: `and tomorrow as well`."""
    return last_reminder(said) is not None and says("again", said.request.text)


# Before an event.


def _event(said: Said) -> Referent | None:
    """Return the event that was shown last, if nothing else was shown since."""
    return one_meant(said, ReferentKind.EVENT) if shows(said, ReferentKind.EVENT) else None


def before_event(said: Said) -> PlannerOutput:
    """Set an alert before an event (`an hour before my dentist appointment`); with a text, a reminder at that time."""
    about = said.words("topic") or said.words("title") or ("" if _event(said) is not None else said.words("text"))
    words = event_words(about) if about and not pointing(about) else ""
    texts = said.request.words("text") if about != said.words("text") else ()
    found = relative(said, "lead")
    lead = -(found.minutes + found.days * A_DAY) if found is not None else lead_minutes(said)
    if not words and not said.has("time_of", "time"):
        return _before_shown(said, lead, texts)
    look = search(said, words, "time_of")
    if texts and lead is not None:
        step = only(_reminder(texts, fact("events.0.start", minutes=-lead)))
        return calls.plan(look, step)
    said.need(REMIND)
    told = say("Set a reminder before the event")
    return calls.plan(look, only(calls.call(REMIND, told, events=[fact("events.0.event_id")], remind_minutes=lead)))


def _before_shown(said: Said, lead: int | None, texts: tuple[str, ...]) -> PlannerOutput:
    event = _event(said)
    if event is None:
        raise Asking(say(OF_WHAT))
    if texts:
        look = calls.call(READ, say("Look it up in your calendar"), event={"handle": event.handle})
        return _then(look, _reminder(texts, fact("start", minutes=-(lead or 0))))
    said.need(REMIND)
    told = say("Set a reminder before the event")
    return calls.plan(calls.call(REMIND, told, events=[{"handle": event.handle}], remind_minutes=lead))


def _reminder(texts: tuple[str, ...], at: dict[str, Any]) -> PlanStep:
    text = capital(", ".join(bare(one) for one in texts))
    return calls.call(CREATE, say("Set a reminder"), text=text, at=at)


def is_found(step: PlanStep) -> PlanStep:
    """Return the step with the condition that the search before it finds a reminder."""
    return step.model_copy(update={"when": When(step_id=1, fact="reminders"), "depends_on": [1]})
