"""One program's turn at a mailbox: it says when it is ready, waits to be told, and says how long it took."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

USER = "me@home.example"
PASSWORD = "correct horse"
_SAMPLED_EVERY_S = 0.02
_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICKS = os.sysconf("SC_CLK_TCK")
_DROPPED = ("BUTLER_", "USER_", "PYTHONDONTWRITEBYTECODE")


# In the program


def wait_for_go() -> None:
    """Say that all is loaded, and wait."""
    print("ready", flush=True)
    sys.stdin.readline()


def finish(seconds: float, trouble: str = "") -> None:
    """Say how long the work took, or what went wrong."""
    print(f"{seconds:.6f} {trouble}".strip(), flush=True)


# In the benchmark


@dataclass(frozen=True, slots=True)
class Turn:
    """What a turn took: seconds by the clock and of processor, and memory in megabytes of the program's whole tree."""

    seconds: float
    cpu_s: float
    idle_mb: float
    peak_mb: float


def take_turn(arguments: Sequence[str], *, waits: bool) -> Turn:
    """Run a program; one that `waits` is measured from when it is told to go. Raises RuntimeError when it fails."""
    process = subprocess.Popen(
        arguments,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=_environment(os.environ),
    )
    assert process.stdin is not None, "it was started with pipes"
    assert process.stdout is not None, "it was started with pipes"
    before = 0.0
    if waits:
        if process.stdout.readline().strip() != "ready":
            raise RuntimeError(process.stdout.read())
        before = _cpu_s(process.pid)
    watch = _Watch(process.pid)
    began = time.perf_counter()
    if waits:
        process.stdin.write("go\n")
        process.stdin.flush()
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - began
    idle_mb, peak_mb = watch.stop()
    process.returncode = os.waitstatus_to_exitcode(status)
    if waits:
        took, _, trouble = output.strip().partition(" ")
        if process.returncode or trouble:
            raise RuntimeError(output)
        seconds = float(took)
    elif process.returncode:
        raise RuntimeError(output)
    # Of the program's own children, too: it waits for them.
    return Turn(seconds, usage.ru_utime + usage.ru_stime - before, idle_mb, max(peak_mb, usage.ru_maxrss * 1024 / 1e6))


class _Watch:
    """Looks at the memory of a program and its children again and again."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._over = threading.Event()
        self._idle_mb = self._peak_mb = _tree_mb(pid)
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def stop(self) -> tuple[float, float]:
        """What it was at first, and the most that it was."""
        self._over.set()
        self._thread.join()
        return self._idle_mb, self._peak_mb

    def _run(self) -> None:
        while not self._over.wait(_SAMPLED_EVERY_S):
            self._peak_mb = max(self._peak_mb, _tree_mb(self._pid))


def _tree_mb(pid: int) -> float:
    """Resident memory of a process and all below it, in 10^6 bytes; what they share is counted for each.

    A child that has not become another program yet lives in its parent's memory, so it counts for nothing.
    """
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
        children = [
            int(child)
            for task in Path(f"/proc/{pid}/task").iterdir()
            for child in (task / "children").read_text(encoding="ascii").split()
            if _command(int(child)) != _command(pid)
        ]
    except OSError:
        return 0.0
    return pages * _PAGE / 1e6 + sum(map(_tree_mb, children))


def _command(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _environment(given: Mapping[str, str]) -> dict[str, str]:
    """Without the proxies and credentials of whoever runs this."""
    return {
        name: value
        for name, value in given.items()
        if not name.startswith(_DROPPED) and not name.lower().endswith("_proxy")
    }
