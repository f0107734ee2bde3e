"""Mails that make trouble on their way in: none stops the others, none is lost without a word."""

from collections.abc import Callable
from typing import Any

import pytest

from butler.contract.integration import RetryPolicy
from butler.contract.mail import MailFacts
from butler_demo.mailbox.server import MailServer
from modules.email import items
from modules.email.fetching import NOT_GIVEN, NOT_WHOLE
from modules.email.parsing.parsed import ParsedMail
from modules.email.refetch_list import RefetchList
from tests.modules.email.mailhost import BotUnderTest, mail
from tests.support.worded import put_aside, worded

READ_ONCE = RetryPolicy(max_attempts=1)
STUCK = b"<stuck@friends.example>"


def told(bot: BotUnderTest) -> list[str]:
    return [put_aside(item) or item.payload["subject"] for item in bot.sink.items]


def spoiled(change: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    """Answers that hold the body of the mail in question are changed."""
    return lambda answer: change(answer) if STUCK in answer and b" BODY[] " in answer else answer


def cut(server: MailServer) -> bytes:
    """The connection ends before anything of it is sent."""
    server.drop_imap()
    return b""


async def three_mails(bot: BotUnderTest) -> None:
    """The one in the middle is the one in question."""
    await bot.check()
    await bot.deliver(mail("Before"))
    await bot.deliver(mail("Stuck", message_id=STUCK.decode()))
    await bot.deliver(mail("After"))


async def looked(bot: BotUnderTest, until: int) -> None:
    """Looks, some of which fail, until so many items are there."""
    for _ in range(5):
        await bot.do("bot_email_check_and_route_inbox")
        if len(bot.sink.items) >= until:
            return


async def test_im_35_a_bogus_size_costs_one_mail_and_no_other(demo_bot: BotUnderTest, server: MailServer) -> None:
    await three_mails(demo_bot)
    server.rewrite_imap = spoiled(lambda answer: answer.partition(b" BODY[] ")[0] + b" BODY[] {2147483648}\r\nno")
    await looked(demo_bot, 3)
    assert told(demo_bot) == ["Before", worded(NOT_WHOLE), "After"]
    stuck = demo_bot.sink.items[1]
    assert (stuck.payload["subject"], stuck.message_ref) == ("Stuck", STUCK.decode())


async def test_a_mail_that_is_refused_costs_no_other(demo_bot: BotUnderTest, server: MailServer) -> None:
    await three_mails(demo_bot)
    refused = False

    def refuse(answer: bytes) -> bytes:
        nonlocal refused
        if STUCK in answer:
            refused = True
            return b""
        if refused and (tagged := answer.partition(b" OK "))[1]:
            refused = False
            return tagged[0] + b" NO the message cannot be opened\r\n"
        return answer

    server.rewrite_imap = refuse
    await looked(demo_bot, 3)
    assert told(demo_bot) == ["Before", worded(NOT_GIVEN), "After"]


async def test_a_mail_at_which_the_connection_breaks_costs_no_other(
    demo_bot: BotUnderTest, server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("modules.email.imap.calls.READS", READ_ONCE)
    await three_mails(demo_bot)
    server.rewrite_imap = spoiled(lambda answer: cut(server))
    await looked(demo_bot, 3)
    assert told(demo_bot) == ["Before", worded(NOT_WHOLE), "After"]


async def test_an_outage_is_no_mails_fault(
    demo_bot: BotUnderTest, server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("modules.email.imap.calls.READS", READ_ONCE)
    await three_mails(demo_bot)
    server.fail_imap("FETCH", "BYE", times=None)
    for _ in range(6):
        await demo_bot.do("bot_email_check_and_route_inbox")
    assert demo_bot.sink.items == []
    server.clear_faults()
    assert (await demo_bot.check())["new"] == 3
    assert told(demo_bot) == ["Before", "Stuck", "After"]


async def test_a_mail_that_vanishes_before_it_is_fetched_is_passed_over(
    demo_bot: BotUnderTest, server: MailServer
) -> None:
    await three_mails(demo_bot)
    last = (await demo_bot.mailbox())[-1]

    def expunge(answer: bytes) -> bytes:
        if answer.startswith(b"* SEARCH"):
            server.rewrite_imap = lambda later: later
            server.expunge(demo_bot.address, [last.uid])
        return answer

    server.rewrite_imap = expunge
    assert (await demo_bot.check())["new"] == 2
    assert told(demo_bot) == ["Before", "Stuck"]
    await demo_bot.deliver(mail("Later"))
    assert await demo_bot.check() == {"new": 1, "known": 0, "quarantined": 0, "reason": ""}


async def test_a_fault_of_ours_over_one_mail_puts_it_aside_and_the_next_goes_on(
    demo_bot: BotUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = items.facts_of

    def fails(mail: ParsedMail, **more: Any) -> MailFacts:
        if mail.subject == "Stuck":
            raise LookupError("a fault of ours")
        return real(mail, **more)

    await three_mails(demo_bot)
    monkeypatch.setattr(items, "facts_of", fails)
    report = await demo_bot.check()
    assert (report["new"], report["quarantined"]) == (2, 1)
    assert told(demo_bot) == ["Before", "the mail could not be read", "After"]
    raw = await demo_bot.context.storage.blobs.get(demo_bot.sink.items[1].payload["raw"])
    assert STUCK in raw, "it is kept for a later try"


async def test_a_server_that_is_slow_over_a_mail_loses_nothing(
    demo_bot: BotUnderTest, server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("modules.email.integration_imap.STEP_S", 0.3)
    monkeypatch.setattr("modules.email.integration_smtp_imap.STEP_S", 0.3)
    await three_mails(demo_bot)
    server.fail_imap("FETCH", "HANG", times=1)
    assert (await demo_bot.check())["new"] == 3
    assert told(demo_bot) == ["Before", "Stuck", "After"]


async def test_a_mail_that_is_wanted_anew_comes_as_another_item_or_is_told_anew(
    demo_bot: BotUnderTest, server: MailServer
) -> None:
    await three_mails(demo_bot)
    withheld = spoiled(lambda answer: answer.partition(b" BODY[] ")[0] + b")\r\n")
    server.rewrite_imap = withheld
    await looked(demo_bot, 3)
    lost = demo_bot.sink.items[1]
    name, wanted = (
        RefetchList.cursor(demo_bot.address),
        RefetchList().with_mail(lost.payload["uidvalidity"], lost.payload["uid"]),
    )
    await demo_bot.context.storage.cursors.set(name, str(wanted))
    await demo_bot.check()
    assert told(demo_bot) == ["Before", worded(NOT_GIVEN), "After", worded(NOT_GIVEN)]
    server.clear_faults()
    await demo_bot.context.storage.cursors.set(name, str(wanted))
    await demo_bot.check()
    assert told(demo_bot)[4:] == ["Stuck"]
    assert not await demo_bot.context.storage.cursors.get(name)
    await demo_bot.check()
    assert len(demo_bot.sink.items) == 5
