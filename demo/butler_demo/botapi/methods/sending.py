"""New messages: sendMessage, sendDocument, sendPhoto."""

from ..chats import Chat
from ..content import document, photo
from ..errors import bad_request, not_built
from ..markup import inline_keyboard
from ..records import Json
from ..state import without_reply
from ..text import CAPTION_LIMIT, TEXT_LIMIT, RichText, limited, parse_text
from .request import Request


def send_message(request: Request) -> Json:
    chat = request.target()
    return _deliver(request, chat, text_fields(request.params))


def send_document(request: Request) -> Json:
    chat = request.target()
    caption = caption_fields(request.params)
    return _deliver(request, chat, {**document(request.state, request.params["document"]), **caption})


def send_photo(request: Request) -> Json:
    chat = request.target()
    caption = caption_fields(request.params)
    return _deliver(request, chat, {**photo(request.state, request.params["photo"]), **caption})


def text_fields(params: Json) -> Json:
    """`text` and `entities` of a message; raises ApiError for an empty or a too long text."""
    rich = parse_text(params.get("text", ""), params.get("entities"), params.get("parse_mode"))
    if not rich.text:
        raise bad_request("message text is empty")
    limited(rich, TEXT_LIMIT, "message is too long")
    return _fields(rich, "text", "entities")


def caption_fields(params: Json) -> Json:
    """`caption` and `caption_entities` of a message, nothing without a caption."""
    rich = parse_text(params.get("caption", ""), params.get("caption_entities"), params.get("parse_mode"))
    if not rich.text:
        return {}
    limited(rich, CAPTION_LIMIT, "message caption is too long")
    return _fields(rich, "caption", "caption_entities")


def _fields(rich: RichText, text_key: str, entities_key: str) -> Json:
    fields: Json = {text_key: rich.text}
    if rich.entities:
        fields[entities_key] = list(rich.entities)
    return fields


def _deliver(request: Request, chat: Chat, content: Json) -> Json:
    request.refuse_unbuilt()
    message: Json = {"from": request.bot.as_user(), **content, **_reply_fields(request, chat)}
    if keyboard := inline_keyboard(request.params):
        message["reply_markup"] = keyboard
    request.faults.count_message(chat.chat_id)
    return request.state.post(request.bot, chat, message, request.params.get("message_thread_id"))


def _reply_fields(request: Request, chat: Chat) -> Json:
    wanted: Json | None = request.params.get("reply_parameters")
    if wanted is None:
        return {}
    if wanted.get("chat_id", chat.chat_id) != chat.chat_id or "quote" in wanted:
        raise not_built("a reply to a message of another chat, or with a quote")
    replied = chat.messages.get(wanted["message_id"])
    if replied is None:
        if wanted.get("allow_sending_without_reply"):
            return {}
        raise bad_request("message to be replied not found")
    return {"reply_to_message": without_reply(replied)}
