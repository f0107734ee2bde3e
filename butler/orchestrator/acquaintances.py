"""Whom the owner might mean: people and groups seen on their accounts, offered as suggestions and never taken as known.

A name that somebody chose for themselves reaches no planner. It is shown to the owner with the address as it is; one
tap gives the name to that address, and that is the owner's own word.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from approvals.address import shown_address
from approvals.visible import visible_line
from butler.contract.card import Button, OwnerMessage, Rich, Span, Style, plain
from butler.contract.inbound import Inbound
from butler.contract.ports import OwnerFacts
from butler.orchestrator.planning import Choice, Unclear
from butler.store.queries import audit, contacts, conversations, mirror, outbox, people
from butler.store.queries.contacts import Contact
from butler.store.queries.people import Stranger

MOST = 5
"""Suggestions at once."""
LISTED = 40
"""People in one message."""
NAME = 60
"""Characters of a name that are shown."""
ONE_TAP = "One tap gives the name to that address and goes on with what you asked. It sends nothing by itself."
NONE_OF_THESE = "None of these"
NOBODY = "You have given nobody a name yet. Add people under [[contacts]] in butler.toml, or tap one of these."
NO_MORE = "Everybody you write to has a name here."


@dataclass(frozen=True, slots=True)
class Found:
    """Somebody, or a group, who may be meant."""

    address: str
    name: str
    about: str


def suggest(
    connection: sa.Connection, unclear: Unclear, words: str, owner: OwnerFacts
) -> tuple[Rich, tuple[Choice, ...]]:
    """What is asked, with whoever calls themselves by the name that nobody confirmed has."""
    found = _called(connection, unclear.stranger, owner) if unclear.stranger else []
    if not found:
        return plain(unclear.question), unclear.choices
    said = visible_line(unclear.stranger)
    text = [Span(text=f"You have given nobody the name {said} yet. Do you mean one of these?\n")]
    for number, one in enumerate(found, 1):
        text += [Span(text=f"\n{number}. "), *_line(one)]
    text.append(Span(text=f"\n\n{ONE_TAP}", style=Style.ITALIC))
    choices = [
        Choice(f"{number}. {_label(one)}", words, alias=unclear.stranger, address=one.address)
        for number, one in enumerate(found, 1)
    ]
    return tuple(text), (*choices, *unclear.choices, Choice(NONE_OF_THESE, "", alias=unclear.stranger))


def confirm(connection: sa.Connection, choice: conversations.ChoiceRow, actor: str, now: datetime) -> str:
    """Do what a tap says of a name; what to tell where it asks for nothing else."""
    if not choice.address:
        said = visible_line(choice.alias)
        return f"All right. Say it with an address, or add {said} under [[contacts]] in butler.toml."
    if not choice.alias:
        people.put_off(connection, choice.address, now)
        return "All right, I won't suggest them again."
    return name(connection, choice.alias, choice.address, actor, now)


def name(connection: sa.Connection, alias: str, address: str, actor: str, now: datetime) -> str:
    """Give a name to an address by the owner's word, noted in the audit log; what to tell."""
    if not contacts.has_name(connection, alias, address):
        contacts.learn(connection, alias, [address], source="owner", owner_says_so=True, now=now)
        audit.append(connection, "contact.named", address, actor, {"alias": alias}, now)
    return f"{visible_line(alias)} is {shown_address(address)[0]} from now on."


class Acquaintances:
    """Says who is known by name, and who might be."""

    def __init__(self, owner: OwnerFacts) -> None:
        self._owner = owner

    def say(self, connection: sa.Connection, item: Inbound, now: datetime) -> None:
        """`/contacts`: put the list on its way to the owner, with a button for each suggestion."""
        known = contacts.all_confirmed(connection)
        strange = people.strangers(connection, MOST, owner=addresses_of(self._owner))
        text = [*_known(known), *_strange(strange)]
        buttons = [
            (self._button(connection, item.chat, one, now), self._not_now(connection, item.chat, one, now))
            for one in strange
            if one.name
        ]
        message = OwnerMessage(text=tuple(text), buttons=tuple(buttons))
        outbox.add(connection, item.chat, message, now=now, dedup_key=f"turn:{item.inbound_id}")

    def _button(self, connection: sa.Connection, chat: str, one: Stranger, now: datetime) -> Button:
        alias = " ".join(one.name.split())[:NAME]
        data = conversations.offer(connection, chat, "", alias=alias, address=one.address, now=now)
        return Button(label=f"Call them “{visible_line(alias)}”", data=data)

    def _not_now(self, connection: sa.Connection, chat: str, one: Stranger, now: datetime) -> Button:
        return Button(label="Not them", data=conversations.offer(connection, chat, "", address=one.address, now=now))


def addresses_of(owner: OwnerFacts) -> frozenset[str]:
    """The owner's own addresses, in the form in which people are stored."""
    telegram = {f"telegram:{owner.telegram_user_id}"} if owner.telegram_user_id else set[str]()
    return frozenset(telegram | {f"mail:{mail}" for mail in owner.emails})


def _called(connection: sa.Connection, name: str, owner: OwnerFacts) -> list[Found]:
    seen = people.called(connection, name, MOST, owner=addresses_of(owner))
    found = [
        Found(one.address, one.name, _counts(one)) for one in seen if one.address.startswith(("mail:", "telegram:"))
    ]
    known = {one.address for one in found}
    groups = [chat for chat in mirror.called(connection, name, MOST) if chat.chat not in known]
    found += [Found(chat.chat, chat.title, f"a {chat.kind.value} on Telegram") for chat in groups]
    return found[:MOST]


def _counts(one: Stranger) -> str:
    told = f"{one.received} from them"
    return f"{told}, {one.sent} by you" if one.sent else f"{told}; you have never written to them"


def _line(one: Found) -> list[Span]:
    address, remarks = shown_address(one.address)
    told = "; ".join(filter(None, (one.about, remarks)))
    return [
        Span(text=f"{visible_line(one.name[:NAME]) or 'no name'} · "),
        Span(text=address, style=Style.CODE),
        Span(text=f" · {told}"),
    ]


def _label(one: Found) -> str:
    address, _ = shown_address(one.address)
    return address.removeprefix("mail:")


def _known(known: Sequence[Contact]) -> list[Span]:
    if not known:
        return [Span(text=NOBODY)]
    text = [Span(text=f"People you know by name ({len(known)})", style=Style.BOLD)]
    for contact in known[:LISTED]:
        others = [alias for alias in contact.aliases if alias != contact.name.casefold()]
        also = f" (also {', '.join(map(visible_line, others))})" if others else ""
        where = ", ".join(shown_address(address)[0] for address in contact.addresses) or "no address"
        text.append(Span(text=f"\n{visible_line(contact.name)}{also}: {where}"))
    if len(known) > LISTED:
        text.append(Span(text=f"\n… and {len(known) - LISTED} more; `butler contacts` lists them all."))
    return text


def _strange(strange: Sequence[Stranger]) -> list[Span]:
    if not strange:
        return [Span(text=f"\n\n{NO_MORE}", style=Style.ITALIC)]
    text = [Span(text="\n\nYou write to these, and they have no name here", style=Style.BOLD)]
    for one in strange:
        text += [Span(text="\n"), *_line(Found(one.address, one.name, _counts(one)))]
    return text
