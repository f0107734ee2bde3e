"""The time zone of a call's wall times: settled when the call is frozen, like its account.

A tool that takes wall times has an argument for the zone. The caller does not choose it, and no rule restricts it.
"""

import json
from collections.abc import Mapping
from typing import Any

from butler.contract.tools import ZONE, ToolSpec


def keeps_zone(spec: ToolSpec) -> bool:
    """Return whether a call's times depend on the zone that the call is frozen with."""
    return ZONE in spec.args.model_fields


def zone_in(args: str) -> str:
    """Return the zone that stored arguments (canonical JSON) were frozen with; empty if there is none."""
    stored: Mapping[str, Any] = json.loads(args)
    return str(stored.get(ZONE, ""))
