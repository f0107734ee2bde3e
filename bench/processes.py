"""A program under measurement as a process of its own, and what it has used of the machine."""

import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_STOP_WITHIN_S = 15
_DROPPED = ("BUTLER_", "USER_", "PYTHONDONTWRITEBYTECODE")


class Program:
    """A running child; its log is a file, so that a full pipe never holds it up."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path) -> None:
        self._process, self._log = process, log

    @property
    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def log_tail(self) -> str:
        """The last of what it wrote."""
        return self._log.read_text("utf-8", "replace")[-2000:]

    def cpu_s(self) -> float:
        """Seconds of processor it has used since it began, in all its threads."""
        stat = Path(f"/proc/{self._process.pid}/stat").read_text(encoding="ascii")
        fields = stat.rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def rss_mb(self) -> float:
        """Megabytes (10^6 bytes) it holds in memory now."""
        pages = int(Path(f"/proc/{self._process.pid}/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    def stop(self) -> None:
        """SIGTERM, and SIGKILL to one that does not end."""
        self._process.terminate()
        try:
            self._process.wait(_STOP_WITHIN_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


@contextmanager
def program(*arguments: str, log: Path) -> Generator[Program, None, None]:
    """`python arguments` while the block runs; without the proxies and credentials of whoever runs it.

    Bytecode is kept, as in every installation: a program that was started once starts faster.
    """
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(_DROPPED) and not name.lower().endswith("_proxy")
    }
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env=environment,
        )
        running = Program(process, log)
        try:
            yield running
        finally:
            running.stop()
