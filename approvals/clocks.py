"""The zone in which a call's wall times are: settled when it is frozen, like its account.

A tool that takes wall times has an argument for it. Nobody who asks for a call chooses it, and no rule is about it.
"""

import json
from collections.abc import Mapping
from typing import Any

from butler.contract.tools import ZONE, ToolSpec


def keeps_zone(spec: ToolSpec) -> bool:
    """Whether the moments of a call hang on the zone that it is frozen with."""
    return ZONE in spec.args.model_fields


def zone_in(args: str) -> str:
    """The zone that stored arguments (canonical JSON) were frozen with; empty where there is none."""
    stored: Mapping[str, Any] = json.loads(args)
    return str(stored.get(ZONE, ""))
