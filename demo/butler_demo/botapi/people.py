"""The people's side: what a person does with the Telegram app in hand, as typed Python calls."""

import mimetypes
import secrets
from collections.abc import Callable, Sequence
from typing import Literal, TypeVar

from .chats import GENERAL_TOPIC, Bot, Chat
from .content import document, photo, voice
from .errors import ApiError, PersonError
from .groups import Groups
from .markup import CALLBACK_DATA_BYTES
from .records import Callback, Json, Person, Upload
from .state import without_reply
from .text import TEXT_LIMIT, RichText, parse_text, utf16_length

T = TypeVar("T")
FileKind = Literal["document", "photo", "voice"]


class People(Groups):
    """What people do. Each call returns what Telegram made of it; PersonError says what cannot be done."""

    def add_person(self, user_id: int, first_name: str, username: str | None = None, language_code: str = "en") -> None:
        """Make somebody known; a bot may write to them once they have said something to it."""
        self.state.people[user_id] = Person(user_id, first_name, username, language_code)

    def say(
        self,
        token: str,
        user_id: int,
        text: str,
        *,
        chat_id: int | None = None,
        reply_to: int | None = None,
        entities: Sequence[Json] | None = None,
        thread_id: int | None = None,
    ) -> Json:
        """A person's text, in the private chat with the bot or in a group. Returns the message."""
        bot, chat = self._place(token, user_id, chat_id, thread_id)
        content = _text_content(text, entities) | _reply_content(chat, reply_to)
        return self._post(bot, chat, user_id, content, thread_id)

    def send_file(
        self,
        token: str,
        user_id: int,
        filename: str,
        content: bytes,
        *,
        kind: FileKind = "document",
        content_type: str | None = None,
        caption: str = "",
        seconds: int = 1,
        chat_id: int | None = None,
        reply_to: int | None = None,
        thread_id: int | None = None,
        album: str = "",
    ) -> Json:
        """A person's document, photo or voice message (`seconds` long), one of an `album`. Returns the message."""
        bot, chat = self._place(token, user_id, chat_id, thread_id)
        guessed = content_type or mimetypes.guess_type(filename)[0] or "application/octet-stream"
        upload = Upload(filename, content, guessed)
        match kind:
            case "document":
                body = document(self.state, upload)
            case "photo":
                body = _as_person(lambda: photo(self.state, upload))
            case "voice":
                body = voice(self.state, upload, seconds)
        if album:
            body["media_group_id"] = album
        rich = parse_text(caption, None)
        if rich.text:
            body["caption"] = rich.text
        if rich.entities:
            body["caption_entities"] = list(rich.entities)
        return self._post(bot, chat, user_id, body | _reply_content(chat, reply_to), thread_id)

    def delete(self, token: str, user_id: int, message_id: int, *, chat_id: int | None = None) -> None:
        """A person deletes a message, in the private chat any; Telegram tells the bot nothing."""
        bot, chat = self._place(token, user_id, chat_id, None)
        if message_id not in chat.messages:
            raise PersonError(f"there is no message {message_id} in this chat")
        self.state.remove(bot, chat, message_id)

    def press(self, token: str, user_id: int, message_id: int, data: str, chat_id: int | None = None) -> Callback:
        """A press of a button by anybody, also one that is no longer there or never was.

        Returns the record that will hold the bot's answer.
        """
        bot, person = self.state.known_bot(token), self.state.person(user_id)
        chat = self.state.known_chat(bot, chat_id or user_id)
        if not 1 <= len(data.encode()) <= CALLBACK_DATA_BYTES:
            raise PersonError("the data of a button has 1 to 64 bytes")
        inaccessible: Json = {"chat": chat.wire, "message_id": message_id, "date": 0}
        query_id = str(secrets.randbits(62))
        now = self.state.now()
        pressed = Callback(query_id, token, user_id, chat.chat_id, message_id, data, now)
        self.state.callbacks[query_id] = pressed
        query: Json = {
            "id": query_id,
            "from": person.as_user(),
            "message": chat.messages.get(message_id, inaccessible),
            "chat_instance": str(chat.chat_id * 31 + bot.bot_id),
            "data": data,
        }
        self.state.issue(bot, "callback_query", query)
        return pressed

    def block(self, user_id: int) -> None:
        """A person blocks all bots they talk to; sending to them is refused from now on."""
        self._set_blocked(user_id, blocked=True)

    def unblock(self, user_id: int) -> None:
        self._set_blocked(user_id, blocked=False)

    def _set_blocked(self, user_id: int, *, blocked: bool) -> None:
        person = self.state.person(user_id)
        for bot in self.state.bots.values():
            chat = bot.private.get(user_id)
            if chat is None or chat.blocked == blocked:
                continue
            chat.blocked = blocked
            member: Json = {"status": "member", "user": bot.as_user()}
            banned: Json = {"status": "kicked", "user": bot.as_user(), "until_date": 0}
            change: Json = {
                "chat": chat.wire,
                "from": person.as_user(),
                "date": int(self.state.now()),
                "old_chat_member": member if blocked else banned,
                "new_chat_member": banned if blocked else member,
            }
            self.state.issue(bot, "my_chat_member", change)

    def _place(self, token: str, user_id: int, chat_id: int | None, thread_id: int | None) -> tuple[Bot, Chat]:
        """Where the person acts; saying something in private starts the chat."""
        bot, person = self.state.known_bot(token), self.state.person(user_id)
        if chat_id is None or chat_id == user_id:
            chat = self.state.private_chat(bot, person)
            chat.started = True
        elif chat_id in self.state.groups:
            chat = self.state.groups[chat_id]
        else:
            raise PersonError(f"there is no group {chat_id}: call add_group or add_supergroup first")
        if chat.migrated_to is not None:
            raise PersonError(f"the group {chat_id} was upgraded to {chat.migrated_to}")
        general = thread_id == GENERAL_TOPIC and chat.wire.get("is_forum")
        if thread_id is not None and thread_id not in chat.topics and not general:
            raise PersonError(f"the chat has no topic {thread_id}: call add_topic first")
        return bot, chat

    def _post(self, bot: Bot, chat: Chat, user_id: int, content: Json, thread_id: int | None) -> Json:
        person = self.state.person(user_id)
        message = self.state.post(bot, chat, {"from": person.as_user(), **content}, thread_id)
        self.state.issue(bot, "message", message)
        return message


def _text_content(text: str, entities: Sequence[Json] | None) -> Json:
    rich = _as_person(lambda: parse_text(text, entities))
    length = utf16_length(rich.text)
    if not length:
        raise PersonError("a message needs some text")
    if length > TEXT_LIMIT:
        over = length - TEXT_LIMIT
        raise PersonError(
            f"this message has {length:,} characters and Telegram sends at most {TEXT_LIMIT:,}: take out {over:,}, "
            "or send it as a file"
        )
    return _with_entities(rich)


def _with_entities(rich: RichText) -> Json:
    return {"text": rich.text, "entities": list(rich.entities)} if rich.entities else {"text": rich.text}


def _as_person(act: Callable[[], T]) -> T:
    """What the API would refuse is what a person's app would not let them do."""
    try:
        return act()
    except ApiError as refused:
        raise PersonError(refused.description) from refused


def _reply_content(chat: Chat, reply_to: int | None) -> Json:
    if reply_to is None:
        return {}
    if reply_to not in chat.messages:
        raise PersonError(f"there is no message {reply_to} to reply to in this chat")
    return {"reply_to_message": without_reply(chat.messages[reply_to])}
