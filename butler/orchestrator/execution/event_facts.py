"""The facts of the event that triggered an automation, each with its origin."""

from collections.abc import Mapping
from typing import Any

from butler.contract.inbound import Inbound
from butler.contract.provenance import Labelled, Origin
from butler.orchestrator.planning.own_words import is_by_itself

AUTOMATIONS = "automations"
"""The channel of requests by automations."""
OURS = frozenset({"identity", "account", "ref", "approval", "run", "reminder", "decision", "outcome", "automation"})
"""Facts that Butler or a provider gave, and that no sender can choose."""


def happened(item: Inbound) -> Mapping[str, Labelled[Any]]:
    """Return the facts that may stand for arguments; none if no automation triggered the request."""
    if not is_by_itself(item) or item.channel != AUTOMATIONS:
        return {}
    facts: dict[str, Any] = item.payload.get("facts", {})
    ours = Origin.butler("event")
    return {
        name: Labelled(value=value, origins=frozenset({ours if name in OURS else item.origin}))
        for name, value in facts.items()
    }
