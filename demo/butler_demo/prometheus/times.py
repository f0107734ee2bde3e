"""Times and numbers as they stand on the wire."""

import math
from decimal import Decimal

from butler_demo.prometheus.selector import bad_data


def seconds(text: str, parameter: str) -> float:
    """A moment in seconds of the epoch, or a length of time. Raises QueryError."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise bad_data(parameter, f'cannot parse "{text}" to a number of seconds')
    return value


def stamp(at: float) -> float:
    """A moment on the wire, exact to a millisecond; whole seconds have no decimals."""
    milliseconds = round(at * 1000)
    return milliseconds // 1000 if milliseconds % 1000 == 0 else milliseconds / 1000


def number(value: float) -> str:
    """A sample's value on the wire."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return format(Decimal(repr(value)).normalize(), "f")
