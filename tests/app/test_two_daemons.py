"""Two real daemons on one database: what was approved leaves once, whoever is frozen, cut off or started meanwhile."""

import asyncio
import os
import re
import signal
from asyncio.subprocess import PIPE, STDOUT
from collections import Counter
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import psycopg
import pytest

from approvals.states import State
from approvals.transition import transition
from butler.store.lock import DAEMON_LOCK_KEY
from butler.store.queries import approvals
from butler.store.store import Store
from tests.app.command import argv
from tests.app.words import mails
from tests.services.support import free_ports

MANY = int(os.environ.get("BUTLER_TEST_TWO_DAEMONS", "8"))
"""How many mails are approved at once."""
FENCED = "Another Butler has taken over this data, so this one has stopped"
CUT = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = %s"
WITHIN_S = 60.0


def second_config(home):
    """Another configuration of the same butler, with a data folder and a port of its own."""
    text = home.config.read_text()
    (port,) = free_ports(1)
    text = text.replace('data_dir = "data"', 'data_dir = "data-of-the-second"')
    text = re.sub(r"(\[web\]\nport = )\d+", rf"\g<1>{port}", text)
    path = home.folder / "second.toml"
    path.write_text(text)
    return path


@asynccontextmanager
async def second_daemon(home):
    """It runs; killed at the end, where it has not ended before."""
    with (home.folder / "second.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            *argv("run", "--config", str(second_config(home))), stdout=log, stderr=STDOUT
        )
        try:
            yield process
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()


async def mails_are_approved(home):
    """As many cards as there are mails, with a yes to all of them in one moment; nothing has to have left yet."""
    for number in range(MANY):
        home.world.say(f"email Anna: the number is {number:03}")
    waiting = "select approval_id from approvals where state = 'pending'"
    asked = await home.until(lambda: (found := home.rows(waiting))[MANY - 1 :] and found, "the cards", WITHIN_S)
    await home.settled()

    def approve(connection):
        for (approval_id,) in asked:
            row, now = approvals.get(connection, approval_id), datetime.now(UTC)
            transition(connection, row, State.APPROVED, actor="owner", now=now, execute_at=now)

    store = Store(home.store_url)
    await store.write(approve)
    await store.close()


def began(home, many):
    return home.rows(f"select 1 from attempts limit {many}")[many - 1 :]


def left(home):
    """How often each mail left."""
    numbers = (f"{number:03}" for number in range(MANY))
    return Counter({n: times for n in numbers if (times := len(mails(home, f"the number is {n}")))})


def states(home):
    return Counter(state for (state,) in home.rows("select state from approvals"))


def is_over(home):
    return not home.rows("select 1 from approvals where state in ('approved', 'executing', 'pending')")


def nothing_left_twice(home):
    """Each mail left once, or is one of those that are asked about and has left at most once."""
    counts, found = left(home), states(home)
    assert [number for number, times in counts.items() if times > 1] == [], (counts, found)
    assert found["done"] + found["unknown"] == MANY, found
    assert found["done"] <= len(counts) <= MANY, (counts, found)


async def is_replaced(home):
    """The first daemon ends by itself, says why, and the one who started it sees that it failed."""
    assert await home.end() == 1, home.log()
    assert FENCED in home.log()


@pytest.mark.nightly
@pytest.mark.services
@pytest.mark.timeout(400)
async def test_a_daemon_that_was_frozen_and_replaced_sends_nothing_more(harness, postgres):
    home = await harness(store_url=postgres.create_database())
    await mails_are_approved(home)
    await home.until(lambda: began(home, MANY // 4), "attempts that have begun", WITHIN_S)
    os.kill(home.pid, signal.SIGSTOP)
    try:
        with psycopg.connect(home.store_url, autocommit=True) as server:
            assert server.execute(CUT, (f"butler daemon {home.pid}",)).fetchall() == [(True,)]
        async with second_daemon(home):
            await home.until(lambda: is_over(home), "an end of all of them", WITHIN_S)
            os.kill(home.pid, signal.SIGCONT)
            await is_replaced(home)
            await asyncio.sleep(1)
            nothing_left_twice(home)
    finally:
        if home.ended_with is None:
            os.kill(home.pid, signal.SIGCONT)


@pytest.mark.nightly
@pytest.mark.services
@pytest.mark.timeout(400)
async def test_a_daemon_whose_lock_is_taken_while_it_sends_stops_and_nothing_leaves_twice(harness, postgres):
    home = await harness(store_url=postgres.create_database())
    await mails_are_approved(home)
    await home.until(lambda: began(home, MANY // 4), "attempts that have begun", WITHIN_S)
    with psycopg.connect(home.store_url, autocommit=True) as server:
        server.execute(CUT, (f"butler daemon {home.pid}",))
        # As a standby does it: first the lock, then an epoch of its own.
        server.execute("SELECT pg_advisory_lock(%s)", (DAEMON_LOCK_KEY,))
        now = int(datetime.now(UTC).timestamp() * 1_000_000)
        values = "INSERT INTO daemons (token, place, process, started_at) VALUES ('standby', '', 1, %s)"
        server.execute(values, (now,))
    async with second_daemon(home):
        await is_replaced(home)
        await home.until(lambda: is_over(home), "an end of all of them", WITHIN_S)
        nothing_left_twice(home)


@pytest.mark.nightly
@pytest.mark.services
@pytest.mark.timeout(400)
async def test_a_lock_that_is_only_lost_is_taken_again_and_everything_leaves_once(harness, postgres):
    home = await harness(store_url=postgres.create_database())
    await mails_are_approved(home)
    with psycopg.connect(home.store_url, autocommit=True) as server:
        for _ in range(5):
            server.execute(CUT, (f"butler daemon {home.pid}",))
            await asyncio.sleep(0.1)
    await home.until(lambda: is_over(home), "an end of all of them", WITHIN_S)
    assert left(home) == Counter({f"{number:03}": 1 for number in range(MANY)})
    assert states(home) == {"done": MANY}


@pytest.mark.nightly
@pytest.mark.timeout(400)
async def test_two_configurations_with_one_database_file_have_one_daemon(harness):
    home = await harness(run=False)
    home.configure({"[owner]": f'[store]\nurl = "sqlite:///{home.data}/butler.db"\n[owner]'})
    await home.start()
    await mails_are_approved(home)
    await home.until(lambda: began(home, MANY // 4), "attempts that have begun", WITHIN_S)
    os.kill(home.pid, signal.SIGSTOP)
    try:
        second = await asyncio.create_subprocess_exec(
            *argv("run", "--config", str(second_config(home))), stdout=PIPE, stderr=STDOUT
        )
        said, _ = await asyncio.wait_for(second.communicate(), WITHIN_S)
        assert second.returncode == 1
        assert f"it uses the database file {home.data}/butler.db; stop it first" in said.decode()
    finally:
        os.kill(home.pid, signal.SIGCONT)
    await home.until(lambda: is_over(home), "an end of all of them", WITHIN_S)
    assert left(home) == Counter({f"{number:03}": 1 for number in range(MANY)})
