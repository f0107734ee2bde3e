"""However many strangers write, nothing of them is kept and the daemon does not grow."""

import os
from pathlib import Path

import pytest

from tests.app.words import answers

FIRST_STRANGER = 10_000
WORDS = ("hello there", "/start 123456", "/help", "is anybody there?")
GROWTH_MB = 2.0
"""What 20,000 entries of a dictionary, a hundred bytes each, would already fill."""


async def strangers_write(home, numbers):
    api, token = home.world.bot_api, home.world.bot_token
    for number in numbers:
        api.add_person(FIRST_STRANGER + number, f"Person {number}")
        api.say(token, FIRST_STRANGER + number, WORDS[number % len(WORDS)])
    await home.until(lambda: not api.pending_updates(token), "all updates taken", 60)


def resident_mb(pid):
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def sizes(home):
    tables = ("inbox", "outbox", "work", "conversations", "cursors", "facts", "audit", "choices")
    return {table: home.rows(f"select count(*) from {table}")[0][0] for table in tables}


@pytest.mark.nightly
async def test_op_12_twenty_thousand_strangers_leave_no_rows_and_no_memory(home):
    await strangers_write(home, range(2_000))
    await answers(home)
    await home.settled()
    rows, resident = sizes(home), resident_mb(home.pid)
    for begin in range(2_000, 22_000, 5_000):
        await strangers_write(home, range(begin, begin + 5_000))
    assert sizes(home) == rows
    assert resident_mb(home.pid) - resident < GROWTH_MB
    await answers(home)
