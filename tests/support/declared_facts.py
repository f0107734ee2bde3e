"""Checks that the facts that tools declare are found in what they really yield, as a later step finds them."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from butler.contract.integration import IntegrationResult
from butler.contract.tools import IOToolSpec, ToolSpec
from butler.orchestrator.results.facts import NoSuchFactError, fact

PATH = re.compile(r"[a-z][a-z0-9_]*(\.(0|[a-z][a-z0-9_]*))*", re.ASCII)
"""A path as a plan writes it: keys, and `0` for a position of a list."""


def assert_facts(spec: ToolSpec, *results: IntegrationResult | Mapping[str, Any]) -> None:
    """Every fact that a tool declares is found in one of these results of it at least; a mapping is a result's data.

    Several results are for facts that exclude each other, such as the one that was found, and the choice of several.
    """
    outcomes = [_outcome(one) for one in results]
    missing = [path for path in spec.facts if not any(_holds(outcome, path) for outcome in outcomes)]
    assert spec.facts, f"{spec.tool_name} declares no facts"
    assert not missing, f"{spec.tool_name} declares {missing}, which is not in {outcomes}"


def tools_with_facts(specs: Iterable[IOToolSpec]) -> set[str]:
    """The names of the tools that declare facts: a module's test compares them with those that it runs."""
    return {spec.tool_name for spec in specs if isinstance(spec, ToolSpec) and spec.facts}


def _outcome(result: IntegrationResult | Mapping[str, Any]) -> dict[str, Any]:
    """A result as a plan's step keeps it, which is as JSON."""
    data: Any = result
    if isinstance(result, IntegrationResult):
        assert result.ok, result.error
        data = result.data
    return {"ok": True, "data": json.loads(json.dumps(data))}


def _holds(outcome: Mapping[str, Any], path: str) -> bool:
    try:
        fact(outcome, path)
    except NoSuchFactError:
        return False
    return True
