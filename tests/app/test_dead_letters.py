"""Work that fails over and over is put aside, and the owner knows."""

import contextlib
import sqlite3
from datetime import timedelta
from functools import partial

from butler.engine import MOST_FAULTS
from tests.app.words import answers, shows

BROKEN = """
insert into inbox (inbound_id, dedup_key, kind, channel, identity, account, chat, sender, message_ref, received_at,
                   item, state)
select 'broken', 'broken', kind, channel, identity, account, chat, sender, '', received_at, '{}', 'new'
from inbox limit 1
"""
LOOK = """
insert into work (kind, subject, lane, run_at, attempts, faults, state, created_at)
select 'inbound', 'broken', 'chat:broken', received_at, 0, 0, 'ready', received_at from inbox limit 1
"""


async def test_an_item_that_cannot_be_handled_is_put_aside_and_told(home):
    with contextlib.closing(sqlite3.connect(home.folder / "data" / "butler.db", timeout=60)) as other, other:
        other.execute(BROKEN)
        other.execute(LOOK)
    for faults in range(1, MOST_FAULTS):
        tried = f"select 1 from work where subject = 'broken' and faults = {faults}"
        await home.until(partial(home.rows, tried), f"try {faults}")
        home.world.advance(timedelta(seconds=30))
    await shows(home, "could not handle something that came in", "put it aside")
    assert home.rows("select state from inbox where inbound_id = 'broken'") == [("quarantined",)]
    assert home.rows("select state from work where subject = 'broken'") == [("failed",)]
    _, page = await home.page("/metrics")
    assert "butler_work_failed 1.0" in page
    await answers(home)
