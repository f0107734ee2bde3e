"""Passing a mail on: `forward the second one to Bob`, `forward Anna's last mail to bob@x.example`."""

from butler.contract.referents import ReferentKind
from butler.contract.speech import say, say_list
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.draft import ask_which
from butler.orchestrator.embedded.items import Spoken, find, item_at, side_of
from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.people import (
    WAYS,
    Person,
    Way,
    goes_on,
    join,
    looks_like_name,
    people_at,
    reference,
    unknown,
)
from butler.orchestrator.embedded.reading import newest
from butler.orchestrator.embedded.scene import Scene, not_set_up
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput

FORWARD, PASS = phrases("(forward|fwd)"), phrases("pass [on]")
SEND = phrases("(send|mail|email)")
ON_TO, TO = phrases("[on] to"), phrases("to")


def forward(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a request to forward; None where it is none. `send` means it only with a shown item right after it."""
    start = tail.take(FORWARD)
    sending = tail.take(SEND) or tail.take(PASS)
    here = start or sending
    if here is None:
        return None
    found = _item_then_people(here, scene) or _people_then_item(here, scene)
    if found is not None:
        return _forward(*found, scene)
    if start is not None:
        raise Asking(say("What shall I forward, and to whom? Say it like “forward the second one to Bob”."))
    return None


def _item_then_people(tail: Tail, scene: Scene) -> tuple[Spoken, tuple[Person, ...], Tail] | None:
    item = item_at(tail, scene)
    to = item[1].take(ON_TO) if item else None
    if item is None or to is None:
        return None
    people = people_at(to, scene)
    if people is None and looks_like_name(to):
        raise unknown(to)
    return (item[0], *people) if people else None


def _people_then_item(tail: Tail, scene: Scene) -> tuple[Spoken, tuple[Person, ...], Tail] | None:
    people = people_at(tail.past(TO), scene)
    item = item_at(people[1], scene) if people else None
    if people is None or item is None or not item[1].bare().done:
        return None
    return item[0], people[0], item[1]


def _forward(spoken: Spoken, people: tuple[Person, ...], rest: Tail, scene: Scene) -> PlannerOutput:
    names = join([person.said for person in people])
    if goes_on(people[-1], rest):
        raise unknown(Tail(rest.source, rest.tokens, rest.at - 1, rest.end))
    reading, item = _reading(spoken, names, scene)
    anew = f"forward {item} to "
    for person in people:
        if len(person.contacts) > 1:
            raise ask_which(person, people, scene, (Way.MAIL,), lambda said: anew + said)
    _check(people, rest, names, anew)
    if not scene.has(Way.MAIL.tool):
        raise Asking(not_set_up(Way.MAIL.tool))
    to = [reference(person, scene) for person in people]
    return calls.forward_mail(say_list([person.name for person in people]), to, reading)


def _reading(spoken: Spoken, names: str, scene: Scene) -> tuple[Planned, str]:
    """The steps that read the mail, and how a request names it."""
    if spoken.box:
        by = f" from {spoken.person.said}" if spoken.person else ""
        return newest(spoken, scene), f"{'my' if spoken.box == 'user' else 'your'} last mail{by}"
    referent = find(spoken, scene, lambda name: f"forward {name} to {names}")
    if referent is None:
        assert spoken.person is not None
        said = spoken.person.said
        question = say("I have not shown you a mail by {name} yet. Shall I look for one?", name=said)
        raise Asking(question, [choice(say("Look for mails from {name}", name=said), f"any mail from {said}?")])
    if referent.kind is not ReferentKind.MAIL:
        raise Asking(say("I can forward mails, and no messages of a chat."))
    side = side_of(referent)
    if not scene.has(f"{side}_email_read_message"):
        raise Asking(not_set_up(f"{side}_email_read_message"))
    return calls.plan(calls.read_mail(referent.handle, side)), referent.handle


def _check(people: tuple[Person, ...], rest: Tail, names: str, anew: str) -> None:
    lacking = [person.said for person in people if Way.MAIL not in person.ways()]
    if lacking:
        raise Asking(
            say(
                "I forward by mail, and I have no mail address of {names}. Write it in the request.",
                names=say_list(lacking),
            )
        )
    by_mail = next((rest.take(options) for options, way in WAYS if way is Way.MAIL and rest.take(options)), None)
    if not (by_mail or rest).bare().done:
        raise Asking(
            say("I can forward a mail as it is, without a note of yours above it."),
            [
                choice(
                    say("Forward it to {names} without a note", names=say_list([p.said for p in people])), anew + names
                )
            ],
        )
