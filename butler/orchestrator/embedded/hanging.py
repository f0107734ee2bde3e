"""What hangs on a text: `remind me a day before the deadline in that mail`, `if Anna's mail says yes, tell …`.

The text is read by a step, and a reader takes the day, or the yes, out of it; whoever plans never sees it.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from butler.contract.agents import PlanStep, ReadKind, When
from butler.contract.referents import ReferentKind
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.consulting import read_shown
from butler.orchestrator.embedded.items import KINDS, READABLE, Rephrase, Spoken, find, item_at
from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.numbers import count
from butler.orchestrator.embedded.people import person_at
from butler.orchestrator.embedded.say import capital
from butler.orchestrator.embedded.scene import Scene, not_set_up
from butler.orchestrator.embedded.searching import Search, look
from butler.orchestrator.planning.plan_types import Choice, Planned, PlannerOutput, Unclear

Request = Callable[[Tail, Scene], PlannerOutput | None]
"""Reads one request."""

REMIND = phrases("remind me", "(set|create|add|make) [me] a reminder [for me]")
BEFORE = phrases("before")
ON_THE_DAY = phrases("of", "on the day of", "on", "for", "about")
WITHIN = phrases("(in|from|of)", "(that|which) (stands|is) in")
THE = frozenset({"the", "my", "our", "their", "its"})
UNITS = {"day": 24, "days": 24, "week": 168, "weeks": 168, "hour": 1, "hours": 1}
REMINDERS = "bot_reminders_create"

IF = phrases("if", "in case")
YES = phrases("(says|said|answers|answered|is|was) [a] yes", "(says|said) (it|that) (is|was) (ok|okay|fine)", "agrees")
NO = phrases("(says|said|answers|answered|is|was) [a] no", "(declines|declined|refuses|refused)")
BY_MAIL = phrases("[,] (in|by) [her|his|their|the|a|that] [last|newest] (mail|email|e-mail|message|answer|reply)")
THEN = phrases(", then", ",", "then", ":")


def remind_of_text(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a request to be reminded of a day that a text says; None where it is none."""
    start = tail.bare().take(REMIND)
    led = _lead(start) if start is not None else None
    if led is None:
        return None
    hours, matter = led
    here = matter
    while (found := here.find(WITHIN)) is not None:
        what, here = replace(matter, end=found[0].end), found[1]
        item = item_at(here, scene) if what.word() in THE and not what.skip().done else None
        if item is not None and item[1].done:
            before = replace(tail.bare(), end=here.at).text
            return _reminder(what.text, hours, item[0], scene, lambda name, said=before: f"{said} {name}")
    return None


def _lead(start: Tail) -> tuple[int, Tail] | None:
    """By how many hours earlier, and what stands behind that: `a day before the deadline`, `of the viewing`."""
    number, unit = count(start.word()), start.word(1)
    if start.word() == "the":
        number = 1
    if number and unit in UNITS and (after := start.skip(2).take(BEFORE)) is not None:
        return number * UNITS[unit], after
    after = start.take(ON_THE_DAY)
    return (0, after) if after is not None else None


def _reminder(what: str, hours: int, spoken: Spoken, scene: Scene, again: Rephrase) -> PlannerOutput:
    if not scene.has(REMINDERS):
        raise Asking(not_set_up(REMINDERS))
    before = _reading(spoken, scene, again, READABLE)
    days, rest = divmod(hours, 24)
    at: dict[str, Any] = {"from": [len(before)], "read": ReadKind.DATE.value, "ask": f"when is {what}?"}
    at |= ({"days": -days} if days else {}) | ({"hours": -rest} if rest else {})
    remind = calls.remind(capital(what), "")
    remind = remind.model_copy(update={"args": remind.args | {"at": at}, "depends_on": [len(before)]})
    return calls.plan(*before, remind)


def if_it_says(tail: Tail, scene: Scene, request: Request) -> PlannerOutput | None:
    """Read a request that is only to be done where a mail says yes, or no; None where it is none."""
    start = tail.take(IF)
    condition = _condition(start, scene) if start is not None else None
    if condition is None:
        return None
    spoken, yes, rest = condition
    said = replace(tail, end=rest.at).text
    output = request(rest, scene)
    if isinstance(output, Unclear):
        return replace(output, choices=tuple(_under(said, one) for one in output.choices))
    if not isinstance(output, Planned) or not output.steps:
        return None
    if any(step.when is not None and step.when.is_ in {"empty", "not_equal"} for step in output.steps):
        # Such a step would be taken just because the one before it was not needed.
        return None
    before = _reading(spoken, scene, lambda name: f"if {name} says {'yes' if yes else 'no'}, {rest.text}", KINDS)
    when = When(step_id=len(before), read=ReadKind.YES_NO, ask="Does it say yes or no?", is_="equal", value=yes)
    steps = [
        step if step.when is not None else step.model_copy(update={"when": when})
        for step in calls.moved(output, len(before))
    ]
    return calls.plan(*before, *steps)


def _under(said: str, one: Choice) -> Choice:
    """An answer to a question, under the same condition."""
    return replace(one, words=f"{said} {one.words}") if one.words else one


def _condition(start: Tail, scene: Scene) -> tuple[Spoken, bool, Tail] | None:
    item = item_at(start, scene)
    if item is None and (person := person_at(start, scene)) is not None:
        item = Spoken(newest=True, person=person[0]), person[1]
    if item is None:
        return None
    for options, yes in ((YES, True), (NO, False)):
        after = item[1].take(options)
        rest = after.past(BY_MAIL).take(THEN) if after is not None else None
        if rest is not None and not rest.done:
            return item[0], yes, rest
    return None


def _reading(spoken: Spoken, scene: Scene, again: Rephrase, among: frozenset[ReferentKind]) -> tuple[PlanStep, ...]:
    """The steps that read something shown, or the newest mail of somebody; the last of them reads."""
    referent = find(spoken, scene, again, among)
    if referent is not None:
        return read_shown(referent, scene).steps
    found = look(Search(person=spoken.person, limit=1), scene)
    return calls.read_found(found, found.steps[0].tool_call.partition("_")[0]).steps
