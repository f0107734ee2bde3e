"""Filters of mails for the tools that act on many; several conditions must all hold."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True, slots=True)
class Wanted:
    """The filters of a request. Every field narrows the mails; a default value means that it was not said."""

    senders: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    words: str = ""
    category: str = ""
    label: str = ""
    since: date | None = None
    before: date | None = None
    unread: bool | None = None
    attachment: bool | None = None
    larger_kb: int = 0
    inbox: bool = False
    account: str = ""

    def args(self) -> dict[str, Any]:
        """Return only the filters that were said, as arguments."""
        said = {
            **{name: getattr(self, name) for name in ("words", "category", "label", "larger_kb", "inbox", "account")},
            "senders": list(self.senders),
            "keep": list(self.keep),
            "since": self.since.isoformat() if self.since else "",
            "before": self.before.isoformat() if self.before else "",
        }
        either = {"unread": self.unread, "attachment": self.attachment}
        found = {name: value for name, value in said.items() if value}
        return found | {name: value for name, value in either.items() if value is not None}

    @classmethod
    def of(cls, args: Mapping[str, Any]) -> "Wanted":
        """Return the filters in a tool's arguments, as far as they fit here."""
        return cls(
            senders=tuple(args.get("senders") or ()),
            keep=tuple(args.get("keep") or ()),
            words=args.get("words") or "",
            category=args.get("category") or "",
            label=args.get("label") or "",
            since=_day(args.get("since")),
            before=_day(args.get("before")),
            unread=args.get("unread"),
            attachment=args.get("attachment"),
            larger_kb=args.get("larger_kb") or 0,
            inbox=bool(args.get("inbox")),
            account=args.get("account") or "",
        )

    def says_which(self) -> bool:
        """Return whether the filters select mails; a whole mailbox, or excluded senders alone, do not."""
        return replace(self, keep=(), inbox=False, account="") != Wanted()


EMPTY: Mapping[str, Any] = MappingProxyType(
    {"senders": [], "keep": [], "larger_kb": 0, "inbox": False, **dict.fromkeys(("words", "label", "account"), "")}
)
"""The neutral values of arguments; all others are null."""


def changes(before: Wanted, after: Wanted) -> dict[str, Any]:
    """Return the arguments that differ, with their new values."""
    old, new = before.args(), after.args()
    names = dict.fromkeys((*old, *new))
    return {name: new.get(name, EMPTY.get(name)) for name in names if old.get(name) != new.get(name)}


def _day(said: str | None) -> date | None:
    return date.fromisoformat(said) if said else None
