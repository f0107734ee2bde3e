"""What the butler knows of the owner's contacts: `who is Carol?`, `what is Anna's mail address?`."""

from butler.contract.speech import say
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.people import Person, looks_like_name, owner_of, person_at, unknown, written
from butler.orchestrator.embedded.scene import Scene
from butler.store.queries.contacts import Contact

WHO = phrases("(who is|who's|who are)", "do you know")
WHAT = phrases("(what is|what's)")
ADDRESS = phrases("[mail|email|e-mail|telegram] address", "(mail|email|e-mail|telegram|handle|contact)")


def know(tail: Tail, scene: Scene) -> None:
    """Answer a question about a contact; the answer ends the reading as a question would."""
    bare = tail.bare()
    if (who := bare.take(WHO)) is not None:
        found = person_at(who, scene)
        if found is not None and found[1].done:
            raise Asking("\n".join(_lines(found[0])))
        if found is None and bare.word() == "who" and who.written()[:1].isupper() and looks_like_name(who):
            raise unknown(who)
    start = bare.take(WHAT)
    owner = owner_of(start, scene) if start else None
    end = owner[1].take(ADDRESS) if owner else None
    if owner is not None and end is not None and end.done:
        raise Asking("\n".join(_lines(owner[0])))


def _lines(person: Person) -> list[str]:
    if not person.contacts:
        return [say("{address} is an address; I know no name for it.", address=person.said)]
    return [_line(contact) for contact in person.contacts]


def _line(contact: Contact) -> str:
    if not contact.addresses:
        return say("{name}: no address yet", name=contact.name)
    return f"{contact.name}: {', '.join(map(written, contact.addresses))}"
