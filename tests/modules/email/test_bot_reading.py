"""Searching and reading the butler's mailbox leaves it as it was, and never says "none" falsely."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from butler.contract.errors import IntegrationErrorCode
from butler_demo.mailbox.server import MailServer
from tests.modules.email.mailhost import ANNA, BotUnderTest, mail

SEARCH = "bot_email_search_inbox"
READ = "bot_email_read_message"


async def subjects(bot: BotUnderTest, **args: object) -> list[str]:
    result = await bot.do(SEARCH, **args)
    return [message["subject"] for message in result.data["messages"]] if result.data else []


async def test_a_search_finds_the_newest_first_and_counts_them_all(bot: BotUnderTest) -> None:
    for number in range(4):
        await bot.deliver(mail(f"Invoice {number}"))
    await bot.deliver(mail("Lunch"))
    result = await bot.do(SEARCH, subject="invoice", limit=2)
    assert result.data is not None
    assert [message["subject"] for message in result.data["messages"]] == ["Invoice 3", "Invoice 2"]
    assert (result.data["count"], result.data["complete"]) == (4, True)
    message = result.data["messages"][0]
    assert (message["from"], message["from_name"], message["unread"]) == (ANNA, "Anna", True)
    assert message["message_id"].endswith("@friends.example>")


async def test_all_that_is_asked_must_hold(bot: BotUnderTest) -> None:
    await bot.deliver(mail("One", "pears and plums"))
    await bot.deliver(mail("Two", "pears only", From="Ben <ben@friends.example>"))
    assert await subjects(bot, words="plums pears") == ["One"]
    assert await subjects(bot, words="pears", sender="mail:ben@friends.example") == ["Two"]
    tomorrow = (datetime.now(UTC) + timedelta(days=2)).date().isoformat()
    assert await subjects(bot, since=tomorrow) == []
    assert await subjects(bot, before=tomorrow, unread=True) == ["Two", "One"]


async def test_nothing_found_has_a_reason(bot: BotUnderTest) -> None:
    result = await bot.do(SEARCH, words="unheard-of")
    assert result.error is not None
    assert result.error.code is IntegrationErrorCode.NOT_FOUND
    assert result.error.message == "no mail in the mailbox matches"


@pytest.mark.parametrize("subject", ["Grüße aus Köln", "会议纪要"])
async def test_im_15_a_search_beyond_ascii_finds_what_is_there(bot: BotUnderTest, subject: str) -> None:
    await bot.deliver(mail(subject, Content_Type="text/plain; charset=utf-8"))
    await bot.deliver(mail("Something else"))
    assert await subjects(bot, subject=subject.split(maxsplit=1)[0]) == [subject]
    assert await subjects(bot, subject="Überraschung") == []


async def test_im_15_a_server_that_knows_no_utf_8_is_searched_from_here(
    demo_bot: BotUnderTest, server: MailServer
) -> None:
    await demo_bot.deliver(mail("Grüße", "one"))
    await demo_bot.deliver(mail("Else", "two"))
    server.fail_imap("SEARCH", "NO", "[BADCHARSET (US-ASCII)] What is this?")
    assert await subjects(demo_bot, subject="GRÜSSE") == ["Grüße"]
    server.fail_imap("SEARCH", "NO", "[BADCHARSET (US-ASCII)] What is this?")
    assert await subjects(demo_bot, subject="Überraschung") == []


async def test_im_15_a_mailbox_too_large_to_look_through_is_not_told_as_empty(
    demo_bot: BotUnderTest, server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("modules.email.imap.reading._MOST_READ_IN_SEARCH", 1)
    await demo_bot.deliver(mail("Grüße"))
    await demo_bot.deliver(mail("Else"))
    server.fail_imap("SEARCH", "NO", "[BADCHARSET (US-ASCII)] What is this?")
    result = await demo_bot.do(SEARCH, subject="Grüße")
    assert result.error is not None
    assert result.error.message == "only the newest 1 mails were looked at"


async def test_im_05_reading_leaves_every_flag_as_it_was(bot: BotUnderTest) -> None:
    await bot.deliver(mail("Lunch", "At one?", message_id="<m@friends.example>"))
    before = await bot.flags()
    await bot.do(SEARCH, words="lunch")
    result = await bot.do(READ, message_id="<m@friends.example>")
    assert result.data is not None, result.error
    assert result.data["message"]["text"] == "At one?"
    assert result.data["message"]["unread"]
    assert await bot.flags() == before


async def test_an_attachment_is_kept_by_what_it_is(bot: BotUnderTest) -> None:
    body = (
        '--b\r\nContent-Type: text/plain\r\n\r\nSee file.\r\n--b\r\nContent-Type: application/pdf; name="../a.pdf"\r\n'
        "Content-Transfer-Encoding: base64\r\n\r\nJVBERg==\r\n--b--"
    )
    await bot.deliver(mail(body=body, message_id="<f@friends.example>", Content_Type="multipart/mixed; boundary=b"))
    result = await bot.do(READ, message_id="<f@friends.example>")
    assert result.data is not None
    (file,) = result.data["message"]["attachments"]
    assert (file["name"], file["size"], file["media_type"]) == ("a.pdf", 4, "application/pdf")
    assert await bot.context.storage.blobs.get(file["sha256"]) == b"%PDF"


async def test_im_09_an_old_number_never_shows_another_mail(demo_bot: BotUnderTest, server: MailServer) -> None:
    server.put(demo_bot.address, mail("First", message_id=None))
    server.put(demo_bot.address, mail("Second", message_id=None))
    result = await demo_bot.do(SEARCH, subject="First")
    assert result.data is not None
    (first,) = result.data["messages"]
    assert re.fullmatch(r"uid:\d+:\d+", first["message_id"])
    assert (await demo_bot.do(READ, message_id=first["message_id"])).ok
    server.change_uidvalidity(demo_bot.address)
    result = await demo_bot.do(READ, message_id=first["message_id"])
    assert result.error is not None
    assert result.error.code is IntegrationErrorCode.NOT_FOUND
    assert "the mailbox was rebuilt" in result.error.message


async def test_an_item_of_the_inbox_can_be_read_by_its_id(demo_bot: BotUnderTest, server: MailServer) -> None:
    await demo_bot.check()
    server.put(demo_bot.address, mail("No id", message_id=None))
    await demo_bot.check()
    result = await demo_bot.do(READ, message_id=demo_bot.sink.items[0].inbound_id)
    assert result.data is not None, result.error
    assert result.data["message"]["subject"] == "No id"


async def test_of_two_mails_with_one_id_the_first_is_meant(bot: BotUnderTest) -> None:
    await bot.deliver(mail("Genuine", message_id="<same@friends.example>"))
    await bot.deliver(mail("Late copy", message_id="<same@friends.example>"))
    result = await bot.do(READ, message_id="<same@friends.example>")
    assert result.data is not None
    assert result.data["message"]["subject"] == "Genuine"


async def test_a_refused_peek_is_no_read(demo_bot: BotUnderTest, server: MailServer) -> None:
    await demo_bot.deliver(mail(message_id="<m@friends.example>"))
    server.fail_imap("FETCH", "NO", "[SERVERBUG] No", times=None)
    result = await demo_bot.do(READ, message_id="<m@friends.example>")
    assert result.error is not None
    assert result.error.code is IntegrationErrorCode.UNAVAILABLE
    server.clear_faults()
    assert await demo_bot.flags() == [frozenset()]


async def test_an_item_of_the_inbox_means_its_own_mail_and_no_older_one_with_its_id(
    demo_bot: BotUnderTest, server: MailServer
) -> None:
    server.put(demo_bot.address, mail("Forged", message_id="<same@friends.example>"))
    await demo_bot.check()
    await demo_bot.deliver(mail("Genuine", message_id="<same@friends.example>"))
    await demo_bot.check()
    (genuine,) = [item for item in demo_bot.sink.items if item.payload["subject"] == "Genuine"]
    result = await demo_bot.do(READ, message_id=genuine.inbound_id)
    assert result.data is not None, result.error
    assert result.data["message"]["subject"] == "Genuine"
