"""Reads a reply to a single card with the trained reader, in any of the languages: `mach lieber neun draus`."""

from butler.agents.languages import language_of
from butler.orchestrator.edits.grammar import text_or_addition
from butler.orchestrator.edits.reading import Word
from butler.orchestrator.edits.ways import outside
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.planning.plan_types import AboutCards, CardAct, Unclear
from butler.orchestrator.understanding.cards import BUILDERS
from butler.orchestrator.understanding.said import Said
from butler.understanding.context import APPROVAL
from butler.understanding.reader import Request, RequestReader

SURE = 0.6
"""The probability from which on a reply is taken for what it seems to be."""
CHANGE = "approve.change"
MOST_AROUND = 9
"""Words around what is marked; with more of them, a reply may as well be the new text."""
WORDS = {
    "approve.deny": Word.NO, "answer.no": Word.NO, "approve.all": Word.YES, "answer.yes": Word.YES,
    "chat.thanks": Word.WAIT,
}  # fmt: skip
"""What a reply is that has these intents and says nothing else."""


class MarkedReader:
    """Reads replies by the values that the trained reader marks."""

    def __init__(self, reader: RequestReader | None) -> None:
        """Without a `reader`, nothing is understood."""
        self._reader = reader

    def read(self, words: str, scene: Scene) -> Word | AboutCards | Unclear | None:
        """Return what a reply amounts to; None for a new text, a question if it may be one."""
        found = self._reader.read(words, (APPROVAL,)) if self._reader is not None else ()
        if len(found) != 1 or found[0].confidence < SURE:
            return None
        (one,) = found
        if one.intent != CHANGE:
            return None if one.slots else WORDS.get(one.intent)
        if any(slot.slot in {"text", "reported"} and not one.text[: slot.start].strip() for slot in one.slots):
            return None  # Nothing says what to do with the text: it is the new one.
        return text_or_addition(words) if len(outside(one).split()) > MOST_AROUND else _values(one, scene, words)


def _values(one: Request, scene: Scene, words: str) -> AboutCards | None:
    """Return the new values that are marked; None if there are none."""
    language = one.language or language_of(words) or scene.request.language
    try:
        about = BUILDERS[CHANGE](Said(one, scene, language, words))
    except Asking:
        return None
    return about if isinstance(about, AboutCards) and about.act is CardAct.CHANGE and about.values else None
