"""Suggests whom the owner might mean: people and groups seen on their accounts, never taken as known.

A name that somebody chose for themselves reaches no planner. The owner sees it with its exact address; one tap gives
the name to that address, and that is the owner's own word.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from approvals.address import shown_address
from approvals.visible import visible_line
from butler.contract.card import Button, OwnerMessage, Rich, Span, Style, plain
from butler.contract.inbound import Inbound
from butler.contract.mirror import ChatKind
from butler.contract.ports import OwnerFacts
from butler.contract.speech import phrase, say
from butler.orchestrator.planning.plan_types import Choice, Unclear
from butler.store.queries import audit, contacts, conversations, mirror, outbox, people
from butler.store.queries.contacts import Contact
from butler.store.queries.people import Stranger

MOST = 5
"""Most suggestions in one message."""
LISTED = 40
"""Most people in one message."""
NAME = 60
"""Most characters shown of a name."""
ONE_TAP = phrase("One tap gives the name to that address and goes on with what you asked. It sends nothing by itself.")
NONE_OF_THESE = phrase("None of these")
NOBODY = phrase("You have given nobody a name yet. Add people under [[contacts]] in butler.toml, or tap one of these.")
NO_MORE = phrase("Everybody you write to has a name here.")
ON_TELEGRAM = {
    ChatKind.PERSON: phrase("a person on Telegram"),
    ChatKind.BOT: phrase("a bot on Telegram"),
    ChatKind.GROUP: phrase("a group on Telegram"),
    ChatKind.CHANNEL: phrase("a channel on Telegram"),
}


@dataclass(frozen=True, slots=True)
class Found:
    """A person or a group that may be meant."""

    address: str
    name: str
    about: str


def suggest(
    connection: sa.Connection, unclear: Unclear, words: str, owner: OwnerFacts
) -> tuple[Rich, tuple[Choice, ...]]:
    """Return the question, with suggestions of everybody who uses the unconfirmed name."""
    found = _called(connection, unclear.stranger, owner) if unclear.stranger else []
    if not found:
        return plain(unclear.question), unclear.choices
    sentence = visible_line(unclear.stranger)
    asked = say("You have given nobody the name {name} yet. Do you mean one of these?", name=sentence)
    text = [Span(text=f"{asked}\n")]
    for number, one in enumerate(found, 1):
        text += [Span(text=f"\n{number}. "), *_line(one)]
    text.append(Span(text=f"\n\n{say(ONE_TAP)}", style=Style.ITALIC))
    choices = [
        Choice(f"{number}. {_label(one)}", words, alias=unclear.stranger, address=one.address)
        for number, one in enumerate(found, 1)
    ]
    return tuple(text), (*choices, *unclear.choices, Choice(say(NONE_OF_THESE), "", alias=unclear.stranger))


def confirm(connection: sa.Connection, choice: conversations.ChoiceRow, actor: str, now: datetime) -> str:
    """Apply a tap about a name; return the reply for a tap that asks for nothing else."""
    if not choice.address:
        text = visible_line(choice.alias)
        return say("All right. Say it with an address, or add {name} under [[contacts]] in butler.toml.", name=text)
    if not choice.alias:
        people.put_off(connection, choice.address, now)
        return say("All right, I won't suggest them again.")
    return name(connection, choice.alias, choice.address, actor, now)


def name(connection: sa.Connection, alias: str, address: str, actor: str, now: datetime) -> str:
    """Give a name to an address by the owner's word, with an audit entry; return the confirmation."""
    if not contacts.has_name(connection, alias, address):
        contacts.learn(connection, alias, [address], source="owner", owner_says_so=True, now=now)
        audit.append(connection, "contact.named", address, actor, {"alias": alias}, now)
    return say("{name} is {address} from now on.", name=visible_line(alias), address=shown_address(address)[0])


class ContactSuggestions:
    """Lists the contacts, and the suggested ones."""

    def __init__(self, owner: OwnerFacts) -> None:
        self._owner = owner

    def show(self, connection: sa.Connection, item: Inbound, now: datetime) -> None:
        """`/contacts`: queue the list for the owner, with a button for each suggestion."""
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
        return Button(label=say("Call them “{name}”", name=visible_line(alias)), data=data)

    def _not_now(self, connection: sa.Connection, chat: str, one: Stranger, now: datetime) -> Button:
        data = conversations.offer(connection, chat, "", address=one.address, now=now)
        return Button(label=say("Not them"), data=data)


def addresses_of(owner: OwnerFacts) -> frozenset[str]:
    """Return the owner's own addresses, in the form in which people are stored."""
    telegram = {f"telegram:{owner.telegram_user_id}"} if owner.telegram_user_id else set[str]()
    return frozenset(telegram | {f"mail:{mail}" for mail in owner.emails})


def _called(connection: sa.Connection, name: str, owner: OwnerFacts) -> list[Found]:
    seen = people.called(connection, name, MOST, owner=addresses_of(owner))
    found = [
        Found(one.address, one.name, _counts(one)) for one in seen if one.address.startswith(("mail:", "telegram:"))
    ]
    known = {one.address for one in found}
    groups = [chat for chat in mirror.called(connection, name, MOST) if chat.chat not in known]
    found += [Found(chat.chat, chat.title, say(ON_TELEGRAM[chat.kind])) for chat in groups]
    return found[:MOST]


def _counts(one: Stranger) -> str:
    if one.sent:
        return say("{received} from them, {sent} by you", received=one.received, sent=one.sent)
    return say("{received} from them; you have never written to them", received=one.received)


def _line(one: Found) -> list[Span]:
    address, remarks = shown_address(one.address)
    text = "; ".join(filter(None, (one.about, remarks)))
    name = visible_line(one.name[:NAME]) or say("no name")
    return [
        Span(text=f"{name} · "),
        Span(text=address, style=Style.CODE),
        Span(text=f" · {text}"),
    ]


def _label(one: Found) -> str:
    address, _ = shown_address(one.address)
    return address.removeprefix("mail:")


def _known(known: Sequence[Contact]) -> list[Span]:
    if not known:
        return [Span(text=say(NOBODY))]
    text = [Span(text=say("People you know by name ({count})", count=len(known)), style=Style.BOLD)]
    text += [Span(text=f"\n{_by_name(contact)}") for contact in known[:LISTED]]
    if len(known) > LISTED:
        more = say("… and {count} more; `butler contacts` lists them all.", count=len(known) - LISTED)
        text.append(Span(text=f"\n{more}"))
    return text


def _by_name(contact: Contact) -> str:
    name = visible_line(contact.name)
    where = ", ".join(shown_address(address)[0] for address in contact.addresses) or say("no address")
    if others := [visible_line(alias) for alias in contact.aliases if alias != contact.name.casefold()]:
        return say("{name} (also {others}): {where}", name=name, others=", ".join(others), where=where)
    return f"{name}: {where}"


def _strange(strange: Sequence[Stranger]) -> list[Span]:
    if not strange:
        return [Span(text=f"\n\n{say(NO_MORE)}", style=Style.ITALIC)]
    head = say("You write to these, and they have no name here")
    text = [Span(text=f"\n\n{head}", style=Style.BOLD)]
    for one in strange:
        text += [Span(text="\n"), *_line(Found(one.address, one.name, _counts(one)))]
    return text
