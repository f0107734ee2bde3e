"""Arguments of the mail tools, the role of each argument, and what a card shows of a call."""

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Annotated, Any

from pydantic import AfterValidator, Field, model_validator

from butler.contract.arguments import Account
from butler.contract.records import ClosedRecord
from butler.contract.speech import say, say_date, say_many
from butler.contract.tools import ArgRole, Attachment, Preview, Recipient, ToolMetadata
from modules.email.places import PLACES, MailPlace
from modules.email.smtp.addresses import travelling

MOST_RECIPIENTS = 100
"""In each of To, Cc and Bcc."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def _one_line(text: str) -> str:
    # Joiners, direction marks and letters newer than this Python occur in honest subjects; a card shows them.
    if _CONTROL.search(text):
        raise ValueError(say("must be one line without control characters"))
    return text


def _mail_address(recipient: Recipient) -> Recipient:
    scheme, _, address = recipient.address.partition(":")
    if scheme != "mail" or "@" not in address or any(not char.isprintable() or char.isspace() for char in address):
        raise ValueError(say('is written as "mail:anna@friends.example"'))
    travelling(address)
    _one_line(recipient.name)
    return recipient


MailRecipient = Annotated[Recipient, AfterValidator(_mail_address)]
MailRecipients = Annotated[tuple[MailRecipient, ...], Field(max_length=MOST_RECIPIENTS)]
Line = Annotated[str, Field(max_length=900), AfterValidator(_one_line)]
Body = Annotated[str, Field(max_length=500_000)]
Filled: Any = {"readOnly": True}
"""The schema of what is only read from the mail before a call is shown: no language model sees it."""
OwnText = Annotated[
    Body,
    Field(
        description="Plain text in the owner's words, without a signature.",
        examples=["Thanks, Friday is fine."],
    ),
]
Files = Annotated[
    tuple[Attachment, ...], Field(description="Files that go with it.", examples=[[{"handle": "file-1"}]])
]
Since = Annotated[date | None, Field(description="Arrived since this day, included.", examples=["2026-03-02"])]
Before = Annotated[date | None, Field(description="Arrived before this day, excluded.", examples=["2026-03-09"])]
Words = Annotated[Line, Field(description="Words that all have to stand in it.", examples=["boiler invoice"])]
Subject = Annotated[Line, Field(description="Part of its subject.", examples=["invoice"])]


class SendMailArgs(ClosedRecord):
    """A new mail. Blind copies are seen by nobody but their recipients."""

    to: MailRecipients = Field(min_length=1, description="Whom it goes to.", examples=[[{"contact": "c1"}]])
    cc: MailRecipients = Field(
        default=(), description="Who gets a copy.", examples=[[{"address": "mail:eve@friends.example"}]]
    )
    bcc: MailRecipients = Field(
        default=(), description="Who gets a copy that nobody else sees.", examples=[[{"contact": "c2"}]]
    )
    subject: Line = Field(description="What it is about, in one line.", examples=["Lunch on Friday"])
    body: OwnText
    attachments: Files = ()


class ReplyArgs(ClosedRecord):
    """An answer to one mail, which goes to its sender with the mail quoted below it.

    With `to`, it goes only if that is who wrote the mail.
    """

    message_id: Line = Field(description="The mail that is answered.", examples=[{"handle": "mail-3"}])
    body: Body = Field(
        min_length=1, description="Plain text; the mail is quoted below it.", examples=["Thank you, noted."]
    )
    to: Annotated[
        MailRecipients,
        Field(
            max_length=1,
            description="Who has to be its sender; left out: whoever is.",
            examples=[[{"contact": "c1"}]],
        ),
    ] = ()


class SearchMailArgs(ClosedRecord):
    """All that is given must hold. `words` is a list of words, each anywhere in the mail; days are days of arrival.

    `important` mails are those that the mailbox marks so; where it has no such mark, they are the `starred` ones.
    """

    words: Words = ""
    sender: Line = Field(
        default="", description="Name, address or domain of who it is from.", examples=[{"contact": "c1"}]
    )
    subject: Subject = ""
    since: Since = None
    before: Before = None
    unread: bool = Field(default=False, description="Only unread ones.", examples=[True])
    attachment: bool = Field(default=False, description="Only with a file.", examples=[True])
    starred: bool = Field(default=False, description="Only starred ones.", examples=[True])
    important: bool = Field(
        default=False, description="Only marked important; without such marks: starred.", examples=[True]
    )
    limit: int = Field(default=20, ge=1, le=50, description="How many at most.", examples=[5])


class ReadMailArgs(ClosedRecord):
    """One mail, by the id that a search or the inbox gave."""

    message_id: Line = Field(description="A mail that was shown or found.", examples=[{"handle": "mail-3"}])


class CheckInboxArgs(ClosedRecord):
    """Nothing to say."""


class OfAccount(ClosedRecord):
    """What acts through one of the person's accounts; empty means the first one."""

    account: Account = ""


class UserSearchArgs(SearchMailArgs, OfAccount):
    """As with the butler's mailbox, in one of the person's accounts; without a `place`, in inbox and archive."""

    place: MailPlace | None = Field(
        default=None, description="Only there; left out: inbox and archive.", examples=["drafts"]
    )


class ListThreadsArgs(SearchMailArgs, OfAccount):
    """Conversations of which one mail at least holds all that is given."""


class UserReadArgs(ReadMailArgs, OfAccount):
    """One mail of one of the person's accounts, by the id that a search or a list gave."""


class UserSendArgs(SendMailArgs, OfAccount):
    """A new mail as the person, from one of their accounts. A `note` becomes the beginning of its body."""

    note: Body = Field(
        default="", description="Text above the body, such as of a mail that is passed on.", examples=["See below."]
    )

    @model_validator(mode="before")
    @classmethod
    def _with_note(cls, given: Any) -> Any:
        match given:
            case {"note": str(note), "body": str(body)} if note.strip():
                return {**given, "note": "", "body": f"{note.strip()}\n\n{body}"}
            case _:
                return given


class DraftMessageArgs(SendMailArgs, OfAccount):
    """A new mail as the person, saved in the account's Drafts instead of being sent. Its body may be empty."""


class ReplyToThreadArgs(OfAccount):
    """An answer to one mail, in its thread.

    What is left out is filled in before it is shown, and only what is shown is used: `to` and `cc` (whom the mail's
    headers ask to be answered, all others too with `reply_all`), `sender` (the alias that was written to, empty for
    the account's own address), `subject`, and `answers`: with `quote` the mail's words as they go along below the
    body, else one line about the mail that is answered.
    """

    message_id: Line = Field(description="The mail that is answered.", examples=[{"handle": "mail-3"}])
    body: Annotated[OwnText, Field(min_length=1)]
    to: MailRecipients = Field(
        default=(), description="Who gets it; left out: whom the mail asks to answer.", examples=[[{"contact": "c1"}]]
    )
    cc: MailRecipients = Field(
        default=(), description="Who gets a copy; left out: as `reply_all` says.", examples=[[{"contact": "c2"}]]
    )
    sender: Line = Field(
        default="",
        description="Own address it leaves from; left out: the one written to.",
        examples=["me@work.example"],
    )
    subject: Line = Field(default="", json_schema_extra=Filled)
    reply_all: bool = Field(
        default=False, description="Answer everybody in it, only where the owner says so.", examples=[True]
    )
    quote: bool = Field(
        default=False, description="Quote it below the text, only where the owner says so.", examples=[True]
    )
    attachments: Files = ()
    answers: Body = Field(default="", json_schema_extra=Filled)


class DraftReplyArgs(ReplyToThreadArgs):
    """The same, laid into the account's Drafts instead of being sent."""


def preview_bot_send(args: SendMailArgs) -> Preview:
    """Return the card fields of a mail by the butler."""
    return _preview(args, say("Sends a mail from the butler's own address"))


def preview_user_send(args: UserSendArgs) -> Preview:
    """Return the card fields of a mail in the owner's name."""
    return _preview(args, say("Sends a mail as you, from your own address"))


def preview_draft_message(args: DraftMessageArgs) -> Preview:
    """Return the card fields of a new mail that is only saved in Drafts."""
    shown = _preview(args, say("Puts a mail into your Drafts; nothing is sent"))
    return shown if args.body.strip() else replace(shown, facts=(*shown.facts, (say("Text"), say("none yet"))))


def preview_reply(args: ReplyArgs) -> Preview:
    """Return the card fields of an answer by the butler."""
    facts = (
        (say("Below it"), say("the mail that is answered, quoted")),
        (say("To"), "" if args.to else say("whoever the mail is from")),
    )
    return Preview(
        say("Answers a mail from the butler's own address"),
        args.to,
        body=args.body,
        mails=((say("Answers"), args.message_id),),
        facts=tuple((label, value) for label, value in facts if value),
        told=("message_id",),
    )


def preview_thread_reply(args: ReplyToThreadArgs) -> Preview:
    """Return the card fields of an answer in the owner's name."""
    return _answer(args, say("Answers a mail as you, in its thread"))


def preview_draft_reply(args: DraftReplyArgs) -> Preview:
    """Return the card fields of an answer that is only saved in Drafts."""
    return _answer(args, say("Puts an answer into your Drafts; nothing is sent"))


def _answer(args: ReplyToThreadArgs, effect: str) -> Preview:
    facts = (
        (say("From"), args.sender),
        (say("Cc"), _plain(args.cc)),
        (say("Answers"), "" if args.quote else args.answers),
        (say("Quotes"), args.answers if args.quote else ""),
        (say("To"), "" if args.to else _named_by_the_mail(args)),
    )
    return Preview(
        effect,
        recipients=(*args.to, *args.cc),
        subject=args.subject,
        body=args.body,
        attachments=args.attachments,
        facts=tuple((label, value) for label, value in facts if value),
        told=("message_id", "reply_all", "quote"),
    )


def _named_by_the_mail(args: ReplyToThreadArgs) -> str:
    if args.reply_all:
        return say("whom the mail itself names, and everybody in it")
    return say("whom the mail itself names")


def preview_user_search(args: UserSearchArgs) -> Preview:
    """Return the card fields of a search in the owner's mailbox."""
    shown = _look(args, say("Looks for mails in your mailbox"), say_many(args.limit, "one mail", "{count} mails"))
    if args.place is None:
        return shown
    where = (say("Where"), say(PLACES[args.place]))
    return replace(shown, facts=(*shown.facts, where), told=(*shown.told, "place"))


def preview_user_threads(args: ListThreadsArgs) -> Preview:
    """Return the card fields of a search for conversations in the owner's mailbox."""
    return _look(
        args,
        say("Looks for conversations in your mailbox"),
        say_many(args.limit, "one conversation", "{count} conversations"),
    )


def _look(args: SearchMailArgs, effect: str, most: str) -> Preview:
    since = say("since {day}", day=say_date(args.since)) if args.since else ""
    before = say("before {day}", day=say_date(args.before)) if args.before else ""
    facts = (
        (say("Words"), args.words),
        (say("From"), args.sender),
        (say("Subject has"), args.subject),
        (say("Days"), ", ".join(filter(None, (since, before)))),
        (say("Only"), ", ".join(_only(args))),
        (say("At most"), most),
    )
    return Preview(
        effect,
        facts=tuple((label, value) for label, value in facts if value),
        told=("since", "before", "unread", "attachment", "starred", "important", "limit"),
    )


def _only(args: SearchMailArgs) -> list[str]:
    kinds = (
        (args.unread, say("unread mails")),
        (args.attachment, say("mails with a file")),
        (args.starred, say("starred mails")),
        (args.important, say("important mails")),
    )
    return [text for wanted, text in kinds if wanted]


def preview_bot_read(args: ReadMailArgs) -> Preview:
    """Return the card fields of reading one mail of the butler's mailbox."""
    return Preview(say("Reads one mail of my mailbox"), mails=((say("Mail"), args.message_id),), told=("message_id",))


def preview_user_read(_: UserReadArgs) -> Preview:
    """Return the card fields of reading one mail of the owner's mailbox."""
    return Preview(say("Reads one mail of your mailbox, which was found or shown before"), told=("message_id",))


def _preview(args: SendMailArgs, effect: str) -> Preview:
    facts = [(label, _plain(group)) for label, group in ((say("Cc"), args.cc), (say("Bcc"), args.bcc)) if group]
    return Preview(
        effect,
        recipients=(*args.to, *args.cc, *args.bcc),
        subject=args.subject,
        body=args.body,
        attachments=args.attachments,
        facts=tuple(facts),
    )


def _plain(people: tuple[Recipient, ...]) -> str:
    return ", ".join(person.address.removeprefix("mail:") for person in people)


SEND_ROLES = ToolMetadata.of(recipient="to cc bcc", content="subject body attachments")
SEARCH_ROLES = ToolMetadata.of(
    target="words sender subject", option="since before unread attachment starred important limit"
)
READ_ROLES = ToolMetadata.of(target="message_id")

BOT_ROLES: Mapping[str, ToolMetadata] = {
    "bot_email_search_inbox": SEARCH_ROLES,
    "bot_email_read_message": READ_ROLES,
    "bot_email_check_and_route_inbox": ToolMetadata({}),
    "bot_email_send_message": SEND_ROLES,
    "bot_email_reply_to_thread": ToolMetadata.of(recipient="to", content="body", target="message_id"),
}
_ANSWER_ROLES = ToolMetadata.of(
    recipient="to cc",
    content="subject body attachments answers",
    target="message_id",
    option="sender reply_all quote account",
)


def _with_account(roles: ToolMetadata) -> ToolMetadata:
    return ToolMetadata({**roles.args, "account": ArgRole.OPTION})


USER_ROLES: Mapping[str, ToolMetadata] = {
    "user_email_search_inbox": ToolMetadata({**_with_account(SEARCH_ROLES).args, "place": ArgRole.OPTION}),
    "user_email_read_message": _with_account(READ_ROLES),
    "user_email_list_threads": _with_account(SEARCH_ROLES),
    "user_email_send_message": ToolMetadata({**_with_account(SEND_ROLES).args, "note": ArgRole.CONTENT}),
    "user_email_reply_to_thread": _ANSWER_ROLES,
    "user_email_draft_message": _with_account(SEND_ROLES),
    "user_email_draft_reply": _ANSWER_ROLES,
}
