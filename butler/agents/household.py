"""The agents, built together: who reads and remembers. Nothing heavy is loaded before it is used."""

from dataclasses import dataclass
from typing import cast

from butler.contract.agent_ports import DocumentReader, Memory


@dataclass(frozen=True, slots=True)
class Household:
    """The agents that modules and the orchestrator work with."""

    memory: Memory
    documents: DocumentReader


def make_agents() -> Household:
    """All of them."""
    return Household(cast("Memory", None), cast("DocumentReader", None))
