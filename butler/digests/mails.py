"""The mails of a digest: what came, from whom, and which of it needs an answer.

All of it is read from the mirror of the owner's mailboxes and the butler's inbox, by rules. A subject is never more
than a displayed text.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from approvals.people import Names, is_owner
from butler.contract.card import Rich, Span, Style
from butler.contract.inbound import Inbound
from butler.contract.mail import MailKind
from butler.contract.mirror import SeenMessage
from butler.contract.ports import OwnerFacts
from butler.contract.quoted_words import others
from butler.contract.speech import say, say_many
from butler.digests.section import DigestPeriod, Section, SectionKind
from butler.follow_up.question_detection import asks
from butler.store.queries import digests

MOST, NAME, FEW = 500, 40, 4
_MACHINE = re.compile(
    r"(?:^|[._+-])(?:no-?reply|do-?not-?reply|notifications?|newsletters?|news|mailer-daemon|bounces?|postmaster|info|"
    r"updates?|alerts?|automated|robot|billing|marketing)(?:$|[._+-])",
    re.IGNORECASE,
)
_BULK = frozenset({"CATEGORY_PROMOTIONS", "CATEGORY_SOCIAL", "CATEGORY_FORUMS", "CATEGORY_UPDATES"})
_AWAY = frozenset({"spam", "junk", "trash", "draft", "drafts", "deleted", "deleted items", "deleted messages", "bin"})
_MACHINES = frozenset({MailKind.NEWSLETTER, MailKind.LIST, MailKind.AUTOMATIC, MailKind.BOUNCE, MailKind.REPORT})


@dataclass(slots=True)
class _Sender:
    """A sender, the number of their mails, and the newest subject."""

    address: str
    name: str
    subject: str
    count: int = 1
    unread: int = 0


def persons(connection: sa.Connection, stretch: DigestPeriod, owner: OwnerFacts, names: Names) -> Iterator[Section]:
    """Yield what came into the owner's mailboxes, by sender; newsletters and the like are one line."""
    found = [one for one in digests.mails(connection, stretch.since, stretch.until, MOST) if not _is_away(one)]
    found = [one for one in found if not is_owner(owner, one.sender.lower())]
    own = [one for one in found if not is_bulk(one)]
    if found:
        yield Section(SectionKind.MAILS, len(found), (*_by_sender(own, names), *_bulk(len(found) - len(own))))


def needs_answer(
    connection: sa.Connection, stretch: DigestPeriod, owner: OwnerFacts, names: Names
) -> Iterator[Section]:
    """Yield recent mails by people to the owner that ask something and were not answered."""
    found = digests.mails(connection, stretch.until - digests.ANSWERED_WITHIN, stretch.until, MOST)
    wanted = [one for one in found if _wants_answer(one, owner)]
    newest = {(one.account, one.chat): one for one in reversed(wanted)}
    left = [
        one
        for one in newest.values()
        if not digests.wrote_since(connection, one.channel, one.account, one.chat, one.at)
    ]
    left.sort(key=lambda one: (names.of(one.sender) is None, -one.at.timestamp()))
    if left:
        yield Section(SectionKind.ANSWERS, len(left), tuple(_line(one, names) for one in left))


def butlers(connection: sa.Connection, stretch: DigestPeriod, owner: OwnerFacts, names: Names) -> Iterator[Section]:
    """Yield what came into the butler's own mailbox, except the owner's requests."""
    found = digests.butlers_mails(connection, stretch.since, stretch.until, MOST)
    found = [one for one in found if not is_owner(owner, one.sender.lower())]
    own = [one for one in found if one.mail is None or one.mail.kind not in _MACHINES]
    if found:
        yield Section(SectionKind.BUTLERS, len(found), (*_by_sender(own, names), *_bulk(len(found) - len(own))))


def is_bulk(message: SeenMessage) -> bool:
    """Return whether a mail is bulk mail, by its labels or its sender's address."""
    return bool(_BULK & set(message.labels)) or is_machine(message.sender)


def is_machine(sender: str) -> bool:
    """Return whether nobody reads answers to an address."""
    return bool(_MACHINE.search(sender.removeprefix("mail:").partition("@")[0]))


def _is_away(message: SeenMessage) -> bool:
    return any(label.rpartition("/")[2].casefold() in _AWAY for label in message.labels)


def _wants_answer(message: SeenMessage, owner: OwnerFacts) -> bool:
    if _is_away(message) or is_bulk(message) or not message.sender or is_owner(owner, message.sender.lower()):
        return False
    addressed = len(message.others) <= FEW or any(is_owner(owner, one.address.lower()) for one in message.others)
    return addressed and asks(f"{message.subject}\n{message.text}")


def _by_sender(found: Sequence[SeenMessage | Inbound], names: Names) -> list[Rich]:
    """Return a line for each sender: first known people, then by the newest mail."""
    senders: dict[str, _Sender] = {}
    for one in found:
        subject = one.subject if isinstance(one, SeenMessage) else str(one.payload.get("subject") or "")
        unread = isinstance(one, SeenMessage) and one.unread
        known = senders.get(one.sender)
        if known is None:
            senders[one.sender] = _Sender(one.sender, one.sender_name, subject, unread=int(unread))
        else:
            known.count += 1
            known.unread += unread
    ordered = sorted(senders.values(), key=lambda sender: names.of(sender.address) is None)
    return [_sender_line(sender, names) for sender in ordered]


def _sender_line(sender: _Sender, names: Names) -> Rich:
    more = f" ({sender.count})" if sender.count > 1 else ""
    mark = " ●" if sender.unread else ""
    return (*who(sender.address, sender.name, names), Span(text=f"{more}{mark}: "), _subject(sender.subject))


def _line(message: SeenMessage, names: Names) -> Rich:
    return (*who(message.sender, message.sender_name, names), Span(text=": "), _subject(message.subject))


def _subject(subject: str) -> Span:
    return others(subject, style=Style.ITALIC) if subject.strip() else Span(text=say("(no subject)"))


def who(address: str, calls_itself: str, names: Names) -> Rich:
    """Return the owner's name for somebody; for others their own name with their address."""
    if (name := names.of(address)) is not None:
        return (Span(text=name, style=Style.BOLD),)
    bare = address.partition(":")[2]
    if not calls_itself.strip() or calls_itself.strip() == bare or address.startswith("telegram:"):
        return (others(calls_itself.strip() or bare, NAME),)
    return (others(calls_itself, NAME), Span(text=" <"), others(bare, NAME), Span(text=">"))


def _bulk(count: int) -> list[Rich]:
    if count <= 0:
        return []
    text = say_many(count, "1 newsletter or notice", "{count} newsletters and notices")
    return [(Span(text=text, style=Style.ITALIC),)]
