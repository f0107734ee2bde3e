"""Where the feed stands, as its cursors hold it: in the account as a whole, and in each chat.

Each value is written in the transaction that stores what it stands for. What is still to be read of a chat is a hole:
a range of message ids that is read downwards, page by page, while news go on above it.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class AccountStanding:
    """The common box: people, basic groups, and what Telegram tells of the account."""

    user_id: int
    pts: int
    qts: int
    date: int
    unlisted: bool = False
    """The conversations have to be gone through before the next difference: messages may be missing in them."""
    moved: Mapping[int, int] = field(default_factory=dict[int, int])
    """Supergroups by id, and the basic group each one was: only those that a setting names by the old id."""

    @classmethod
    def parse(cls, text: str | None) -> Self | None:
        """What a cursor holds; None where there is none yet."""
        if not text:
            return None
        held: dict[str, Any] = json.loads(text)
        moved = {int(new): old for new, old in held.pop("moved", {}).items()}
        return cls(**held, moved=moved)

    def __str__(self) -> str:
        return json.dumps(asdict(self), separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Hole:
    """Messages that are still to be read: those between two ids, `left` at most (None: all of them)."""

    after: int
    before: int
    left: int | None = None


@dataclass(frozen=True, slots=True)
class ChatStanding:
    """One chat: how Telegram is asked for it, a channel's own `pts`, and what is still to be read."""

    access_hash: int = 0
    names: tuple[str, ...] = ()
    pts: int = 0
    """0: not a channel, or not known."""
    holes: tuple[Hole, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Self:
        """What a chat's cursor holds; an empty one stands nowhere."""
        if not text:
            return cls()
        held: dict[str, Any] = json.loads(text)
        return cls(
            held.get("hash", 0),
            tuple(held.get("names", ())),
            held.get("pts", 0),
            tuple(Hole(*hole) for hole in held.get("holes", ())),
        )

    def __str__(self) -> str:
        holes = [[hole.after, hole.before, hole.left] for hole in self.holes]
        held = {"hash": self.access_hash, "names": self.names, "pts": self.pts, "holes": holes}
        return json.dumps({name: value for name, value in held.items() if value}, separators=(",", ":"))
