"""What memory keeps open and how large it grows while it takes things in, beside LanceDB with one lasting cache.

Each runs in a process of its own, takes in the same made-up chunks one at a time and is asked between them, as a
daemon is over months. Vectors are drawn at random: nothing here depends on what they mean. `--items N`: how many.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from bench.machine import report, table
from butler.agents.memory import index
from butler.agents.memory.index import Index, IndexRow, Shared

DIMENSIONS = 384
ASKED_EVERY = 3
OPENED_FOR_GOOD = sys.maxsize
THE_LIBRARYS_OWN = 16
"""Arenas that glibc makes on two cores."""


def open_files() -> int:
    """Files of LanceDB's that this process holds open."""
    return sum(".lance" in target for target in map(_target, Path("/proc/self/fd").iterdir()))


def resident_mb() -> float:
    """Resident memory of this process."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 / 1e6


def _target(descriptor: Path) -> str:
    try:
        return str(descriptor.readlink())
    except FileNotFoundError:
        return ""


async def take_in(items: int) -> list[tuple[int, int, float]]:
    """Items so far, open files and megabytes, ten times over the run."""
    random = np.random.default_rng(1)
    seen: list[tuple[int, int, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        held = Index(Path(folder) / "memory", "soak", DIMENSIONS)
        await held.open()
        for number in range(1, items + 1):
            vector = random.standard_normal(DIMENSIONS).astype(np.float32)
            vector /= np.linalg.norm(vector)
            row = IndexRow(0, json.dumps({"n": number}), f"word{number} locker corridor {number % 7}", vector, 0.1)
            await held.replace(Shared(f"note:{number}", "r", "note", "", "", number), [row])
            await held.tidy()
            if held.wants_reopening:
                await held.reopen()
            if number % ASKED_EVERY == 0:
                await held.search(_ready(vector), f"locker word{number}", "", 10)
            if number % max(1, items // 10) == 0:
                seen.append((number, open_files(), resident_mb()))
        await held.close()
    return seen


async def _ready(value: NDArray[np.float32]) -> NDArray[np.float32]:
    return value


def child(kind: str, items: int) -> None:
    """One process of the comparison."""
    lasting = kind == "lasting"
    after = OPENED_FOR_GOOD if lasting else index.REOPENED_AFTER
    arenas = THE_LIBRARYS_OWN if lasting else index.ARENAS
    with patch.object(index, "REOPENED_AFTER", after), patch.object(index, "ARENAS", arenas):
        print(json.dumps(asyncio.run(take_in(items))))


def measured(kind: str, items: int) -> list[tuple[int, int, float]]:
    """The figures of a process of its own."""
    command = [sys.executable, "-m", "bench.memory", "--child", kind, "--items", str(items)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1])


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--items", type=int, default=3_000)
    reader.add_argument("--child", choices=("butler", "lasting"))
    options = reader.parse_args()
    if options.child:
        child(options.child, options.items)
        return
    butler, lasting = measured("butler", options.items), measured("lasting", options.items)
    rows = [
        (ours[0], ours[1], theirs[1], round(ours[2]), round(theirs[2]))
        for ours, theirs in zip(butler, lasting, strict=True)
    ]
    table(["items", "open files", "with one cache", "MB", "MB with one cache"], rows)
    grown = [last[2] - first[2] for first, last in ((butler[0], butler[-1]), (lasting[0], lasting[-1]))]
    most = [max(open_now for _, open_now, _ in seen) for seen in (butler, lasting)]
    report(
        "memory",
        {"open_vs_one_cache": round(most[0] / most[1], 3), "growth_vs_one_cache": round(grown[0] / grown[1], 2)},
        {"open_files": most[0], "kb_per_item": round(grown[0] * 1000 / options.items, 1)},
    )


if __name__ == "__main__":
    main()
