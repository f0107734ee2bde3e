"""Acts that are done again and again: `every Sunday archive newsletters older than a week`, `... every night at 2`.

What is done is read by the grammars of acts on many things, and how often by its own. Which dates move on is found out
by reading the same words as of other days.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from butler.contract.agents import PlanStep
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.agenda_many import many_events
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.boards_changing import change_cards
from butler.orchestrator.embedded.every import repeated_at
from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.many import many
from butler.orchestrator.embedded.often import Often, often_at
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.planning.plan_types import Choice, Planned, PlannerOutput
from butler.store.queries.rules import REPEAT

READERS: tuple[Callable[[Tail, Scene], PlannerOutput | None], ...] = (many_events, change_cards, many)
"""What reads an act on many things."""
AS_A_RULE = phrases("as a rule ,", "as a rule")
"""How a button, or what was put into English, begins."""
REMINDS = phrases("remind me", "to be reminded", "(daily|weekly|monthly|yearly) reminder", "a reminder")
"""What is said again and again and does nothing."""
BETWEEN = phrases(",", ":", "[,] please", "then")
NAMED = ("mails", "events", "cards")
BY_AGE = phrase("For what is done again and again, say how old they are, such as older than a week.")
WHICH_ONES = phrase(
    "What is done again and again is found anew each time, so say which by whose they are, what they say or how old "
    "they are."
)
LATER = (timedelta(days=1), timedelta(days=8), timedelta(days=40))
SLACK = 3
"""Days by which months differ in length."""


def repeat(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read an order for again and again; None where it is none."""
    bare = tail.bare().past(AS_A_RULE)
    if bare.find(REMINDS) is not None or _is_no_order(bare, scene):
        return None
    for often, order, words in _splits(bare, scene):
        try:
            plan = _read(order, scene)
        except Asking as asking:
            raise _again(asking, words) from None
        if isinstance(plan, Planned) and len(plan.steps) == 1 and _can_be(plan.steps[0], scene):
            return _repeated(plan.steps[0], often, order, scene)
    return None


def _is_no_order(bare: Tail, scene: Scene) -> bool:
    """Whether nothing is said but how often, which answers a question about a reminder."""
    found = repeated_at(bare, scene.now())
    return found is not None and found[1].done


def _can_be(step: PlanStep, scene: Scene) -> bool:
    """Whether the tool of a step does what it does again and again, where that is asked for."""
    spec = next((one for one in scene.request.tools if one.tool_name == step.tool_call), None)
    return spec is not None and REPEAT in spec.args.model_fields


def _splits(bare: Tail, scene: Scene) -> Iterator[tuple[Often, Tail, str]]:
    """How often and what, whichever comes first; some of the first may stand at the end."""
    today = scene.now().date()
    first = often_at(bare, today)
    if first is not None and first[0].days:
        often, order = first[0], first[1].past(BETWEEN)
        for said, before, _ in _ends(order, today):
            if not said.days and not before.done:
                yield replace(often, most=said.most or often.most, until=said.until or often.until), before, bare.text
        yield often, order, bare.until(first[1]).text
        return
    for said, before, words in _ends(bare, today):
        if said.days and not before.done:
            yield said, before, words


def _ends(tail: Tail, today: date) -> Iterator[tuple[Often, Tail, str]]:
    """Where the words end in how often, how many or until when; the longest such end first."""
    for start in range(tail.at + 1, tail.end):
        here = replace(tail, at=start)
        found = often_at(here.past(BETWEEN), today)
        if found is not None and found[1].done:
            yield found[0], replace(tail, end=start), here.past(BETWEEN).text


def _read(order: Tail, scene: Scene) -> PlannerOutput | None:
    return next((output for reader in READERS if (output := reader(order, scene)) is not None), None)


def _again(asking: Asking, words: str) -> Asking:
    """The question about what is done, whose answers are still about what is done again and again."""
    unclear = asking.unclear
    choices = [Choice(one.label, f"as a rule, {words}: {one.words}") for one in unclear.choices]
    return Asking(unclear.question, choices, unclear.stranger)


def _repeated(step: PlanStep, often: Often, order: Tail, scene: Scene) -> Planned:
    if any(step.args.get(name) for name in NAMED):
        raise Asking(say(WHICH_ONES))
    fixed = _fixed(step, order, scene)
    said = often.args() | ({"fixed": fixed} if fixed else {})
    return calls.plan(step.model_copy(update={"args": {**step.args, REPEAT: said}}))


def _fixed(step: PlanStep, order: Tail, scene: Scene) -> list[str]:
    def later(by: timedelta) -> Mapping[str, Any]:
        plan = _read(order, replace(scene, request=replace(scene.request, now=scene.request.now + by)))
        return plan.steps[0].args if isinstance(plan, Planned) else {}

    return fixed_of(step.args, later)


def fixed_of(args: Mapping[str, Any], later: Callable[[timedelta], Mapping[str, Any]]) -> list[str]:
    """The arguments whose dates stay whatever the day is; `later` gives those of the same words said so much later.

    Raises `Asking` where dates go neither with the days nor with nothing.
    """
    dates = {name: day for name, value in args.items() if (day := _date(value)) is not None}
    read = [later(by) for by in LATER] if dates else []
    moves = {name: [_moved(day, said.get(name)) for said in read] for name, day in dates.items()}
    span = len(dates) > 1
    for days in moves.values():
        exactly = days == [by.days for by in LATER]
        nearly = all(abs(moved - by.days) <= SLACK for moved, by in zip(days, LATER, strict=True)) and days[-1] > 0
        if any(days) and not (exactly or (nearly and not span)):
            raise Asking(say(BY_AGE))
    return [name for name, days in moves.items() if not any(days)]


def _moved(day: date, value: Any) -> int:
    """By how many days a date moved on."""
    moved = _date(value)
    return (moved - day).days if moved is not None else 0


def _date(value: Any) -> date | None:
    try:
        return date.fromisoformat(value[:10]) if isinstance(value, str) else None
    except ValueError:
        return None
