"""What the checklist of seed 1 takes: an adapter on its provider's stand-in, and orders to it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from butler.contract.bulk import BulkToolAdapter


@dataclass
class Subject:
    """An adapter over twelve things, five of which an order is about."""

    adapter: BulkToolAdapter
    order: dict[str, Any]
    named: dict[str, Any]
    """An order that names something which has to be resolved to an id."""
    wrong: tuple[dict[str, Any], ...]
    gone: str
    """The id of a thing that is not there."""
    resolved: dict[str, Any]
    """What `named` has to come to among the action's parameters."""
    fetched: Callable[[], int] = lambda: 0
    """How often things were listed or read."""
