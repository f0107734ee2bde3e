"""Replying in a thread: `reply to Anna's last mail: thanks`, `reply: yes`, `answer the second one with ...`."""

from butler.contract.conversation import Referent, ReferentKind
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.draft import Draft
from butler.orchestrator.embedded.items import Spoken, find, item_at, side_of
from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.people import Person, Way, person_at, unknown
from butler.orchestrator.embedded.say import content
from butler.orchestrator.embedded.scene import Scene, not_set_up
from butler.orchestrator.planning import Choice, PlannerOutput

REPLY = phrases("(reply|answer|respond)", "(write|send) a reply", "write back")
TO = phrases("to")
SAYING = phrases(
    "[,] saying [that] [:]", "[,] and say [that] [:]", "[,] that [:]", "[,] with [the text|the words] [:]",
    ":", ",", "-", "–", "—",
)  # fmt: skip


def reply(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a request to reply; None where it is none."""
    start = tail.take(REPLY)
    if start is None:
        return None
    target = start.past(TO)
    spoken, after = _target(target, start, scene)
    marked = after.take(SAYING)
    if tail.word() == "answer" and after.at == start.at and marked is None and not scene.request.replied_to:
        return None
    text = content(marked or after)
    if not text:
        raise Asking("What shall I reply? Say it in one go, like “reply: thanks, that works”.")
    referent = find(spoken, scene, lambda name: f"reply to {name}: {text}")
    if referent is None:
        assert spoken.person is not None
        raise _not_shown(spoken.person, text)
    return _in_thread(referent, text, scene)


def _target(target: Tail, start: Tail, scene: Scene) -> tuple[Spoken, Tail]:
    if (found := item_at(target, scene)) is not None:
        return found
    if (person := person_at(target, scene)) is not None:
        return Spoken(newest=True, person=person[0]), person[1]
    if target.at > start.at and not target.done:
        raise unknown(target)
    return Spoken(), start


def _in_thread(referent: Referent, text: str, scene: Scene) -> PlannerOutput:
    if referent.kind is not ReferentKind.MAIL:
        raise Asking("Replying to a Telegram message comes with a later version.", _new_message(referent, text, scene))
    side = side_of(referent)
    tool = f"{side}_email_reply_to_thread"
    if scene.has(tool):
        contact = scene.contact(referent)
        return calls.plan(calls.reply_mail(tool, referent.handle, text, f"{contact.name}'s" if contact else "the"))
    if side == "bot":
        raise Asking(not_set_up(tool))
    raise Asking(
        "Replying in the threads of your own mailbox comes with a later version.", _new_message(referent, text, scene)
    )


def _new_message(referent: Referent, text: str, scene: Scene) -> list[Choice]:
    """A new message instead, where the item is by somebody whom the owner knows."""
    contact = scene.contact(referent)
    way = Way.MAIL if referent.kind is ReferentKind.MAIL else Way.TELEGRAM
    if contact is None or not scene.has(way.tool) or contact.address(way) is None:
        return []
    words = Draft((Person(contact.aliases[0], (contact,)),), text, way).words()
    return [choice(f"Send {contact.name} a new {'mail' if way is Way.MAIL else 'message'} instead", words)]


def _not_shown(person: Person, text: str) -> Asking:
    return Asking(
        f"I have not shown you a mail by {person.said} yet. Shall I look for one, or send a new message?",
        [
            choice(f"Look for mails from {person.said}", f"any mail from {person.said}?"),
            choice(f"Send {person.said}: {text}", Draft((person,), text).words()),
        ],
    )
