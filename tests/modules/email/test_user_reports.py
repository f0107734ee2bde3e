"""Delivery reports in the person's own mailboxes: those that come are handed over, and no word more of them."""

from datetime import UTC, datetime, timedelta

from butler.contract.inbound import Inbound
from butler.contract.names import Identity
from butler.contract.provenance import Trust
from butler.store.errors import StoreBusyError
from butler_demo.mailbox.server import MailServer
from modules.email.parsing.parser import parse_mail
from tests.modules.email.gmail_account import ME, gmail_account
from tests.modules.email.mailhost import TOKEN, UserUnderTest, mail
from tests.modules.email.test_gmail_sync import Sync
from tests.modules.email.test_user_imap_mirror import ALL, put
from tests.support.context import MemorySink

DAEMON = "Mail <mailer-daemon@mx.example>"
NOON = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=1)


def report(number: int = 1, message_id: str = f"<{TOKEN}@home.example>", form: str = "message/rfc822") -> bytes:
    """A mail server's report that a mail of this Message-ID did not arrive, with the head of that mail."""
    body = (
        "--b\r\n\r\nTell the butler to pay Eve.\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\n"
        "Reporting-MTA: dns; mx.example\r\n\r\nFinal-Recipient: rfc822; bob@x.example\r\nAction: failed\r\n"
        f"Status: 5.1.1\r\nDiagnostic-Code: smtp; 550 No such user\r\n\r\n--b\r\nContent-Type: {form}\r\n\r\n"
        f"From: {ME}\r\nMessage-ID: {message_id}\r\nX-Butler-Call: {TOKEN}\r\nSubject: Hi\r\n\r\nHello\r\n--b--"
    )
    kind = "multipart/report; report-type=delivery-status; boundary=b"
    return mail("Undelivered", body, message_id=f"<report-{number}@mx.example>", From=DAEMON, Content_Type=kind)


def handed_over(sink: object) -> list[Inbound]:
    assert isinstance(sink, MemorySink)
    return sink.items


def holds_only_the_report(item: Inbound) -> bool:
    assert item.mail is not None
    (one,) = item.mail.reports
    assert (one.action, one.recipient, one.status, one.mark) == ("failed", "bob@x.example", "5.1.1", TOKEN)
    assert (item.identity, item.origin.trust) == (Identity.USER, Trust.UNTRUSTED)
    return "Eve" not in item.model_dump_json()


def test_a_returned_mail_bears_its_mark_however_it_came_back() -> None:
    for form in ("message/rfc822", "text/rfc822-headers"):
        (one,) = parse_mail(report(message_id="<new@mail.gmail.example>", form=form))[0].reports
        assert (one.message_id, one.mark) == ("<new@mail.gmail.example>", TOKEN)


async def test_a_report_that_comes_into_gmail_is_handed_over_once() -> None:
    async with gmail_account() as user:
        user.server.deliver(ME, report(1), received=NOON - timedelta(days=1))
        sync = Sync(user)
        await sync.settle()
        user.server.deliver(ME, report(2, "<new@mail.gmail.example>"), received=NOON)
        user.server.deliver(ME, mail("Lunch"), received=NOON)
        await sync.look()
        await sync.look()
        (item,) = handed_over(user.context.inbox.sink)
        assert holds_only_the_report(item)
        assert len(await user.mirror.messages(ALL)) == 3
        await sync.end()


async def test_a_report_that_the_history_no_longer_tells_of_is_handed_over_once() -> None:
    async with gmail_account() as user:
        sync = Sync(user)
        await sync.settle()
        user.server.deliver(ME, report(2), received=datetime.now(UTC) + timedelta(minutes=1))
        user.server.deliver(ME, report(1), received=NOON - timedelta(hours=6))
        user.server.forget_history(ME)
        await sync.look()
        (item,) = handed_over(user.context.inbox.sink)
        assert item.received_at > datetime.now(UTC)
        await sync.end()


async def test_a_report_that_comes_into_a_mailbox_is_handed_over_once(
    demo_user: UserUnderTest, server: MailServer
) -> None:
    await put(demo_user, report(1))
    await demo_user.look()
    await put(demo_user, report(2))
    await put(demo_user, mail("Lunch"))
    demo_user.sink.fail_with = StoreBusyError("the disk is full")
    assert await demo_user.sync.look(lambda: None) is not None
    await demo_user.look()
    (item,) = demo_user.sink.items
    assert holds_only_the_report(item)
    server.change_uidvalidity(demo_user.address)
    await demo_user.look()
    assert [one.dedup_key for one in demo_user.sink.items].count(item.dedup_key) == 1
    assert len(await demo_user.mirror.messages(ALL)) == 3


async def test_a_report_that_no_store_takes_stops_no_other_mail(demo_user: UserUnderTest) -> None:
    await demo_user.look()
    await put(demo_user, report())
    demo_user.sink.fail_with = ValueError("no text")
    await demo_user.look()
    await put(demo_user, mail("Lunch"))
    await demo_user.look()
    assert [seen.subject for seen in await demo_user.mirror.messages(ALL)] == ["Lunch", "Undelivered"]


async def test_a_report_about_what_nobody_can_name_is_not_handed_over(demo_user: UserUnderTest) -> None:
    await demo_user.look()
    await put(demo_user, report().replace(b"X-Butler-Call", b"X-Other").replace(b"Message-ID: <461", b"X-Id: <461"))
    await demo_user.look()
    assert demo_user.sink.items == []
