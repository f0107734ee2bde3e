"""When a card is due: `due on Friday at 12`, `by Monday`. A day without an hour is due at noon, as at Trello."""

from datetime import datetime, time

from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.embedded.target import target_at

DUE = phrases("[,|and] due [on|by|at]", "[,] with [the|a] (deadline|due date) [of|on]", "[,] by")
NOON = time(12)


def due_at(tail: Tail, scene: Scene) -> tuple[str, Tail] | None:
    """The deadline that stands here with its word before it, as the tools take it, and what follows."""
    start = tail.take(DUE)
    return moment_at(start, scene) if start is not None else None


def moment_at(tail: Tail, scene: Scene) -> tuple[str, Tail] | None:
    """A day with or without an hour, as the moment that something is due at."""
    found = target_at(tail, scene)
    if found is None or found[0].day is None:
        return None
    return datetime.combine(found[0].day, found[0].clock or NOON).isoformat(timespec="minutes"), found[1]
