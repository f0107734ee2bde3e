"""Memory may grow for years: what it keeps open does not grow with it."""

import asyncio
import sys
from pathlib import Path

import pytest

from butler.agents.memory import index
from butler.agents.memory.agent import LibraryMemory
from butler.contract.agents import MemoryOutput, MemoryQuery
from tests.agents.memory.memory_library import document

ITEMS = 160
MOST_OPEN = 24


def open_files(folder: Path) -> list[str]:
    """Files below a folder that this process holds open, deleted ones too."""
    found: list[str] = []
    for descriptor in Path("/proc/self/fd").iterdir():
        try:
            target = str(descriptor.readlink())
        except FileNotFoundError:  # the one that listed them
            continue
        if target.startswith(f"{folder}/") and ".lance" in target:
            found.append(target)
    return found


pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="descriptors are counted in /proc")


@pytest.fixture(autouse=True)
def tidied_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many tidyings for 160 items as a memory of 640 has."""
    monkeypatch.setattr(index, "TIDIED_AFTER", 8)


@pytest.mark.nightly
async def test_what_memory_keeps_open_does_not_grow_with_what_it_holds(memory: LibraryMemory, tmp_path: Path) -> None:
    most = 0
    for number in range(ITEMS):
        await memory.add(document(f"note:{number}", f"the locker of visitor {number} is in corridor {number % 7}"))
        if number % 3 == 0:
            await memory.search(MemoryQuery(query_text=f"locker visitor {number}", min_relevance_score=0.0))
        most = max(most, len(open_files(tmp_path)))
    assert most <= MOST_OPEN
    found = await memory.search(MemoryQuery(query_text="locker of visitor 3", min_relevance_score=0.0))
    assert isinstance(found, MemoryOutput)
    assert found.results[0].source_id == "note:3"


@pytest.mark.nightly
async def test_a_search_under_way_is_not_cut_off_by_reopening(memory: LibraryMemory) -> None:
    async def look() -> int:
        found = 0
        for _ in range(40):
            answer = await memory.search(MemoryQuery(query_text="locker of visitor 1", min_relevance_score=0.0))
            found += isinstance(answer, MemoryOutput)
        return found

    await memory.add(document("note:1", "the locker of visitor 1"))
    looking = asyncio.create_task(look())
    for number in range(2, 90):
        await memory.add(document(f"note:{number}", f"the locker of visitor {number}"))
    assert await looking == 40
