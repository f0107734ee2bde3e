"""A run over Trello cards as a process that is killed at random: every card once in the record, and undone exactly."""

import random
from dataclasses import replace
from pathlib import Path

import pytest

from bench.bulk_runs import outcome, run
from bench.bulk_trello import Board
from modules.trello.bulk import BATCH

COUNT, KILLS = 150, 3


@pytest.mark.crash
@pytest.mark.nightly  # `tests/bulk/test_kills.py` kills the same machinery over another provider
@pytest.mark.timeout(200)
async def test_a_run_that_is_killed_again_and_again_is_whole_and_undone_exactly(tmp_path: Path) -> None:
    chance, board = random.Random(7), Board(COUNT, faster=20)
    await board.server.start()
    job, environment = board.job(tmp_path), board.environment()
    try:
        before = board.state()
        ended = [await run(job, environment, chance.uniform(1.0, 4.0)) for _ in range(KILLS)]
        if not all(ended):
            assert await run(job, environment)
        found = await outcome(tmp_path)
        assert (found.done, found.lost) == (COUNT, 0)
        assert found.again <= BATCH * ended.count(False)
        assert board.server.refused_calls == 0
        back = replace(job, undo=True)
        if not await run(back, environment, chance.uniform(2.0, 4.0)):
            assert await run(back, environment)
        assert board.state() == before
    finally:
        await board.server.stop()
