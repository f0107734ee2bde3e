"""Plans from requests about reminders: a new one, those that there are, and what is to become of one of them."""

import re
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase, say, say_clock, say_list
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.clock import NOON
from butler.orchestrator.embedded.every import Repeated, clock_halves, rule_of
from butler.orchestrator.embedded.lexer import lex
from butler.orchestrator.embedded.places import SEASONS, zones_of
from butler.orchestrator.embedded.reminding import OF_WHAT, THE_MAIL, rule_args
from butler.orchestrator.embedded.reminding_changes import DESCRIBED, ONE_BY_ONE, WHEN
from butler.orchestrator.embedded.say import capital, one_line
from butler.orchestrator.embedded.when import DAWN, at_time
from butler.orchestrator.embedded.zone_names import abbreviations, long_names
from butler.orchestrator.planning.plan_types import Choice, PlannerOutput
from butler.orchestrator.understanding.loose_times import after, length_within, loose_time, minutes_of, time_within
from butler.orchestrator.understanding.named import event_words, pointing, reminder_words
from butler.orchestrator.understanding.recurring import Recurrence, parts_of, recurrence
from butler.orchestrator.understanding.refs import one_of, pointed, several, shows
from butler.orchestrator.understanding.said import PARTS, Builder, Said, bare
from butler.orchestrator.understanding.upcoming import only, search
from butler.orchestrator.understanding.who import without_article
from butler.understanding.times.lexicon import folded
from butler.understanding.times.saying import TimeSaid

Which = dict[str, Any]
CREATE = "bot_reminders_create"
WAKE = re.compile(
    r"\b(wake|waking|w[eo]ck\w*|aufwecken|réveil\w*|reveil\w*|despi?[eé]rt\w*|levánta\w*)\b", re.IGNORECASE
)
TO = re.compile(r"^(?:to|that|about|dass|de|que)\s+(?=\w)|^d['’](?=\w)", re.IGNORECASE)
"""What leads to a text and is no part of it."""
TIMER = re.compile(
    r"\b(timer|countdown|stoppuhr|eieruhr|minuteur|minuterie|temporizador|kurzzeitwecker)\b", re.IGNORECASE
)
ALARM = re.compile(r"\b(alarm\w*|wecker)\b", re.IGNORECASE)
WAKE_UP, TIME_IS_UP, ALARM_TEXT = phrase("Wake up"), phrase("Your timer is up"), phrase("Your alarm")
ALL = re.compile(r"\b(all|every|everything|alle[nrs]?|sämtliche|tous|toutes|tout|tod[oa]s)\b", re.IGNORECASE)
HOME = re.compile(
    r"\b(home|back|daheim|zu ?hause?|zurück|heim|chez moi|maison|rentrée?s?|retour|casa|volví|vuelta|regresé)\b",
    re.IGNORECASE,
)
EARLIER_TODAY = re.compile(r"\b(later|später|nachher|plus tard|tantôt|más tarde|luego|después)\b", re.IGNORECASE)
HOW_OFTEN = phrase("How often is “{words}”? Say it like “every Monday at 9”.")
TOO_OFTEN = phrase("I can do that at the most every 5 minutes. How often shall it be?")
NONE_TO_COME = phrase("None of those times is to come. When shall I remind you?")
WHICH = phrase("Which reminder do you mean? Say what it is about, like “the reminder about the dentist”.")
WHERE = phrase("Where are you? Say it like “I'm in Lisbon until Sunday”.")
LONG_BEFORE = phrase("How long before it shall I remind you? Say it like “an hour before the dentist”.")
SOON = {
    "en": ("in 1 hour", "in 3 hours", "tomorrow at 9"), "de": ("in 1 Stunde", "in 3 Stunden", "morgen um 9"),
    "fr": ("dans 1 heure", "dans 3 heures", "demain à 9h"), "es": ("en 1 hora", "en 3 horas", "mañana a las 9"),
}  # fmt: skip
"""Times for buttons, in the words of each language; their labels stand in `LABELS`."""
LABELS = (phrase("In 1 hour"), phrase("In 3 hours"), phrase("Tomorrow at 9"))
LATER = 60
"""Minutes by which something is put off where nobody says by how many."""


def create(said: Said) -> PlannerOutput:
    """A new reminder: once, again and again, or before an event."""
    said.need(CREATE)
    topic = said.words("topic")
    if said.has("lead") and not said.has("every") and (topic or not said.has("time")):
        return _before_event(said)
    text = _text(said)
    if said.has("every"):
        found = recurring(said)
        return calls.plan(calls.remind(text, **_rule(found, said)))
    return calls.plan(calls.remind(text, **at_time("at", _at(said, text))))


def _text(said: Said) -> str:
    """What it says; what is a matter of course for an alarm or a timer."""
    for slot in ("text", "reported", "topic", "title", "asked", "value"):
        words = [one for each in said.request.words(slot) if (one := bare(each))]
        if words:
            return capital(TO.sub("", ", ".join(words)))
    whole = said.request.text
    for pattern, text in ((TIMER, TIME_IS_UP), (WAKE, WAKE_UP), (ALARM, ALARM_TEXT)):
        if pattern.search(whole):
            return say(text)
    if [one.kind for one in said.scene.request.replied_to] == [ReferentKind.MAIL]:
        return say(THE_MAIL)
    raise Asking(say(OF_WHAT))


def _at(said: Said, text: str) -> datetime:
    """The moment of one that is said once."""
    slot = "time" if said.has("time") else "duration"
    words = ", ".join(said.request.words(slot))
    if not words:
        raise Asking(say("When shall I remind you of “{what}”?", what=text), soon(said, "time"))
    long = _length(words, said) if slot == "duration" or not time_within(words, said) else None
    if long is not None:
        return long
    if EARLIER_TODAY.fullmatch(words.strip()):
        raise Asking(say("When shall I remind you of “{what}”?", what=text), soon(said, slot))
    found = _sure_morning(loose_time(said, slot), said)
    at = said.settled(found, slot)
    lead = lead_minutes(said)
    return at - timedelta(minutes=lead) if lead else at


def lead_minutes(said: Said) -> int | None:
    """How many minutes before it; raise `Asking` where that is not understood."""
    words = said.words("lead")
    if not words:
        return None
    found = length_within(words, said)
    return minutes_of(found) if found is not None else said.minutes("lead")


def _length(words: str, said: Said) -> datetime | None:
    found = length_within(words, said)
    return after(found, said.scene.now()) if found is not None else None


def _sure_morning(found: TimeSaid | None, said: Said) -> TimeSaid:
    """Nobody who is to be woken at six means the evening."""
    assert found is not None
    return replace(found, half_said=True) if found.clock and WAKE.search(said.request.text) else found


def soon(said: Said, slot: str) -> list[Choice]:
    """Buttons for times that are near."""
    words = SOON.get(said.language, SOON["en"])
    return [choice(say(label), said.again(slot, one)) for label, one in zip(LABELS, words, strict=True)]


def _before_event(said: Said) -> PlannerOutput:
    """`an hour before my dentist appointment`: an alert of the event; with a text, a reminder at that time."""
    texts = said.request.words("text") if said.has("topic") else ()
    about = said.words("topic") or said.words("text") or said.words("title")
    words = event_words(about)
    lead = lead_minutes(said)
    if not words and not said.has("time_of", "time"):
        raise Asking(say(OF_WHAT))
    found = search(said, words, "time_of")
    event = {"step": 1, "fact": "events.0.event_id"}
    if texts and lead is not None:
        at = {"step": 1, "fact": "events.0.start", "minutes": -lead}
        remind = calls.call(CREATE, say("Set a reminder"), text=capital(", ".join(bare(one) for one in texts)), at=at)
        return calls.plan(found, only(remind))
    told = say("Set a reminder before the event")
    remind = calls.call("user_calendar_remind_event", told, events=[event], remind_minutes=lead)
    said.need("user_calendar_remind_event")
    return calls.plan(found, only(remind))


# Again and again.


def recurring(said: Said) -> Recurrence:
    """How often, with the day and the hour that were said apart from it. Raises `Asking`."""
    words = ", ".join(said.request.words("every"))
    found = recurrence(words, said.language, said.scene.now())
    if found is None:
        raise Asking(say(HOW_OFTEN, words=words))
    apart = loose_time(said, "time") if said.has("time") else None
    return replace(found, said=_joined(found.said, apart)) if apart is not None else found


def _joined(repeated: Repeated, apart: TimeSaid) -> Repeated:
    """`tomorrow at 9` and `every day`: from that day on, at that hour."""
    clocks, half = repeated.clocks, repeated.half_said
    if not clocks and repeated.within is None and (apart.clock is not None or apart.moment is not None):
        clock = apart.clock or (apart.moment.time().replace(second=0) if apart.moment else time(9))
        clocks, half = (clock,), apart.half_said or not 0 < clock.hour < DAWN
    parts = parts_of(repeated) or ((PARTS[apart.part],) if apart.part in PARTS and not clocks else ())
    since: date | None = repeated.since or (None if apart.bound == "before" else apart.day)
    until = repeated.until or (apart.day if apart.bound == "before" else apart.until_day)
    return replace(repeated, clocks=clocks, half_said=half, parts=parts, since=since, until=until)


def _rule(found: Recurrence, said: Said) -> dict[str, Any]:
    """The arguments of a rule. Raises `Asking` where its hour is in doubt or it has no time to come."""
    repeated = found.said
    short = repeated.often["every"] in {"minute", "hour"}
    if repeated.within is not None and not short:
        repeated = replace(repeated, within=None, clocks=(repeated.within[0],))
    if WAKE.search(said.request.text):
        repeated = replace(repeated, half_said=True)
    if halves := clock_halves(repeated):
        choices = [
            choice(say_list([say_clock(clock) for clock in one.clocks]), said.again("every", found.at(one.clocks)))
            for one in halves
        ]
        raise Asking(say("In the afternoon or in the morning?"), choices)
    try:
        rule = rule_of(repeated, said.scene.now(), said.scene.request.zone.key)
    except ValueError:
        raise Asking(say(TOO_OFTEN)) from None
    if rule is None:
        raise Asking(say(NONE_TO_COME))
    return rule_args(rule) | ({} if repeated.hour_said else {"assumed": True})


# Those that there are.


def list_all(said: Said) -> PlannerOutput:
    """The reminders that are to come, or those whose text holds words."""
    said.need("bot_reminders_list")
    about = said.words("topic") or said.words("text")
    words = reminder_words(about) if about and not pointing(about) else ""
    if not words:
        return calls.plan(calls.list_reminders())
    return calls.plan(calls.reminder("list", say("List your reminders"), words=words))


def remove(said: Said) -> PlannerOutput:
    """One of them is not needed any more."""
    return _done_to("remove", said)


def done(said: Said) -> PlannerOutput:
    """What one of them says is done."""
    return _done_to("done", said)


def skip(said: Said) -> PlannerOutput:
    """The next time of a recurring one is left out."""
    return _done_to("skip", said)


def snooze(said: Said) -> PlannerOutput:
    """One of them is to come again later."""
    which = _which(said, "snooze")
    for slot in ("duration", "time"):
        words = ", ".join(said.request.words(slot))
        if not words:
            continue
        long = words.strip().isdigit() and slot == "duration"
        if long:
            return _plan("snooze", said, which, minutes=int(words))
        if (slot == "duration" or time_within(words, said) is None) and (at := _length(words, said)) is not None:
            return _plan("snooze", said, which, **at_time("until", at))
        if slot == "time" and time_within(words, said) is None and EARLIER_TODAY.search(words):
            break
        found = loose_time(said, slot)
        assert found is not None
        whole = found.clock or found.part or found.moment
        at = said.settled(found if whole else replace(found, same_clock=True), slot)
        return _plan("snooze", said, which, **at_time("until", at))
    return _plan("snooze", said, which, minutes=LATER)


def change(said: Said) -> PlannerOutput:
    """Another time, other days or another text for one of them."""
    which = _which(said, "change")
    args: dict[str, Any] = {}
    if said.has("every"):
        args |= _rule(recurring(said), said)
    elif said.has("time"):
        args |= _moved(said, "time")
    elif said.has("duration"):
        args |= _moved(said, "duration")
    texts = said.request.words("text") or said.request.words("value") or said.request.words("reported")
    if texts:
        args["text"] = capital(one_line(", ".join(bare(one) for one in texts)))
    if not args:
        raise Asking(say(WHEN), soon(said, "time"))
    return _plan("change", said, which, **args)


def _moved(said: Said, slot: str) -> dict[str, Any]:
    """One other time, or another time of its day."""
    words = ", ".join(said.request.words(slot))
    if time_within(words, said) is None and (at := _length(words, said)) is not None:
        return at_time("at", at)
    found = loose_time(said, slot)
    assert found is not None
    if found.day is not None or found.moment is not None:
        return at_time("at", said.settled(_sure_morning(found, said), slot))
    clock = found.clock or (PARTS[found.part].value if found.part in PARTS else None)
    if clock is None:
        raise Asking(say(WHEN), soon(said, slot))
    if not found.half_said and 0 < clock.hour < DAWN and not WAKE.search(said.request.text):
        both = (clock, clock.replace(hour=clock.hour + NOON))
        choices = [choice(say_clock(one), said.again(slot, f"{one:%H:%M}")) for one in both]
        raise Asking(say("In the afternoon or in the morning?"), choices)
    return {"to_clock": f"{clock:%H:%M}"}


def _done_to(action: str, said: Said) -> PlannerOutput:
    """The same to one, or to several of a list."""
    kinds = frozenset({ReferentKind.REMINDER})
    way = pointed(said.words("ref"), said.language) if said.has("ref") else None
    if way is not None and (way.first > 1 or len(way.numbers) > 1) and shows(said, ReferentKind.REMINDER):
        said.need(f"bot_reminders_{action}")
        told = say(DESCRIBED[action])
        return calls.plan(
            *(calls.reminder(action, told, reminder_id={"handle": one.handle}) for one in several(said, kinds))
        )
    return _plan(action, said, _which(said, action))


def _which(said: Said, action: str) -> Which:
    """Which one is meant: by what was shown, by its words, by its time of day."""
    kinds = frozenset({ReferentKind.REMINDER})
    about, ref = said.words("topic"), said.words("ref")
    shown = [one for one in (*said.scene.request.referents, *said.scene.request.replied_to) if one.kind in kinds]
    if action == "remove" and not about and _all(said):
        raise Asking(say(ONE_BY_ONE))
    if ref and shown and (pointing(ref) or not about):
        return _shown(said)
    if about and not pointing(about):
        return {"words": reminder_words(about)}
    if ref and not pointing(ref):
        return _by_clock("ref", said) or {"words": reminder_words(ref)}
    if said.has("time_of") and (named := _by_clock("time_of", said)):
        return named
    if action == "done" and said.has("text"):
        return {"words": reminder_words(said.words("text"))}
    if shown and (ref or shows(said, ReferentKind.REMINDER)):
        return _shown(said)
    raise Asking(say(WHICH))


def _all(said: Said) -> bool:
    if said.has("ref"):
        return pointed(said.words("ref"), said.language).every
    return not said.has("time_of") and ALL.search(said.request.text) is not None


def _shown(said: Said) -> Which:
    found = one_of(said, frozenset({ReferentKind.REMINDER}))
    if found is None:
        raise Asking(say(WHICH))
    return {"reminder_id": {"handle": found.handle}}


def _by_clock(slot: str, said: Said) -> Which:
    """`my nine o'clock reminder`, `die um neun`; days alone tell none from the others."""
    words = " ".join(said.request.words(slot))
    found = time_within(words, said)
    clock = found.clock if found is not None else None
    if found is None or clock is None:
        return {}
    text = said.request.text
    if not found.half_said and 0 < clock.hour < DAWN and not (WAKE.search(text) or ALARM.search(text)):
        both = (clock, clock.replace(hour=clock.hour + NOON))
        choices = [choice(say_clock(one), said.again(slot, f"{one:%H:%M}")) for one in both]
        raise Asking(say("In the afternoon or in the morning?"), choices)
    return {"clock": f"{clock:%H:%M}"}


def _plan(action: str, said: Said, which: Which, **args: Any) -> PlannerOutput:
    said.need(f"bot_reminders_{action}")
    return calls.plan(calls.reminder(action, say(DESCRIBED[action]), **which, **args))


# In another time zone.


def travel(said: Said) -> PlannerOutput:
    """The clocks of where the person is now; back home without a place."""
    said.need("bot_reminders_travel")
    place = without_article(bare(said.words("place")))
    if not place or HOME.fullmatch(place):
        if not HOME.search(said.request.text):
            raise Asking(say(WHERE))
        return calls.plan(calls.travel(""))
    zones: tuple[str, ...] = _zones(bare(said.words("place"))) or _zones(place)
    if not zones:
        raise Asking(say("I know no clocks of “{place}”. Say a city that has the same.", place=place))
    until = _until(said, place)
    if len(zones) > 1:
        choices = [choice(zone, said.again("place", zone)) for zone in zones]
        raise Asking(say("Which clocks are those in {place}?", place=place), choices)
    return calls.plan(calls.travel(next(iter(zones)), **({"until": until.isoformat()} if until else {})))


def _zones(place: str) -> tuple[str, ...]:
    """The zones of a place or of a zone's own name, one for each clock."""
    key = tuple(token.word for token in lex(place).tokens)
    found = (
        zones_of(place)
        or zones_of(folded(place))
        or long_names().get(key, ())
        or abbreviations().get(" ".join(key), ())
    )
    clocks: dict[tuple[object, ...], str] = {}
    for name in found:
        clocks.setdefault(tuple(day.astimezone(ZoneInfo(name)).utcoffset() for day in SEASONS), name)
    return tuple(clocks.values())


def _until(said: Said, place: str) -> date | None:
    """The last day there; raise `Asking` where the person is not there yet."""
    found = loose_time(said, "time") if said.has("time") else None
    if found is None:
        return None
    today = said.scene.now().date()
    ends = found.bound == "before" or _says_until(said)
    begins = None if ends else found.day or (found.moment.date() if found.moment else None)
    if begins is not None and begins > today:
        raise Asking(
            say("Tell me when you are there, like “I'm in {place}”; I go by its clocks from then on.", place=place)
        )
    return found.until_day or (found.day if ends else None)


def _says_until(said: Said) -> bool:
    """Whether `until` stands right before the time."""
    first = next(one.start for one in said.request.slots if one.slot == "time")
    before = said.request.text[:first].casefold()
    return re.search(r"\b(until|till|til|bis|jusqu\S*|hasta)(\s+(the|zum|den|el|la|le|au))?\s*$", before) is not None


BUILDERS: dict[str, Builder] = {
    "reminder.create": create,
    "reminder.list": list_all,
    "reminder.change": change,
    "reminder.remove": remove,
    "reminder.done": done,
    "reminder.snooze": snooze,
    "reminder.skip": skip,
    "reminder.travel": travel,
}
"""A function for each intent."""
