"""What a planner is told of a card that waits, and what it may want of it: no planner can approve."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class WaitingCard:
    """A card that waits: for the owner's yes, or after it for its time."""

    handle: str
    """Such as `card-1`, the oldest; it holds for one request."""
    approval_id: str
    revision: int
    tool: str
    args: Mapping[str, Any]
    """The arguments that a planner may know, as a plan would write them."""
    asked_at: datetime
    untold: tuple[str, ...] = ()
    """The names of the arguments in which others had a hand."""
    not_before: datetime | None = None
    """When it is done; None if right after the yes."""
    approved: bool = False
    """Whether it has the owner's yes, and waits for its time."""
    listed: bool = False
    """Whether it is about items that were listed for it alone, so that it can only be taken back."""
    replied_to: bool = False
    """Whether the owner's message is a reply to it."""


@dataclass(frozen=True, slots=True)
class CardOrder:
    """What the owner wants of a card: that it is taken back, or changed."""

    card: WaitingCard
    withdraw: bool = False
    args: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """New values of some arguments, which may be references (`references.py`)."""
    at: datetime | None = None
    """Another time, for a card that has one."""
    wording: str = ""
    """How its text is to change, where the planner is not told the text."""
