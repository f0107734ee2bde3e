"""The parts that a feature of the daemon registers, and their registration with the engine."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from butler.automations.dispatch import EventDispatch, Listener
from butler.contract.errors import Bug
from butler.engine import LocalEngine, OnClockBack, OnDeadLetter, WorkHandler
from butler.orchestrator.chat.turn import Act
from butler.orchestrator.planning.plan_types import Command
from butler.orchestrator.replies.buttons import ButtonHandler
from butler.store.queries.events import HAPPENED
from butler.store.store import Store

Key = TypeVar("Key", bound=str)
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """What one feature registers."""

    handlers: Mapping[str, WorkHandler] = field(default_factory=dict[str, WorkHandler])
    """Work handlers by the kind of row."""
    listeners: Sequence[Listener] = ()
    """Called with each event."""
    taps: Sequence[ButtonHandler] = ()
    """Services with buttons of their own."""
    acts: Mapping[Command, Act] = field(default_factory=dict[Command, Act])
    """Commands that change something or have buttons."""
    on_clock_back: Sequence[OnClockBack] = ()
    """Called after the clock was set back."""
    on_dead_letter: Sequence[OnDeadLetter] = ()
    """Called with each failed row."""


def taps_of(features: Iterable[Feature]) -> tuple[ButtonHandler, ...]:
    """Return all services with buttons."""
    return tuple(one for feature in features for one in feature.taps)


def acts_of(features: Iterable[Feature]) -> dict[Command, Act]:
    """Return all commands; raise `Bug` if two features have the same."""
    return _joined("command", [feature.acts for feature in features])


def register(engine: LocalEngine, store: Store, features: Sequence[Feature]) -> None:
    """Register everything with the engine, in the order of the features. Raise `Bug` for a kind with two handlers."""
    listeners = [one for feature in features for one in feature.listeners]
    events = Feature(handlers={HAPPENED: EventDispatch(store, listeners).tell})
    handlers = _joined("kind of work", [feature.handlers for feature in (*features, events)])
    for kind, handler in handlers.items():
        engine.register(kind, handler)
    engine.on_clock_back(*(one for feature in features for one in feature.on_clock_back))
    engine.on_dead_letter(*(one for feature in features for one in feature.on_dead_letter))


def _joined(what: str, parts: Iterable[Mapping[Key, Value]]) -> dict[Key, Value]:
    joined: dict[Key, Value] = {}
    for part in parts:
        if twice := joined.keys() & part.keys():
            raise Bug(f"two features have the same {what}: {', '.join(sorted(twice))}")
        joined |= part
    return joined
