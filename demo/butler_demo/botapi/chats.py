"""Bots and their chats: who may be written to, what stands in a chat, which message ids come next."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field

from .errors import bad_request
from .feed import UpdateFeed
from .records import Json

GENERAL_TOPIC = 1
SUPERGROUP_OFFSET = 1_000_000_000_000


@dataclass(slots=True)
class Chat:
    """A chat as one bot sees it (private) or as all do (groups). Messages are replaced, never changed."""

    wire: Json
    message_ids: Iterator[int]
    messages: dict[int, Json] = field(default_factory=dict[int, Json])
    topics: dict[int, Json] = field(default_factory=dict[int, Json])
    started: bool = True
    blocked: bool = False
    migrated_to: int | None = None

    @property
    def chat_id(self) -> int:
        return self.wire["id"]

    @property
    def is_private(self) -> bool:
        return self.wire["type"] == "private"

    def check_thread(self, thread_id: int | None) -> None:
        """Raise ApiError unless a bot may send to the topic; General takes no thread id."""
        if thread_id is not None and thread_id not in self.topics:
            raise bad_request("message thread not found")

    def in_topic(self, thread_id: int | None, message: Json) -> Json:
        """The message with what marks it as one of a topic, as in Telegram hanging on the topic's first message."""
        if thread_id is None:
            return message
        marked = {**message, "message_thread_id": thread_id, "is_topic_message": True}
        if thread_id in self.topics:
            marked.setdefault("reply_to_message", self.topics[thread_id])
        return marked


def group_chat(chat_id: int, title: str) -> Chat:
    return Chat({"id": chat_id, "type": "group", "title": title}, itertools.count(1))


def supergroup_chat(chat_id: int, title: str, *, username: str | None = None, is_forum: bool = False) -> Chat:
    wire: Json = {"id": chat_id, "type": "supergroup", "title": title}
    if username:
        wire["username"] = username
    if is_forum:
        wire["is_forum"] = True
    return Chat(wire, itertools.count(2))


@dataclass(slots=True)
class Bot:
    """One token with everything only that bot sees."""

    token: str
    username: str
    name: str
    feed: UpdateFeed
    private: dict[int, Chat] = field(default_factory=dict[int, Chat])
    message_ids: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    commands: list[Json] = field(default_factory=list[Json])
    webhook: Json = field(default_factory=dict[str, object])
    webhook_secret: str = ""
    webhook_failure: Json = field(default_factory=dict[str, object])
    """When a delivery failed last, and why."""

    @property
    def bot_id(self) -> int:
        return int(self.token.partition(":")[0])

    def as_user(self) -> Json:
        return {"id": self.bot_id, "is_bot": True, "first_name": self.name, "username": self.username}
