"""Chooses an answer's recipients and sender among the owner's addresses, and its quote of the answered mail.

All of it is taken from headers that the sender wrote, so the result is untrusted and shown before it is used. Display
names are left out: the sender chose them, and a recipient's name on a card is the owner's word.

An answer goes to Reply-To, or else to From; an answer to everybody also goes to To and Cc, without the owner's own
addresses. An answer to the owner's own mail goes to its recipients. `List-Post` is not followed: a mail through a list
has the list's address in To or Cc, where an answer to everybody finds it. A list that puts itself into Reply-To does
not turn an answer to one person into one to hundreds; then the answer goes to the writer.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from butler.contract.errors import Refuse
from butler.contract.speech import say, say_moment
from butler.contract.tools import Recipient
from modules.email.parsing.parsed import Address, ParsedMail
from modules.email.smtp.compose import Parent, reply_subject

LONGEST_LINE = 300
LONGEST_QUOTE = 20_000
"""The most characters of a mail to quote below an answer."""
MOST_QUOTED = 500
"""The most lines to quote."""
_UNPRINTED = re.compile(r"[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")
_GMAIL = frozenset({"gmail.com", "googlemail.com"})


@dataclass(frozen=True, slots=True)
class OwnAddress:
    """One of the owner's addresses, and the name they gave it. `sends`: mail may leave from it."""

    address: str
    name: str = ""
    sends: bool = True


class OwnAddresses:
    """All addresses of the owner; the first of `identities` is the account's primary one."""

    def __init__(self, identities: Sequence[OwnAddress], others: Iterable[str] = ()) -> None:
        """`identities` are the account's; `others` are also the owner's, but the account cannot send from them."""
        self.primary = identities[0]
        able = [one for one in identities if one.sends]
        self._sending = {_mailbox(one.address): one for one in able} | {one.address.lower(): one for one in able}
        self._known = {_mailbox(address) for address in (*(one.address for one in identities), *others)}

    def hold(self, address: str) -> bool:
        """Return whether this is the owner, with or without a tag after a plus."""
        return _mailbox(address) in self._known

    def sending(self, address: str) -> OwnAddress | None:
        """Return the address, or the one it is a tagged form of, if mail may leave from it."""
        return self._sending.get(address.lower()) or self._sending.get(_mailbox(address))


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer's envelope and subject. Recipients are `mail:` addresses without names."""

    to: tuple[Recipient, ...]
    cc: tuple[Recipient, ...]
    sender: OwnAddress
    subject: str


def answer(mail: ParsedMail, own: OwnAddresses, *, everybody: bool = False) -> Answer:
    """Return the recipients, sender and subject of an answer. Raise `Refuse` if there is no recipient."""
    if mail.sender is not None and own.hold(mail.sender.address):
        to = _others(mail.to, own)
        cc = _others(mail.cc, own) if everybody else ()
        if not to and not cc:
            # A note to self.
            to = (mail.sender,)
    else:
        to, cc = _writers(mail, own), ()
        if everybody:
            to, cc = (*to, *_others(mail.to, own)), _others(mail.cc, own)
    if not to:
        to, cc = cc, ()
    if not to:
        raise Refuse(say("this mail has no sender who could be answered"))
    taken = dict.fromkeys(person.address for person in to)
    copied = dict.fromkeys(person.address for person in cc if person.address not in taken)
    return Answer(_recipients(taken), _recipients(copied), sender_of(mail, own), reply_subject(mail.subject))


def sender_of(mail: ParsedMail, own: OwnAddresses) -> OwnAddress:
    """Return the sender of an answer: the address the mail was written to, or from, if mail may leave from it."""
    named = [person.address for person in (*mail.to, *mail.cc)]
    if mail.sender is not None and own.hold(mail.sender.address):
        named.insert(0, mail.sender.address)
    return next((found for found in map(own.sending, named) if found is not None), own.primary)


def parent_of(mail: ParsedMail) -> Parent:
    """Return what threading needs of the mail being answered."""
    return Parent(mail.message_id, mail.in_reply_to, mail.references, mail.subject)


def wants_html(mail: ParsedMail) -> bool:
    """Return whether an answer has an HTML body, too. Many lists take plain text only."""
    return not mail.list_id


def line_of(mail: ParsedMail, at: datetime | None, zone: ZoneInfo) -> str:
    """Return one line about the answered mail: its sender, time and beginning."""
    who = mail.sender.address if mail.sender else say("an unknown sender")
    words = " ".join(line for line in mail.text.splitlines() if not line.startswith(">"))
    begins = " ".join(words.split()) or mail.subject
    line = say("{who}: {quote}", who=who, quote=begins)
    if at is not None:
        line = say("{who}, {moment}: {quote}", who=who, moment=say_moment(at.astimezone(zone)), quote=begins)
    return line if len(line) <= LONGEST_LINE else f"{line[: LONGEST_LINE - 1]}…"


def quote_of(mail: ParsedMail, at: datetime | None, zone: ZoneInfo) -> str:
    """Return the mail as mail programs quote it."""
    return quoted(mail.sender.address if mail.sender else "an unknown sender", at, mail.text, zone)


def quoted(who: str, at: datetime | None, text: str, zone: ZoneInfo) -> str:
    """Return a line that names the author, then their words, each line marked; only the beginning of long ones."""
    when = f"On {_day(at.astimezone(zone))}, " if at is not None else ""
    begun = text[: LONGEST_QUOTE + 1].strip()
    lines = _UNPRINTED.sub("", begun[:LONGEST_QUOTE]).splitlines() or [""]
    marked = [f">{line}" if line.startswith(">") else f"> {line}".rstrip() for line in lines[:MOST_QUOTED]]
    if len(begun) > LONGEST_QUOTE or len(lines) > MOST_QUOTED:
        marked.append("> […]")
    return "\n".join([f"{when}{who} wrote:", *marked])


def _writers(mail: ParsedMail, own: OwnAddresses) -> tuple[Address, ...]:
    """Return Reply-To or else From; of a list mail's Reply-To only those not addressed already, as the list is."""
    asked = _others(mail.reply_to, own)
    if mail.list_id:
        addressed = {person.address for person in (*mail.to, *mail.cc)}
        asked = tuple(person for person in asked if person.address not in addressed)
    return asked or ((mail.sender,) if mail.sender is not None else ())


def _others(people: Iterable[Address], own: OwnAddresses) -> tuple[Address, ...]:
    return tuple(person for person in people if not own.hold(person.address))


def _recipients(addresses: Iterable[str]) -> tuple[Recipient, ...]:
    return tuple(Recipient(address=f"mail:{address}") for address in addresses)


def _mailbox(address: str) -> str:
    """Return the mailbox behind an address: without a tag, and with Gmail's own rules for its addresses."""
    local, _, domain = address.lower().rpartition("@")
    local = local.partition("+")[0] or local
    return f"{local.replace('.', '')}@gmail.com" if domain in _GMAIL else f"{local}@{domain}"


def _day(at: datetime) -> str:
    return f"{at:%a}, {at.day} {at:%b %Y} at {at:%H:%M}"
