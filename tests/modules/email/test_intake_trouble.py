"""Mails that make trouble on their way in: none stops the others, none is lost without a word."""

from collections.abc import Callable

import pytest

from butler.contract.integration import RetryPolicy
from butler.demo.mailbox.server import MailServer
from modules.email.fetching import NOT_GIVEN, NOT_WHOLE
from tests.modules.email.mailhost import BotUnderTest, mail

READ_ONCE = RetryPolicy(max_attempts=1)
STUCK = b"<stuck@friends.example>"


def told(bot: BotUnderTest) -> list[str]:
    return [item.payload["quarantine"] or item.payload["subject"] for item in bot.sink.items]


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
    assert told(demo_bot) == ["Before", NOT_WHOLE, "After"]
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
    assert told(demo_bot) == ["Before", NOT_GIVEN, "After"]


async def test_a_mail_at_which_the_connection_breaks_costs_no_other(
    demo_bot: BotUnderTest, server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("modules.email.imap_calls.READS", READ_ONCE)
    await three_mails(demo_bot)
    server.rewrite_imap = spoiled(lambda answer: cut(server))
    await looked(demo_bot, 3)
    assert told(demo_bot) == ["Before", NOT_WHOLE, "After"]


async def test_an_outage_is_no_mails_fault(
    demo_bot: BotUnderTest, server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("modules.email.imap_calls.READS", READ_ONCE)
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
