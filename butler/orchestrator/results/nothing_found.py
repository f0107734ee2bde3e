"""Tells that nothing was found from that something went wrong, and says it of what hung on it."""

from collections.abc import Mapping
from typing import Any, cast

from butler.contract.errors import AgentErrorCode, IntegrationErrorCode
from butler.contract.reasons import in_own_words, load_reasons
from butler.contract.speech import phrase

NOTHING_FOUND = phrase("nothing was found, so I did not do it")
HUNG_ON_NOTHING = in_own_words(NOTHING_FOUND)
"""Why a step was not taken that needed what was looked for."""
FOLLOWED = "followed"
"""In the outcome of a look: a later round was planned with what it found."""
_EMPTY = frozenset({AgentErrorCode.CONNECTOR_NOT_FOUND.value, AgentErrorCode.MEMORY_NO_RESULTS.value})


def found_nothing(outcome: Mapping[str, Any]) -> bool:
    """Return whether a step that has ended only found nothing, or hung on one that did."""
    if outcome.get("ok"):
        data: Mapping[str, Any] = outcome.get("data") or {}
        count = data.get("count")
        return count == 0 if isinstance(count, int) else not any(map(_holds, data.values()))
    if "approval" in outcome:
        return False
    code = outcome.get("agent_code") or outcome.get("code")
    return code in _EMPTY or code == IntegrationErrorCode.NOT_FOUND or hangs_on_nothing(outcome)


def looked_in_vain(outcome: Mapping[str, Any]) -> bool:
    """Return whether a step did look, and there was nothing."""
    return found_nothing(outcome) and not hangs_on_nothing(outcome)


def hangs_on_nothing(outcome: Mapping[str, Any]) -> bool:
    """Return whether a step was not taken because nothing was found for it."""
    return any(one == HUNG_ON_NOTHING for one in load_reasons(outcome.get("why") or ()))


def _holds(value: Any) -> bool:
    return isinstance(value, list | dict) and bool(cast("list[Any] | dict[str, Any]", value))
