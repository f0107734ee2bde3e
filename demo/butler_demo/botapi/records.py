"""The records of the stand-in: who there is, what was called, what happened. Frozen where history is told."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

Json = dict[str, Any]
Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that came with a request or that a person sent."""

    filename: str
    content: bytes
    content_type: str


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file as `getFile` knows it; `path` is what the download address ends with."""

    file_id: str
    unique_id: str
    path: str
    upload: Upload


@dataclass(frozen=True, slots=True)
class Person:
    user_id: int
    first_name: str
    username: str | None = None
    language_code: str = "en"

    def as_user(self) -> Json:
        user: Json = {"id": self.user_id, "is_bot": False, "first_name": self.first_name}
        if self.username:
            user["username"] = self.username
        user["language_code"] = self.language_code
        return user


@dataclass(slots=True)
class Call:
    """One request for a method: `error` is the description of a refusal, None after an answer."""

    token: str
    method: str
    params: Json
    at: float
    error: str | None = None


@dataclass(slots=True)
class Callback:
    """A press of a button and, once the bot has answered it, what the person saw."""

    query_id: str
    token: str
    user_id: int
    chat_id: int
    message_id: int
    data: str
    at: float
    answered_at: float | None = None
    text: str | None = None
    show_alert: bool = False


class EventKind(StrEnum):
    MESSAGE_NEW = "message_new"
    MESSAGE_EDITED = "message_edited"
    MESSAGE_DELETED = "message_deleted"
    CALLBACK_ANSWERED = "callback_answered"
    CHAT_ACTION = "chat_action"


@dataclass(frozen=True, slots=True)
class Event:
    """What a watcher of a chat sees: `message` for message events, `callback` for an answered press."""

    kind: EventKind
    token: str
    chat_id: int
    message: Json | None = None
    callback: Callback | None = None
    detail: Json = field(default_factory=dict[str, Any])
