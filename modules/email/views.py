"""The common form in which the tools show mails of any mailbox."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode
from butler.contract.integration import IntegrationResult
from butler.contract.speech import say
from butler.contract.tools import Attachment
from modules.email.args import SearchMailArgs
from modules.email.inbound import NOBODY
from modules.email.parsing.parsed import Address, ParsedMail


class ToolFailedError(Exception):
    """A step of a tool failed; its result becomes the tool's."""

    def __init__(self, result: IntegrationResult) -> None:
        super().__init__()
        self.result = result


@dataclass(frozen=True, slots=True)
class MailEntry:
    """What a mailbox knows of a mail besides its text. `key` is the id for the tools."""

    key: str
    thread: str
    at: datetime | None
    unread: bool
    size: int


def row(mail: ParsedMail, entry: MailEntry) -> dict[str, Any]:
    """Return a mail's row in a list. `message_id` is the id for the tools, not always the header of that name."""
    return {
        "message_id": entry.key,
        "thread": entry.thread,
        "from": mail.sender.address if mail.sender else NOBODY,
        "from_name": mail.sender.name if mail.sender else "",
        "subject": mail.subject,
        "date": entry.at.isoformat() if entry.at else mail.sent_at,
        "unread": entry.unread,
        "size": entry.size,
    }


def whole(mail: ParsedMail, entry: MailEntry, attachments: Sequence[Attachment]) -> IntegrationResult:
    """Return the answer to a read."""
    message = row(mail, entry) | {
        "to": _addresses(mail.to),
        "cc": _addresses(mail.cc),
        "reply_to": _addresses(mail.reply_to),
        "text": mail.text,
        "attachments": [attachment.model_dump(mode="json") for attachment in attachments],
        "problems": list(mail.problems),
    }
    return IntegrationResult(ok=True, data={"message": message})


@dataclass(frozen=True, slots=True)
class Conversation:
    """A thread in a list: its newest mail, and its numbers of mails in all and unread."""

    newest: dict[str, Any]
    messages: int
    unread: int


def thread_listing(found: Sequence[Conversation], count: int, *, complete: bool, reason: str = "") -> IntegrationResult:
    """Return the answer to `list_threads`: each conversation's newest mail, and its number of mails."""
    if not found:
        return failed(IntegrationErrorCode.NOT_FOUND, reason or say("no conversation in the mailbox matches"))
    threads = [one.newest | {"messages": one.messages, "unread_messages": one.unread} for one in found]
    data = {"threads": threads, "count": count, "complete": complete, "reason": reason}
    return IntegrationResult(ok=True, data=data)


def listing(rows: Sequence[dict[str, Any]], count: int, *, complete: bool, reason: str = "") -> IntegrationResult:
    """Return the answer to a search. `count` counts ids; `complete` is false if it is only a lower bound."""
    if not rows:
        return failed(IntegrationErrorCode.NOT_FOUND, reason or say("no mail in the mailbox matches"))
    data = {"messages": list(rows), "count": count, "complete": complete, "reason": reason}
    return IntegrationResult(ok=True, data=data)


def matches(args: SearchMailArgs, mail: ParsedMail) -> bool:
    """Return whether a mail's text matches a search, ignoring case."""
    names = f"{mail.sender.name} {mail.sender.address}" if mail.sender else ""
    everything = "\n".join((names, mail.subject, mail.text, *_addresses(mail.to), *_addresses(mail.cc))).casefold()
    return (
        all(word.casefold() in everything for word in args.words.split())
        and plain_sender(args).casefold() in names.casefold()
        and args.subject.casefold() in mail.subject.casefold()
    )


def plain_sender(args: SearchMailArgs) -> str:
    """Return the sender in the form of a mailbox's search."""
    return args.sender.removeprefix("mail:")


def _addresses(people: Sequence[Address]) -> list[str]:
    return [person.address for person in people]
