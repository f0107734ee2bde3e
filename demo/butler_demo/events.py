"""What happens in the demo's world, as one stream of frozen records that the page and the script player read."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar, TypeAlias


class Box(StrEnum):
    """Whose mailbox."""

    YOURS = "yours"
    BUTLER = "butler"


class Door(StrEnum):
    """The protocol by which the daemon called."""

    BOT_API = "Bot API"
    MTPROTO = "MTProto"
    GMAIL = "Gmail"
    DRIVE = "Drive"
    CALENDAR = "Calendar"
    TRELLO = "Trello"
    LIVEKIT = "LiveKit"
    PROMETHEUS = "Prometheus"
    LOKI = "Loki"
    SMTP = "SMTP"
    IMAP = "IMAP"


_POLLED = frozenset({"IDLE", "SEARCH", "EXISTS"})


class DaemonState(StrEnum):
    """What the daemon's process is doing."""

    STARTING = "starting"
    RUNNING = "running"
    KILLED = "killed"
    STOPPED = "stopped"
    ENDED = "ended"
    """By itself, which it never should."""


@dataclass(frozen=True, slots=True)
class Button:
    """An inline button; without `data` it is a link or the like."""

    label: str
    data: str | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True)
class ChatChanged:
    """A message in a chat with the bot, new or as it stands after an edit."""

    kind: ClassVar[str] = "chat"
    chat_id: int
    message_id: int
    by_bot: bool
    text: str
    entities: tuple[dict[str, Any], ...]
    buttons: tuple[tuple[Button, ...], ...]
    at: datetime
    edited: bool
    reply_to: int | None
    reply_text: str
    file: str
    file_size: int
    is_new: bool
    picture: str = ""
    """The id of the file that a photo shows."""


@dataclass(frozen=True, slots=True)
class ChatDeleted:
    kind: ClassVar[str] = "chat_deleted"
    chat_id: int
    message_id: int


@dataclass(frozen=True, slots=True)
class Typing:
    kind: ClassVar[str] = "typing"
    chat_id: int


@dataclass(frozen=True, slots=True)
class Toasted:
    """The bot's answer to a press of a button, as the person sees it; the text may be empty."""

    kind: ClassVar[str] = "toast"
    user_id: int
    message_id: int
    text: str
    alert: bool


@dataclass(frozen=True, slots=True)
class TelegramChanged:
    """A message in the person's own Telegram account. `seeded` ones were there before the daemon."""

    kind: ClassVar[str] = "telegram"
    message_id: int
    peer_id: int
    peer: str
    text: str
    outgoing: bool
    at: datetime
    deleted: bool
    seeded: bool


@dataclass(frozen=True, slots=True)
class MailChanged:
    """A mail in the person's or the butler's mailbox, as it stands now."""

    kind: ClassVar[str] = "mail"
    box: Box
    folder: str
    mail_id: str
    sender: str
    recipients: str
    subject: str
    text: str
    attachments: tuple[str, ...]
    at: datetime
    unread: bool
    gone: bool


@dataclass(frozen=True, slots=True)
class Called:
    """One call over one of the protocols, with short arguments and without secrets."""

    kind: ClassVar[str] = "called"
    at: datetime
    door: Door
    call: str
    detail: str = ""
    error: str = ""

    @property
    def polls(self) -> bool:
        """Whether it only looks for news, again and again."""
        return not self.error and (self.call == "getUpdates" or (self.door is Door.IMAP and self.call in _POLLED))


@dataclass(frozen=True, slots=True)
class DaemonChanged:
    kind: ClassVar[str] = "daemon"
    state: DaemonState
    pid: int | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ClockTurned:
    """`ahead_s`: by how many seconds the demo's clock is ahead of real time."""

    kind: ClassVar[str] = "clock"
    ahead_s: float


Event: TypeAlias = (
    ChatChanged | ChatDeleted | Typing | Toasted | TelegramChanged | MailChanged | Called | DaemonChanged | ClockTurned
)

_KEPT_CALLS = 400
_NEAR = 8


class Stream:
    """Publishes events to whoever listens. Remembers the newest calls and the daemon's state for latecomers."""

    def __init__(self) -> None:
        self.calls: deque[Called] = deque(maxlen=_KEPT_CALLS)
        self.daemon = DaemonChanged(DaemonState.STOPPED)
        self._listeners: list[Callable[[Event], None]] = []

    def publish(self, event: Event) -> None:
        """Tell every listener, in this call."""
        if isinstance(event, Called):
            self._keep(event)
        elif isinstance(event, DaemonChanged):
            self.daemon = event
        for listener in tuple(self._listeners):
            listener(event)

    def _keep(self, call: Called) -> None:
        """Keep a call. One that polls takes the place of its like: they would push all others out."""
        if call.polls:
            near = list(self.calls)[-_NEAR:]
            for old in (old for old in near if replace(old, at=call.at) == call):
                self.calls.remove(old)
        self.calls.append(call)

    def subscribe(self, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Call `listener` on each event; the function returned ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)
