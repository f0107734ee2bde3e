"""The owner's side in the tests of approvals: a manual clock, the owner's identity, and their phone."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from butler.contract.card import Button, Card, MessageRef, OwnerMessage
from butler.contract.errors import ChatClosedError, Retryable
from tests.approvals.second_channel import Killed
from tests.support.ticking import Ticking

NOON = datetime(2026, 3, 5, 12, 0, tzinfo=UTC)
OWNER = "telegram:42"


class TestClock(Ticking):
    """Stands still until it is turned; waiting turns it."""

    __test__ = False

    def __init__(self) -> None:
        self.time = NOON
        self.waits: list[timedelta] = []

    def now(self) -> datetime:
        return self.time

    async def sleep_until(self, when: datetime) -> None:
        self.waits.append(when - self.time)
        self.time = max(self.time, when)

    def turn(self, **by: float) -> None:
        self.time += timedelta(**by)


@dataclass
class Owner:
    telegram_user_id: int | None = 42
    emails: frozenset[str] = frozenset({"me@home.example"})


@dataclass
class Channel:
    """The owner's phone: every message with its current card."""

    home_chat: str | None = OWNER
    cards: dict[str, Card] = field(default_factory=dict)
    replies: dict[str, str | None] = field(default_factory=dict)
    answers: list[tuple[str, str, bool]] = field(default_factory=list)
    redrawn: dict[str, OwnerMessage] = field(default_factory=dict)
    """The current text messages by id."""
    edits: int = 0
    deleted: list[str] = field(default_factory=list)
    offline: bool = False
    may_not_delete: bool = False
    closed: bool = False
    """Whether the owner has blocked the butler."""
    die: str = ""
    """Whether the process dies `before` or `after` the next card is sent."""

    def home(self) -> str | None:
        return self.home_chat

    async def say(self, chat: str, message: OwnerMessage) -> MessageRef:
        raise NotImplementedError

    async def show(self, chat: str, card: Card, reply_to: str | None = None) -> MessageRef:
        self._reach()
        if self.closed:
            raise ChatClosedError("blocked")
        if self.die == "before":
            raise Killed
        message_id = str(100 + len(self.cards) + len(self.deleted))  # never reused
        self.cards[message_id] = card
        self.replies[message_id] = reply_to
        if self.die == "after":
            raise Killed
        return MessageRef(chat=chat, message_ids=(message_id,))

    async def edit(self, ref: MessageRef, card: Card) -> None:
        self._reach()
        if self.closed:
            raise ChatClosedError("blocked")
        self.edits += 1
        for message_id in ref.message_ids:
            self.cards[message_id] = card

    async def redraw(self, ref: MessageRef, message: OwnerMessage) -> None:
        self._reach()
        if self.closed:
            raise ChatClosedError("blocked")
        for message_id in ref.message_ids:
            self.redrawn[message_id] = message

    def pages(self, card: Card) -> int:
        return 1 + len(card.body) // 3000 + len(card.attachments)

    async def delete(self, ref: MessageRef) -> bool:
        self._reach()
        for message_id in ref.message_ids:
            self.deleted.append(message_id)
            self.cards.pop(message_id, None)
        return not self.may_not_delete

    async def answer(self, query: str, text: str = "", *, alert: bool = False) -> None:
        self._reach()
        self.answers.append((query, text, alert))

    async def typing(self, chat: str) -> None:
        raise NotImplementedError

    async def commands(self, commands: Sequence[tuple[str, str]]) -> None:
        raise NotImplementedError

    def _reach(self) -> None:
        if self.offline:
            raise Retryable("offline")

    @property
    def newest(self) -> Card:
        return list(self.cards.values())[-1]

    def button(self, label: str, card: Card | None = None) -> Button:
        lines = (card or self.newest).buttons
        return next(button for line in lines for button in line if button.label == label)
