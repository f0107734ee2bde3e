"""The feed's position as its cursors store it: that of the whole account, and that of each chat.

Each value is written in the transaction that stores the messages it covers. The part of a chat that is still to be read
is a hole: a range of message ids that is read downwards, page by page, while news arrive above it.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class AccountPosition:
    """The position in the common box: private chats, basic groups, and updates about the account."""

    user_id: int
    pts: int
    qts: int
    date: int
    unlisted: bool = False
    """The dialogs have to be listed before the next difference: messages of them may be missing."""
    moved: Mapping[int, int] = field(default_factory=dict[int, int])
    """Supergroup ids to former basic group ids, only for those that a setting names by the old id."""

    @classmethod
    def parse(cls, text: str | None) -> Self | None:
        """Parse a cursor; return None if it is empty."""
        if not text:
            return None
        held: dict[str, Any] = json.loads(text)
        moved = {int(new): old for new, old in held.pop("moved", {}).items()}
        return cls(**held, moved=moved)

    def __str__(self) -> str:
        return json.dumps(asdict(self), separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class MessageGap:
    """Messages still to be read: those between two ids, `left` at most (None: all of them)."""

    after: int
    before: int
    left: int | None = None


@dataclass(frozen=True, slots=True)
class ChatPosition:
    """The position in one chat: its access hash, a channel's own `pts`, and the holes still to be read."""

    access_hash: int = 0
    names: tuple[str, ...] = ()
    pts: int = 0
    """0: not a channel, or not known."""
    holes: tuple[MessageGap, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a chat's cursor; an empty one gives no position."""
        if not text:
            return cls()
        held: dict[str, Any] = json.loads(text)
        return cls(
            held.get("hash", 0),
            tuple(held.get("names", ())),
            held.get("pts", 0),
            tuple(MessageGap(*hole) for hole in held.get("holes", ())),
        )

    def __str__(self) -> str:
        holes = [[hole.after, hole.before, hole.left] for hole in self.holes]
        held = {"hash": self.access_hash, "names": self.names, "pts": self.pts, "holes": holes}
        return json.dumps({name: value for name, value in held.items() if value}, separators=(",", ":"))
