"""Durations in settings, written like `60s` or `2m`."""

import re
from typing import Annotated, Any

from pydantic import BeforeValidator

_DURATION = re.compile(r"(\d+(?:\.\d+)?)(s|m|h)")
_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0}


def _to_seconds(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    match = _DURATION.fullmatch(value.strip())
    if match is None:
        raise ValueError('write a duration such as "60s" or "2m"')
    return float(match[1]) * _SECONDS[match[2]]


Seconds = Annotated[float, BeforeValidator(_to_seconds)]
