"""Reads follow-up messages: a repeated request with another slot, or a pronoun such as `her`.

Nothing is stored for this: the owner's earlier messages are read again and combined with the new words.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from butler.contract.provenance import Trust
from butler.contract.referents import ReferentKind
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.planning.plan_types import PlannerOutput
from butler.orchestrator.understanding.act_words import only, says
from butler.orchestrator.understanding.people.addressed import leaves_somebody_out
from butler.orchestrator.understanding.people.who import is_named, is_pronoun
from butler.orchestrator.understanding.requests.carrying import SENDS, TEXTS, with_day, with_slots
from butler.orchestrator.understanding.requests.weighing import LOOKING
from butler.orchestrator.understanding.things.pointing import HANDLE
from butler.orchestrator.understanding.turns.picking import CHOOSE
from butler.store.conversation import ConversationMessage
from butler.understanding.context import ASKED, KINDS, flags_of
from butler.understanding.marked import SlotWords
from butler.understanding.reader import Request
from butler.understanding.tables import intents, slots_of
from butler.understanding.times.parse import parse

MOST_TURNS = 6
SAME = 3
"""The most words of a text that only means `the same`."""
PEOPLE = frozenset({"to", "from", "with"})
CLITIC = {
    "es": re.compile(
        r"\b(?!(?:vale|sale|calle|doble|cable|simple|posible|imposible|detalle|chile|noble|roble)s?\b)\w{2,}les?\b",
        re.IGNORECASE,
    ),
    "fr": re.compile(r"\b(?:lui|leur)\b", re.IGNORECASE),
}
"""Verbs that include a pronoun: `escríbele`, `dis-leur`."""
WATCH = "watch.answer"
REFINE, MEMORY = "refine", "memory.ask"
PASSED_OVER = ("answer.", "choose", "more", "chat.", "approve.", "undo", REFINE)
"""Intents of messages that are no request of their own."""
CHATS = frozenset({"chat.read", "chat.list"})
"""Requests about chats, as opposed to small talk."""
LOOKS = {
    "mail": "mail.search", "message": "chat.read", "reminder": "reminder.list", "event": "calendar.list",
    "card": "card.list", "note": "note.search", "file": "file.search",
}  # fmt: skip
"""The request that shows the last shown kind of things, if no earlier message of the owner does."""
OPENS = {
    "mail": "mail.read", "message": "chat.read", "card": "card.read", "file": "file.read", "page": "web.read",
}  # fmt: skip
"""The request that opens a chosen thing."""
Read = Callable[[str, Sequence[str]], tuple[Request, ...]]
Build = Callable[[Request], PlannerOutput]


@dataclass(frozen=True, slots=True)
class Turns:
    """The earlier messages, and the functions that read and plan them."""

    history: tuple[ConversationMessage, ...]
    read: Read
    scene: Scene
    build: Build

    def owners(self) -> Iterator[tuple[Request, ...]]:
        """Yield the owner's messages as read, the newest first."""
        return (found for found, _ in self.asked())

    def asked(self) -> Iterator[tuple[tuple[Request, ...], bool]]:
        """Yield the owner's messages as read, each with whether it followed a question of the butler."""
        for at, message in reversed(list(enumerate(self.history))[-2 * MOST_TURNS :]):
            if message.role == "user" and all(origin.trust is Trust.OWNER for origin in message.origins):
                before = self.history[at - 1] if at else None
                asked = before is not None and before.role == "assistant" and "?" in before.content
                shown = HANDLE.findall(before.content)[-1:] if before is not None else ()
                kinds = tuple(kind for kind in shown if kind in KINDS)
                yield self.read(message.content, (*kinds, *((ASKED,) if asked else ()))), asked


def refined(wish: Request, turns: Turns, context: Sequence[str]) -> PlannerOutput | None:
    """Return the last request with another slot: `and on friday?`, `only the unread ones`, `the same to bob`.

    An item chosen from a list becomes the last request's reference, or it is opened.
    """
    kind = next((flag for flag in context if flag in LOOKS), "") if wish.intent not in SENDS else ""
    chosen = wish.intent == CHOOSE
    asked = (one for found in turns.owners() for one in reversed(found) if not _passed_over(one))
    for at, request in enumerate(asked):
        newest_look = not at and not chosen and request.intent in LOOKING
        if kind and not newest_look and flags_of(request.intent) != (kind,):
            continue
        if chosen and "ref" not in intents()[request.intent].slots:
            break
        return _again(wish, request, turns)
    default = (OPENS if chosen else LOOKS).get(kind)
    if default:
        looked = Request("", wish.start, ((default, 1.0),), (), wish.language)
        return turns.build(with_slots(looked, wish, _fitting(wish, looked)))
    return None


def _again(wish: Request, request: Request, turns: Turns) -> PlannerOutput | None:
    """Return the output for the request with the wish's slots; None if that changes nothing."""
    slots = _fitting(wish, request)
    if wish.intent in SENDS:
        # `the same` means the earlier text.
        slots = tuple(one for one in slots if one.slot not in TEXTS)
    if request.intent == MEMORY and not any(one.slot in intents()[MEMORY].slots for one in slots):
        return turns.build(_asked_more(request, wish))
    now = turns.scene.now()
    slots = tuple(_day_after(one, request, now) for one in with_day(slots, request, now))
    output = turns.build(with_slots(request, wish, slots))
    return output if output != turns.build(request) else None


def _day_after(one: SlotWords, request: Request, now: datetime) -> SlotWords:
    """Return `the day after` as the day after the requested one."""
    asked = parse(" ".join(request.words("time")), request.language or "en", now)
    if one.slot != "time" or asked is None or asked.day is None or not only("day_after", one.text):
        return one
    return replace(one, text=(asked.day + timedelta(1)).isoformat())


def _asked_more(request: Request, wish: Request) -> Request:
    """Return a question to memory with further words: `and where?`."""
    query = " ".join(request.words("query")) or request.text
    words = f"{query} {wish.text}"
    return replace(request, text=words, slots=(SlotWords("query", words, 0, len(words)),))


def is_repeated(wish: Request, turns: Turns) -> bool:
    """Return whether to write the same to somebody else: `send the same to bob`, `y a Bob también`."""
    says_more = any(
        not says("again", words) or len(words.split()) > SAME for slot in TEXTS for words in wish.words(slot)
    )
    if wish.intent not in SENDS or says_more or not any(map(wish.words, PEOPLE)):
        return False
    before = next((one for found in turns.owners() for one in reversed(found) if not _passed_over(one)), None)
    return before is not None and before.intent in SENDS and any(map(before.words, TEXTS)) and says("again", wish.text)


def _passed_over(request: Request) -> bool:
    return request.intent.startswith(PASSED_OVER) and request.intent not in CHATS


def _fitting(wish: Request, request: Request) -> tuple[SlotWords, ...]:
    """Return the wish's slots as the request takes them, such as a person in its slot for people."""
    takes = slots_of(request.intent)
    named = next((one.slot for one in request.slots if one.slot in PEOPLE), "")
    person = named or next((slot for slot in ("to", "from", "with") if slot in takes), "")
    slots: list[SlotWords] = []
    for one in wish.slots:
        if one.slot in PEOPLE and person and (named or one.slot not in takes):
            slots.append(replace(one, slot=person))
        elif one.slot == "topic" and request.intent == "chat.read" and request.words("from"):
            slots.append(replace(one, slot="from"))
        elif one.slot == "time" and "time" not in takes and "every" in takes:
            slots.append(replace(one, slot="every"))
        else:
            slots.append(one)
    return tuple(slots)


def with_people(request: Request, scene: Scene, turns: Turns) -> Request:
    """Return the request with the person named last in place of `him`, `her` or `them`, even within a verb."""
    spoken = [one for one in request.slots if one.slot in PEOPLE and is_pronoun(one.text)]
    within = _clitic(request)
    waits = request.intent == WATCH and not any(map(request.words, (*PEOPLE, "topic"))) and not _shows_a_writer(scene)
    if not spoken and within is None and not waits:
        return request
    name = _named_here(request, scene) or _named_last(scene, turns)
    if not name:
        return request
    if waits:
        end = len(request.text)
        return replace(request, slots=(*request.slots, SlotWords("from", name, end, end)))
    if within is not None:
        there = SlotWords("to", name, within.start(), within.end())
        return replace(request, slots=tuple(sorted((*request.slots, there), key=lambda one: one.start)))
    slots = tuple(replace(one, text=name) if one in spoken else one for one in request.slots)
    return replace(request, slots=slots)


def _clitic(request: Request) -> re.Match[str] | None:
    """Return the pronoun within a verb of a request to write that names nobody."""
    pattern = CLITIC.get(request.language)
    unnamed = request.intent in SENDS and not any(map(request.words, PEOPLE))
    return pattern.search(request.text) if pattern is not None and unnamed else None


def _shows_a_writer(scene: Scene) -> bool:
    """Return whether a mail or message was shown or replied to, so that its writer's answer may be meant."""
    last = scene.request.last_shown
    return bool(scene.request.replied_to) or (
        last is not None and last.kind in {ReferentKind.MAIL, ReferentKind.MESSAGE}
    )


def _named_here(request: Request, scene: Scene) -> str:
    """Return the only person named outside of the texts: `Anna and I share it, so send it to her`."""
    text = request.text
    for one in request.slots:
        if one.slot in TEXTS:
            text = text.replace(one.text, " ")
    named = {one.contact_id: one for one in scene.request.contacts if is_named(one, text)}
    return next(iter(named.values())).aliases[0] if len(named) == 1 and not leaves_somebody_out(text) else ""


def _named_last(scene: Scene, turns: Turns) -> str:
    """Return the writer of what was replied to or shown last, or else the only person named most recently."""
    shown = scene.request.replied_to or (scene.request.referents[-1:] if scene.request.last_shown else ())
    contact = scene.contact(shown[-1]) if shown else None
    if contact is not None:
        return contact.aliases[0]
    for message in reversed(turns.history[-2 * MOST_TURNS :]):
        named = {one.contact_id: one for one in scene.request.contacts if is_named(one, message.content)}
        if len(named) > 1:
            return ""
        if named:
            return next(iter(named.values())).aliases[0]
    return ""
