"""Values as people read them: 1.5 GiB, 93 %, 240 ms, 3.2 M, 12 /s."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

_Step = tuple[float, str]
_SI: tuple[_Step, ...] = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
_BYTES: tuple[_Step, ...] = tuple((1024.0**power, f"{name}B") for power, name in
    ((5, "Pi"), (4, "Ti"), (3, "Gi"), (2, "Mi"), (1, "Ki"), (0, "")))  # fmt: skip
_SECONDS: tuple[_Step, ...] = (
    (86_400.0, "d"), (3_600.0, "h"), (60.0, "min"), (1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"),
)  # fmt: skip
_AS_IT_IS: tuple[_Step, ...] = ((1.0, ""),)
_PLAIN_BELOW = 10_000.0
"""Below this, a number is written in full; 5800 is not `5.8 k`."""
_PLAIN_FROM = 0.001
_MOST_DECIMALS = 6
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, slots=True)
class Scale:
    """The divisor of displayed values, and their suffix."""

    factor: float
    suffix: str

    def text(self, value: float, decimals: int) -> str:
        """Return a value of the original unit as text, with at most so many decimals."""
        number = f"{value / self.factor:.{decimals}f}"
        number = number.rstrip("0").rstrip(".") if "." in number else number
        return f"{'0' if number == '-0' else number}{self.suffix}"


def scale_of(largest: float, unit: str) -> Scale:
    """Return the scale for values up to `largest`. An unknown unit becomes the suffix unchanged."""
    size = abs(largest)
    match unit:
        case "ratio":
            return Scale(0.01, " %")
        case "percent":
            return Scale(1.0, " %")
        case "bytes" | "bytes/s":
            return _fitting(size, _BYTES, unit.removeprefix("bytes"))
        case "seconds":
            return _fitting(size, _SECONDS, "")
        case _:
            per = unit.removeprefix("1") if unit.startswith("1/") else unit
            if 0 < size < _PLAIN_FROM:
                return _tiny(size, per)
            return _fitting(size, _SI if size >= _PLAIN_BELOW else _AS_IT_IS, per)


def _tiny(size: float, unit: str) -> Scale:
    """Return a scale in powers of a thousand, such as 250×10⁻⁹; `m` and `n` would be misread."""
    power = math.floor(math.log10(size) / 3) * 3
    return Scale(10.0**power, f"×10{str(power).translate(_RAISED)}{f' {unit}' if unit else ''}")


def _fitting(size: float, steps: Sequence[_Step], unit: str) -> Scale:
    factor, prefix = next((step for step in steps if size >= step[0]), steps[-1])
    if size == 0:
        factor, prefix = next(step for step in steps if step[0] == 1.0)
    suffix = f"{prefix}{unit}"
    return Scale(factor, f" {suffix}" if suffix else "")


def humanised(value: float, unit: str) -> str:
    """Return a value with about three digits, such as `93 %` or `1.46 GiB`."""
    scale = scale_of(value, unit)
    size = abs(value / scale.factor)
    decimals = 0 if size == 0 else min(_MOST_DECIMALS, max(0, 2 - math.floor(math.log10(size))))
    return scale.text(value, decimals)
