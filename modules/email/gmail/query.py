"""Builds Gmail search queries for the search tools."""

from collections.abc import Mapping
from datetime import date, datetime, time
from zoneinfo import ZoneInfo

from modules.email.args import SearchMailArgs
from modules.email.places import MailPlace
from modules.email.views import plain_sender

RECEIVED = "{in:inbox -in:sent} -in:drafts"
"""Received mails, archived or not; the owner's own are in the inbox only if sent to themselves."""
WHERE: Mapping[MailPlace, str] = {
    MailPlace.INBOX: "in:inbox -in:drafts",
    MailPlace.ARCHIVE: "-in:inbox -in:sent -in:drafts",
    MailPlace.SENT: "in:sent",
    MailPlace.DRAFTS: "in:drafts",
    MailPlace.SPAM: "in:spam",
    MailPlace.TRASH: "in:trash",
}


def query_of(args: SearchMailArgs, zone: ZoneInfo, place: MailPlace | None = None) -> str:
    """Return the query. Days are in the owner's time zone; without a `place`, received mails are meant."""
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
    return " ".join([*terms, RECEIVED if place is None else WHERE[place]])


def midnight(day: date, zone: ZoneInfo) -> int:
    """Return when a day begins in the owner's time zone, in seconds since 1970."""
    # Gmail reads a bare date as a day in Pacific time.
    return int(datetime.combine(day, time(), zone).timestamp())


def quoted(text: str) -> str:
    """Return a text as one term without operators."""
    return '"' + text.replace('"', " ").strip() + '"'
