"""The demo's mail server and Dovecot with Postfix give the same answers to the same clients."""

import asyncio
import re
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from itertools import count
from urllib.parse import urlsplit

import aioimaplib
import aiosmtplib
import pytest

from butler_demo.mailbox.server import MailServer
from demo.tests.mailbox.clients import connected, text_of
from tests.services.postfix import Postfix

Host = MailServer | Postfix
Login = Callable[..., Awaitable[aioimaplib.IMAP4]]

PASSWORD = "s3cret"
FRIEND = "anna@friends.example"
MAIL = (
    b"From: Anna <anna@friends.example>\r\nTo: butler@home.example\r\n"
    b"Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?= from Anna\r\nMessage-ID: <one@friends.example>\r\n"
    b"Date: Mon, 05 Jan 2026 10:00:00 +0000\r\n\r\nHello, butler.\r\n"
)
_numbers = count(1)


@pytest.fixture(params=["demo", pytest.param("real", marks=pytest.mark.services)])
async def host(request: pytest.FixtureRequest) -> AsyncIterator[Host]:
    if request.param == "real":
        yield request.getfixturevalue("postfix")
        return
    server = MailServer()
    await server.start()
    yield server
    await server.stop()


@pytest.fixture
def address(host: Host) -> str:
    """A user of this test's own."""
    address = f"user{next(_numbers)}@home.example"
    host.add_mailbox(address, PASSWORD, token=f"token-of-{address}")
    return address


@pytest.fixture
async def login(host: Host, address: str) -> AsyncIterator[Login]:
    async with AsyncExitStack() as clients:

        async def log_in(folder: str | None = "INBOX") -> aioimaplib.IMAP4:
            client = await clients.enter_async_context(connected(host.imaps_url, host.ca_file))
            assert (await client.login(address, PASSWORD)).result == "OK"
            if folder is not None:
                assert (await client.select(folder)).result == "OK"
            return client

        yield log_in


def tls_of(host: Host) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=host.ca_file)


async def submit(host: Host, user: str, *rcpt_tos: str, password: str = PASSWORD):
    """Submit over STARTTLS with the real client."""
    return await aiosmtplib.send(
        MAIL,
        sender=user,
        recipients=list(rcpt_tos),
        hostname="127.0.0.1",
        port=urlsplit(host.smtp_starttls_url).port,
        username=user,
        password=password,
        start_tls=True,
        tls_context=tls_of(host),
        timeout=10,
    )


async def until(ready: Callable[[], bool]) -> None:
    """Return once `ready()` holds, within ten seconds."""
    async with asyncio.timeout(60):
        while not ready():  # noqa: ASYNC110 - the servers are other processes, nothing wakes us
            await asyncio.sleep(0.02)


def pending_lines(client: aioimaplib.IMAP4) -> list[bytes]:
    """What the server has said so far to a command that is not over."""
    command = client.protocol.pending_sync_command
    return [] if command is None else command.response.lines


async def until_sent(host: Host, user: str) -> list[tuple[str, tuple[str, ...]]]:
    """Sender and recipients of what a user has sent, once there is something."""
    await until(lambda: any(mail.user == user for mail in host.outgoing))
    sent = [mail for mail in host.outgoing if mail.user == user]
    assert all(mail.raw.endswith(MAIL) for mail in sent)
    return [(mail.mail_from, mail.rcpt_tos) for mail in sent]


async def test_a_delivered_mail_is_pushed_to_an_idle_client(host: Host, address: str, login: Login) -> None:
    client = await login()
    idle = await client.idle_start(timeout=20)
    (mail,) = host.deliver(MAIL, FRIEND, [address])
    pushed: list[bytes] = []
    while b"1 EXISTS" not in pushed:
        pushed += await client.wait_server_push(timeout=60)
    client.idle_done()
    await asyncio.wait_for(idle, 60)
    fetched = await client.uid("fetch", str(mail.uid), "(UID FLAGS BODY.PEEK[])")
    assert bytes(fetched.lines[1]) == mail.raw
    assert mail.raw.endswith(MAIL)
    assert mail.field("Return-Path") == f"<{FRIEND}>"
    assert "mx.elsewhere.example" in mail.field("Received") or "home.example" in mail.field("Received")
    assert mail.field("Subject") == "Grüße from Anna"


@pytest.mark.parametrize(
    ("criteria", "found"),
    [
        (("ALL",), b"1 2 3"),
        (("UNSEEN",), b"1 3"),
        (("HEADER", "Message-ID", "<one@friends.example>"), b"1"),
        (("HEADER", "Message-ID", '"<nowhere>"'), b""),
        (("SUBJECT", '"Grüße"'), b"1"),
        (("TEXT", "plain"), b"2 3"),
        (("KEYWORD", "$Done"), b"2"),
        (("SINCE", "1-Jan-2020"), b"1 2 3"),
        (("BEFORE", "1-Jan-2020"), b""),
        (("UID", "90:*"), b"3"),
        (("OR", "SEEN", "UID", "3"), b"2 3"),
    ],
)
async def test_a_search_finds_the_same(
    host: Host, address: str, login: Login, criteria: tuple[str, ...], found: bytes
) -> None:
    host.put(address, MAIL)
    host.put(address, b"Subject: two\r\n\r\nplain\r\n", "INBOX", "\\Seen", "$Done")
    host.put(address, b"Subject: three\r\n\r\nplain\r\n")
    client = await login()
    assert (await client.uid_search(*criteria)).lines[0] == found


async def test_what_goes_wrong_is_told_alike(login: Login) -> None:
    client = await login()
    refused = await client.uid_search("ALL", charset="KLINGON")
    assert (refused.result, "[BADCHARSET" in text_of(refused)) == ("NO", True)
    assert (await client.uid("fetch", "1", "(BOGUS)")).result == "BAD"
    assert (await client.uid_search("BOGUS")).result == "BAD"
    assert (await client.uid("fetch", "77", "(FLAGS)")).result == "OK"
    assert "COPYUID" not in text_of(await client.uid("move", "77", "Archive"))
    appended = await client.append(MAIL, "Nowhere")
    assert (appended.result, "[TRYCREATE]" in text_of(appended)) == ("NO", True)
    assert (await client.select("Nowhere")).result == "NO"


async def test_flags_keywords_moves_and_uids_are_told_alike(host: Host, address: str, login: Login) -> None:
    client = await login()
    opened = text_of(await client.select("INBOX"))
    validity = re.search(r"UIDVALIDITY (\d+)", opened)
    assert validity is not None
    assert "UIDNEXT 1]" in opened
    appended = await client.append(MAIL, "INBOX", flags=r"\Seen")
    assert f"[APPENDUID {validity[1]} 1]" in text_of(appended)
    stored = await client.uid("store", "1", "+FLAGS", r"($Butler)")
    assert re.search(r"FETCH \(UID 1 FLAGS \(.*\$Butler.*\)\)", text_of(stored))
    assert host.mailbox(address)[0].flags >= {"\\Seen", "$Butler"}
    moved = await client.uid("move", "1", "Archive")
    assert re.search(r"OK \[COPYUID \d+ 1 1\]", text_of(moved))
    assert b"1 EXPUNGE" in moved.lines
    assert host.mailbox(address) == []
    assert host.mailbox(address, "Archive")[0].raw == MAIL
    reopened = text_of(await client.select("INBOX"))
    assert "0 EXISTS" in reopened
    assert f"UIDVALIDITY {validity[1]}]" in reopened
    assert "UIDNEXT 2]" in reopened


async def test_folders_are_listed_and_created_alike(host: Host, address: str, login: Login) -> None:
    client = await login(None)
    listed = text_of(await client.list('""', "*"))
    for name in ("Archive", "Drafts", "Sent", "Trash"):
        assert re.search(rf'\\{name}\) "/" "?{name}"?', listed)
    assert (await client.create("Travel")).result == "OK"
    assert (await client.create("Travel")).result == "NO"
    assert host.mailbox(address, "Travel") == []


async def test_a_wrong_password_and_a_stale_token_are_refused(host: Host, address: str) -> None:
    async with connected(host.imaps_url, host.ca_file) as client:
        refused = await client.login(address, "wrong")
        assert (refused.result, "[AUTHENTICATIONFAILED]" in text_of(refused)) == ("NO", True)
        attempt = asyncio.ensure_future(client.xoauth2(address, "stale"))
        await until(lambda: any(b"+" in line for line in pending_lines(client)))
        client.protocol.send("")
        assert (await attempt).result == "NO"
        assert (await client.xoauth2(address, f"token-of-{address}")).result == "OK"


async def test_a_submitted_mail_leaves_once_and_a_local_copy_arrives(host: Host, address: str) -> None:
    friend = f"friend-of-{address.replace('@', '-')}@friends.example"
    other = f"other-{address}"
    host.add_mailbox(other, PASSWORD)
    refused, _ = await submit(host, address, friend, other)
    assert refused == {}
    ((mail_from, rcpt_tos),) = await until_sent(host, address)
    assert (mail_from, friend in rcpt_tos) == (address, True)
    await until(lambda: host.mailbox(other) != [])
    assert host.mailbox(other)[0].raw.endswith(MAIL)


async def test_no_mail_is_taken_without_a_login_or_without_tls(host: Host, address: str) -> None:
    with pytest.raises(aiosmtplib.SMTPAuthenticationError):
        await submit(host, address, FRIEND, password="wrong")
    port = urlsplit(host.smtp_starttls_url).port
    async with aiosmtplib.SMTP(hostname="127.0.0.1", port=port, start_tls=False, timeout=60) as client:
        with pytest.raises(aiosmtplib.SMTPException):
            await client.login(address, PASSWORD)
        with pytest.raises(aiosmtplib.SMTPResponseException):
            await client.sendmail(address, [FRIEND], MAIL)
    port = urlsplit(host.smtp_url).port
    async with aiosmtplib.SMTP(hostname="127.0.0.1", port=port, start_tls=False, timeout=60) as client:
        with pytest.raises((aiosmtplib.SMTPResponseException, aiosmtplib.SMTPRecipientsRefused)):
            await client.sendmail(address, [FRIEND], MAIL)
        await client.login(address, PASSWORD)
        await client.sendmail(address, [FRIEND], MAIL)


async def test_a_refused_recipient_does_not_stop_the_others(host: Host, address: str) -> None:
    gone = f"gone-{address.replace('@', '-')}@friends.example"
    host.refuse(gone, 550, "5.1.1 Gone")
    refused, _ = await submit(host, address, gone, FRIEND)
    assert {rcpt: answer.code for rcpt, answer in refused.items()} == {gone: 550}
    assert await until_sent(host, address) == [(address, (FRIEND,))]
