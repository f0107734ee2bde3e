"""Reminders: `remind me tomorrow at 9 to call mum`, `remind me in 20 minutes that ...`, `what reminders do I have`."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, time
from typing import Any

from butler.contract.referents import ReferentKind
from butler.contract.schedules import RecurrenceRule, ZoneChange
from butler.contract.speech import phrase, say, say_clock, say_day, say_list, say_short_day, say_short_moment
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.clock import in_part
from butler.orchestrator.embedded.every import Repeated, clock_halves, ended_by, repeated_at, repeated_at_end, rule_of
from butler.orchestrator.embedded.lexer import Tail, lex, phrases
from butler.orchestrator.embedded.manners import without_thanks
from butler.orchestrator.embedded.reminding_answers import OF, answered
from butler.orchestrator.embedded.say import capital, content
from butler.orchestrator.embedded.scene import Scene, not_set_up
from butler.orchestrator.embedded.second_thoughts import NOT
from butler.orchestrator.embedded.when import (
    DAWN,
    MOST_WORDS,
    WHOSE_TIME,
    Spoken,
    at_time,
    either_half,
    in_each_zone,
    settle,
    spoken_at,
    spoken_at_end,
)
from butler.orchestrator.embedded.zone_names import short_name
from butler.orchestrator.planning.plan_types import Choice, PlannerOutput

REMIND = phrases(
    "remind me", "(set|create|add|make|put|give) [me] a reminder [for me]", "[a] reminder [:]", "i need a reminder",
    "(ping|nudge|alert|notify|buzz|poke|tell) me", "give me a (nudge|shout|ping)",
    "(i have|i want|i need|i'd like|i would like) to be reminded",
    "(don't|do not|dont) let me forget", "(make sure|see that) i (remember|don't forget)", "help me remember",
)  # fmt: skip
OF_A_KIND = tuple(
    (
        often,
        phrases(f"(set|create|add|make|put|give) [me] [up] a {often} reminder [for me]", f"[a] {often} reminder [:]"),
    )
    for often in ("hourly", "daily", "weekly", "monthly", "quarterly", "yearly")
)
"""`set a daily reminder at 8 to stretch`."""
COLON = phrases(":")
OF_WHAT = phrase("Remind you of what? Say it like “remind me tomorrow at 9 to call mum”.")
SURELY = phrases("remind me", "(set|create|add|make|put|give) [me] a reminder", "[a] reminder", "(don't|do not) let me")
AT_THE_END = phrases("(,|-|–|.|;|and|so) [please] remind me [please|of it|about it|of that|about that]")
MUST = phrases("i (need|have|want|ought) to", "i (must|should|gotta)", "i've got to")
ASKED = frozenset({"what", "where", "who", "which", "how", "why", "what's"})
"""`remind me what Bob said` is a question."""
REMIND_SOMEBODY = phrases("remind")
CLAUSE = phrases("[,] (that|about|of)")
TIMES = (
    (phrase("In 1 hour"), "in 1 hour"),
    (phrase("In 3 hours"), "in 3 hours"),
    (phrase("Tomorrow at 9"), "tomorrow at 9"),
)
"""What a button offers, and how a request says it."""
PLEASE = phrases(", please ,", "please")
FOR = phrases("(for|on)")
FOR_WHEN = phrases(
    "(for|of|on|in) (today|tomorrow|tonight|this week|next week|this month)", "today", "tomorrow", "this week",
    "next week",
)  # fmt: skip
LIST = phrases(
    "(what|which) reminders [do i have|are there|are set|have i set]",
    "(show|list|see) [me] [all] [my|the] reminders",
    "[my] reminders",
    "do i have [any] reminders",
    "what (will|do) you remind me of",
    "what [will] you [will] remind me of",
)
EVENTS = phrases("(when|whenever|if|once|before|after|until|unless)")
AS_A_RULE = phrases("as a rule ,", "as a rule")
NOT_OF_THAT = phrase(
    "I can remind you at a time, or when somebody whom I know answers: “remind me when Anna answers, or on Friday at 9 "
    "at the latest, to …”."
)
THE_MAIL = phrase("look at this mail")
"""What a reminder says that was asked for above a mail, with no word of what for."""

When = Spoken | Repeated


def remind(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a request for a reminder, also with the time first: `in an hour remind me to ...`."""
    tail, now = _of_a_kind(tail), scene.now()
    before = None if tail.take(REMIND) else _when_at(tail, now)
    opened = before[1].past(phrases(",", ":")) if before else tail
    start = opened.take(REMIND)
    if start is None:
        return _at_the_end(tail, scene) or _somebody(tail)
    if start.word() in ASKED:
        return None
    if before is None and not opened.take(SURELY) and not (_when_at(start, now) or _when_at_end(start, now)):
        # `tell me a joke` is no request for a reminder; with a time it is one.
        return None
    start = without_thanks(start.past(PLEASE))
    if before is None and (waits := answered(start, scene)) is not None:
        return _when_answered(*waits, scene)
    said, text = _split(start, now, before[0] if before else None)
    if not text.text.strip(".!?"):
        if said is None or not _speaks_of_a_mail(scene):
            raise Asking(say(OF_WHAT))
        text = lex(say(THE_MAIL))
    if (never := text.past(COLON).bare().take(NOT)) is not None and never.done:
        raise Asking(say(OF_WHAT))
    if not scene.has("bot_reminders_create"):
        raise Asking(not_set_up("bot_reminders_create"))
    if isinstance(said, Repeated):
        return calls.plan(calls.remind(capital(content(text)), **_repeated(said, opened, scene)))
    at = _settled(said, text, now)
    # On another clock it is a moment that is meant, wherever the owner is by then.
    there = said is not None and said.zone is not None and not said.zone.own
    kept = {"keeps": ZoneChange.INSTANT.value} if there else {}
    return calls.plan(calls.remind(capital(content(text)), **at_time("at", at), **kept))


def _of_a_kind(tail: Tail) -> Tail:
    for often, words in OF_A_KIND:
        if (rest := tail.take(words)) is not None:
            return lex(f"remind me {often} {rest.text}")
    return tail


def _when_answered(name: str, latest: dict[str, Any], text: Tail, scene: Scene) -> PlannerOutput:
    if not text.bare().text:
        raise Asking(say(OF_WHAT))
    if not scene.has("bot_reminders_create"):
        raise Asking(not_set_up("bot_reminders_create"))
    return calls.plan(calls.remind(capital(content(text)), answer_from=name, **latest))


def _when_at(tail: Tail, now: datetime) -> tuple[When, Tail] | None:
    start = tail.past(AS_A_RULE)
    return repeated_at(start, now) or (spoken_at(start, now, zones=True) if start.at == tail.at else None)


def _when_at_end(tail: Tail, now: datetime) -> tuple[Tail, When] | None:
    return repeated_at_end(tail, now, MOST_WORDS) or spoken_at_end(tail, now, zones=True)


def _repeated(said: Repeated, request: Tail, scene: Scene) -> dict[str, Any]:
    """The arguments of a rule. Raises `Asking` where its hour is in doubt, or none of its times is to come."""
    sure_of(said, request)
    rule = rule_of(said, scene.now(), scene.request.zone.key)
    if rule is None:
        raise Asking(say("None of those times is to come. When shall I remind you?"))
    return rule_args(rule) | ({} if said.hour_said else {"assumed": True})


def sure_of(said: Repeated, request: Tail) -> None:
    """Raises `Asking` where its hour may be one of the night or of the afternoon."""
    if halves := clock_halves(said):
        raise which_half([one.clocks for one in halves], said.spoken, request)


def which_half(both: Sequence[Sequence[time]], spoken: tuple[int, int], request: Tail) -> Asking:
    """The question, with the request as it is with either; `spoken` is where the times stand in it."""
    first, last = spoken
    choices = [
        choice(
            say_list([say_clock(clock) for clock in clocks]),
            f"{request.source[:first]}at {' and '.join(f'{clock:%H:%M}' for clock in clocks)}{request.source[last:]}",
        )
        for clocks in both
    ]
    return Asking(say("In the afternoon or in the morning?"), choices)


def rule_args(rule: RecurrenceRule) -> dict[str, Any]:
    """A rule as the tools take it, in the zone that the owner lives by."""
    said = rule.model_dump(mode="json", exclude_defaults=True, exclude={"zone", "start", "at", "keeps"})
    clocks = {"clocks": [f"{at:%H:%M}" for at in rule.at]} if rule.at else {}
    within = {"within": [f"{at:%H:%M}" for at in rule.within]} if rule.within else {}
    return {"at": rule.start.isoformat(timespec="seconds")} | said | clocks | within


def _at_the_end(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """`I need to call the bank at 3 pm, remind me`."""
    bare = tail.bare()
    split = bare.take(MUST) and bare.find(AT_THE_END)
    if not split or not split[1].done:
        return None
    return remind(lex(f"remind me to {split[0].past(MUST).text}"), scene)


def _speaks_of_a_mail(scene: Scene) -> bool:
    """Whether nothing but one mail is at issue: the one that was passed on or replied to."""
    return [one.kind for one in scene.request.replied_to] == [ReferentKind.MAIL]


def list_reminders(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a question about the reminders; None where it is none."""
    after = tail.bare().take(LIST)
    if after is None or not after.past(FOR_WHEN).done:
        return None
    if not scene.has("bot_reminders_list"):
        raise Asking(not_set_up("bot_reminders_list"))
    return calls.plan(calls.list_reminders())


def _somebody(tail: Tail) -> None:
    start = tail.take(REMIND_SOMEBODY)
    if start is not None and not start.done:
        raise Asking(
            say("I can remind only you. To write to somebody, say it like “tell Anna: please think of the keys”.")
        )


def _split(tail: Tail, now: datetime, before: When | None) -> tuple[When | None, Tail]:  # noqa: C901 - one sentence
    """The time and the text, whichever comes first."""
    if tail.take(EVENTS):
        raise Asking(say(NOT_OF_THAT))
    first = None if before else _when_at(tail, now) or _when_at(tail.past(FOR), now)
    said, text = before or (first[0] if first else None), first[1] if first else tail
    text = text.past(OF)
    if isinstance(said, Repeated):
        return _with_hour(*ended_by(said, text, now, MOST_WORDS), now)
    if (often := repeated_at_end(text, now, MOST_WORDS)) is not None and often[0].text.rstrip(","):
        rest, repeated = often
        if said is None and tail.take(CLAUSE):
            raise _when_or_text(text, rest, now)
        if said is None or (said.moment is None and said.or_day is None):
            return _since(repeated, said), _without_comma(rest)
    end = spoken_at_end(text, now, zones=True) if said is None or not said.whole or said.day is None else None
    if end is None or (said is not None and said.moment is not None):
        return said, text
    rest, later = end
    rest = rest if rest.text.rstrip(",") else text
    if said is None and tail.take(CLAUSE):
        raise _time_or_text(later, text, rest, now)
    if said is None:
        return later, _without_comma(rest)
    if not said.whole and later.day is None and later.moment is None:
        merged = replace(said, clock=later.clock, part=later.part, half_said=later.half_said, zone=later.zone)
        return merged, _without_comma(rest)
    if said.whole and later.day is not None:
        raise _two_times(tail, text, rest)
    return said, text


def _without_comma(tail: Tail) -> Tail:
    return replace(tail, end=tail.end - 1) if tail.end > tail.at and tail.tokens[tail.end - 1].word == "," else tail


def _with_hour(said: Repeated, text: Tail, now: datetime) -> tuple[Repeated, Tail]:
    """`every Monday to call mum at 10`: the hour may stand at the end, where none was said before."""
    end = None if said.hour_said else spoken_at_end(text, now)
    if end is None or end[1].day is not None or end[1].moment is not None or not end[0].text.rstrip(","):
        return said, text
    rest, later = end
    if later.clock is None:
        return said, text
    spoken = text.tokens[rest.end].start, text.tokens[text.bare().end - 1].end
    clock, _ = in_part(later.clock, later.part)
    half = later.half_said or later.part is not None
    return replace(said, clocks=(clock,), half_said=half or not 0 < clock.hour < DAWN, spoken=spoken), _without_comma(
        rest
    )


def _since(repeated: Repeated, said: Spoken | None) -> Repeated:
    """`tomorrow at 9 to take a pill every day`: from that day on, at that hour."""
    if said is None:
        return repeated
    clocks = repeated.clocks
    if not clocks and said.clock is not None:
        clocks = (in_part(said.clock, said.part)[0],)
    parts = repeated.parts or ((said.part,) if said.part is not None and not clocks else ())
    return replace(repeated, clocks=clocks, parts=parts, since=repeated.since or said.day)


def _when_or_text(text: Tail, rest: Tail, now: datetime) -> Asking:
    """`that the bins go out every Tuesday`: how often it is said, or what it says?"""
    when = replace(text.bare(), at=rest.end).text
    return _when(text.bare().text, now, choice(f"{when}: {rest.text}", f'remind me {when} of: "{rest.text}"'))


def _two_times(tail: Tail, text: Tail, rest: Tail) -> Asking:
    first = tail.until(text).past(OF).text.removesuffix("to").removesuffix("that").strip(" ,:")
    day = replace(text.bare(), at=rest.end).text
    return Asking(
        say("When is it, and what belongs to the text?"),
        [
            choice(f"{day} {first}: {rest.text}", f'remind me {day} {first} of: "{rest.text}"'),
            choice(f"{first}: {text.text}", f'remind me {first} of: "{text.bare().text}"'),
        ],
    )


def _time_or_text(later: Spoken, text: Tail, rest: Tail, now: datetime) -> Asking:
    """`that the meeting is at 10`: the reminder's time, or what it says?"""
    whole = text.bare().text
    if not later.whole:
        return _when(whole, now)
    when = replace(text.bare(), at=rest.end).text
    first = choice(f"{when}: {rest.text}", f'remind me {when} of: "{rest.text}"')
    return _when(whole, now, first)


def _when(what: str, now: datetime, *first: Choice) -> Asking:
    return Asking(say("When shall I remind you of “{what}”?", what=what), [*first, *_times(_near(), what, now)])


def _near() -> list[tuple[str, str]]:
    return [(say(label), words) for label, words in TIMES]


def _settled(said: Spoken | None, text: Tail, now: datetime) -> datetime:
    what = text.bare().text
    if said is None:
        raise _when(what, now)
    if said.or_day is not None and said.day is not None:
        clock = said.clock or (said.part.value if said.part else time(9))
        zone = f" {said.zone.words}" if said.zone else ""
        days = [_on(day, f"{clock:%H:%M}{zone}") for day in (said.day, said.or_day)]
        raise Asking(say("Which day do you mean?"), _times(days, what, now))
    if not said.whole:
        assert said.day is not None
        times = [_on(said.day, clock) for clock in ("9:00", "12:00", "18:00")]
        raise Asking(say("At what time on {day}?", day=say_day(said.day)), _times(times, what, now))
    if halves := either_half(said, now):
        raise Asking(say("In the afternoon or in the morning?"), [_at(moment, what, now) for moment in halves])
    if clocks := in_each_zone(said, now):
        raise Asking(say(WHOSE_TIME), [_on_clock(name, at, what) for name, at in clocks])
    at = settle(said, now)
    if at is None:
        raise Asking(say("That time is past. When shall I remind you?"), _times(_near(), what, now))
    return at


def _at(moment: datetime, what: str, now: datetime) -> Choice:
    """A button for one moment, today, tomorrow or later."""
    clock = say_clock(moment)
    match (moment.date() - now.date()).days:
        case 0:
            label = say("{clock} today", clock=clock)
        case 1:
            label = say("{clock} tomorrow", clock=clock)
        case _:
            label = say("{day} at {clock}", day=say_short_day(moment), clock=clock)
    return choice(label, f'remind me on {moment:%Y-%m-%d at %H:%M} of: "{what}"')


def _on_clock(zone: str, moment: datetime, what: str) -> Choice:
    """A button for what a time is on the clock of a zone; without a name, on the owner's."""
    when = say_short_moment(moment)
    label = say("{zone}: {when}", zone=short_name(zone), when=when) if zone else when
    return choice(label, f'remind me on {moment:%Y-%m-%d at %H:%M} of: "{what}"')


def _on(day: date, clock: str) -> tuple[str, str]:
    """A time of a day for a button, and as a request says it."""
    label = say("{day} at {clock}", day=say_short_day(day), clock=clock)
    return label, f"on {day.isoformat()} at {clock}"


def _times(times: Sequence[tuple[str, str]], what: str, now: datetime) -> list[Choice]:
    """Buttons for those of these times that are still to come."""
    found = [(label, words, spoken_at(lex(words), now)) for label, words in times]
    to_come = [(label, words) for label, words, spoken in found if spoken and settle(spoken[0], now)]
    return [choice(label, f'remind me {words} of: "{what}"') for label, words in to_come]
