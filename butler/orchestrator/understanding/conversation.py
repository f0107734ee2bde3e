"""What a message means after what was said before it: an answer to a question, or somebody meant by `her`.

Nothing is stored for it: the owner's messages before are read again, and the answer's words are put with them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from butler.contract.provenance import Trust
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.planning.plan_types import Command, Planned, PlannerOutput
from butler.orchestrator.understanding.who import PRONOUNS, known, without_article
from butler.store.conversation import ConversationMessage
from butler.understanding.reader import Request, SlotWords

ANSWERS = frozenset({"answer.value", "choose"})
REFUSALS = frozenset({"answer.no", "approve.deny", "undo", "approve.change"})
REFUSED = 0.2
"""The probability of a no, or of another wish, from which on a message is no answer."""
UNSURE = 0.55
"""Below this probability a message after a question is taken for its answer."""
MOST_TURNS = 6
SHORT = 6
"""Words of an answer that nothing is marked in."""
PEOPLE = frozenset({"to", "from", "with"})
GUESSES = ("time", "to", "text", "topic", "title", "query", "list", "label", "folder", "value", "duration", "every")
"""Slots that a bare answer may fill, tried in order."""
Read = Callable[[str], tuple[Request, ...]]
Build = Callable[[Request], PlannerOutput]


@dataclass(frozen=True, slots=True)
class Turns:
    """The messages before, and how they are read and planned."""

    history: tuple[ConversationMessage, ...]
    read: Read
    build: Build

    def after_question(self) -> bool:
        """Whether the butler asked something last."""
        last = self.history[-1] if self.history else None
        return last is not None and last.role == "assistant" and "?" in last.content

    def owners(self) -> Iterator[str]:
        """The owner's messages, the newest first."""
        for message in list(reversed(self.history))[: 2 * MOST_TURNS]:
            if message.role == "user" and all(origin.trust is Trust.OWNER for origin in message.origins):
                yield message.content


def is_answer(found: tuple[Request, ...]) -> bool:
    """Whether a message that follows a question is likely its answer, and not a no."""
    if len(found) != 1 or sum(share for intent, share in found[0].readings if intent in REFUSALS) > REFUSED:
        return False
    return found[0].intent in ANSWERS or found[0].confidence < UNSURE


def answered(answer: Request, turns: Turns) -> PlannerOutput | None:
    """What the request that was asked about comes to with its answer; None where it comes to nothing."""
    later: list[Request] = [answer]
    for words in turns.owners():
        found = turns.read(words)
        if not found:
            return None
        if is_answer(found) and len(later) < MOST_TURNS:
            later.append(found[0])
            continue
        request = found[-1]
        before = turns.build(request)
        if isinstance(before, Planned | Command) and not (answer.intent in ANSWERS and answer.slots):
            return None
        for one in reversed(later):
            merged = _merged(request, one, turns.build)
            if merged is None:
                return None
            request = merged
        after = turns.build(request)
        return after if after != before else None
    return None


def _merged(request: Request, answer: Request, build: Build) -> Request | None:
    """The request with the slots of an answer; a bare answer fills the first slot with which it gets further."""
    before = build(request)
    if answer.slots:
        joined = _with(request, answer, answer.slots)
        if _gets_further(before, build(joined)):
            return joined
    words = answer.text.strip()
    if len(words.split()) > SHORT and not answer.slots:
        whole = (SlotWords("text", words, 0, len(words)),)
        return _with(request, answer, whole)
    for slot in GUESSES:
        if any(one.slot == slot for one in request.slots):
            continue
        joined = _with(request, answer, (SlotWords(slot, words, 0, len(answer.text)),))
        output = build(joined)
        if isinstance(output, Planned | Command):
            return joined
    for slot in GUESSES:
        joined = _with(request, answer, (SlotWords(slot, words, 0, len(answer.text)),))
        if not any(one.slot == slot for one in request.slots) and _gets_further(before, build(joined)):
            return joined
    return None


def _gets_further(before: PlannerOutput, after: PlannerOutput) -> bool:
    return isinstance(after, Planned | Command) or after != before


def _with(request: Request, answer: Request, slots: tuple[SlotWords, ...]) -> Request:
    """Both texts one behind the other; a slot that is said anew takes the place of what it was."""
    text = f"{request.text}\n{answer.text}"
    by = len(request.text) + 1
    new = {one.slot for one in slots}
    moved = tuple(replace(one, start=one.start + by, end=one.end + by) for one in slots)
    return replace(request, text=text, slots=(*(one for one in request.slots if one.slot not in new), *moved))


def with_people(request: Request, scene: Scene, turns: Turns) -> Request:
    """The request with whoever was named last in the place of `him`, `her` or `them`."""
    spoken = [one for one in request.slots if one.slot in PEOPLE and _is_pronoun(one.text)]
    if not spoken:
        return request
    name = _named_last(scene, turns)
    if not name:
        return request
    slots = tuple(replace(one, text=name) if one in spoken else one for one in request.slots)
    return replace(request, slots=slots)


def _is_pronoun(words: str) -> bool:
    return without_article(words).casefold() in PRONOUNS


def _named_last(scene: Scene, turns: Turns) -> str:
    """Who wrote what is replied to or was shown last, or else whom the owner named last."""
    shown = scene.request.replied_to or (scene.request.referents[-1:] if scene.request.last_shown else ())
    contact = scene.contact(shown[-1]) if shown else None
    if contact is not None:
        return contact.aliases[0]
    for words in turns.owners():
        for request in reversed(turns.read(words)):
            for one in request.slots:
                if one.slot in PEOPLE and not _is_pronoun(one.text) and known(one.text, scene) is not None:
                    return one.text
    return ""
