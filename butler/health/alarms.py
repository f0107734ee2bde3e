"""Alerts the owner to the machine's troubles: a full disk, a growing process, a hanging engine, a clock that jumped.

Each is reported once while it lasts, and again only after it was over.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import structlog

from butler.contract.ports import Clock
from butler.contract.speech import say
from butler.services import Tell
from config.health import HealthSettings

log = structlog.get_logger(__name__)

MB = 1_000_000
HANGS = timedelta(minutes=2)
"""The engine hangs if it has looked for no work for this long."""
ENOUGH = 1.2
"""An alarm is over once the free space is this many times the limit, or the limit this many times the memory held."""


def resident() -> int:
    """Return the bytes of memory that the process holds; 0 if the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def free_bytes(folder: Path) -> int:
    """Return the free bytes on the disk of a folder."""
    return shutil.disk_usage(folder).free


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine that is checked."""

    data_dir: Path
    last_tick: Callable[[], datetime | None]
    """Returns when the engine last looked for work."""
    free: Callable[[Path], int] = free_bytes
    held: Callable[[], int] = resident
    """Returns the bytes of memory that the process holds."""


class Alarms:
    """Remembers what was reported."""

    def __init__(
        self, clock: Clock, settings: HealthSettings, machine: Machine, tell: Tell, *, tells_jumps: bool = True
    ) -> None:
        """`tells_jumps` is off if the clock is set on purpose."""
        self._clock, self._settings, self._machine, self._tell = clock, settings, machine, tell
        self._tells_jumps = tells_jumps
        self._told: set[str] = set()

    async def look(self, jump: timedelta | None = None) -> None:
        """Check once; `jump` is how far the clock has moved beyond the time that passed."""
        for name, sentence, over in self._found(jumped=jump is not None):
            if sentence and name not in self._told:
                self._told.add(name)
                log.warning("alarm", alarm=name)
                await self._tell(f"alarm:{name}", sentence)
            elif over:
                self._told.discard(name)
        if jump is not None and self._tells_jumps:
            log.warning("clock_jumped", minutes=round(jump.total_seconds() / 60))
            await self._tell(f"alarm:clock:{self._clock.now().isoformat()}", _of_jump(jump))

    def _found(self, *, jumped: bool) -> Iterator[tuple[str, str, bool]]:
        """Yield each alarm with its message, empty if all is well, and whether it is over."""
        limit, free = self._settings.disk_free_mb * MB, self._machine.free(self._machine.data_dir)
        text = say("Only {free} MB are free on the disk where I keep my data", free=free // MB)
        yield "disk", text if free < limit else "", free >= limit * ENOUGH
        most, held = self._settings.memory_mb * MB, self._machine.held()
        text = say("My process holds {held} MB of memory, more than it should", held=held // MB)
        yield "memory", text if 0 < most < held else "", held * ENOUGH <= most
        if jumped:
            # The engine has had no turn since the clock jumped; the next check tells whether it hangs.
            return
        tick = self._machine.last_tick()
        late = self._clock.now() - tick if tick is not None else timedelta()
        text = say("I have not looked for work for {seconds} s", seconds=round(late.total_seconds()))
        yield "engine", text if late > HANGS else "", late <= HANGS


def _of_jump(jump: timedelta) -> str:
    minutes = round(jump.total_seconds() / 60)
    if minutes < 0:
        return say(
            "The clock of my machine was set back by {minutes} minutes. What has a time of its own comes at that time "
            "by the clock as it is now; what was said already is not said again",
            minutes=-minutes,
        )
    return say(
        "The clock of my machine has jumped by {minutes} minutes, or the machine slept. What was due meanwhile "
        "is done now",
        minutes=f"{minutes:+d}",
    )
