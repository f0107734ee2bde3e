"""Builds the SEARCH keys of the search tools."""

from modules.email.imap.methods import SearchArgs
from modules.email.imap.syntax import Piece, search_date


def search_criteria(args: SearchArgs) -> list[Piece]:
    """Return the SEARCH keys for the criteria; all mails match if there are none."""
    keys: list[Piece] = []
    for key, values in (("TEXT", args.words), ("FROM", (args.sender,)), ("SUBJECT", (args.subject,))):
        for value in filter(None, values):
            keys += [key, value.encode()]
    if args.message_id:
        keys += ["HEADER", "MESSAGE-ID", args.message_id.encode()]
    for key, day in (("SINCE", args.since), ("BEFORE", args.before)):
        if day is not None:
            keys += [key, search_date(day)]
    if args.unread:
        keys.append("UNSEEN")
    if args.flagged:
        keys.append("FLAGGED")
    if args.attachment:
        keys += ["HEADER", "CONTENT-TYPE", b"multipart/mixed"]
    return keys or ["ALL"]


def plain_part(args: SearchArgs) -> SearchArgs:
    """Return the criteria without their non-ASCII values."""
    return args.model_copy(
        update={
            "words": tuple(word for word in args.words if word.isascii()),
            "sender": args.sender if args.sender.isascii() else "",
            "subject": args.subject if args.subject.isascii() else "",
        }
    )
