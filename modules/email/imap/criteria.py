"""What is looked for, as SEARCH takes it."""

from modules.email.imap.methods import SearchArgs
from modules.email.imap.syntax import Piece, search_date


def search_criteria(args: SearchArgs) -> list[Piece]:
    """SEARCH keys for what is wanted; all mails when nothing is."""
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
    return keys or ["ALL"]


def plain_part(args: SearchArgs) -> SearchArgs:
    """The same without what is not ASCII."""
    return args.model_copy(
        update={
            "words": tuple(word for word in args.words if word.isascii()),
            "sender": args.sender if args.sender.isascii() else "",
            "subject": args.subject if args.subject.isascii() else "",
        }
    )
