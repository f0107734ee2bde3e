"""What an automation has set going: the facts of its event, each with whose words it holds."""

from collections.abc import Mapping
from typing import Any

from butler.contract.inbound import Inbound
from butler.contract.provenance import Labelled, Origin
from butler.orchestrator.planning.own_words import is_by_itself

AUTOMATIONS = "automations"
"""The channel of what automations ask for."""
OURS = frozenset({"identity", "account", "ref", "approval", "run", "reminder", "decision", "outcome", "automation"})
"""Facts that the house or a provider gave, and that no sender can choose."""


def happened(item: Inbound) -> Mapping[str, Labelled[Any]]:
    """The facts that stand in for arguments; none where no automation set it going."""
    if not is_by_itself(item) or item.channel != AUTOMATIONS:
        return {}
    facts: dict[str, Any] = item.payload.get("facts", {})
    ours = Origin.butler("event")
    return {
        name: Labelled(value=value, origins=frozenset({ours if name in OURS else item.origin}))
        for name, value in facts.items()
    }
