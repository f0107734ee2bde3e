"""What the stand-in measures of the demo's home server: a backup keeps its disk and its processor busy.

The log lines in `butler_demo.loki.nuc` tell the same story.
"""

import math
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

from butler_demo.prometheus.gauge import Gauge

BEGUN_BEFORE = timedelta(minutes=40)
"""How long the backup has been running when the demo begins."""
HOST = "nuc"
_RISE_S = 180.0
CPU, MEMORY = "instance:node_cpu_utilisation:rate5m", "instance:node_memory_utilisation:ratio"
DISK, DISK_IO = "instance:node_filesystem_usage:ratio", "instance:node_disk_busy:rate5m"
LOAD, LATENCY, ERRORS = "node_load1", "job:http_request_duration_seconds:p95", "job:http_errors:rate5m"
SIGNALS: tuple[dict[str, Any], ...] = (
    {"name": "cpu", "title": "CPU use", "query": CPU, "unit": "ratio", "high": 0.85},
    {"name": "memory", "title": "Memory use", "query": MEMORY, "unit": "ratio", "high": 0.9},
    {"name": "disk", "title": "Disk space used", "query": DISK, "unit": "ratio", "high": 0.9},
    {"name": "disk_io", "title": "Disk busy", "query": DISK_IO, "unit": "ratio", "high": 0.9},
    {"name": "load", "title": "Load", "query": LOAD, "unit": "", "high": 4.0},
    {"name": "latency", "title": "Slowest requests", "query": LATENCY, "unit": "seconds", "high": 1.0},
    {"name": "errors", "title": "Failed requests", "query": ERRORS, "unit": "1/s", "high": 0.1},
)
"""As `[[modules.prometheus.bot.signal]]` takes them."""


def gauges(begun: datetime) -> Iterator[Gauge]:
    """The series of the home server, whose backup began at `begun`, an aware time."""
    start = begun.timestamp()
    yield Gauge(_labels(CPU), _raised(start, 0.14, 0.93, 0.03))
    yield Gauge(_labels(MEMORY), _raised(start, 0.46, 0.51, 0.01))
    yield Gauge(_labels(DISK, mountpoint="/"), _raised(start, 0.829, 0.83, 0.0))
    yield Gauge(_labels(DISK_IO, device="nvme0n1"), _raised(start, 0.07, 0.97, 0.02))
    yield Gauge(_labels(LOAD), _raised(start, 0.45, 5.8, 0.3))
    yield Gauge({"__name__": LATENCY, "job": "photos"}, _raised(start, 0.18, 2.4, 0.1))
    yield Gauge({"__name__": ERRORS, "job": "photos"}, _raised(start, 0.0, 0.03, 0.0))


def _labels(name: str, **more: str) -> dict[str, str]:
    return {"__name__": name, "instance": HOST, "job": "node", **more}


def _raised(start: float, before: float, after: float, sway: float) -> Callable[[float], float]:
    """A value that rises within three minutes, and sways a little as measured values do."""

    def value(at: float) -> float:
        risen = min(max((at - start) / _RISE_S, 0.0), 1.0)
        wave = math.sin(at / 97.0) * 0.6 + math.sin(at / 31.0) * 0.4
        return round(before + (after - before) * risen + sway * wave, 4)

    return value
