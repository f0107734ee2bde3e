"""Messages and cards on their way to the owner, over the strict Bot API server."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from butler.contract.card import Button, Card, MessageRef, OwnerMessage, Span, Style, plain
from butler.contract.errors import ChatClosedError, Refuse, Retryable
from butler.contract.inbound import InboundKind
from butler.contract.tools import Attachment
from butler_demo.botapi.server import BotApiServer
from modules.telegram.text import utf16_len
from tests.modules.telegram.conftest import EVE, GROUP, OWNER, TOKEN, Harness, MakeHouse

HOME = f"telegram:{OWNER}"
APPROVE = Button(label="Approve", data="nonce-1")
DENY = Button(label="Deny", data="nonce-2")


def card(body: str = "I'll be ten minutes late", **fields: Any) -> Card:
    values: dict[str, Any] = {
        "approval_id": "a-1",
        "revision": 1,
        "title": "Send a Telegram message?",
        "fields": (("To", plain("Anna (telegram:5)")), ("As", plain("you"))),
        "body": body,
        "effect": "Sends a Telegram message as you",
        "expires_at": datetime.now(UTC) + timedelta(hours=48),
        "buttons": ((APPROVE, DENY),),
    }
    return Card(**(values | fields))


async def say(harness: Harness, text: str, chat: str = HOME, **fields: Any) -> MessageRef:
    return await harness.bot.channel.say(chat, OwnerMessage(text=plain(text), **fields))


def labels(message: dict[str, Any]) -> list[str]:
    rows = message.get("reply_markup", {}).get("inline_keyboard", [])
    return [button["text"] for row in rows for button in row]


async def test_a_message_goes_out_with_its_styles_as_entities(harness: Harness) -> None:
    text = (Span(text="<b>Not HTML ", style=Style.PLAIN), Span(text="*true bold*", style=Style.BOLD))

    ref = await harness.bot.channel.say(HOME, OwnerMessage(text=text))

    (message,) = harness.sent()
    assert message["text"] == "<b>Not HTML *true bold*"
    assert message["entities"] == [{"type": "bold", "offset": 12, "length": 11}]
    assert ref == MessageRef(chat=HOME, message_ids=(str(message["message_id"]),))
    assert "parse_mode" not in harness.calls("sendMessage")[0].params


async def test_tb_04_a_long_message_arrives_whole_in_parts(harness: Harness) -> None:
    text = "😀" * 5000

    ref = await say(harness, text, buttons=((APPROVE,),))

    sent = harness.sent()
    assert "".join(message["text"] for message in sent) == text
    assert all(utf16_len(message["text"]) <= 4096 for message in sent)
    assert len(ref.message_ids) == len(sent) == 3
    assert [labels(message) for message in sent] == [[], [], ["Approve"]]


async def test_tb_06_button_data_is_counted_in_bytes(harness: Harness) -> None:
    too_long = Button(label="Да", data="абвгдежзи" * 3 + "_abcdef_1234")

    with pytest.raises(Refuse, match="64 bytes"):
        await say(harness, "which?", buttons=((too_long,),))

    assert harness.sent() == []


async def test_a_card_shows_everything_and_carries_its_buttons(harness: Harness) -> None:
    await harness.bot.channel.show(HOME, card(reasons=("the text comes from a mail",)))

    (message,) = harness.sent()
    for words in ("Anna (telegram:5)", "ten minutes late", "Sends a Telegram message as you", "comes from a mail"):
        assert words in message["text"]
    assert labels(message) == ["Approve", "Deny"]


async def test_a_long_body_is_paged_with_approve_on_the_last_page(harness: Harness) -> None:
    body = "".join(f"line {number}\n" for number in range(900)).rstrip()

    ref = await harness.bot.channel.show(HOME, card(body))

    sent = harness.sent()
    assert 1 < len(sent) <= 3
    assert "".join(f"{message['text']}\n" for message in sent).count("line ") == 900
    assert [bool(labels(message)) for message in sent] == [False] * (len(sent) - 1) + [True]
    assert len(ref.message_ids) == len(sent)


async def test_a_very_long_body_comes_as_a_file_before_the_card(harness: Harness) -> None:
    body = "every word is shown. " * 2000

    ref = await harness.bot.channel.show(HOME, card(body))

    file, message = harness.sent()
    assert file["document"]["file_name"] == "full-text-1.txt"
    assert body.encode() in harness.blobs.data.values()
    assert "in the file above" in message["text"]
    assert labels(message) == ["Approve", "Deny"]
    assert ref.message_ids[-1] == str(message["message_id"])


async def test_a_decided_card_is_drawn_anew_where_it_stands(harness: Harness) -> None:
    ref = await harness.bot.channel.show(HOME, card())

    await harness.bot.channel.edit(ref, card(outcome=plain("Sent at 10:04."), buttons=(), expires_at=None))

    (message,) = harness.sent()
    assert message["text"].endswith("Sent at 10:04.")
    assert labels(message) == []


async def test_a_card_on_pages_keeps_them_when_it_is_decided(harness: Harness) -> None:
    body = "word " * 1600
    ref = await harness.bot.channel.show(HOME, card(body))
    pages = [message["text"] for message in harness.sent()]

    await harness.bot.channel.edit(ref, card(body, outcome=plain("x" * 5000), buttons=()))

    after = [message["text"] for message in harness.sent()]
    assert after[:-1] == pages[:-1]
    assert after[-1].endswith("…")


async def test_tb_32_an_edit_that_changes_nothing_is_no_error(harness: Harness) -> None:
    ref = await harness.bot.channel.show(HOME, card())

    await harness.bot.channel.edit(ref, card(expires_at=card().expires_at))

    assert any(call.error and "not modified" in call.error for call in harness.calls("editMessageText"))


async def test_an_edit_of_a_deleted_card_is_no_error(harness: Harness) -> None:
    ref = await harness.bot.channel.show(HOME, card())
    harness.server.delete(TOKEN, OWNER, int(ref.message_ids[0]))

    await harness.bot.channel.edit(ref, card(outcome=plain("Denied.")))


async def test_a_message_is_drawn_anew_where_it_stands_with_its_buttons(harness: Harness) -> None:
    buttons = ((Button(label="Disable 1", data="a"),),)
    ref = await harness.bot.channel.say(HOME, OwnerMessage(text=plain("Rule 1"), buttons=buttons))
    enable = ((Button(label="Enable 1", data="b"),),)

    await harness.bot.channel.redraw(ref, OwnerMessage(text=plain("Rule 1 (disabled)"), buttons=enable))

    (message,) = harness.sent()
    assert message["text"] == "Rule 1 (disabled)"
    assert labels(message) == ["Enable 1"]


async def test_a_long_message_is_drawn_anew_by_its_end(harness: Harness) -> None:
    ref = await harness.bot.channel.say(HOME, OwnerMessage(text=plain("word " * 1600)))

    await harness.bot.channel.redraw(ref, OwnerMessage(text=plain("term " * 1600)))
    assert ["term" in message["text"] for message in harness.sent()] == [True, True]
    await harness.bot.channel.redraw(ref, OwnerMessage(text=plain("short")))

    assert [message["text"] for message in harness.sent()][-1] == "short"


async def test_a_message_that_has_grown_beyond_its_messages_shows_its_beginning(harness: Harness) -> None:
    ref = await harness.bot.channel.say(HOME, OwnerMessage(text=plain("short"), buttons=((APPROVE,),)))

    await harness.bot.channel.redraw(
        ref, OwnerMessage(text=plain("first " + "word " * 1600 + "last"), buttons=((APPROVE,),))
    )

    (message,) = harness.sent()
    assert message["text"].startswith("first word")
    assert message["text"].endswith(" …")
    assert "last" not in message["text"]
    assert labels(message) == [APPROVE.label]


async def test_a_list_in_a_private_chat_that_is_not_the_owners_is_not_drawn(harness: Harness) -> None:
    ref = MessageRef(chat="telegram:666", message_ids=("1",))
    with pytest.raises(ChatClosedError):
        await harness.bot.channel.redraw(ref, OwnerMessage(text=plain("Rule 1")))


async def test_tb_08_a_tap_is_answered_and_a_late_answer_is_no_error(harness: Harness) -> None:
    pressed = harness.server.press(TOKEN, OWNER, 1, "nonce")

    await harness.bot.channel.answer(pressed.query_id, "Approved", alert=True)
    await harness.bot.channel.answer("1234567", "too late")

    assert (pressed.text, pressed.show_alert) == ("Approved", True)
    assert harness.calls("answerCallbackQuery")[-1].error is not None


async def test_a_tap_is_answered_while_a_long_message_goes_out(harness: Harness) -> None:
    harness.server.slow("sendMessage", 1.0)
    sending = asyncio.create_task(say(harness, "slow"))
    await harness.server.wait_for(lambda: harness.calls("sendMessage"))

    pressed = harness.server.press(TOKEN, OWNER, 1, "nonce")
    await harness.bot.channel.answer(pressed.query_id, "ok")

    assert not sending.done()
    await sending


async def test_messages_of_a_chat_go_out_in_order(harness: Harness) -> None:
    harness.server.slow("sendMessage", 0.3)

    await asyncio.gather(*(say(harness, str(number)) for number in range(5)))

    assert [message["text"] for message in harness.sent()] == ["0", "1", "2", "3", "4"]


async def test_tb_26_nothing_is_sent_until_the_wait_is_over(harness: Harness) -> None:
    ref = await harness.bot.channel.show(HOME, card())
    harness.server.fail("editMessageText", 429, "Too Many Requests: retry after 33", retry_after=33)
    with pytest.raises(Retryable):
        await harness.bot.channel.edit(ref, card("0"))
    calls = len(harness.server.calls)

    for number in range(1, 31):
        with pytest.raises(Retryable, match="wait"):
            await harness.bot.channel.edit(ref, card(str(number)))
    with pytest.raises(Retryable, match="wait"):
        await say(harness, "and a message")
    await harness.bot.channel.typing(HOME)
    assert len(harness.server.calls) == calls

    harness.bot.lanes._lanes[OWNER].closed_until = 0.0
    await harness.bot.channel.edit(ref, card("the final text"))
    assert "the final text" in harness.sent()[0]["text"]


async def test_tb_26_a_short_wait_is_waited_out_in_the_middle_of_a_message(harness: Harness) -> None:
    harness.server.limit_flood(2, 1.0)

    await say(harness, "😀" * 6000)

    assert "".join(message["text"] for message in harness.sent()) == "😀" * 6000


async def test_tb_28_edits_are_throttled_and_the_last_one_wins(harness: Harness) -> None:
    ref = await harness.bot.channel.show(HOME, card())

    started = asyncio.get_running_loop().time()
    await asyncio.gather(*(harness.bot.channel.edit(ref, card(f"step {number}")) for number in range(30)))

    assert len(harness.calls("editMessageText")) <= 3
    assert asyncio.get_running_loop().time() - started < 5
    assert "step 29" in harness.sent()[0]["text"]


async def test_tb_31_a_chat_that_is_closed_stops_no_other(harness: Harness, server: BotApiServer) -> None:
    server.add_group(GROUP, "Family")
    await say(harness, "first")
    server.block(OWNER)

    with pytest.raises(Refuse, match="blocked"):
        await say(harness, "second")
    await say(harness, "third", chat=f"telegram:{GROUP}")

    assert [message["text"] for message in harness.sent(OWNER) + harness.sent(GROUP)] == ["first", "third"]


async def test_nothing_is_said_in_private_to_anybody_but_the_owner_of_now(
    harness: Harness, server: BotApiServer
) -> None:
    server.say(TOKEN, EVE, "/start")

    with pytest.raises(ChatClosedError):
        await say(harness, "for the owner before", chat=f"telegram:{EVE}")
    with pytest.raises(ChatClosedError):
        await harness.bot.channel.show(f"telegram:{EVE}:7", card())

    assert harness.sent(EVE) == []


async def test_tb_10_a_message_follows_its_group_and_the_new_id_is_reported(
    make_harness: MakeHouse, server: BotApiServer
) -> None:
    server.add_group(GROUP, "Family")
    new_id = server.upgrade_group(TOKEN, GROUP)
    harness = make_harness(allowed_groups=[GROUP])

    ref = await say(harness, "dinner at eight", chat=f"telegram:{GROUP}")

    assert ref.chat == f"telegram:{new_id}"
    assert [message["text"] for message in harness.sent(new_id)] == ["dinner at eight"]
    (news,) = harness.sink.items
    assert (news.kind, news.payload["new"]) == (InboundKind.MIGRATED, f"telegram:{new_id}")
    async with harness.polling():
        await harness.taken()
    assert len(harness.sink.items) == 1, "Telegram's own news of it is the same item"


async def test_tb_25_a_topic_that_is_no_more_is_forgotten(harness: Harness, server: BotApiServer) -> None:
    forum = -1001234567890
    server.add_supergroup(forum, "House", is_forum=True)
    topic = server.add_topic(TOKEN, forum, "Kitchen")
    server.switch_topics_off(forum)

    ref = await say(harness, "reminder", chat=f"telegram:{forum}:{topic}")

    assert ref.chat == f"telegram:{forum}"
    assert [message["text"] for message in harness.sent(forum)] == ["reminder"]
    assert len(harness.calls("sendMessage")) == 2


async def test_a_reply_goes_into_its_topic(harness: Harness, server: BotApiServer) -> None:
    forum = -1001234567890
    server.add_supergroup(forum, "House", is_forum=True)
    topic = server.add_topic(TOKEN, forum, "Kitchen")

    ref = await say(harness, "done", chat=f"telegram:{forum}:{topic}")

    assert ref.chat == f"telegram:{forum}:{topic}"
    assert harness.sent(forum)[-1]["message_thread_id"] == topic


async def test_tb_36_a_long_caption_becomes_a_short_one_and_a_message(harness: Harness) -> None:
    digest = await harness.blobs.put(b"%PDF")
    file = Attachment(name='Rechnung "März".pdf', size=4, sha256=digest, media_type="application/pdf")
    summary = "word " * 300

    await say(harness, summary, attachments=(file,), buttons=((APPROVE,),))

    document, rest = harness.sent()
    assert document["document"]["file_name"] == "Rechnung _März_.pdf"
    assert utf16_len(document["caption"]) <= 1024
    assert f"{document['caption']} {rest['text']}".split() == summary.split()
    assert labels(rest) == ["Approve"]


async def test_a_file_goes_out_with_a_caption(harness: Harness) -> None:
    digest = await harness.blobs.put(b"abc")
    file = Attachment(name="a.txt", size=3, sha256=digest, media_type="text/plain")

    await say(harness, "here it is", attachments=(file,))

    (document,) = harness.sent()
    assert (document["caption"], document["document"]["file_size"]) == ("here it is", 3)


PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x10\x00\x00\x00\x08"


async def chart(harness: Harness, content: bytes = PNG) -> Attachment:
    digest = await harness.blobs.put(content)
    return Attachment(name="cpu.png", size=len(content), sha256=digest, media_type="image/png")


async def test_a_picture_is_shown_as_a_photo_under_its_text(harness: Harness) -> None:
    ref = await say(harness, "CPU has been at 97 %", attachments=(await chart(harness),), buttons=((APPROVE,),))

    text, photo = harness.sent()
    assert (text["text"], labels(text)) == ("CPU has been at 97 %", ["Approve"])
    assert photo["photo"][-1]["width"] == 16
    assert ref.message_ids == (str(photo["message_id"]), str(text["message_id"]))


async def test_what_stands_over_a_picture_can_be_drawn_anew(harness: Harness) -> None:
    ref = await say(harness, "CPU has been at 97 %", attachments=(await chart(harness),), buttons=((APPROVE,),))

    await harness.bot.channel.redraw(ref, OwnerMessage(text=plain("CPU is as always")))

    text, photo = harness.sent()
    assert (text["text"], labels(text), "photo" in photo) == ("CPU is as always", [], True)


async def test_a_picture_that_cannot_be_shown_comes_as_a_file(harness: Harness) -> None:
    await say(harness, "the chart", attachments=(await chart(harness, b"no picture at all"),))

    text, file = harness.sent()
    assert (text["text"], file["document"]["file_name"]) == ("the chart", "cpu.png")


async def test_a_lost_answer_is_retryable_and_a_lost_server_as_well(harness: Harness) -> None:
    harness.server.fail("sendMessage", 500, "lost", after_effect=True)
    with pytest.raises(Retryable):
        await say(harness, "once or twice")
    await harness.server.go_offline()
    with pytest.raises(Retryable):
        await say(harness, "later")
    await harness.bot.channel.typing(HOME)

    await harness.server.come_back()
    await say(harness, "later")

    assert [message["text"] for message in harness.sent()] == ["once or twice", "later"]


async def test_what_can_never_be_said_is_refused(harness: Harness) -> None:
    for chat in ("telegram:987654", "mail:someone", "telegram:not-a-number"):
        with pytest.raises(Refuse):
            await say(harness, "hello?", chat=chat)
    with pytest.raises(Refuse, match="nothing to say"):
        await say(harness, "  \n ")


async def test_a_reply_to_a_deleted_message_still_arrives(harness: Harness) -> None:
    await say(harness, "answer", reply_to="99999")

    assert [message["text"] for message in harness.sent()] == ["answer"]


async def test_commands_are_published(harness: Harness) -> None:
    await harness.bot.channel.commands([("help", "What I can do"), ("pending", "What waits for you")])

    assert [call.error for call in harness.calls("setMyCommands")] == [None]


async def test_home_is_the_owners_chat_once_there_is_one(harness: Harness) -> None:
    assert harness.bot.channel.home() == HOME
    harness.owner.telegram_user_id = None
    assert harness.bot.channel.home() is None
