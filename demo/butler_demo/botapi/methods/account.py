"""The bot itself, its files and commands: getMe, getFile, setMyCommands, sendChatAction."""

import re

from ..chats import GENERAL_TOPIC
from ..content import DOWNLOAD_LIMIT
from ..errors import bad_request
from ..records import Event, EventKind, Json
from .request import Request

ACTIONS = frozenset(
    {
        "typing",
        "upload_photo",
        "record_video",
        "upload_video",
        "record_voice",
        "upload_voice",
        "upload_document",
        "choose_sticker",
        "find_location",
        "record_video_note",
        "upload_video_note",
    }
)
MAX_COMMANDS = 100
_COMMAND = re.compile(r"[a-z0-9_]{1,32}")


def get_me(request: Request) -> Json:
    return {
        **request.bot.as_user(),
        "can_join_groups": True,
        "can_read_all_group_messages": True,
        "supports_inline_queries": False,
        "can_connect_to_business": False,
        "has_main_web_app": False,
    }


def send_chat_action(request: Request) -> bool:
    request.refuse_unbuilt()
    chat = request.state.writable_chat(request.bot, request.params["chat_id"])
    thread_id: int | None = request.params.get("message_thread_id")
    if not (thread_id == GENERAL_TOPIC and chat.wire.get("is_forum")):
        chat.check_thread(thread_id)
    action: str = request.params["action"]
    if action not in ACTIONS:
        raise bad_request("wrong parameter action in request")
    detail: Json = {"action": action, "message_thread_id": thread_id}
    request.state.emit(Event(EventKind.CHAT_ACTION, request.bot.token, chat.chat_id, detail=detail))
    return True


def get_file(request: Request) -> Json:
    stored = request.state.files.get(request.params["file_id"])
    if stored is None:
        raise bad_request("invalid file_id")
    size = len(stored.upload.content)
    if size > DOWNLOAD_LIMIT:
        raise bad_request("file is too big")
    return {
        "file_id": stored.file_id,
        "file_unique_id": stored.unique_id,
        "file_size": size,
        "file_path": stored.path,
    }


def set_my_commands(request: Request) -> bool:
    commands: list[Json] = request.params["commands"]
    if len(commands) > MAX_COMMANDS:
        raise bad_request("BOT_COMMANDS_TOO_MUCH")
    for command in commands:
        if not _COMMAND.fullmatch(command["command"].removeprefix("/")):
            raise bad_request("BOT_COMMAND_INVALID")
        if not 1 <= len(command["description"]) <= 256:
            raise bad_request("BOT_COMMAND_DESCRIPTION_INVALID")
    request.bot.commands = commands
    return True
