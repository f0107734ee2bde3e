"""The controller as a process that is killed at random: every mail once in the record, and undone exactly."""

import random
from dataclasses import replace
from pathlib import Path

import pytest

from bench.bulk import Mailbox
from bench.bulk_runs import outcome, run

COUNT, KILLS = 2_500, 4


@pytest.mark.crash
@pytest.mark.timeout(200)
async def test_a_run_that_is_killed_again_and_again_is_whole_and_undone_exactly(tmp_path: Path) -> None:
    chance, mailbox = random.Random(7), Mailbox(COUNT)
    await mailbox.server.start()
    mailbox.server.enforce_quota()
    job, environment = mailbox.job(tmp_path), mailbox.environment()
    try:
        before = mailbox.state()
        ended = [await run(job, environment, chance.uniform(0.3, 4.0)) for _ in range(KILLS)]
        if not all(ended):
            assert await run(job, environment)
        found = await outcome(tmp_path)
        assert (found.done, found.lost) == (COUNT, 0)
        assert found.again <= 1_000 * ended.count(False)
        assert not any("INBOX" in labels for labels in mailbox.state().values())
        assert mailbox.server.refused_calls == 0
        back = replace(job, undo=True)
        if not await run(back, environment, chance.uniform(1.0, 3.0)):
            assert await run(back, environment)
        assert mailbox.state() == before
    finally:
        await mailbox.server.stop()
