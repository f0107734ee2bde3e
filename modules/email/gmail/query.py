"""A search as Gmail's own search line takes it."""

from datetime import date, datetime, time
from zoneinfo import ZoneInfo

from modules.email.args import SearchMailArgs
from modules.email.views import plain_sender


def query_of(args: SearchMailArgs, zone: ZoneInfo) -> str:
    """The line. Days are those of the person's zone."""
    terms = [quoted(word) for word in args.words.split()]
    if sender := plain_sender(args):
        terms.append(f"from:{quoted(sender)}")
    if args.subject:
        terms.append(f"subject:{quoted(args.subject)}")
    for name, day in (("after", args.since), ("before", args.before)):
        if day is not None:
            terms.append(f"{name}:{midnight(day, zone)}")
    if args.unread:
        terms.append("is:unread")
    # What came in, archived or not; what the person wrote is not in an inbox, unless to themselves.
    return " ".join([*terms, "{in:inbox -in:sent}", "-in:drafts"])


def midnight(day: date, zone: ZoneInfo) -> int:
    """When a day begins in the person's zone, in seconds since 1970."""
    # A bare date would be a day on the Pacific coast.
    return int(datetime.combine(day, time(), zone).timestamp())


def quoted(text: str) -> str:
    """A text as one term: nothing in it is read as an operator."""
    return '"' + text.replace('"', " ").strip() + '"'
