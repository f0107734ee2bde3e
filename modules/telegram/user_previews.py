"""What cards show of calls through the owner's account."""

from butler.contract.mirror import ChatKind
from butler.contract.speech import say, say_many
from butler.contract.tools import ZONE, Preview
from modules.telegram.user_args import (
    DeleteArgs,
    EditArgs,
    FindGroupArgs,
    GetUpdatesArgs,
    HistoryArgs,
    ListDialogsArgs,
    MessageArgs,
    ReadMessageArgs,
    ReplyArgs,
    SendArgs,
)
from modules.telegram.user_files import as_photos
from modules.telegram.user_place import number_of

Facts = tuple[tuple[str, str], ...]


def preview_dialogs(args: ListDialogsArgs) -> Preview:
    """Return the preview of a listing of conversations."""
    return Preview(effect=_lists(args), told=("limit", "unread", "muted"))


def preview_updates(args: GetUpdatesArgs) -> Preview:
    """Return the preview of a reading of new messages."""
    return Preview(effect=_reads_news(args), facts=_since(args), told=("limit", "unread", "muted", "since", ZONE))


def preview_history(args: HistoryArgs) -> Preview:
    """Return the preview of a reading of a conversation."""
    items = ((say("Conversation"), args.chat), (say("Words"), args.words))
    facts = (*((label, value) for label, value in items if value), *_since(args))
    return Preview(effect=_reads(args), facts=facts, told=("chat", "called", "limit", "unread", "since", ZONE))


def preview_group(args: FindGroupArgs) -> Preview:
    """Return the preview of looking up a group."""
    if args.chat:
        return Preview(effect=say("Looks up one of your Telegram groups"), facts=((say("Group"), args.chat),))
    effect = say("Looks up your Telegram group that you call “{name}”", name=args.called[0].strip())
    return Preview(effect=effect, told=("called",))


def preview_read(args: ReadMessageArgs) -> Preview:
    """Return the preview of a reading of a message."""
    effect = say("Reads one message of a Telegram conversation of yours, and fetches its files")
    facts = ((say("Conversation"), args.chat), (say("Message"), str(number_of(args.message_id))))
    return Preview(effect=effect, facts=facts, told=("message_id",))


def preview_send(args: SendArgs) -> Preview:
    """Return the preview of a message to send."""
    return Preview(
        effect=say("Sends a Telegram message as you"),
        recipients=(args.to,),
        body=args.text,
        attachments=args.attachments,
        facts=(*_group(args), *_form(args)),
        told=("group",),
    )


def preview_reply(args: ReplyArgs) -> Preview:
    """Return the preview of a reply."""
    return Preview(
        effect=say("Answers a Telegram message as you"),
        recipients=(args.to,),
        body=args.text,
        attachments=args.attachments,
        facts=((say("Answers"), _answered(args)), *_form(args)),
        told=("message_id", "topic", "answers"),
    )


def preview_edit(args: EditArgs) -> Preview:
    """Return the preview of an edit."""
    return Preview(
        effect=say("Changes a Telegram message of yours"),
        recipients=(args.to,),
        body=args.text,
        facts=((say("It says now"), args.was) if args.was else (say("Message"), str(number_of(args.message_id))),),
        told=("message_id",),
    )


def preview_delete(args: DeleteArgs) -> Preview:
    """Return the preview of a deletion."""
    count = len(args.message_ids)
    was, standing = (say("It says"), say("Message")) if count == 1 else (say("They say"), say("Messages"))
    numbers = ", ".join(str(number_of(message_id)) for message_id in args.message_ids)
    return Preview(
        effect=say_many(
            count,
            "Deletes a Telegram message of yours for everybody",
            "Deletes {count} Telegram messages of yours for everybody",
        ),
        recipients=(args.to,),
        facts=((was, args.was) if args.was else (standing, numbers),),
        told=("message_ids",),
    )


def _lists(args: ListDialogsArgs) -> str:
    if args.unread and args.muted:
        return say_many(
            args.limit,
            "Lists the newest unread conversation of your Telegram account, muted ones too",
            "Lists the newest {count} unread conversations of your Telegram account, muted ones too",
        )
    if args.unread:
        return say_many(
            args.limit,
            "Lists the newest unread conversation of your Telegram account",
            "Lists the newest {count} unread conversations of your Telegram account",
        )
    if args.muted:
        return say_many(
            args.limit,
            "Lists the newest conversation of your Telegram account, muted ones too",
            "Lists the newest {count} conversations of your Telegram account, muted ones too",
        )
    return say_many(
        args.limit,
        "Lists the newest conversation of your Telegram account",
        "Lists the newest {count} conversations of your Telegram account",
    )


def _reads_news(args: GetUpdatesArgs) -> str:
    if args.unread and args.muted:
        return say_many(
            args.limit,
            "Reads the newest unread message that others wrote to you on Telegram, in muted conversations too",
            "Reads the newest {count} unread messages that others wrote to you on Telegram, in muted conversations too",
        )
    if args.unread:
        return say_many(
            args.limit,
            "Reads the newest unread message that others wrote to you on Telegram",
            "Reads the newest {count} unread messages that others wrote to you on Telegram",
        )
    if args.muted:
        return say_many(
            args.limit,
            "Reads the newest message that others wrote to you on Telegram, in muted conversations too",
            "Reads the newest {count} messages that others wrote to you on Telegram, in muted conversations too",
        )
    return say_many(
        args.limit,
        "Reads the newest message that others wrote to you on Telegram",
        "Reads the newest {count} messages that others wrote to you on Telegram",
    )


def _reads(args: HistoryArgs) -> str:
    if args.chat and args.unread:
        return say_many(
            args.limit,
            "Reads the newest unread message of one of your Telegram conversations",
            "Reads the newest {count} unread messages of one of your Telegram conversations",
        )
    if args.chat:
        return say_many(
            args.limit,
            "Reads the newest message of one of your Telegram conversations",
            "Reads the newest {count} messages of one of your Telegram conversations",
        )
    if args.unread:
        return say_many(
            args.limit,
            "Reads the newest unread message of your Telegram conversation that you call “{name}”",
            "Reads the newest {count} unread messages of your Telegram conversation that you call “{name}”",
            name=args.called[0].strip(),
        )
    return say_many(
        args.limit,
        "Reads the newest message of your Telegram conversation that you call “{name}”",
        "Reads the newest {count} messages of your Telegram conversation that you call “{name}”",
        name=args.called[0].strip(),
    )


def _answered(args: ReplyArgs) -> str:
    number = number_of(args.message_id)
    if args.answers and args.topic:
        return say("“{quote}” in topic {topic}", quote=args.answers, topic=args.topic)
    if args.answers:
        return say("“{quote}”", quote=args.answers)
    if args.topic:
        return say("message {number} in topic {topic}", number=number, topic=args.topic)
    return say("message {number}", number=number)


def _since(args: GetUpdatesArgs | HistoryArgs) -> Facts:
    """Return the time since which is read: with its offset, or with the zone in which it was frozen."""
    if args.since is None:
        return ()
    zone = f" ({args.in_zone})" if args.in_zone and args.since.tzinfo is None else ""
    return ((say("Since"), f"{args.since.isoformat(sep=' ', timespec='minutes')}{zone}"),)


def _group(args: SendArgs) -> Facts:
    """Return the kind of group and its number of members; nothing if the message no longer goes to it."""
    group = args.group
    if group is None or group.address != args.to.address:
        return ()
    if group.kind is ChatKind.CHANNEL:
        what = say_many(group.members, "a channel with 1 subscriber", "a channel with {count} subscribers")
        return ((say("Goes into"), what if group.members else say("a channel")),)
    what = say_many(group.members, "a group with 1 member", "a group with {count} members")
    return ((say("Goes into"), what if group.members else say("a group")),)


def _form(args: MessageArgs) -> Facts:
    if not as_photos(args.attachments):
        return ()
    one = len(args.attachments) == 1
    form = say("a photo, which Telegram makes smaller") if one else say("photos, which Telegram makes smaller")
    return ((say("Sent as"), form),)
