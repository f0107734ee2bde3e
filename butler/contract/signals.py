"""The named signals of a server that the butler knows: their names, units and limits.

A signal of any other name, or of the owner's own query, is judged by its own past alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from butler.contract.speech import phrase, say, spoken
from butler.contract.visible import visible_line
from config.language import OwnerLanguage

LONGEST, LONGEST_UNIT = 60, 12
WHOLE_FROM, THOUSAND, PERCENT = 100, 1000, 100


@dataclass(frozen=True, slots=True)
class Bounds:
    """The bounds of a signal, in its own unit."""

    limit: float | None = None
    """The value from which the signal is bad, however long it has been so."""
    floor: float = 0.0
    """The smallest change that counts."""
    falls: bool = False
    """Whether low values are bad, as for free memory."""
    either: bool = False
    """Whether a change in either direction is worth reporting."""


class Unit(StrEnum):
    """The unit of a signal."""

    PERCENT = "percent"
    RATIO = "ratio"
    """A fraction of one, shown in percent."""
    BYTES = "bytes"
    SECONDS = "seconds"
    NUMBER = ""


@dataclass(frozen=True, slots=True)
class Signal:
    """A measured signal."""

    title: str
    unit: Unit
    bounds: Bounds
    suffix: str = ""
    """A custom unit, such as `1/s`."""

    @property
    def name(self) -> str:
        """The name as the owner reads it."""
        return say(self.title)

    def value(self, value: float) -> str:
        """Return one of its values, with its unit."""
        return f"{figure(value, self.unit)}{self.suffix}"


KNOWN = {
    "cpu": Signal(phrase("CPU"), Unit.PERCENT, Bounds(limit=90, floor=10)),
    "load": Signal(phrase("Load"), Unit.NUMBER, Bounds(floor=0.5)),
    "memory": Signal(phrase("Memory in use"), Unit.PERCENT, Bounds(limit=92, floor=8)),
    "swap": Signal(phrase("Swap"), Unit.PERCENT, Bounds(limit=80, floor=10)),
    "disk": Signal(phrase("Disk in use"), Unit.PERCENT, Bounds(limit=90, floor=3)),
    "disk_io": Signal(phrase("Disk activity"), Unit.PERCENT, Bounds(limit=90, floor=15)),
    "network": Signal(phrase("Network"), Unit.BYTES, Bounds(floor=1_000_000)),
    "latency": Signal(phrase("Response time"), Unit.SECONDS, Bounds(floor=0.1)),
    "errors": Signal(phrase("Errors"), Unit.NUMBER, Bounds(floor=0.5)),
    "temperature": Signal(phrase("Temperature"), Unit.NUMBER, Bounds(limit=85, floor=8)),
}
"""The known signals, by their names in the settings."""
_UNITS = {
    "%": Unit.PERCENT, "percent": Unit.PERCENT, "ratio": Unit.RATIO, "bytes": Unit.BYTES, "b": Unit.BYTES,
    "s": Unit.SECONDS, "seconds": Unit.SECONDS,
    "percentunit": Unit.RATIO, "decbytes": Unit.BYTES,
}  # fmt: skip


def signal_of(data: Mapping[str, Any]) -> Signal:
    """Return the signal that a step measured. A unit and a limit in the settings override the known ones."""
    name, query = str(data.get("signal") or ""), str(data.get("query") or "")
    known = KNOWN.get(name) or Signal(_cut(str(data.get("title") or name or query)), Unit.NUMBER, Bounds(either=True))
    text = str(data.get("unit") or "").strip() if "unit" in data else known.unit.value
    unit = unit_of(text)
    scale = PERCENT if known.unit is Unit.PERCENT and unit is Unit.RATIO else 1
    limit = data.get("high")
    own = float(limit) if isinstance(limit, int | float) and not isinstance(limit, bool) else None
    known_limit = None if known.bounds.limit is None else known.bounds.limit / scale
    bounds = replace(known.bounds, limit=known_limit if own is None else own, floor=known.bounds.floor / scale)
    suffix = _suffix(text) if text and text.lower() not in _UNITS else ""
    return Signal(known.title, unit, bounds, suffix)


def _suffix(unit: str) -> str:
    return unit.removeprefix("1") if unit.startswith("1/") else f" {_cut(unit)[:LONGEST_UNIT]}"


def unit_of(name: str) -> Unit:
    """Return a unit by its name in settings and dashboards."""
    return _UNITS.get(name.strip().lower(), Unit.NUMBER)


def figure(value: float, unit: Unit) -> str:
    """Format a value: `97 %`, `8.4`, `3.2 GB`."""
    match unit:
        case Unit.PERCENT:
            return f"{_number(value, decimals=0 if abs(value) >= 1 or not value else 1)} %"
        case Unit.RATIO:
            return figure(value * PERCENT, Unit.PERCENT)
        case Unit.BYTES:
            return _bytes(value)
        case Unit.SECONDS:
            return f"{_number(value * THOUSAND, 0)} ms" if abs(value) < 1 else f"{_number(value, 1)} s"
        case Unit.NUMBER:
            decimals = 0 if abs(value) >= WHOLE_FROM or value == int(value) else 1 if abs(value) >= 1 else 2
            return _number(value, decimals)


def _bytes(value: float) -> str:
    for name in ("B", "kB", "MB", "GB"):
        if abs(value) < THOUSAND:
            return f"{_number(value, 0 if name == 'B' or abs(value) >= WHOLE_FROM else 1)} {name}"
        value /= THOUSAND
    return f"{_number(value, 1)} TB"


def _number(value: float, decimals: int) -> str:
    if abs(value) >= 1e15:  # noqa: PLR2004 - no count of anything; its digits would only fill lines
        return f"{value:.1e}"
    text = f"{value:,.{decimals}f}"
    english = spoken() is OwnerLanguage.ENGLISH
    return text if english else text.replace(",", "\u202f").replace(".", ",")


def _cut(text: str) -> str:
    text = visible_line(" ".join(text.split()))
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
