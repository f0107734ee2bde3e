"""The same mail is one item, by whatever way and however often it comes, and another mail never passes for it."""

from datetime import UTC, datetime
from email.utils import format_datetime

import pytest

from butler_demo.mailbox.server import MailServer
from tests.modules.email.mailhost import BotUnderTest, mail

ON_ONE_WAY = b"Received: from a.example by b.example; Fri, 28 Nov 2025 10:00:00 +0000\r\n"
ON_ANOTHER = (
    b"DKIM-Signature: v=1; a=rsa-sha256; d=lists.example; s=a; h=from; bh=a; b=b\r\n"
    b"Received: from c.example by d.example; Fri, 28 Nov 2025 10:00:07 +0000\r\nX-Spam-Score: 0.1\r\n"
)


@pytest.mark.parametrize("message_id", ["<same@friends.example>", None])
async def test_a_mail_that_comes_on_two_ways_is_one_item(
    demo_bot: BotUnderTest, server: MailServer, message_id: str | None
) -> None:
    await demo_bot.check()
    raw = mail(message_id=message_id)
    server.put(demo_bot.address, ON_ONE_WAY + raw)
    server.put(demo_bot.address, ON_ANOTHER + raw)
    report = await demo_bot.check()
    assert (report["new"], report["known"]) == (1, 1)


async def test_without_an_id_another_text_is_another_mail(demo_bot: BotUnderTest, server: MailServer) -> None:
    await demo_bot.check()
    now = format_datetime(datetime.now(UTC))
    server.put(demo_bot.address, mail(body="At one?", message_id=None, Date=now))
    server.put(demo_bot.address, mail(body="At two?", message_id=None, Date=now))
    assert (await demo_bot.check())["new"] == 2


async def test_with_neither_id_nor_date_two_mails_with_the_same_words_are_two(
    demo_bot: BotUnderTest, server: MailServer
) -> None:
    await demo_bot.check()
    raw = mail("Backup", "All is well.", message_id=None).replace(b"Date: ", b"X-Date: ")
    server.put(demo_bot.address, ON_ONE_WAY + raw)
    server.put(demo_bot.address, ON_ANOTHER + raw)
    assert (await demo_bot.check())["new"] == 2


async def test_im_09_a_renumbered_mailbox_is_recognised_by_bytes_even_if_mails_are_read_in_another_way_now(
    demo_bot: BotUnderTest, server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    await demo_bot.check()
    await demo_bot.deliver(mail("Known"))
    await demo_bot.check()
    server.change_uidvalidity(demo_bot.address)

    def later(_raw: bytes) -> str:
        return "what a later version makes of it"

    monkeypatch.setattr("modules.email.items.same_mail", later)
    report = await demo_bot.check()
    assert (report["new"], report["known"]) == (0, 1)


async def test_thousands_after_a_long_downtime_come_in_order_in_small_portions(
    demo_bot: BotUnderTest, server: MailServer
) -> None:
    await demo_bot.check()
    many = 300
    for number in range(many):
        server.put(demo_bot.address, mail(f"Mail {number}"))
    await demo_bot.check()
    portions = [len(result.raw) for result in demo_bot.probe.results if result.raw]
    assert max(portions) == 50, "no more than a portion is held at once"
    assert [item.payload["subject"] for item in demo_bot.sink.items] == [f"Mail {number}" for number in range(many)]
