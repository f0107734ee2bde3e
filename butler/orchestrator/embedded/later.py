"""What is to be sent later: `tomorrow at 8 tell Anna: …`, `tell Anna tomorrow at 8: …`, `forward it on Monday at 9`.

A time that may be meant as part of a text stays there: who means it as the time to send at says it before the text, or
puts the text in quotes. A time that is not said to the minute is asked for.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, time

from approvals.outcome_text import sends
from butler.contract.speech import say, say_clock, say_day, say_short_day, say_short_moment
from butler.contract.wall_time import moment
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.clock import Part
from butler.orchestrator.embedded.lexer import QUOTES, Tail, phrases, word_set
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.embedded.when import (
    WHOSE_TIME,
    Spoken,
    either_half,
    in_each_zone,
    settle,
    spoken_at,
    spoken_at_end,
)
from butler.orchestrator.embedded.zone_names import short_name
from butler.orchestrator.planning.plan_types import Choice, Planned, PlannerOutput, Unclear

VERBS = word_set(
    "send write drop tell ask let inform text message mail email e-mail telegram reply answer respond forward pass "
    "share"
)
PASSING = word_set("forward pass share")
"""Verbs that no text of the owner's follows."""
COMMA, AND_THEN = phrases(","), phrases("[,] please", ",")
CLOCKS = (time(9), time(12), time(18))
TOO_LATE = 366
"""Days ahead."""
Read = Callable[[Tail, Scene], PlannerOutput | None]
WordsAt = Callable[[str], str]
"""A request anew, with a time in it."""


def later(tail: Tail, scene: Scene, read: Read) -> PlannerOutput | None:
    """A request to send something, with the time for it before or behind; None where there is no such time."""
    return _time_first(tail, scene, read) or _time_last(tail, scene, read)


def put_off(plan: Planned, at: datetime, scene: Scene) -> Planned:
    """The same plan, with what is sent waiting for this local time."""
    due = moment(at, scene.request.zone)
    steps = (step.model_copy(update={"not_before": due}) if sends(step.tool_call) else step for step in plan.steps)
    return replace(plan, steps=tuple(steps))


def still_later(asked: Unclear, at: datetime) -> Unclear:
    """What is asked of a request, with the time still in the answers."""
    choices = tuple(replace(one, words=f"{said_in_words(at)}, {one.words}") for one in asked.choices)
    return Unclear(asked.question, choices)


def said_in_words(at: datetime) -> str:
    """A local time as a request says it."""
    return f"on {at:%Y-%m-%d} at {at:%H:%M}"


def moment_said(said: Spoken, scene: Scene, words: WordsAt, now_words: str) -> datetime:
    """The local time that is meant; asks where it is not sure, with buttons for the times it may be."""
    now = scene.now()
    if said.or_day is not None and said.day is not None:
        clock = said.clock or (said.part or Part.MORNING).value
        both = (settle(replace(said, day=day, or_day=None, clock=clock), now) for day in (said.day, said.or_day))
        days = [day for day in both if day is not None]
        raise Asking(say("Which day do you mean?"), [_at(day, words) for day in days])
    if not said.whole:
        assert said.day is not None, "a time that is not whole has a day"
        at_once = choice(say("Send it now"), now_words)
        times = [datetime.combine(said.day, clock) for clock in CLOCKS]
        choices = [_clock(at, words) for at in times if at > now.replace(tzinfo=None)]
        raise Asking(say("At what time on {day} shall it be sent?", day=say_day(said.day)), [*choices, at_once])
    if halves := either_half(said, now):
        raise Asking(say("In the afternoon or in the morning?"), [_at(at, words) for at in halves])
    if clocks := in_each_zone(said, now):
        raise Asking(say(WHOSE_TIME), [_on_clock(name, at, words) for name, at in clocks])
    at = settle(said, now)
    if at is None or (at.date() - now.date()).days > TOO_LATE:
        raise Asking(say("That time is past, or too far ahead. When shall it be sent?"))
    return at


def _at(at: datetime, words: WordsAt) -> Choice:
    return choice(say_short_moment(at), words(said_in_words(at)))


def _on_clock(zone: str, at: datetime, words: WordsAt) -> Choice:
    """A button for what a time is on the clock of a zone; without a name, on the owner's."""
    when = say_short_moment(at)
    label = say("{zone}: {when}", zone=short_name(zone), when=when) if zone else when
    return choice(label, words(said_in_words(at)))


def _clock(at: datetime, words: WordsAt) -> Choice:
    label = say("{day} at {clock}", day=say_short_day(at), clock=say_clock(at))
    return choice(label, words(said_in_words(at)))


def _time_first(tail: Tail, scene: Scene, read: Read) -> PlannerOutput | None:
    found = spoken_at(tail, scene.now(), zones=True)
    rest = found[1].past(AND_THEN) if found else tail
    if found is None or rest.done or rest.word() not in VERBS:
        return None
    return _put_off(found[0], rest, scene, read)


def _time_last(tail: Tail, scene: Scene, read: Read) -> PlannerOutput | None:
    if tail.word() not in VERBS:
        return None
    found = spoken_at_end(tail, scene.now(), zones=True)
    if found is None:
        return None
    before, said = found
    output = read(before, scene)
    if isinstance(output, Unclear) and (tail.word() in PASSING or _is_quoted(before)):
        return _put_off(said, before, scene, read)
    if not isinstance(output, Planned) or _ends_in_text(output, before):
        return None
    return _put_off(said, before, scene, read)


def _put_off(said: Spoken, rest: Tail, scene: Scene, read: Read) -> PlannerOutput | None:
    output = read(rest, scene)
    if isinstance(output, Unclear) and output.choices:
        if not said.whole:
            return output
        at = moment_said(said, scene, lambda when: f"{when}, {rest.text}", rest.text)
        return still_later(output, at)
    if not isinstance(output, Planned) or not any(sends(step.tool_call) for step in output.steps):
        return output if isinstance(output, Unclear) else None
    return put_off(output, moment_said(said, scene, lambda when: f"{when}, {rest.text}", rest.text), scene)


def _is_quoted(before: Tail) -> bool:
    """Whether the words end in a quotation."""
    last = before.bare()
    return not last.done and last.tokens[last.end - 1].word in {*QUOTES, *QUOTES.values()}


def _ends_in_text(output: Planned, before: Tail) -> bool:
    """Whether what stands before the time ends in a text of the owner's, so that the time may belong to it."""
    sending = [step for step in output.steps if sends(step.tool_call)]
    last = before.bare()
    if not sending or last.done:
        return True
    if _is_quoted(before):
        return False
    word = last.source[last.tokens[last.end - 1].start : last.tokens[last.end - 1].end].casefold()
    texts = [value for step in sending for value in step.args.values() if isinstance(value, str)]
    return any(text.casefold().rstrip(" .!?…").endswith(word) for text in texts)
