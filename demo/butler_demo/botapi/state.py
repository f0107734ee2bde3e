"""Everything the stand-in remembers, and the few ways in which it changes."""

import itertools
import json
import re
import secrets
from collections import deque
from collections.abc import Callable

from .changes import Changes
from .chats import Bot, Chat
from .description import published_description
from .errors import ApiError, PersonError, bad_request, forbidden
from .feed import QueuedUpdate, UpdateFeed
from .records import Call, Callback, Clock, Event, EventKind, Json, Person, StoredFile, Upload

LOG_SIZE = 20_000
_TOKEN = re.compile(r"\d+:[\w-]+")


def to_wire(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


class State:
    """The rows of the stand-in. Lookups for the API raise ApiError, lookups for a person PersonError."""

    def __init__(self, now: Clock, *, validate: bool) -> None:
        self.now = now
        self.validate = validate
        self.description = published_description()
        self.bots: dict[str, Bot] = {}
        self.people: dict[int, Person] = {}
        self.groups: dict[int, Chat] = {}
        self.files: dict[str, StoredFile] = {}
        self.callbacks: dict[str, Callback] = {}
        self.calls: deque[Call] = deque(maxlen=LOG_SIZE)
        self.changes = Changes()
        self.subscribers: list[Callable[[Event], None]] = []
        self._update_ids = itertools.count(700_000_001)

    def add_bot(self, token: str, username: str, name: str) -> None:
        if not _TOKEN.fullmatch(token):
            raise PersonError(f'a token is "<number>:<letters>", not "{token}"')
        self.bots[token] = Bot(token, username, name, UpdateFeed(self.now, self.changes))

    def bot(self, token: str) -> Bot:
        """The bot of a token of a request; raises ApiError 401, or 404 for what cannot be a token."""
        bot = self.bots.get(token)
        if bot is None:
            raise ApiError(401, "Unauthorized") if _TOKEN.fullmatch(token) else ApiError(404, "Not Found")
        return bot

    def known_bot(self, token: str) -> Bot:
        if token not in self.bots:
            raise PersonError("no bot has this token: call add_bot first")
        return self.bots[token]

    def person(self, user_id: int) -> Person:
        if user_id not in self.people:
            raise PersonError(f"nobody has the user id {user_id}: call add_person first")
        return self.people[user_id]

    def private_chat(self, bot: Bot, person: Person) -> Chat:
        """The chat of a bot and a person, made on first use; not started until the person says something."""
        chat = bot.private.get(person.user_id)
        if chat is None:
            wire: Json = {"id": person.user_id, "type": "private", "first_name": person.first_name}
            if person.username:
                wire["username"] = person.username
            chat = bot.private[person.user_id] = Chat(wire, bot.message_ids, started=False)
        return chat

    def known_chat(self, bot: Bot, chat_id: int) -> Chat:
        """A chat for whoever looks from outside."""
        return self.groups.get(chat_id) or self.private_chat(bot, self.person(chat_id))

    def chat(self, bot: Bot, chat_id: int | str) -> Chat:
        """A chat as a request names it; raises ApiError for one that the bot does not know or that moved."""
        found: Chat | None
        if isinstance(chat_id, str):
            names = (c for c in self.groups.values() if f"@{c.wire.get('username')}".lower() == chat_id.lower())
            found = next(names, None)
        elif chat_id in self.groups:
            found = self.groups[chat_id]
        elif chat_id in self.people:
            found = self.private_chat(bot, self.people[chat_id])
        else:
            found = None
        if found is None:
            raise bad_request("chat not found")
        if found.migrated_to is not None:
            raise bad_request("group chat was upgraded to a supergroup chat", {"migrate_to_chat_id": found.migrated_to})
        return found

    def writable_chat(self, bot: Bot, chat_id: int | str) -> Chat:
        """A chat that the bot may write to; raises ApiError."""
        chat = self.chat(bot, chat_id)
        if not chat.started:
            raise forbidden("bot can't initiate conversation with a user")
        if chat.blocked:
            raise forbidden("bot was blocked by the user")
        return chat

    def post(self, bot: Bot, chat: Chat, content: Json, thread_id: int | None = None) -> Json:
        """A new message in a chat; `content` holds everything but id, chat and date."""
        message: Json = {
            "message_id": next(chat.message_ids),
            "chat": chat.wire,
            "date": int(self.now()),
            **content,
        }
        message = chat.in_topic(thread_id, message)
        chat.messages[message["message_id"]] = message
        self.emit(Event(EventKind.MESSAGE_NEW, bot.token, chat.chat_id, message))
        return message

    def replace(self, bot: Bot, chat: Chat, message: Json) -> Json:
        """A message as it stands after an edit."""
        chat.messages[message["message_id"]] = message
        self.emit(Event(EventKind.MESSAGE_EDITED, bot.token, chat.chat_id, message))
        return message

    def remove(self, bot: Bot, chat: Chat, message_id: int) -> None:
        message = chat.messages.pop(message_id)
        self.emit(Event(EventKind.MESSAGE_DELETED, bot.token, chat.chat_id, message))

    def issue(self, bot: Bot, kind: str, payload: Json) -> None:
        """Queue an update for a bot, checked against the description."""
        if not bot.feed.wants(kind):
            return
        update: Json = {"update_id": next(self._update_ids), kind: payload}
        problem = self.description.check_update(update) if self.validate else None
        if problem is not None:
            raise PersonError(f"that would make an update that Telegram never sends: {problem}")
        bot.feed.push(QueuedUpdate(update["update_id"], self.now(), update, to_wire(update)))

    def store_file(self, upload: Upload, folder: str) -> StoredFile:
        unique_id = secrets.token_urlsafe(9)
        suffix = upload.filename.rpartition(".")[2] if "." in upload.filename else "dat"
        path = f"{folder}/file_{len(self.files)}.{suffix}"
        stored = StoredFile(f"BQACAgI{secrets.token_urlsafe(30)}", unique_id, path, upload)
        self.files[stored.file_id] = stored
        return stored

    def emit(self, event: Event) -> None:
        for subscriber in tuple(self.subscribers):
            subscriber(event)
        self.changes.touch()


def without_reply(message: Json) -> Json:
    """A message as it hangs in another's `reply_to_message`: one level deep."""
    return {key: value for key, value in message.items() if key != "reply_to_message"}
