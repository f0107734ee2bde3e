"""The stand-in's SMTP side, driven by aiosmtplib."""

from urllib.parse import urlsplit

import aiosmtplib
import pytest

from butler_demo.mailbox.records import EventKind, MailEvent, SentMail
from butler_demo.mailbox.server import MailServer
from demo.tests.mailbox.conftest import BUTLER, MAIL, OWNER, PASSWORD, client_tls, submit

FRIEND = "anna@friends.example"


async def test_a_submitted_mail_is_recorded_exactly_and_local_copies_are_delivered(server: MailServer) -> None:
    left: list[SentMail] = []
    server.on_outgoing = left.append
    refused, _ = await submit(server, FRIEND, OWNER)
    assert refused == {}
    (sent,) = server.outgoing
    assert (sent.user, sent.mail_from, sent.rcpt_tos, sent.raw) == (BUTLER, BUTLER, (FRIEND, OWNER), MAIL)
    assert sent.field("Subject") == "Grüße from Anna"
    assert left == [sent]
    (local,) = server.mailbox(OWNER)
    assert local.raw.startswith(b"Return-Path: <butler@home.example>\r\nReceived: ")
    assert local.raw.endswith(MAIL)


async def test_mail_between_local_users_does_not_leave(server: MailServer) -> None:
    left: list[SentMail] = []
    server.on_outgoing = left.append
    await submit(server, OWNER)
    assert (left, len(server.outgoing)) == ([], 1)


async def test_nothing_is_taken_without_a_login(server: MailServer) -> None:
    with pytest.raises(aiosmtplib.SMTPAuthenticationError):
        await submit(server, FRIEND, password="wrong")
    with pytest.raises(aiosmtplib.SMTPSenderRefused) as refused:
        await aiosmtplib.send(
            MAIL, sender=BUTLER, recipients=[FRIEND], hostname="127.0.0.1",
            port=urlsplit(server.smtp_url).port, start_tls=False,
        )  # fmt: skip
    assert refused.value.code == 530
    assert server.outgoing == []


async def test_starttls_is_demanded_and_verified(server: MailServer) -> None:
    port = urlsplit(server.smtp_starttls_url).port
    async with aiosmtplib.SMTP(hostname="127.0.0.1", port=port, start_tls=False) as client:
        with pytest.raises(aiosmtplib.SMTPException):
            await client.login(BUTLER, PASSWORD)
    for method in ("auth_plain", "auth_login"):
        client = aiosmtplib.SMTP(hostname="127.0.0.1", port=port, start_tls=True, tls_context=client_tls(server))
        async with client:
            await client.ehlo()
            await getattr(client, method)(BUTLER, PASSWORD)
            await client.sendmail(BUTLER, [FRIEND], MAIL)
    assert len(server.outgoing) == 2


async def test_xoauth2_takes_the_token_and_refuses_another(server: MailServer) -> None:
    port = urlsplit(server.smtp_url).port
    async with aiosmtplib.SMTP(hostname="127.0.0.1", port=port, start_tls=False) as client:
        with pytest.raises(aiosmtplib.SMTPAuthenticationError):
            await client.auth_xoauth2(BUTLER, "stale")
        await client.auth_xoauth2(BUTLER, "good-token")
        await client.sendmail(BUTLER, [FRIEND], MAIL)
    assert server.outgoing[0].user == BUTLER


async def test_one_refused_recipient_does_not_stop_the_others(server: MailServer) -> None:
    server.refuse(FRIEND, 550, "5.1.1 Gone")
    refused, _ = await submit(server, FRIEND, OWNER)
    assert refused[FRIEND].code == 550
    assert server.outgoing[0].rcpt_tos == (OWNER,)


@pytest.mark.parametrize("stage", ["connect", "auth", "mail", "rcpt", "data"])
@pytest.mark.parametrize("code", [451, None])
async def test_a_stage_fails_as_ordered_and_then_works_again(server: MailServer, stage: str, code: int | None) -> None:
    server.fail_smtp(stage, code, times=None)
    with pytest.raises(aiosmtplib.SMTPException) as failed:
        await submit(server, FRIEND)
    if code is None:
        gone = (aiosmtplib.SMTPServerDisconnected, aiosmtplib.SMTPConnectError)
        assert isinstance(failed.value, gone)
    assert server.outgoing == []
    server.clear_faults()
    await submit(server, FRIEND)
    assert len(server.outgoing) == 1


async def test_after_data_the_mail_is_out_but_the_client_never_hears_of_it(server: MailServer) -> None:
    server.fail_smtp("after_data")
    with pytest.raises(aiosmtplib.SMTPServerDisconnected):
        await submit(server, FRIEND)
    assert len(server.outgoing) == 1


async def test_subscribers_hear_of_submissions_and_deliveries(server: MailServer) -> None:
    heard: list[MailEvent] = []
    end = server.subscribe(heard.append)
    await submit(server, OWNER)
    assert [(event.kind, event.address) for event in heard] == [
        (EventKind.ADDED, OWNER),
        (EventKind.SUBMITTED, BUTLER),
    ]
    end()
    await submit(server, OWNER)
    assert len(heard) == 2
