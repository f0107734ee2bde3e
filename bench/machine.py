"""What every benchmark prints: a table, what it ran on, and as its last line one JSON object."""

import json
import os
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path


def machine() -> str:
    """Processor, cores, what else runs on it (the load of the last minute), and Python."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        lines = info.read_text(encoding="utf-8").splitlines()
        model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), model)
    return f"{model}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, Python {platform.python_version()}"


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table."""
    cells = [list(map(str, row)) for row in [header, *rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    for row in cells:
        print("  ".join(c.rjust(w) if i else c.ljust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))))


def report(name: str, ratios: Mapping[str, float], figures: Mapping[str, float]) -> None:
    """Print the last line."""
    print(json.dumps({"bench": name, "machine": machine(), "ratios": dict(ratios), "figures": dict(figures)}))
