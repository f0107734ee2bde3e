"""Replying in a thread: `reply to Anna's last mail: thanks`, `reply: yes`, `answer the second one with ...`."""

from dataclasses import dataclass
from datetime import datetime

from butler.contract.referents import ReferentKind
from butler.contract.speech import say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.draft import Draft
from butler.orchestrator.embedded.items import KINDS, Spoken, find, item_at, side_of
from butler.orchestrator.embedded.later import moment_said, put_off, still_later
from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.people import Person, Way, person_at, unknown
from butler.orchestrator.embedded.say import content
from butler.orchestrator.embedded.scene import Scene, not_set_up
from butler.orchestrator.embedded.sure_text import Reader, is_dictated, sure_text
from butler.orchestrator.embedded.when import spoken_at
from butler.orchestrator.planning.plan_types import Choice, Planned, PlannerOutput
from butler.store.conversation import Referent

REPLY = phrases("(reply|answer|respond)", "(write|send) (a|an) (reply|answer|response)", "(write|get) back")
DRAFT = phrases(
    "(draft|prepare|write|make) (a|an|the) (reply|answer|response) draft",
    "draft (a|an|the) (reply|answer|response)",
    "(prepare|compose) (a|an|the) (reply|answer|response)",
    "(save|make|write|prepare|create) a draft (answering|replying to|in reply to|for|to)",
    "draft (an answer|a reply) (to|for)",
    "draft",
)
ALL = phrases("[to] (all|everybody|everyone) [of them|in it]")
ON = phrases("(on|in|about|to)")
WITH = phrases("[,] with")
THINGS = frozenset({"a", "an", "the", "my", "our", "some", "what", "whatever"})
"""How something begins that is to be written, and is not the writing itself."""
TO = phrases("to")
SAYING = phrases(
    "[,] saying [that] [:]", "[,] and say [that] [:]", "[,] that [:]", "[,] with [the text|the words] [:]",
    ":", ",", "-", "–", "—",
)  # fmt: skip

CLAUSE = phrases("[,] [saying|and say] that")
AFTER_TIME = phrases(":", "[,] saying [that] [:]", "[,] and say [that] [:]")
"""What leads from a time to the text; anything else may belong to a text that begins with a time."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What is answered, and how."""

    text: str
    to_all: bool = False
    draft: bool = False


def reply(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a request to reply; None where it is none."""
    drafted = _draft(tail)
    start = drafted or tail.take(REPLY)
    if start is None:
        return None
    to_all = start.take(ALL)
    start = to_all.past(ON) if to_all else start
    target = start.past(TO)
    spoken, after = _target(target, start, scene)
    at, after = _time(after, tail, scene)

    def answered() -> PlannerOutput | None:
        marked = after.take(SAYING)
        if tail.word() == "answer" and after.at == start.at and marked is None and not scene.request.replied_to:
            return None
        text = content(marked or after)
        if not text:
            raise Asking(say("What shall I reply? Say it in one go, like “reply: thanks, that works”."))
        _sure_of_words(after, marked, tail, text)
        if marked is not None and not is_dictated(marked):
            said = (spoken.person.said,) if spoken.person else ()
            so_far = tail.text[: len(tail.text) - len(after.text)].rstrip()
            reader = Reader("", said, lambda new: f"{so_far}: {new}")
            text = sure_text(marked, reader, scene, clause=after.take(CLAUSE) is not None)
        referent = find(spoken, scene, lambda name: f"reply to {name}: {text}")
        if referent is None:
            assert spoken.person is not None
            raise _not_shown(spoken.person, text)
        return _in_thread(Answer(text, to_all is not None, drafted is not None), referent, scene)

    if at is None:
        return answered()
    try:
        output = answered()
    except Asking as asked:
        return still_later(asked.unclear, at)
    return put_off(output, at, scene) if isinstance(output, Planned) else output


def _time(after: Tail, tail: Tail, scene: Scene) -> tuple[datetime | None, Tail]:
    """`reply to it tomorrow at 8: ...`: the local time to send at, and what follows; none where none is said."""
    said = spoken_at(after, scene.now(), zones=True)
    if said is None or (text := said[1].take(AFTER_TIME)) is None or text.done:
        return None, after
    so_far = tail.text[: len(tail.text) - len(after.text)].rstrip()
    rest = said[1].text
    return moment_said(said[0], scene, lambda when: f"{so_far} {when}{rest}", f"{so_far}{rest}"), said[1]


def _sure_of_words(after: Tail, marked: Tail | None, tail: Tail, text: str) -> None:
    """What says what to write, or how, is no text: `with a summary of it`, `politely`. It is asked for."""
    body = marked or after
    # After a sign or a word that dictates, everything is meant as it stands.
    with_thing = after.take(WITH) is not None and body.word() in THINGS
    how = marked is None and body.skip().done and body.word().endswith("ly")
    if with_thing or how:
        so_far = tail.text[: len(tail.text) - len(after.text)].rstrip()
        example = f"{so_far}: …"
        raise Asking(
            say("What exactly shall I reply? Say it with a colon, like “{example}”.", example=example),
            [choice(say("Just this: {text}", text=text), f"{so_far}: {text}")],
        )


def _draft(tail: Tail) -> Tail | None:
    """`draft a reply ...`; a bare `draft` only where `to` follows."""
    after = tail.take(DRAFT)
    return after if after is not None and (after.at - tail.at > 1 or after.take(TO)) else None


def _target(target: Tail, start: Tail, scene: Scene) -> tuple[Spoken, Tail]:
    if (found := item_at(target, scene)) is not None:
        return found
    if (person := person_at(target, scene)) is not None:
        return Spoken(newest=True, person=person[0]), person[1]
    if target.at > start.at and not target.done:
        raise unknown(target)
    return Spoken(), start


def _in_thread(answer: Answer, referent: Referent, scene: Scene) -> PlannerOutput:
    contact = scene.contact(referent)
    whose = contact.name if contact else ""
    if referent.kind not in KINDS:
        raise Asking(say("I can answer mails and messages, and that is neither."))
    if referent.kind is not ReferentKind.MAIL:
        return _on_telegram(answer, referent, whose, scene)
    side = side_of(referent)
    if answer.draft and side == "bot":
        raise Asking(say("I can put a draft only into your own mailbox, and that mail is in mine."))
    tool = f"{side}_email_draft_reply" if answer.draft else f"{side}_email_reply_to_thread"
    if not scene.has(tool):
        raise Asking(not_set_up(tool))
    if answer.to_all and side == "bot":
        raise Asking(say("From my own mailbox I answer the sender only."))
    more = {"reply_all": True} if answer.to_all else {}
    return calls.plan(calls.reply_mail(tool, referent.handle, answer.text, whose, **more))


def _on_telegram(answer: Answer, referent: Referent, whose: str, scene: Scene) -> PlannerOutput:
    if answer.draft or answer.to_all:
        raise Asking(say("That goes for mails; an answer on Telegram is sent into its chat."))
    tool = f"{side_of(referent)}_telegram_reply_to_message"
    if not scene.has(tool) or side_of(referent) == "bot":
        raise Asking(say("I cannot answer that message."), _new_message(referent, answer.text, scene))
    return calls.plan(calls.reply_message(tool, referent.handle, answer.text, whose))


def _new_message(referent: Referent, text: str, scene: Scene) -> list[Choice]:
    """A new message instead, where the item is by somebody whom the owner knows."""
    contact = scene.contact(referent)
    way = Way.MAIL if referent.kind is ReferentKind.MAIL else Way.TELEGRAM
    if contact is None or not scene.has(way.tool) or contact.address(way) is None:
        return []
    words = Draft((Person(contact.aliases[0], (contact,)),), text, way).words()
    label = (
        say("Send {name} a new mail instead", name=contact.name)
        if way is Way.MAIL
        else say("Send {name} a new message instead", name=contact.name)
    )
    return [choice(label, words)]


def _not_shown(person: Person, text: str) -> Asking:
    return Asking(
        say(
            "I have not shown you a mail by {name} yet. Shall I look for one, or send a new message?", name=person.said
        ),
        [
            choice(say("Look for mails from {name}", name=person.said), f"any mail from {person.said}?"),
            choice(say("Send {name}: {text}", name=person.said, text=text), Draft((person,), text).words()),
        ],
    )
