"""What Telegram refuses in messages, the stand-in refuses in the same words."""

import pytest

from butler_demo.botapi.errors import PersonError
from butler_demo.botapi.server import BotApiServer

from .conftest import EVE, OTHER_TOKEN, SAM, TOKEN, Raw, TurnableClock


def bad(reason: str) -> tuple[int, str]:
    return 400, f"Bad Request: {reason}"


def keyboard(*rows: list[dict[str, object]]) -> dict[str, object]:
    return {"inline_keyboard": list(rows)}


async def test_a_text_has_1_to_4096_utf_16_units(raw: Raw) -> None:
    assert await raw.refusal("sendMessage", chat_id=SAM, text=" \n ") == bad("message text is empty")
    assert await raw.refusal("sendMessage", chat_id=SAM) == bad("message text is empty")
    assert await raw.refusal("sendMessage", chat_id=SAM, text="x" * 4097) == bad("message is too long")
    assert await raw.refusal("sendMessage", chat_id=SAM, text="😀" * 2049) == bad("message is too long")
    assert (await raw.result("sendMessage", chat_id=SAM, text="😀" * 2048))["text"] == "😀" * 2048


async def test_tb_36_a_caption_has_at_most_1024_units(raw: Raw) -> None:
    file_id = raw.server.send_file(TOKEN, SAM, "a.txt", b"a")["document"]["file_id"]
    refusal = await raw.refusal("sendDocument", chat_id=SAM, document=file_id, caption="x" * 1025)
    assert refusal == bad("message caption is too long")
    await raw.result("sendDocument", chat_id=SAM, document=file_id, caption="x" * 1024)


@pytest.mark.parametrize(
    ("entity", "reason"),
    [
        ({"offset": 0, "length": 4}, "entity beginning at UTF-16 offset 0 ends after the end of the text"),
        ({"offset": 1, "length": 1}, "entity begins in a middle of a UTF-16 symbol"),
        ({"offset": 0, "length": 1}, "entity beginning at UTF-16 offset 0 ends in a middle of a UTF-16 symbol"),
        ({"offset": -1, "length": 1}, "entity has negative offset"),
    ],
)
async def test_entities_must_lie_in_the_text(raw: Raw, entity: dict[str, int], reason: str) -> None:
    status, description = await raw.refusal(
        "sendMessage", chat_id=SAM, text="😀a", entities=[{"type": "bold", **entity}]
    )
    assert status == 400
    assert description.startswith(f"Bad Request: {reason}")


async def test_entities_follow_the_trimmed_text_and_commands_are_found(raw: Raw) -> None:
    sent = await raw.result(
        "sendMessage",
        chat_id=SAM,
        text="\n😀 bold /help  ",
        entities=[{"type": "bold", "offset": 4, "length": 50 - 39}],
    )
    assert sent["text"] == "😀 bold /help"
    assert sent["entities"] == [
        {"type": "bold", "offset": 3, "length": 10},
        {"type": "bot_command", "offset": 8, "length": 5},
    ]


async def test_tb_06_callback_data_is_counted_in_bytes(raw: Raw) -> None:
    for data, fits in (("x" * 64, True), ("x" * 65, False), ("ж" * 32, True), ("ж" * 33, False), ("", False)):
        markup = keyboard([{"text": "Go", "callback_data": data}])
        if fits:
            await raw.result("sendMessage", chat_id=SAM, text="hi", reply_markup=markup)
        else:
            refusal = await raw.refusal("sendMessage", chat_id=SAM, text="hi", reply_markup=markup)
            assert refusal == bad("BUTTON_DATA_INVALID")


async def test_buttons_need_exactly_one_action(raw: Raw) -> None:
    for button in ({"text": "Go"}, {"text": "Go", "callback_data": "x", "url": "https://example.com"}):
        status, description = await raw.refusal("sendMessage", chat_id=SAM, text="hi", reply_markup=keyboard([button]))
        assert status == 400
        assert "can't parse inline keyboard button" in description


async def test_tb_32_an_edit_that_changes_nothing_is_refused(raw: Raw) -> None:
    sent = await raw.result("sendMessage", chat_id=SAM, text="working")
    where = {"chat_id": SAM, "message_id": sent["message_id"]}
    status, description = await raw.refusal("editMessageText", **where, text="working  \n")
    assert status == 400
    assert description.startswith("Bad Request: message is not modified")
    markup = keyboard([{"text": "Stop", "callback_data": "stop"}])
    edited = await raw.result("editMessageText", **where, text="working", reply_markup=markup)
    assert edited["reply_markup"] == markup
    status, description = await raw.refusal("editMessageText", **where, text="working", reply_markup=markup)
    assert description.startswith("Bad Request: message is not modified")
    assert "reply_markup" not in await raw.result("editMessageText", **where, text="working")


async def test_only_own_messages_that_exist_can_be_edited(raw: Raw) -> None:
    said = raw.server.say(TOKEN, SAM, "mine")
    mine = {"chat_id": SAM, "message_id": said["message_id"]}
    assert await raw.refusal("editMessageText", **mine, text="yours") == bad("message can't be edited")
    gone = {"chat_id": SAM, "message_id": 4711}
    assert await raw.refusal("editMessageText", **gone, text="x") == bad("message to edit not found")
    assert await raw.refusal("deleteMessage", **gone) == bad("message to delete not found")
    file_id = raw.server.send_file(TOKEN, SAM, "a.txt", b"a")["document"]["file_id"]
    document = await raw.result("sendDocument", chat_id=SAM, document=file_id)
    where = {"chat_id": SAM, "message_id": document["message_id"]}
    assert await raw.refusal("editMessageText", **where, text="x") == bad("there is no text in the message to edit")


async def test_a_message_older_than_two_days_cannot_be_deleted(raw: Raw, clock: TurnableClock) -> None:
    sent = await raw.result("sendMessage", chat_id=SAM, text="old")
    clock.time += 48 * 3600 + 1
    refusal = await raw.refusal("deleteMessage", chat_id=SAM, message_id=sent["message_id"])
    assert refusal == bad("message can't be deleted")


async def test_a_reply_needs_its_message_unless_told_otherwise(raw: Raw) -> None:
    missing = {"message_id": 4711}
    refusal = await raw.refusal("sendMessage", chat_id=SAM, text="re", reply_parameters=missing)
    assert refusal == bad("message to be replied not found")
    anyway = {**missing, "allow_sending_without_reply": True}
    assert "reply_to_message" not in await raw.result("sendMessage", chat_id=SAM, text="re", reply_parameters=anyway)


async def test_a_press_is_answered_once_and_within_15_seconds(raw: Raw, clock: TurnableClock) -> None:
    too_old = bad("query is too old and response timeout expired or query ID is invalid")
    sent = await raw.result(
        "sendMessage", chat_id=SAM, text="hi", reply_markup=keyboard([{"text": "Go", "callback_data": "go"}])
    )
    first = raw.server.press(TOKEN, SAM, sent["message_id"], "go")
    assert await raw.result("answerCallbackQuery", callback_query_id=first.query_id) is True
    assert await raw.refusal("answerCallbackQuery", callback_query_id=first.query_id) == too_old
    late = raw.server.press(TOKEN, EVE, sent["message_id"], "go", chat_id=SAM)
    clock.time += 15.5
    assert await raw.refusal("answerCallbackQuery", callback_query_id=late.query_id) == too_old
    assert late.answered_at is None
    assert await raw.refusal("answerCallbackQuery", callback_query_id="1") == too_old
    other = raw.server.press(TOKEN, SAM, sent["message_id"], "go")
    refusal = await raw.refusal("answerCallbackQuery", token=OTHER_TOKEN, callback_query_id=other.query_id)
    assert refusal == too_old


async def test_a_press_on_a_deleted_message_carries_an_inaccessible_one(raw: Raw) -> None:
    raw.server.press(TOKEN, SAM, 4711, "stale")
    query = (await raw.result("getUpdates"))[-1]["callback_query"]
    assert query["message"]["date"] == 0
    assert query["data"] == "stale"


async def test_tb_23_the_general_topic_takes_no_thread_id(raw: Raw) -> None:
    forum = -1_000_000_000_500
    raw.server.add_supergroup(forum, "House", is_forum=True)
    topic = raw.server.add_topic(TOKEN, forum, "Garden")
    sent = await raw.result("sendMessage", chat_id=forum, text="roses", message_thread_id=topic)
    assert sent["message_thread_id"] == topic
    raw.server.say(TOKEN, SAM, "in General", chat_id=forum, thread_id=1)
    assert (await raw.result("getUpdates"))[-1]["message"]["message_thread_id"] == 1
    not_found = bad("message thread not found")
    for thread_id in (1, 4711):
        refusal = await raw.refusal("sendMessage", chat_id=forum, text="x", message_thread_id=thread_id)
        assert refusal == not_found
    await raw.result("sendChatAction", chat_id=forum, action="typing", message_thread_id=1)
    await raw.result("sendMessage", chat_id=forum, text="in General")
    raw.server.switch_topics_off(forum)
    refusal = await raw.refusal("sendMessage", chat_id=forum, text="x", message_thread_id=topic)
    assert refusal == not_found


async def test_flood_control_refuses_too_many_messages_to_one_chat(raw: Raw, clock: TurnableClock) -> None:
    raw.server.say(TOKEN, EVE, "hello")
    raw.server.limit_flood(2, 10)
    for text in ("one", "two"):
        await raw.result("sendMessage", chat_id=SAM, text=text)
    clock.time += 4
    status, body = await raw("sendMessage", chat_id=SAM, text="three")
    assert status == 429
    assert body["description"].startswith("Too Many Requests: retry after ")
    await raw.result("sendMessage", chat_id=EVE, text="another chat")
    clock.time += body["parameters"]["retry_after"]
    await raw.result("sendMessage", chat_id=SAM, text="three")


async def test_people_cannot_do_what_the_app_would_not_let_them(server: BotApiServer) -> None:
    with pytest.raises(PersonError, match="add_person"):
        server.say(TOKEN, 1, "hello")
    with pytest.raises(PersonError, match="4,096"):
        server.say(TOKEN, SAM, "x" * 4097)
    with pytest.raises(PersonError, match="no message"):
        server.say(TOKEN, SAM, "re", reply_to=4711)
