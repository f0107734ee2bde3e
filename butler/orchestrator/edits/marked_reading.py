"""Reads a reply to a single card with the trained reader, in any of the languages: `mach lieber neun draus`."""

import re
from dataclasses import replace

from butler.agents.languages import language_of
from butler.contract.speech import phrase, say
from butler.orchestrator.edits.card_words import PACKAGE, card_words, words_of_kind
from butler.orchestrator.edits.grammar import text_or_addition
from butler.orchestrator.edits.reading import Word
from butler.orchestrator.edits.recipient_slots import CANNOT_UNSEEN
from butler.orchestrator.edits.ways import folded_alike, without_reasons
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.say import capital
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.planning.plan_types import AboutCards, CardAct, Unclear
from butler.orchestrator.understanding.cards import BUILDERS
from butler.orchestrator.understanding.people.who import is_named, known, without_article
from butler.orchestrator.understanding.said import Said
from butler.understanding.context import APPROVAL
from butler.understanding.reader import Request, RequestReader
from butler.understanding.stored_words import words_in
from butler.understanding.tables import LANGUAGES
from butler.understanding.times.parse import length_of, parse

SURE, SURE_NO_TEXT = 0.6, 0.95
"""The probability from which on a reply is taken for what it seems to be, and the same of English words that no written
form fits, which may be a new text."""
CHANGE, WHY, OF_CARD = "approve.change", "command.why", "approve."
OR_TEXT = phrase(
    "I am not sure whether that says what to change on the card or is its new text, so the card waits as it was."
)
OWN_TEXT = frozenset({"text", "reported"})
"""Slots for a text in the owner's own words."""
MOST_AROUND = 9
"""Words around what is marked; with more of them, a reply may as well be the new text."""
MOST_ALONE, SURE_NO = 6, 0.9
"""Words of a yes, a no or thanks; and the probability from which on a longer no is one, and words speak of the card."""
WORDS = {
    "approve.deny": Word.NO, "answer.no": Word.NO, "approve.all": Word.YES, "answer.yes": Word.YES,
    "chat.thanks": Word.WAIT,
}  # fmt: skip
"""What a short reply is that has these intents and says nothing else."""
TEXTS = frozenset({"text", "reported", "value", "asked", "subject", "title"})
"""Slots of words for a text, which may be about how it sounds: `make it friendlier`."""


OF_EVENT, NEW_TIMES = frozenset({"calendar.move", "calendar.remind"}), ("time", "duration", "lead")
"""Requests about an event that change the one of the card, and the slots of its new times."""
TELLING = frozenset({"message.send", "message.reply", "mail.send", "mail.reply", "card.comment", "note.create"})
"""Intents whose text is to be written to somebody, so that the words before it are none of it: `schreib ihr nur: …`."""


class MarkedReader:
    """Reads replies by the values that the trained reader marks."""

    def __init__(self, reader: RequestReader | None) -> None:
        """Without a `reader`, nothing is understood."""
        self._reader = reader

    def asks_why(self, words: str) -> bool:
        """Return whether a reply asks why the butler said something."""
        one = self._only(words)
        return one is not None and one.intent == WHY and one.confidence >= SURE

    def read(self, words: str, scene: Scene, text: str, *, maybe_text: bool) -> Word | AboutCards | Unclear | None:
        """Return what a reply amounts to; None for a new text, a question if it may be one.

        Args:
            words: The reply.
            scene: What it is said in.
            text: What the card sends.
            maybe_text: Whether no written form fits, so that nothing but the reader tells it from a text.
        """
        found = self._meant(words, scene, text, maybe_text=maybe_text) or _bare_name(words, scene)
        if found is None and maybe_text and card_words("unseen").search(words):
            return Unclear(say(CANNOT_UNSEEN))
        if found is None and maybe_text and (_instructs(words) or self._is_about_card(words)):
            return Unclear(say(OR_TEXT), (choice(say("The text: {words}", words=words), f"text: {words}"),))
        return found

    def _meant(self, words: str, scene: Scene, text: str, *, maybe_text: bool) -> Word | AboutCards | Unclear | None:
        """Return what a reply amounts to; None for one that is not understood, or is a text."""
        one = self._only(words)
        if maybe_text and one is not None and (told := _told(one)):
            return text_or_addition(capital(told), words)
        if one is None or one.confidence < SURE:
            return _bare_value(words, scene, text)
        if not text and _changes_the_event(one):
            slots = tuple(slot for slot in one.slots if slot.slot != "ref")
            one = replace(one, readings=((CHANGE, one.confidence),), slots=slots)
        if one.intent != CHANGE:
            word = WORDS.get(one.intent) if not one.slots and not _names_more(words, scene) else None
            short = len(words.split()) <= MOST_ALONE or (word is Word.NO and one.confidence >= SURE_NO)
            return word if word is not None and short else _bare_value(words, scene, text)
        # Nothing says what to do with such a text: it is the new one.
        bare = any(slot.slot in OWN_TEXT and not one.text[: slot.start].strip() for slot in one.slots)
        unsure = any(slot.slot in TEXTS for slot in one.slots) or (maybe_text and one.confidence < SURE_NO_TEXT)
        if bare or ((one.language or language_of(words)) == "en" and unsure):
            return None
        if maybe_text and len(without_reasons(one).split()) > MOST_AROUND:
            return text_or_addition(words)
        return _values(one, scene, words)

    def _is_about_card(self, words: str) -> bool:
        """Return whether a reply speaks of the card to the butler, although it is unclear what it says of it."""
        found = self._reader.read(words, (APPROVAL,)) if self._reader is not None else ()
        if not found or any(slot.slot in OWN_TEXT and not slot.start for slot in found[0].slots):
            return False
        return any(
            sum(share for intent, share in one.readings if intent.startswith(OF_CARD) or intent in OF_EVENT) >= SURE_NO
            for one in found
        )

    def _only(self, words: str) -> Request | None:
        found = self._reader.read(words, (APPROVAL,)) if self._reader is not None else ()
        return found[0] if len(found) == 1 else None


def _names_more(words: str, scene: Scene) -> bool:
    """Return whether a reply names somebody or tells what to change, so that it is no plain yes or no."""
    return any(is_named(contact, words) for contact in scene.request.contacts) or _instructs(words)


def _instructs(words: str) -> bool:
    """Return whether a reply begins like an instruction to change a card."""
    return card_words("instructs").match(words.strip(" ¡¿")) is not None


def _changes_the_event(one: Request) -> bool:
    """Return whether a request about an event names no other one than that of the card: `schieb es auf neun`."""
    pointing = all(len(words.split()) == 1 for words in one.words("ref"))
    return one.intent in OF_EVENT and pointing and {slot.slot for slot in one.slots} <= {"ref", *NEW_TIMES}


def _told(one: Request) -> str:
    """Return the text that is to be written, without the words before it; empty if it is not said to be written."""
    texts = [slot for slot in one.slots if slot.slot in OWN_TEXT]
    if len(texts) != 1 or not re.search(r"\w", one.text[: texts[0].start]):
        return ""
    changes = one.intent == CHANGE and one.confidence >= SURE
    sure = sum(share for intent, share in one.readings if intent in TELLING | {CHANGE}) >= SURE
    return texts[0].text.strip() if sure and not changes else ""


def _values(one: Request, scene: Scene, words: str) -> AboutCards | None:
    """Return the new values that are marked; None if there are none."""
    language = one.language or language_of(words) or scene.request.language
    try:
        about = BUILDERS[CHANGE](Said(one, scene, language, words))
    except Asking:
        return None
    return about if isinstance(about, AboutCards) and about.act is CardAct.CHANGE and about.values else None


def _bare_value(words: str, scene: Scene, text: str) -> AboutCards | None:
    """Return the new time or length that a reply is from the first word to the last: `zwanzig Minuten`."""
    now, bare = scene.now(), words.strip(" .!,")
    likely = (language_of(words), language_of(text), scene.request.language)
    for language in dict.fromkeys((*filter(None, likely), *LANGUAGES)):
        length = None if card_words("at").match(bare) else length_of(bare, language, now)
        slot = "duration" if length else "time" if parse(bare, language, now) else ""
        if slot:
            return AboutCards(CardAct.CHANGE, values=((slot, bare),), language=language)
    return None


def _bare_name(words: str, scene: Scene) -> AboutCards | None:
    """Return the person whom a reply leaves out or keeps, if it says nothing else: `ohne Bob`, `lass Bob weg`."""
    bare = words_in(PACKAGE, "words", "polite").sub("", words).strip(" .!,")
    rest = bare
    for kind in ("not_to", "behind_name", "keep_name"):
        rest = words_of_kind(kind).sub(lambda found: " " * len(found[0]), folded_alike(rest))
    name = without_article(bare[len(rest) - len(rest.lstrip()) : len(rest.rstrip())])
    if not name or name == bare or len(rest) != len(bare) or known(name, scene) is None:
        return None
    return AboutCards(CardAct.CHANGE, values=(("to", name),), language=language_of(words) or scene.request.language)
