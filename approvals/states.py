"""The states of an approval, and the only transitions between them."""

from collections.abc import Mapping
from enum import StrEnum


class State(StrEnum):
    """The state of an approval."""

    PENDING = "pending"
    APPROVED = "approved"
    EXECUTING = "executing"
    DONE = "done"
    FAILED = "failed"
    UNKNOWN = "unknown"
    """Begun, with an unknown effect. Never repeated; the owner may settle it."""
    DENIED = "denied"
    EXPIRED = "expired"
    SUPERSEDED = "superseded"
    """Withdrawn because something that the call refers to has changed."""
    CANCELLED = "cancelled"


TRANSITIONS: Mapping[State, frozenset[State]] = {
    State.PENDING: frozenset({State.APPROVED, State.DENIED, State.EXPIRED, State.SUPERSEDED, State.CANCELLED}),
    State.APPROVED: frozenset({State.EXECUTING, State.CANCELLED, State.SUPERSEDED, State.EXPIRED}),
    State.EXECUTING: frozenset({State.DONE, State.FAILED, State.UNKNOWN}),
    State.UNKNOWN: frozenset({State.DONE, State.FAILED}),
    State.DONE: frozenset(),
    State.FAILED: frozenset(),
    State.DENIED: frozenset(),
    State.EXPIRED: frozenset(),
    State.SUPERSEDED: frozenset(),
    State.CANCELLED: frozenset(),
}

FINAL = frozenset(state for state, following in TRANSITIONS.items() if not following)


class Verb(StrEnum):
    """The verb of a button. Each is possible in only one state, and leads to one other."""

    APPROVE = "approve"
    DENY = "deny"
    UNDO = "undo"
    MARK_DONE = "mark_done"
    MARK_FAILED = "mark_failed"


SHOW = "show"
"""The verb of a button that brings a card down. It decides nothing."""

VERBS: Mapping[Verb, tuple[State, State]] = {
    Verb.APPROVE: (State.PENDING, State.APPROVED),
    Verb.DENY: (State.PENDING, State.DENIED),
    Verb.UNDO: (State.APPROVED, State.CANCELLED),
    Verb.MARK_DONE: (State.UNKNOWN, State.DONE),
    Verb.MARK_FAILED: (State.UNKNOWN, State.FAILED),
}
