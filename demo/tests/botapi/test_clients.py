"""The real client libraries hold whole conversations on the stand-in."""

import asyncio
from datetime import timedelta

import pytest
import telegram
from telegram import InlineKeyboardButton, InlineKeyboardMarkup
from telegram.error import BadRequest, ChatMigrated, Forbidden, InvalidToken, NetworkError, RetryAfter

from butler_demo.botapi.server import BotApiServer

from .conftest import SAM, STRANGER, TOKEN

pytestmark = pytest.mark.usefixtures("durations_as_timedelta")
YES_NO = InlineKeyboardMarkup(
    [[InlineKeyboardButton("Yes", callback_data="yes:1"), InlineKeyboardButton("No", callback_data="no:1")]]
)
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + (300).to_bytes(4) + (200).to_bytes(4) + b"rest"


async def newest(bot: telegram.Bot) -> telegram.Update:
    updates = await bot.get_updates(timeout=5)
    await bot.get_updates(offset=updates[-1].update_id + 1)
    return updates[-1]


async def test_a_person_asks_and_the_bot_answers_with_buttons_that_work(
    server: BotApiServer, bot: telegram.Bot
) -> None:
    asked = server.say(TOKEN, SAM, "tell Anna I'm late")
    update = await newest(bot)
    assert update.message is not None
    assert update.message.text == "tell Anna I'm late"
    assert update.message.from_user is not None
    assert update.message.from_user.full_name == "Sam"

    card = await update.message.reply_text("Send this? 🤔", reply_markup=YES_NO, do_quote=True)
    assert card.reply_to_message is not None
    assert card.reply_to_message.message_id == asked["message_id"]

    pressed = server.press(TOKEN, SAM, card.message_id, "yes:1")
    query = (await newest(bot)).callback_query
    assert query is not None
    assert query.data == "yes:1"
    await query.answer("On its way", show_alert=True)
    assert (pressed.text, pressed.show_alert) == ("On its way", True)

    await query.edit_message_text("Sent.")
    shown = server.messages(TOKEN, SAM)[-1]
    assert shown["text"] == "Sent."
    assert "reply_markup" not in shown


async def test_files_go_both_ways(server: BotApiServer, bot: telegram.Bot) -> None:
    server.send_file(TOKEN, SAM, "bill.pdf", b"%PDF-1.7 bill", caption="pay this #bill")
    message = (await newest(bot)).message
    assert message is not None
    assert message.document is not None
    assert message.document.mime_type == "application/pdf"
    assert message.caption_entities[0].type == "hashtag"
    assert bytes(await (await message.document.get_file()).download_as_bytearray()) == b"%PDF-1.7 bill"

    sent = await bot.send_document(SAM, b"a,b\n1,2\n", filename="table.csv", caption="The table")
    assert sent.document is not None
    assert sent.document.file_name == "table.csv"
    again = await bot.send_document(SAM, sent.document.file_id)
    assert again.document is not None
    assert bytes(await (await again.document.get_file()).download_as_bytearray()) == b"a,b\n1,2\n"

    photo = await bot.send_photo(SAM, PNG, caption="Look")
    assert (photo.photo[-1].width, photo.photo[-1].height) == (300, 200)


async def test_a_voice_message_can_be_fetched(server: BotApiServer, bot: telegram.Bot) -> None:
    server.send_file(TOKEN, SAM, "note.ogg", b"OggS...", kind="voice", content_type="audio/ogg", seconds=3)
    message = (await newest(bot)).message
    assert message is not None
    assert message.voice is not None
    assert message.voice.duration == timedelta(seconds=3)
    assert bytes(await (await message.voice.get_file()).download_as_bytearray()) == b"OggS..."


async def test_the_smaller_methods_do_what_they_say(server: BotApiServer, bot: telegram.Bot) -> None:
    said = server.say(TOKEN, SAM, "hello")
    await bot.send_chat_action(SAM, "typing")
    await bot.set_my_commands([("help", "What I can do")])
    assert [call.method for call in server.calls][-2:] == ["sendChatAction", "setMyCommands"]
    await bot.delete_message(SAM, said["message_id"])
    assert server.messages(TOKEN, SAM) == []


async def test_tb_31_a_blocked_bot_and_a_stranger_are_forbidden(server: BotApiServer, bot: telegram.Bot) -> None:
    server.say(TOKEN, SAM, "hello")
    server.block(SAM)
    with pytest.raises(Forbidden, match="bot was blocked by the user"):
        await bot.send_message(SAM, "still there?")
    with pytest.raises(Forbidden, match="bot can't initiate conversation with a user"):
        await bot.send_message(STRANGER, "hello")
    with pytest.raises(BadRequest, match="Chat not found"):
        await bot.send_message(123456, "hello")
    server.unblock(SAM)
    await bot.send_message(SAM, "welcome back")
    kinds = [
        update.my_chat_member.new_chat_member.status for update in await bot.get_updates() if update.my_chat_member
    ]
    assert kinds == ["kicked", "member"]


async def test_tb_10_an_upgraded_group_tells_its_new_id(server: BotApiServer, bot: telegram.Bot) -> None:
    server.add_group(-500, "Family")
    await bot.send_message(-500, "hello all")
    new_id = server.upgrade_group(TOKEN, -500)
    with pytest.raises(ChatMigrated) as moved:
        await bot.send_message(-500, "hello again")
    assert moved.value.new_chat_id == new_id
    await bot.send_message(new_id, "hello again")
    to_update, from_update = await bot.get_updates()
    assert to_update.message is not None
    assert to_update.message.migrate_to_chat_id == new_id
    assert from_update.message is not None
    assert from_update.message.migrate_from_chat_id == -500


async def test_ordered_faults_reach_the_client_as_its_own_errors(server: BotApiServer, bot: telegram.Bot) -> None:
    server.say(TOKEN, SAM, "hello")
    server.fail("sendMessage", 429, "Too Many Requests: retry after 33", retry_after=33)
    with pytest.raises(RetryAfter) as waiting:
        await bot.send_message(SAM, "one")
    assert waiting.value.retry_after == timedelta(seconds=33)
    server.fail("sendMessage", 502, "Bad Gateway", times=2)
    for _ in range(2):
        with pytest.raises(NetworkError):
            await bot.send_message(SAM, "two")
    await bot.send_message(SAM, "three")
    assert [message["text"] for message in server.messages(TOKEN, SAM)] == ["hello", "three"]


async def test_an_answer_can_be_lost_after_the_effect(server: BotApiServer, bot: telegram.Bot) -> None:
    server.say(TOKEN, SAM, "hello")
    server.fail("sendMessage", 0, "", after_effect=True)
    with pytest.raises(NetworkError):
        await bot.send_message(SAM, "did it arrive?")
    assert server.messages(TOKEN, SAM)[-1]["text"] == "did it arrive?"


async def test_the_server_refuses_connections_while_offline_and_returns_on_the_same_port(
    server: BotApiServer, bot: telegram.Bot
) -> None:
    server.say(TOKEN, SAM, "hello")
    await bot.get_updates(offset=-1)
    poll = asyncio.create_task(bot.get_updates(offset=800_000_000, timeout=30))
    await server.wait_for(lambda: server.is_polling(TOKEN))
    await server.go_offline()
    with pytest.raises(NetworkError):
        await poll
    with pytest.raises(NetworkError):
        await bot.get_me()
    server.say(TOKEN, SAM, "are you there?")
    await server.come_back()
    update = await newest(bot)
    assert update.message is not None
    assert update.message.text == "are you there?"


async def test_a_slow_answer_makes_the_client_time_out_after_the_effect(
    server: BotApiServer, bot: telegram.Bot
) -> None:
    server.say(TOKEN, SAM, "hello")
    server.slow("sendMessage", 30)
    with pytest.raises(telegram.error.TimedOut):
        await bot.send_message(SAM, "slowly", read_timeout=0.2)
    assert server.messages(TOKEN, SAM)[-1]["text"] == "slowly"


async def test_a_wrong_token_is_refused(server: BotApiServer) -> None:
    with pytest.raises(InvalidToken):
        async with telegram.Bot("700123:wrong", base_url=f"{server.url}/bot"):
            pass


@pytest.mark.nightly
async def test_aiogram_works_on_it_too(server: BotApiServer) -> None:
    aiogram = pytest.importorskip("aiogram", reason="the second client comes with the bench group")
    types = aiogram.types
    server.say(TOKEN, SAM, "hello")
    session = aiogram.client.session.aiohttp.AiohttpSession(
        api=aiogram.client.telegram.TelegramAPIServer.from_base(server.url)
    )
    async with aiogram.Bot(TOKEN, session=session) as bot:
        (update,) = await bot.get_updates(timeout=5)
        assert update.message.text == "hello"
        keyboard = types.InlineKeyboardMarkup(
            inline_keyboard=[[types.InlineKeyboardButton(text="Go", callback_data="go")]]
        )
        bold = types.MessageEntity(type="bold", offset=0, length=5)
        sent = await bot.send_message(SAM, "Ready & set", reply_markup=keyboard, entities=[bold])
        assert sent.text == "Ready & set"
        assert sent.entities[0].type == "bold"
        server.press(TOKEN, SAM, sent.message_id, "go")
        (press,) = await bot.get_updates(offset=update.update_id + 1, timeout=5)
        assert await bot.answer_callback_query(press.callback_query.id)
        document = types.BufferedInputFile(b"hello", "hello.txt")
        assert (await bot.send_document(SAM, document)).document.file_size == 5
