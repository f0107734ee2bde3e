"""Faults of the butler's mailbox and its server: nothing is lost, nothing is told twice, and health says how it is."""

import asyncio
import json
import resource
from datetime import UTC, datetime, timedelta
from functools import partial
from urllib.parse import urlsplit

import pytest

from butler.cli.mail.quarantine import retry_mail
from butler_demo.people import ANNA, BUTLER_ADDRESS
from tests.app.words import said, shows
from tests.services.line import Line

AGAIN = timedelta(minutes=5)
OVER_DOVECOT = " It came over Dovecot."
STOPPED = "has stopped. The login was refused"


@pytest.mark.nightly
async def test_connections_that_end_in_every_way_lose_no_mail_and_tell_none_twice(home):
    mail = home.world.mail
    await looked(home)
    breaks = [
        mail.drop_imap,
        partial(mail.fail_imap, "IDLE", "BYE"),
        partial(mail.fail_imap, "FETCH", "DROP"),
        partial(mail.fail_imap, "SEARCH", "BYE"),
        partial(setattr, mail, "silent_idle", True),
    ]
    for number, end in enumerate(breaks):
        end()
        mail_butler(home, number)
        await shows(home, words_of(number))
    await told_once_and_in_order(home, len(breaks))
    assert await alive(home)


async def test_op_08_on_a_full_disk_a_mail_waits_in_the_mailbox_and_is_told_once_there_is_room(home):
    await looked(home)
    await home.settled()
    log = home.folder / "data" / "butler.db-wal"
    unlimited = resource.prlimit(home.pid, resource.RLIMIT_FSIZE)
    room = log.stat().st_size // 2
    assert room > (home.folder / "daemon.log").stat().st_size, "only the store is to be short of room"
    resource.prlimit(home.pid, resource.RLIMIT_FSIZE, (room, unlimited[1]))
    mail_butler(home, 0, "\n" + "plan " * room)
    await home.until(lambda: detail_has(home, "The disk is full"), "the trouble on the page")
    assert not said(home, words_of(0))
    assert home.rows(MAILS) == []
    resource.prlimit(home.pid, resource.RLIMIT_FSIZE, unlimited)
    mail_butler(home, 1)
    await shows(home, words_of(1))
    await told_once_and_in_order(home, 2)
    assert not await detail_has(home, "disk")


@pytest.mark.nightly
async def test_a_login_that_is_refused_for_an_hour_comes_back_by_itself(home):
    mail = home.world.mail
    await looked(home)
    await refused_for_long(
        home,
        tries=12,
        refuse=lambda: (mail.fail_imap("AUTHENTICATE", "NO", "[AUTHENTICATIONFAILED] no", None), mail.drop_imap()),
        accept=mail.clear_faults,
    )


@pytest.mark.nightly
async def test_a_mail_that_was_too_large_is_told_and_comes_by_command_once_it_may(harness):
    home = await harness(replaced=[("[modules.email.bot]\n", "[modules.email.bot]\nlargest_mail_mb = 1\n")])
    home.world.say("/start")
    await looked(home)
    mail_butler(home, 0, "\n" + "plan " * 300_000)
    note = await shows(home, "too many to be read", "butler mail retry")
    (inbound_id,) = home.rows("select inbound_id from inbox where state = 'quarantined'")[0]
    assert f"butler mail retry {inbound_id[:8]}" in note["text"]
    mail_butler(home, 1)
    await shows(home, words_of(1))
    await home.stop()
    home.configure({"largest_mail_mb = 1\n": "largest_mail_mb = 5\n"})
    await asyncio.to_thread(retry_mail, home.config, inbound_id[:8])
    await home.start()
    await shows(home, words_of(0))
    await home.settled()
    assert [len(said(home, words_of(number))) for number in (0, 1)] == [1, 1]
    assert home.rows("select count(*) from inbox where state = 'quarantined'") == [(0,)]


@pytest.mark.services
async def test_over_dovecot_and_postfix_no_fault_loses_a_mail_or_tells_it_twice(harness, postfix):
    home = await harness(mail=postfix, gmail=False, replaced=[FOLDER])
    dovecot, password = postfix.dovecot, home.world.mail_password
    before = len(postfix.outgoing)
    home.world.say("/start")
    await looked(home)

    def filed():
        # Others' mails that lay in the mailbox before the first look are told and filed, too.
        return [mail for mail in dovecot.mailbox(BUTLER_ADDRESS, "Done") if OVER_DOVECOT.encode() in mail.raw]

    mail_butler(home, 20, OVER_DOVECOT)
    await shows(home, words_of(20))
    await asyncio.to_thread(dovecot.kick, BUTLER_ADDRESS)
    mail_butler(home, 21, OVER_DOVECOT)
    await shows(home, words_of(21))
    # A mail whose number changes before it is filed stays where it lies.
    await home.until(lambda: len(filed()) == 2, "the first two in their folder", every=0.2)
    await asyncio.to_thread(dovecot.change_uidvalidity, BUTLER_ADDRESS)
    mail_butler(home, 22, OVER_DOVECOT)
    await shows(home, words_of(22))
    await home.until(lambda: len(filed()) == 3, "the mails in their folder", every=0.2)

    def another_password():
        dovecot.set_password(BUTLER_ADDRESS, "another password")
        dovecot.kick(BUTLER_ADDRESS)

    accept = partial(dovecot.set_password, BUTLER_ADDRESS, password)
    await refused_for_long(home, tries=2, refuse=another_password, accept=accept, begin=23, first=20)
    assert [m.rcpt_tos for m in postfix.outgoing[before:]] == [], "nobody is answered"


@pytest.mark.nightly
@pytest.mark.services
async def test_over_a_line_to_dovecot_that_breaks_and_is_slow_every_mail_is_told_once(harness, postfix):
    async with Line(urlsplit(postfix.imaps_url).port) as line:
        through = (f'imap = "{postfix.imaps_url}"', f'imap = "imaps://127.0.0.1:{line.port}"')
        home = await harness(mail=postfix, gmail=False, replaced=[through])
        home.world.say("/start")
        await looked(home)
        for number in range(3):
            mail_butler(home, number)
            await shows(home, words_of(number))
            assert line.cut(), "the butler is on the line"
        line.delay_s, line.piece, before = 0.02, 200, line.carried
        for number in (3, 4):
            mail_butler(home, number, "\n" + "plan " * 1_000)
        await home.until(lambda: line.carried > before + 4_000, "half of a mail", every=0.02)
        line.cut()
        await shows(home, words_of(4))
        await told_once_and_in_order(home, 5)
        assert await alive(home)


async def refused_for_long(home, *, tries, refuse, accept, begin=0, first=0):
    """The server refuses so many logins, five minutes apart, and takes it then; mails come all the while."""
    mail_butler(home, begin)
    await shows(home, words_of(begin))
    await asyncio.to_thread(refuse)
    mail_butler(home, begin + 1)
    await shows(home, STOPPED, "every five minutes")
    assert await detail_has(home, "refused the login")
    for number in range(2, tries + 2):
        home.world.advance(AGAIN)
        await home.until(lambda number=number: refusals(home) == number, f"try {number}")
    assert not await alive(home)
    assert not said(home, words_of(begin + 1))
    await asyncio.to_thread(accept)
    mail_butler(home, begin + 2)
    home.world.advance(AGAIN)
    await shows(home, words_of(begin + 2))
    await told_once_and_in_order(home, begin + 3, first)
    # Once a day, and the clock may have passed midnight.
    days = {datetime.fromtimestamp(message["date"], UTC).date() for message in said(home, STOPPED)}
    assert len(said(home, STOPPED)) == len(days)
    await home.until(lambda: alive(home), "life")


FOLDER = ("[modules.email.bot]\n", '[modules.email.bot]\nhandled_folder = "Done"\n')


def mail_butler(home, number, more=""):
    home.world.mail_butler(ANNA.email, f"Mail {number}", words_of(number) + more)


def words_of(number):
    return f"This is mail number {number} of mine."


async def looked(home):
    await home.until(lambda: home.rows("select 1 from cursors where name like 'mail.bot.%'"), "a first look")


def refusals(home):
    """How often the source has stopped."""
    log = (home.folder / "daemon.log").read_text()
    return sum("source_stopped" in line and "email.bot" in line for line in log.splitlines())


async def told_once_and_in_order(home, count, first=0):
    """The mails of these numbers are stored, and each is told in one message."""
    await home.settled()
    stored = [json.loads(item)["payload"]["subject"] for (item,) in home.rows(MAILS)]
    assert stored == [f"Mail {number}" for number in range(first, count)]
    assert [len(said(home, words_of(number))) for number in range(first, count)] == [1] * (count - first)


MAILS = "select item from inbox where kind = 'mail' order by seq"


async def channel(home):
    _, text = await home.page("/healthz")
    return json.loads(text)["channels"]["email.bot"]


async def alive(home):
    return (await channel(home))["alive"]


async def detail_has(home, words):
    return words in (await channel(home))["detail"]
