"""SIGKILL in the middle of many writes: whatever was told as written is there afterwards."""

import asyncio
import random
import sys
from pathlib import Path

import pytest

from butler.store.open import open_store
from butler.store.queries import audit, cursors, work

WRITE_UNTIL_KILLED = """
import asyncio, itertools, pathlib, sys, structlog
from butler.store.open import open_store
from butler.store.queries import audit, cursors, work
from butler.store.instants import EPOCH

# A write that is slow on a busy machine is logged, and not among what is told.
structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))

async def main():
    store = open_store(sys.argv[1], data_dir=pathlib.Path(sys.argv[2]))

    async def caller(name):
        for number in itertools.count(1):
            def both(connection):
                cursors.put(connection, name, str(number), EPOCH)
                work.add(connection, "look", f"{name}:{number}", now=EPOCH)
                audit.append(connection, "wrote", name, "test", {"n": number}, EPOCH)
            await store.write(both)
            sys.stdout.write(f"{name} {number}\\n")
            sys.stdout.flush()

    await asyncio.gather(*(caller(f"c{n}") for n in range(20)))

asyncio.run(main())
"""


@pytest.mark.crash
async def test_every_write_that_was_told_as_done_survives_a_kill(lasting_url: str, tmp_path: Path):
    told: dict[str, int] = {}
    for _ in range(2):
        argv = [sys.executable, "-c", WRITE_UNTIL_KILLED, lasting_url, str(tmp_path)]
        child = await asyncio.create_subprocess_exec(*argv, stdout=asyncio.subprocess.PIPE)
        assert child.stdout
        for _ in range(random.randint(50, 250)):
            name, number = (await child.stdout.readline()).split()
            told[name.decode()] = int(number)
        child.kill()
        rest = await child.stdout.read()
        for line in rest.splitlines(keepends=True):
            if line.endswith(b"\n"):
                name, number = line.split()
                told[name.decode()] = int(number)
        await child.wait()

        store = open_store(lasting_url, data_dir=tmp_path)
        subjects = {row.subject for row in await store.read(lambda c: work.written(c, 0, 100_000))}
        for name, number in told.items():
            stored = int(await store.read(lambda c, n=name: cursors.get(c, n)) or 0)
            assert number <= stored <= number + 1  # one more may have been written and not told
            assert {f"{name}:{n}" for n in range(1, stored + 1)} <= subjects
        assert await store.read(audit.verify) is None
        entries = (await store.read(audit.head))[0]
        assert entries == await store.read(lambda c: work.count(c, "ready"))
        # The next child begins at 1 again.
        await store.write(lambda c: c.exec_driver_sql("DELETE FROM cursors"))
        await store.close()
        told.clear()
