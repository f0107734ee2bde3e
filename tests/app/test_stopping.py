"""SIGTERM: obeyed from the first moment on, what is under way is finished, and nothing is lost or done twice."""

import asyncio
import signal
from asyncio.subprocess import PIPE
from functools import partial
from pathlib import Path

import pytest

from tests.app.command import argv
from tests.app.words import answers, asked, shows, telegrams
from tests.support.nightly import all_but_the_first
from tests.support.waiting import until

WITHIN_S = 90.0


@pytest.mark.parametrize("seconds", all_but_the_first([0.0, 0.3, 1.0]))
async def test_op_07_sigterm_is_obeyed_from_the_first_moment_on(harness, seconds):
    home = await harness(run=False)
    # As for the first process of a container, there is no default that would end it.
    old = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        process = await asyncio.create_subprocess_exec(*argv("run", "--config", str(home.config)), stderr=PIPE)
    finally:
        signal.signal(signal.SIGTERM, old)
    async with asyncio.timeout(WITHIN_S):
        await until(partial(handles, process.pid, signal.SIGTERM), WITHIN_S)
        await asyncio.sleep(seconds)
        process.terminate()
        _, said = await process.communicate()
    assert process.returncode == 0, said.decode()
    assert b"Traceback" not in said


async def test_a_send_under_way_is_finished_before_the_end(home):
    home.world.bot_api.slow("sendMessage", 2.0)
    home.world.say("tell Anna on Telegram that I'll be late")
    await home.until(lambda: home.buttons("Approve"), "a card that is sent and not yet answered")
    await home.stop()
    assert home.ended_with == 0
    await home.start()
    await answers(home)
    assert len(home.buttons("Approve")) == 1, "the card that was shown is known"


@pytest.mark.nightly
async def test_a_send_that_hangs_does_not_hold_up_the_end(home):
    home.world.bot_api.slow("sendMessage", 3600.0)
    home.world.say("tell Anna on Telegram that I'll be late")
    await home.until(lambda: home.buttons("Approve"), "a card that is sent and never answered")
    await home.stop()
    assert home.ended_with == 0
    await home.start()
    approve = (await home.until(lambda: home.buttons("Approve")[1:], "the card once more"))[-1]
    home.world.press(*approve)
    await shows(home, "I'll be late", "Sent at")
    assert len(telegrams(home, "I'll be late")) == 1


@pytest.mark.nightly
async def test_an_act_that_is_approved_while_the_daemon_ends_is_done_once(home):
    approve, _ = await asked(home, "tell Anna on Telegram that dinner is on")
    home.world.press(*approve)
    await home.stop()
    assert home.ended_with == 0
    await home.start()
    await shows(home, "dinner is on", "Sent at")
    assert len(telegrams(home, "dinner is on")) == 1


def handles(pid, number):
    """Whether a process has a handler of its own for a signal."""
    status = Path(f"/proc/{pid}/status").read_text()
    caught = next(line for line in status.splitlines() if line.startswith("SigCgt"))
    return int(caught.split()[1], 16) >> (number - 1) & 1
