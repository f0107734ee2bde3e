"""What the demo's home server writes into its log: a backup begins, and requests become slow.

The series in `butler_demo.prometheus.nuc` tell the same story.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from butler_demo.loki.stream import Recurring, Stream

HOST = "nuc"
_DAY_S = 86_400.0
_ALBUMS = ("summer", "garden", "grandma-80", "hut", "2025")
SIGNALS: tuple[dict[str, Any], ...] = (
    {"name": "errors", "title": "Errors and warnings", "query": '{host="nuc"} |~ "(?i)error|warn|fail|timed out"'},
    {"name": "backup", "title": "The backup", "query": '{host="nuc",unit="backup.service"}'},
    {"name": "slow", "title": "Slow requests", "query": '{host="nuc"} |= "slow request"'},
)
"""As `[[modules.loki.bot.signal]]` takes them."""


def streams(begun: datetime) -> Iterator[Stream]:
    """The logs of the home server, whose backup began at `begun`, an aware time."""
    start = begun.timestamp()
    yield Stream(
        _labels("systemd", "backup.service"),
        (
            Recurring(start - 2, lambda _: "systemd[1]: Starting backup.service - Nightly backup to the NAS..."),
            Recurring(start, lambda _: "backup: rsync started: /srv -> nas:/backup/nuc (412,388 files, 1.3 TB)"),
            Recurring(start + 120, _progress, every_s=120, count=150),
        ),
    )
    yield Stream(
        _labels("systemd", "systemd-oomd.service"),
        (Recurring(start + 420, _pressure, every_s=600, count=30),),
    )
    yield Stream(
        _labels("photos", "photos.service"),
        (
            Recurring(start - 3 * _DAY_S, _request, every_s=30),
            Recurring(start + 190, _slow, every_s=70, count=260),
            Recurring(start + 900, lambda _: "error: upstream timed out after 10 s: GET /api/search", every_s=700),
        ),
    )


def _labels(job: str, unit: str) -> dict[str, str]:
    return {"host": HOST, "job": job, "unit": unit}


def _progress(number: int) -> str:
    return f"backup: rsync {min(99, 1 + number)} % done, {46 + number % 5}.{number * 7 % 10} MB/s"


def _pressure(number: int) -> str:
    share = 61 + number % 4
    return f"warning: systemd-oomd: backup.service: memory pressure {share} % for more than 20 s, watching"


def _request(number: int) -> str:
    return f"info: GET /albums/{_ALBUMS[number % len(_ALBUMS)]} 200 in 0.1{number % 9} s"


def _slow(number: int) -> str:
    return f"warning: slow request: GET /albums/{_ALBUMS[number % len(_ALBUMS)]} took 2.{number * 3 % 10} s"
