"""The events that a page follows."""

from butler_demo.botapi.records import Event, EventKind
from butler_demo.botapi.server import BotApiServer

from .conftest import SAM, TOKEN, Raw


async def test_a_watcher_sees_each_change_of_a_chat(raw: Raw, server: BotApiServer) -> None:
    events: list[Event] = []
    unsubscribe = server.subscribe(events.append)
    server.say(TOKEN, SAM, "hello")
    await raw.result("sendChatAction", chat_id=SAM, action="typing")
    sent = await raw.result("sendMessage", chat_id=SAM, text="hi")
    await raw.result("editMessageText", chat_id=SAM, message_id=sent["message_id"], text="hi there")
    pressed = server.press(TOKEN, SAM, sent["message_id"], "x")
    await raw.result("answerCallbackQuery", callback_query_id=pressed.query_id, text="Done")
    await raw.result("deleteMessage", chat_id=SAM, message_id=sent["message_id"])
    unsubscribe()
    server.say(TOKEN, SAM, "unseen")
    assert [event.kind for event in events] == [
        EventKind.MESSAGE_NEW,
        EventKind.CHAT_ACTION,
        EventKind.MESSAGE_NEW,
        EventKind.MESSAGE_EDITED,
        EventKind.CALLBACK_ANSWERED,
        EventKind.MESSAGE_DELETED,
    ]
    assert events[3].message is not None
    assert events[3].message["text"] == "hi there"
    assert events[4].callback is pressed
