"""The stand-in as a provider: the outside world, outages, and folders that are rebuilt."""

import asyncio
from datetime import UTC, datetime

import aiosmtplib
import pytest

from butler_demo.mailbox.server import MailServer
from butler_demo.mailbox.stamps import pass_results
from demo.tests.mailbox.conftest import BUTLER, MAIL, PASSWORD, Login, submit


async def test_a_mail_from_outside_is_stamped_as_a_server_does(server: MailServer) -> None:
    server.deliver(b"Subject: bare\n\nlines\n", "anna@friends.example", [BUTLER])
    (mail,) = server.mailbox(BUTLER)
    assert mail.field("Return-Path") == "<anna@friends.example>"
    assert "from mx.elsewhere.example by mx.standin.example with ESMTPS id" in mail.field("Received")
    assert mail.field("Authentication-Results") == ""
    assert mail.raw.endswith(b"Subject: bare\r\n\r\nlines\r\n")


async def test_its_own_verdict_replaces_a_forged_one(server: MailServer) -> None:
    forged = (
        b"Authentication-Results: MX.home.example;\r\n\tdmarc=pass header.from=bank.example\r\n"
        b"Authentication-Results: other.example; spf=fail\r\n"
    )
    server.authserv_id = "mx.home.example"
    server.deliver(forged + MAIL, "x@evil.example", [BUTLER], results="spf=fail; dmarc=fail")
    server.deliver(MAIL, "a@friends.example", [BUTLER], results=pass_results("friends.example"))
    first, second = server.mailbox(BUTLER)
    assert b"bank.example" not in first.raw
    assert b"other.example; spf=fail" in first.raw
    assert first.field("Authentication-Results") == "mx.home.example; spf=fail; dmarc=fail"
    assert "dmarc=pass header.from=friends.example" in second.field("Authentication-Results")


async def test_a_mail_for_nobody_here_is_an_error(server: MailServer) -> None:
    with pytest.raises(KeyError, match="no mailbox for nobody"):
        server.deliver(MAIL, "a@b.example", ["nobody@home.example"])


async def test_its_clock_is_the_one_it_was_given() -> None:
    moment = datetime(2027, 5, 1, 12, tzinfo=UTC)
    server = MailServer(now=lambda: moment)
    server.add_mailbox(BUTLER, PASSWORD)
    server.deliver(MAIL, "a@b.example", [BUTLER])
    assert server.mailbox(BUTLER)[0].received_at == moment


async def test_it_comes_back_on_the_same_ports_with_its_mails(server: MailServer, login: Login) -> None:
    await login()
    before = (server.imap_url, server.smtp_url)
    server.put(BUTLER, MAIL)
    await server.go_offline()
    with pytest.raises(ConnectionRefusedError):
        await login()
    with pytest.raises(aiosmtplib.SMTPConnectError):
        await submit(server, "anna@friends.example")
    await server.come_back()
    assert (server.imap_url, server.smtp_url) == before
    client = await login()
    assert (await client.uid_search("ALL")).lines[0] == b"1"
    await submit(server, "anna@friends.example")


async def test_dropped_clients_notice_and_can_log_in_again(server: MailServer, login: Login) -> None:
    client = await login()
    server.drop_imap()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(client.noop(), 0.2)
    assert client.protocol.transport.is_closing()
    await login()


async def test_a_command_fails_as_ordered_and_then_works_again(server: MailServer, login: Login) -> None:
    client = await login()
    server.fail_imap("search", text="[UNAVAILABLE] later", times=2)
    assert [(await client.uid_search("ALL")).result for _ in range(3)] == ["NO", "NO", "OK"]
    server.fail_imap("SEARCH", "HANG")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(client.uid_search("ALL"), 0.2)
    server.fail_imap("LOGIN", "DROP")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(login(), 0.5)


async def test_a_rebuilt_folder_gives_an_old_uid_to_another_mail(server: MailServer, login: Login) -> None:
    old = server.put(BUTLER, MAIL)
    server.put(BUTLER, b"Subject: newer\r\n\r\n")
    await login()
    before = server._account(BUTLER).folders["INBOX"].uidvalidity
    assert server.change_uidvalidity(BUTLER) > before
    named_now = next(mail for mail in server.mailbox(BUTLER) if mail.uid == old.uid)
    assert named_now.field("Subject") == "newer"
    client = await login()
    assert (await client.uid_search("ALL")).lines[0] == b"1 2"


async def test_answers_can_be_rewritten_on_their_way_out(server: MailServer, login: Login) -> None:
    server.put(BUTLER, MAIL)
    client = await login()
    server.rewrite_imap = lambda answer: answer.replace(b"* SEARCH 1", b"* 1 FETCH (FLAGS ())\r\n* SEARCH 1")
    assert b"1" in (await client.uid_search("ALL")).lines
    server.clear_faults()
    assert (await client.uid_search("ALL")).lines[0] == b"1"
