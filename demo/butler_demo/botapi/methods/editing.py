"""Changes to messages: edits, deletion, and the answer to a press."""

from ..chats import Chat
from ..errors import bad_request
from ..markup import inline_keyboard
from ..records import Event, EventKind, Json
from ..text import utf16_length
from .request import Request
from .sending import text_fields

QUERY_SECONDS = 15
ANSWER_LIMIT = 200
DELETABLE_SECONDS = 48 * 3600
_SAME = (
    "message is not modified: specified new message content and reply markup are exactly the same as a current "
    "content and reply markup of the message"
)


def edit_message_text(request: Request) -> Json:
    chat, message = _editable(request)
    if "text" not in message:
        raise bad_request("there is no text in the message to edit")
    edited = {key: value for key, value in message.items() if key not in {"text", "entities", "reply_markup"}}
    edited |= text_fields(request.params)
    if keyboard := inline_keyboard(request.params):
        edited["reply_markup"] = keyboard
    if edited == message:
        raise bad_request(_SAME)
    request.faults.count_message(chat.chat_id)
    edited["edit_date"] = int(request.state.now())
    return request.state.replace(request.bot, chat, edited)


def delete_message(request: Request) -> bool:
    chat = request.state.chat(request.bot, request.params["chat_id"])
    message = chat.messages.get(request.params["message_id"])
    if message is None:
        raise bad_request("message to delete not found")
    mine = message["from"]["id"] == request.bot.bot_id
    too_old = message["date"] < request.state.now() - DELETABLE_SECONDS
    if too_old or not (mine or chat.is_private):
        raise bad_request("message can't be deleted")
    request.state.remove(request.bot, chat, message["message_id"])
    return True


def answer_callback_query(request: Request) -> bool:
    state, params = request.state, request.params
    callback, now = state.callbacks.get(params["callback_query_id"]), state.now()
    if (
        callback is None
        or callback.token != request.bot.token
        or callback.answered_at is not None
        or now - callback.at > QUERY_SECONDS
    ):
        raise bad_request("query is too old and response timeout expired or query ID is invalid")
    text: str = params.get("text", "")
    if utf16_length(text) > ANSWER_LIMIT:
        raise bad_request("MESSAGE_TOO_LONG")
    if params.get("url"):
        raise bad_request("URL_INVALID")
    callback.answered_at = now
    callback.text = text or None
    callback.show_alert = params.get("show_alert", False)
    state.emit(Event(EventKind.CALLBACK_ANSWERED, request.bot.token, callback.chat_id, callback=callback))
    return True


def _editable(request: Request) -> tuple[Chat, Json]:
    request.refuse_unbuilt()
    params = request.params
    if "chat_id" not in params:
        raise bad_request("chat_id is empty")
    if "message_id" not in params:
        raise bad_request("message identifier is not specified")
    chat = request.state.writable_chat(request.bot, params["chat_id"])
    message = chat.messages.get(params["message_id"])
    if message is None:
        raise bad_request("message to edit not found")
    if message["from"]["id"] != request.bot.bot_id:
        raise bad_request("message can't be edited")
    return chat, message
