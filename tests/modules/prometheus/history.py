"""What the servers of these tests have measured: the same for the real Prometheus and for the stand-in."""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from butler_demo.prometheus import nuc
from butler_demo.prometheus.gauge import Gauge
from tests.services.prometheus import Sample

EVERY_S = 15
SPAN = timedelta(hours=2)
GAP = (timedelta(minutes=50), timedelta(minutes=20))
"""From when to when before the end nothing of the boiler was measured."""
MANY = 60


@dataclass(frozen=True, slots=True)
class History:
    """Series that end at `now`, a moment between two samples; before `since` there is nothing."""

    now: datetime

    @classmethod
    def until_now(cls) -> "History":
        """One that ends a little before the machine's time."""
        return cls(datetime.fromtimestamp(int(time.time()) // EVERY_S * EVERY_S - EVERY_S + 7, UTC))

    @property
    def since(self) -> datetime:
        return self.now - SPAN

    @property
    def begun(self) -> datetime:
        return self.now - nuc.BEGUN_BEFORE

    def gauges(self) -> Iterator[Gauge]:
        """The demo's server, one with a gap, one with what is no number, many of one kind, and node_exporter's."""
        yield from (self._within(gauge) for gauge in self._endless())

    def samples(self) -> Iterator[Sample]:
        """The same, written down as a scrape does."""
        first, last = math.ceil(self.since.timestamp() / EVERY_S), math.floor(self.now.timestamp() / EVERY_S)
        for gauge in self.gauges():
            for at in range(first * EVERY_S, (last + 1) * EVERY_S, EVERY_S):
                if (value := gauge.value(at)) is not None:
                    yield gauge.labels, float(at), value

    def _endless(self) -> Iterator[Gauge]:
        yield from nuc.gauges(self.begun)
        yield Gauge({"__name__": "boiler_celsius", "place": "cellar"}, self._boiler)
        yield Gauge(
            {"__name__": "odd", "instance": "nuc"}, lambda at: (math.nan, math.inf, -math.inf, 1.5)[int(at) % 4]
        )
        for number in range(MANY):
            yield Gauge({"__name__": "many", "instance": f"host-{number:02d}"}, lambda _, n=number: float(n))
        node = {"instance": "nuc", "job": "node"}
        disk = {**node, "mountpoint": "/", "fstype": "ext4", "device": "/dev/nvme0n1"}
        web = {"job": "photos", "code": "500"}
        for name, labels, value in (
            ("node_cpu_seconds_total", {**node, "cpu": "0", "mode": "idle"}, _counting(0.25)),
            ("node_memory_MemAvailable_bytes", node, _steady(2 * 2**30)),
            ("node_memory_MemTotal_bytes", node, _steady(8 * 2**30)),
            ("node_filesystem_avail_bytes", disk, _steady(17e9)),
            ("node_filesystem_size_bytes", disk, _steady(100e9)),
            ("node_disk_io_time_seconds_total", {**node, "device": "nvme0n1"}, _counting(0.5)),
            ("node_load5", node, _steady(3.0)),
            ("node_network_receive_bytes_total", {**node, "device": "eth0"}, _counting(1_000_000)),
            ("up", node, _steady(0.0)),
            ("http_requests_total", web, _counting(0.2)),
        ):
            yield Gauge({"__name__": name, **labels}, value)

    def _within(self, gauge: Gauge) -> Gauge:
        first, last, endless = self.since.timestamp(), self.now.timestamp(), gauge.value

        def value(at: float) -> float | None:
            return endless(at) if first <= at <= last else None

        return replace(gauge, value=value)

    def _boiler(self, at: float) -> float | None:
        begins, ends = ((self.now - before).timestamp() for before in GAP)
        return None if begins <= at < ends else 60.0


def _steady(value: float) -> Callable[[float], float]:
    return lambda _: value


def _counting(per_s: float) -> Callable[[float], float]:
    return lambda at: round((at % 1_000_000) * per_s, 3)
