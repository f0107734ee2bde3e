"""Resolves names in a reply to a card to owner-confirmed contacts, or to addresses that the owner writes out."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from approvals.people import stored_form
from butler.contract.speech import phrase, say
from butler.contract.tools import Recipient
from butler.orchestrator.edits.card_content import CardContent, Op
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.lexer import lex
from butler.orchestrator.embedded.people import Person, people_at, unknown, written
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.execution.binding import ADDRESS_KIND
from butler.store.queries.contacts import normal

NO_ADDRESS = {
    "telegram": phrase("I have no Telegram address of {name}. Write it, or add it to your contacts."),
    "mail": phrase("I have no mail address of {name}. Write it, or add it to your contacts."),
}
NO_SUCH_ADDRESS = {
    "telegram": phrase("This goes by Telegram, and {name} is no such address."),
    "mail": phrase("This goes by mail, and {name} is no such address."),
}


@dataclass(frozen=True, slots=True)
class People:
    """The people of a scene, for a call on one channel. `reply` is the owner's whole reply."""

    scene: Scene
    channel: str
    reply: str

    @property
    def _kind(self) -> str:
        return ADDRESS_KIND.get(self.channel, self.channel)

    def names(self, words: str) -> bool:
        """Return whether words are nothing but people whom the owner knows, or addresses."""
        try:
            found = people_at(lex(words), self.scene)
        except Asking:
            return False
        return found is not None and found[1].done

    def reached(self, sheet: CardContent, words: str) -> bool:
        """Return whether words name somebody whom the call reaches."""
        return self.names(words) and any(_is(one, person) for one in sheet.recipients for person in self._read(words))

    def only(self, words: str) -> Op:
        """Send to these people and nobody else."""
        return lambda sheet: replace(
            sheet, recipients=_unlike(self._found(words)), recipients_kept=False, from_contacts=True
        )

    def more(self, words: str) -> Op:
        """Also send to these people."""
        return lambda sheet: replace(
            sheet, recipients=_unlike((*sheet.recipients, *self._found(words))), from_contacts=True
        )

    def less(self, words: str) -> Op:
        """Do not send to these people."""
        return lambda sheet: replace(sheet, recipients=self._without(sheet, words))

    def instead(self, words: str, gone: str) -> Op:
        """Send to these people instead of others."""
        return lambda sheet: _with(self._without(sheet, gone), self._found(words), sheet)

    def _without(self, sheet: CardContent, words: str) -> tuple[Recipient, ...]:
        persons = self._read(words)
        for person in persons:
            if not any(_is(one, person) for one in sheet.recipients):
                raise Asking(say("It does not go to {name}.", name=person.said))
        return tuple(one for one in sheet.recipients if not any(_is(one, person) for person in persons))

    def _read(self, words: str) -> tuple[Person, ...]:
        tail = lex(words)
        found = people_at(tail, self.scene)
        if found is None or not found[1].done:
            raise unknown(tail if found is None else found[1])
        return found[0]

    def _found(self, words: str) -> tuple[Recipient, ...]:
        return tuple(self._recipient(person) for person in self._read(words))

    def _recipient(self, person: Person) -> Recipient:
        if person.address:
            return self._literal(person)
        able = [contact for contact in person.contacts if contact.address(self._kind)]
        if not able:
            raise Asking(say(NO_ADDRESS[self._kind], name=person.said))
        if len(person.contacts) > 1:
            choices = [
                choice(f"{contact.name} ({where})", self._with_address(person.said, where))
                for contact in able
                if (where := written(contact.address(self._kind) or ""))
            ]
            raise Asking(say("Which {name} do you mean?", name=person.said), choices)
        return Recipient(address=able[0].address(self._kind) or "", name=able[0].name)

    def _literal(self, person: Person) -> Recipient:
        if not person.address.startswith(f"{self._kind}:"):
            raise Asking(say(NO_SUCH_ADDRESS[self._kind], name=person.said))
        address = stored_form(person.address)
        known = (c.name for c in self.scene.request.contacts if address in map(stored_form, c.addresses))
        return Recipient(address=person.address, name=next(known, ""))

    def _with_address(self, name: str, address: str) -> str:
        """Return the owner's reply with an address in place of the name."""
        return re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", lambda _match: address, self.reply, count=1)


def _is(recipient: Recipient, person: Person) -> bool:
    known = {normal(address) for contact in person.contacts for address in contact.addresses}
    return normal(recipient.address) in (known or {normal(person.address)})


def _unlike(recipients: Iterable[Recipient]) -> tuple[Recipient, ...]:
    return tuple({normal(recipient.address): recipient for recipient in recipients}.values())


def _with(left: tuple[Recipient, ...], new: tuple[Recipient, ...], sheet: CardContent) -> CardContent:
    return replace(sheet, recipients=_unlike((*left, *new)), recipients_kept=bool(left), from_contacts=True)
