"""What fails for a while: the rest lives, nothing is lost, and it goes on by itself."""

import asyncio
import contextlib
import json
import resource
import signal
import sqlite3
from datetime import timedelta

import aiohttp
import pytest

from butler_demo.people import ANNA, OWNER, OWNER_ID
from tests.app.words import answers, asked, lines, logged, mails, said, shows, telegrams

LATE = "I'll be ten minutes late"


async def test_without_a_network_at_the_start_it_waits_and_then_serves(harness):
    home = await harness(run=False)
    await home.world.bot_api.go_offline()
    await home.world.centre.go_offline()
    await home.start()
    await logged(home, "poll_failed")
    home.world.say("/pending")
    await home.world.centre.come_back()
    await home.world.bot_api.come_back()
    await shows(home, "Nothing is waiting")
    await home.until(lambda: home.world.bot_api.calls and "setMyCommands" in methods(home), "the commands")


@pytest.mark.nightly
async def test_a_mail_server_that_is_down_at_the_start_is_read_once_it_is_back(harness):
    home = await harness(run=False)
    await home.world.mail.go_offline()
    await home.start()
    await answers(home)
    await logged(home, "poll_failed")
    assert (await health(home))["email.bot"]["alive"] is False
    await home.world.mail.come_back()
    await home.until(lambda: home.rows("select 1 from cursors where name like 'mail%'"), "a first look")
    home.world.mail_butler(ANNA.email, "Dinner", "Half past seven is fine.")
    await shows(home, "Half past seven is fine")
    assert (await health(home))["email.bot"]["alive"] is True


@pytest.mark.nightly
async def test_while_telegram_asks_to_wait_a_card_is_late_and_not_lost(home):
    home.world.bot_api.fail("sendMessage", 429, "Too Many Requests: retry after 1", retry_after=1, times=2)
    approve, _ = await asked(home, f"tell Anna on Telegram that {LATE}")
    home.world.press(*approve)
    await shows(home, LATE, "Sent at")
    assert len(telegrams(home, LATE)) == 1
    assert len(said(home, "For your approval")) == 1


async def test_op_04_a_tap_counts_while_another_program_holds_the_database(home):
    approve, _ = await asked(home, f"tell Anna on Telegram that {LATE}")
    with contextlib.closing(sqlite3.connect(home.folder / "data" / "butler.db", timeout=60)) as other:
        other.execute("begin immediate")
        home.world.press(*approve)
        await logged(home, "store_busy")  # the wait for the lock was over once
        other.rollback()
    await shows(home, LATE, "Sent at")
    assert len(telegrams(home, LATE)) == 1


async def test_op_08_on_a_full_disk_nothing_is_acknowledged_and_later_it_goes_on(home):
    approve, _ = await asked(home, f"tell Anna on Telegram that {LATE}")
    await home.settled()
    log = home.folder / "data" / "butler.db-wal"
    unlimited = resource.prlimit(home.pid, resource.RLIMIT_FSIZE)
    room = log.stat().st_size // 2
    assert room > (home.folder / "daemon.log").stat().st_size, "only the store is to be short of room"
    resource.prlimit(home.pid, resource.RLIMIT_FSIZE, (room, unlimited[1]))
    home.world.say(f"email Anna: {LATE}")
    home.world.press(*approve)
    await home.until(lambda: said_of(home, "telegram.bot", "what came in cannot be stored"), "the trouble on the page")
    assert home.world.bot_api.pending_updates(home.world.bot_token) == 2
    assert (await home.page("/healthz"))[0] == 503
    assert json.loads((await home.page("/healthz"))[1])["store"]["ok"] is False
    assert telegrams(home, LATE) == []
    resource.prlimit(home.pid, resource.RLIMIT_FSIZE, unlimited)
    await shows(home, "To: @anna (Anna)", LATE, "Sent at")
    await home.until(lambda: home.buttons("Approve"), "the card of what was said meanwhile")
    assert len(telegrams(home, LATE)) == 1
    assert home.world.bot_api.pending_updates(home.world.bot_token) == 0
    await home.until(lambda: said_of_store(home), "a store that is well again")


@pytest.mark.nightly
async def test_beside_another_program_on_the_same_token_it_backs_off_and_resumes(home):
    rival = asyncio.create_task(poll(home))
    await logged(home, "poll_failed", "Conflict")
    trouble = "another program polls with this bot's token"
    await home.until(lambda: said_of(home, "telegram.bot", trouble), "the trouble on the page")
    rival.cancel()
    await asyncio.wait([rival])
    await answers(home)
    await answers(home)  # comes in by a poll that waited
    await home.until(lambda: nothing_said_of(home, "telegram.bot"), "a page without trouble", 30)


@pytest.mark.nightly
async def test_an_owner_who_blocked_the_bot_finds_everything_after_start(home):
    await home.stop()
    home.world.say(f"tell Anna on Telegram that {LATE}")
    home.world.bot_api.block(OWNER_ID)
    await home.start()
    await home.until(lambda: kept(home), "what is kept")
    home.world.mail_butler(ANNA.email, "Dinner", "Half past seven is fine.")
    await home.until(lambda: kept(home)[1:], "the note of the mail")
    await finds_everything(home)
    assert said(home, "something came up that waits for your yes")


@pytest.mark.nightly
async def test_a_card_comes_along_with_what_was_kept_before_it(home):
    await home.stop()
    home.world.bot_api.block(OWNER_ID)
    await home.start()
    home.world.mail_butler(ANNA.email, "Dinner", "Half past seven is fine.")
    await home.until(lambda: kept(home), "what is kept")
    home.world.say(f"tell Anna on Telegram that {LATE}")
    await home.until(lambda: home.rows("select 1 from approvals"), "the approval")
    await home.settled()
    await finds_everything(home)


def kept(home):
    return home.rows("select 1 from outbox where state = 'kept'")


async def finds_everything(home):
    """Once the bot is no longer blocked, the owner gets the note of the mail and a card that works."""
    assert not home.buttons("Approve")
    home.world.bot_api.unblock(OWNER_ID)
    home.world.say("/start")
    await shows(home, "Half past seven is fine")
    approve = (await home.until(lambda: home.buttons("Approve"), "the card"))[-1]
    home.world.press(*approve)
    await shows(home, LATE, "Sent at")
    assert len(telegrams(home, LATE)) == 1


@pytest.mark.nightly
async def test_a_card_that_a_closed_chat_would_not_change_is_right_once_it_is_open_also_after_a_kill(home):
    await asked(home, f"email Anna: {LATE}")
    home.world.bot_api.block(OWNER_ID)
    home.world.advance(timedelta(hours=49))
    await logged(home, "card_not_redrawn")
    await home.stop(signal.SIGKILL)
    await home.start()
    assert not said(home, LATE, "Expired")
    home.world.bot_api.unblock(OWNER_ID)
    home.world.say("/pending")
    await shows(home, LATE, "Expired")
    await home.until(lambda: not home.buttons("Approve"), "a card without buttons")
    assert len(said(home, "For your approval")) == 1
    assert not lines(home, "work_fault")


async def test_a_clock_that_is_turned_far_ahead_expires_what_waits_and_says_so(home):
    approve, _ = await asked(home, f"email Anna: {LATE}")
    home.world.advance(timedelta(hours=49))
    await shows(home, LATE, "Expired")
    await home.until(lambda: not home.buttons("Approve"), "a card without buttons")
    home.world.press(*approve)
    await home.until(lambda: home.world.bot_api.callbacks[-1].text, "an answer to the late tap")
    assert "xpired" in home.world.bot_api.callbacks[-1].text
    assert mails(home, LATE) == []


async def test_a_downtime_that_telegram_does_not_bridge_is_told(home):
    await home.until(lambda: home.rows("select 1 from cursors where name like '%polled_at'"), "a noted poll")
    await home.stop()
    home.world.advance(timedelta(hours=25))
    await home.start()
    await shows(home, "I was not running from", "may be lost")
    await home.stop()
    await home.start()
    await answers(home)
    assert len(said(home, "I was not running from")) == 1


@pytest.mark.nightly
async def test_a_shorter_downtime_loses_nothing_and_needs_no_words(home):
    await home.stop()
    home.world.advance(timedelta(hours=23))
    home.world.say("/pending")
    home.world.mail_butler(OWNER.email, "Fwd: Note", "Buy milk.")
    await home.start()
    await shows(home, "Nothing is waiting")
    await shows(home, "Buy milk")
    assert not said(home, "may be lost")
    assert not lines(home, "error")


async def poll(home):
    """The other program: it polls and takes whatever there is."""
    async with aiohttp.ClientSession() as session:
        while True:
            async with session.get(
                f"{home.world.bot_api.url}/bot{home.world.bot_token}/getUpdates?timeout=2"
            ) as answer:
                await answer.read()
            await asyncio.sleep(0.05)


async def health(home):
    """What `/healthz` says of each channel."""
    _, text = await home.page("/healthz")
    return json.loads(text)["channels"]


async def said_of(home, channel, detail):
    return detail in (await health(home))[channel]["detail"]


async def said_of_store(home):
    return json.loads((await home.page("/healthz"))[1])["store"] == {"ok": True, "detail": ""}


async def nothing_said_of(home, channel):
    return not (await health(home))[channel]["detail"]


def methods(home):
    return {call.method for call in home.world.bot_api.calls}
