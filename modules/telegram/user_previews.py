"""What a card shows of a call of the person's own account."""

from datetime import datetime

from butler.contract.tools import Preview
from modules.telegram.user_args import (
    DeleteArgs,
    EditArgs,
    GetUpdatesArgs,
    HistoryArgs,
    ListDialogsArgs,
    ReadMessageArgs,
    ReplyArgs,
    SendArgs,
)
from modules.telegram.user_files import as_photos
from modules.telegram.user_place import number_of

Facts = tuple[tuple[str, str], ...]


def preview_dialogs(args: ListDialogsArgs) -> Preview:
    """A look at the list of conversations as a card shows it."""
    what = "unread conversation" if args.unread else "conversation"
    muted = ", muted ones too" if args.muted else ""
    effect = f"Lists {_newest(args.limit, what)} of your Telegram account{muted}"
    return Preview(effect=effect, told=("limit", "unread", "muted"))


def preview_updates(args: GetUpdatesArgs) -> Preview:
    """A look at what others wrote as a card shows it."""
    muted = ", in muted conversations too" if args.muted else ""
    what = "unread message" if args.unread else "message"
    effect = f"Reads {_newest(args.limit, what)} that others wrote to you on Telegram{muted}"
    return Preview(effect=effect, facts=_since(args.since), told=("limit", "unread", "muted", "since"))


def preview_history(args: HistoryArgs) -> Preview:
    """A look into a conversation as a card shows it."""
    named = f"your Telegram conversation that you call “{args.called.strip()}”"
    where = "one of your Telegram conversations" if args.chat else named
    what = "unread message" if args.unread else "message"
    told = (("Conversation", args.chat), ("Words", args.words))
    facts = (*((label, value) for label, value in told if value), *_since(args.since))
    effect = f"Reads {_newest(args.limit, what)} of {where}"
    return Preview(effect=effect, facts=facts, told=("chat", "called", "limit", "unread", "since"))


def preview_read(args: ReadMessageArgs) -> Preview:
    """A look at one message as a card shows it."""
    effect = "Reads one message of a Telegram conversation of yours, and fetches its files"
    facts = (("Conversation", args.chat), ("Message", str(number_of(args.message_id))))
    return Preview(effect=effect, facts=facts, told=("message_id",))


def preview_send(args: SendArgs) -> Preview:
    """A message as a card shows it."""
    return Preview(
        effect="Sends a Telegram message as you",
        recipients=(args.to,),
        body=args.text,
        attachments=args.attachments,
        facts=_form(args),
    )


def preview_reply(args: ReplyArgs) -> Preview:
    """An answer as a card shows it."""
    topic = f" in topic {args.topic}" if args.topic else ""
    answers = f"“{args.answers}”{topic}" if args.answers else f"message {number_of(args.message_id)}{topic}"
    return Preview(
        effect="Answers a Telegram message as you",
        recipients=(args.to,),
        body=args.text,
        attachments=args.attachments,
        facts=(("Answers", answers), *_form(args)),
        told=("message_id", "topic", "answers"),
    )


def preview_edit(args: EditArgs) -> Preview:
    """A change as a card shows it."""
    return Preview(
        effect="Changes a Telegram message of yours",
        recipients=(args.to,),
        body=args.text,
        facts=(("It says now", args.was) if args.was else ("Message", str(number_of(args.message_id))),),
        told=("message_id",),
    )


def preview_delete(args: DeleteArgs) -> Preview:
    """A deletion as a card shows it."""
    count = len(args.message_ids)
    what = "a Telegram message of yours" if count == 1 else f"{count} Telegram messages of yours"
    said = ("It says" if count == 1 else "They say", args.was)
    numbers = ", ".join(str(number_of(message_id)) for message_id in args.message_ids)
    return Preview(
        effect=f"Deletes {what} for everybody",
        recipients=(args.to,),
        facts=(said if args.was else ("Message" if count == 1 else "Messages", numbers),),
        told=("message_ids",),
    )


def _newest(count: int, what: str) -> str:
    return f"the newest {what}" if count == 1 else f"the newest {count} {what}s"


def _since(since: datetime | None) -> Facts:
    return () if since is None else (("Since", since.isoformat(sep=" ", timespec="minutes")),)


def _form(args: SendArgs) -> Facts:
    if not as_photos(args.attachments):
        return ()
    one = len(args.attachments) == 1
    return (("Sent as", "a photo, which Telegram makes smaller" if one else "photos, which Telegram makes smaller"),)
