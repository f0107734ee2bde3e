"""Repeats a step for each thing that an earlier step found: a fact's path with `*`, such as `events.*.start`.

The step becomes one step for each thing, stored in one transaction before the first of them begins.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from butler.contract.agents import PlanStep
from butler.contract.reasons import in_own_words
from butler.contract.speech import phrase
from butler.orchestrator.results.nothing_found import HUNG_ON_NOTHING
from butler.orchestrator.results.outcomes import StepRefusedError

MOST_REPEATS = 20
MOST_STEPS = 160
"""Steps of a request that repeats some: as many as a request has that repeats none, in all its rounds."""
EACH = "*"
TOO_MANY = phrase("that is {count} things, and I do that for {most} at most; say which of them")
TOO_LONG = phrase("one request may come to {most} steps at most")
SEVERAL = phrase("it would be done for the things of several lists at once")


class LoopError(StepRefusedError):
    """A step cannot be repeated for what was found."""


@dataclass(frozen=True, slots=True)
class _Loop:
    """The earlier step whose things a step is repeated for, and the path of their list."""

    source: int
    path: str


def is_loop(step: PlanStep) -> bool:
    """Return whether a step is to be repeated for each of several things."""
    return any(_loops(step.args))


def repeated(step: PlanStep, steps: Sequence[PlanStep]) -> tuple[PlanStep, ...]:
    """Return the step once for each thing, the first one in its own place and the others after all steps.

    Raises `LoopError` if nothing was found, or too much, or if it names several lists.
    """
    loop, *others = dict.fromkeys(_loops(step.args))
    if others:
        # Each with each would be a multiple of what a step may be repeated.
        raise LoopError(in_own_words(SEVERAL))
    outcome = next((one.outcome for one in steps if one.step_id == loop.source), None)
    count = len(_list_at((outcome or {}).get("data"), loop.path))
    if count == 0:
        raise LoopError(HUNG_ON_NOTHING)
    if count > MOST_REPEATS:
        raise LoopError(in_own_words(TOO_MANY, count=str(count), most=str(MOST_REPEATS)))
    if len(steps) + count - 1 > MOST_STEPS:
        raise LoopError(in_own_words(TOO_LONG, most=str(MOST_STEPS)))
    last = max(one.step_id for one in steps)
    numbers = [step.step_id, *range(last + 1, last + count)]
    return tuple(
        step.model_copy(update={"step_id": number, "args": _at(step.args, loop.source, index)})
        for index, number in enumerate(numbers)
    )


def _loops(value: Any) -> Iterator[_Loop]:
    match value:
        case {"step": int(source), "fact": str(path)} if EACH in (parts := path.split(".")):
            yield from (_Loop(source, ".".join(parts[:at])) for at, part in enumerate(parts) if part == EACH)
        case dict():
            for inner in cast("dict[str, Any]", value).values():
                yield from _loops(inner)
        case list():
            for inner in cast("list[Any]", value):
                yield from _loops(inner)
        case _:
            pass


def _list_at(data: Any, path: str) -> Sequence[Any]:
    for part in path.split("."):
        data = cast("Mapping[str, Any]", data).get(part) if isinstance(data, Mapping) else None
    return cast("list[Any]", data) if isinstance(data, list) else ()


def _at(value: Any, source: int, index: int) -> Any:
    """Return a value with this position in place of `*`."""
    match value:
        case {"step": int(number), "fact": str(path)} if number == source:
            parts = [str(index) if part == EACH else part for part in path.split(".")]
            return {**cast("dict[str, Any]", value), "fact": ".".join(parts)}
        case dict():
            return {name: _at(one, source, index) for name, one in cast("dict[str, Any]", value).items()}
        case list():
            return [_at(one, source, index) for one in cast("list[Any]", value)]
        case _:
            return value
