"""Builds Gmail search queries for the search tools."""

from datetime import date, datetime, time
from zoneinfo import ZoneInfo

from modules.email.args import SearchMailArgs
from modules.email.views import plain_sender


def query_of(args: SearchMailArgs, zone: ZoneInfo) -> str:
    """Return the query. Days are in the owner's time zone."""
    terms = [quoted(word) for word in args.words.split()]
    if sender := plain_sender(args):
        terms.append(f"from:{quoted(sender)}")
    if args.subject:
        terms.append(f"subject:{quoted(args.subject)}")
    for name, day in (("after", args.since), ("before", args.before)):
        if day is not None:
            terms.append(f"{name}:{midnight(day, zone)}")
    kinds = (args.unread, "is:unread"), (args.starred, "is:starred"), (args.important, "is:important")
    terms += [term for wanted, term in (*kinds, (args.attachment, "has:attachment")) if wanted]
    # Received mails, archived or not; the owner's own are in the inbox only if sent to themselves.
    return " ".join([*terms, "{in:inbox -in:sent}", "-in:drafts"])


def midnight(day: date, zone: ZoneInfo) -> int:
    """Return when a day begins in the owner's time zone, in seconds since 1970."""
    # Gmail reads a bare date as a day in Pacific time.
    return int(datetime.combine(day, time(), zone).timestamp())


def quoted(text: str) -> str:
    """Return a text as one term without operators."""
    return '"' + text.replace('"', " ").strip() + '"'
