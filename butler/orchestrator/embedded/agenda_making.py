"""The guests of an event, as a plan refers to them."""

from butler.contract.speech import say
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.draft import ask_which
from butler.orchestrator.embedded.lexer import Tail
from butler.orchestrator.embedded.people import Person, Way, reference
from butler.orchestrator.embedded.scene import Scene


def guests_of(people: tuple[Person, ...], scene: Scene, bare: Tail) -> list[dict[str, str]]:
    """Return guests as a plan refers to them; ask about an ambiguous name or a missing mail address."""
    words = bare.text
    for person in people:
        if len(person.contacts) > 1:
            raise ask_which(
                person, (person,), scene, (Way.MAIL,), lambda name, p=person: words.replace(p.said, name, 1)
            )
        if Way.MAIL not in person.ways():
            told = say(
                "I have no mail address of {names}. Write it, or add it under [[contacts]] in butler.toml.",
                names=person.said,
            )
            raise Asking(told)
    return [reference(person, scene) for person in people]
