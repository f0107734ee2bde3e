"""The text that is to be sent, out of words that were dictated or told about in passing.

What was dictated goes as it stands. `that she'll be late` is said to whoever reads it, `whether he is coming` is asked
of them; where that cannot be told for certain, the owner is asked, with a button for how it most likely reads.
"""

import re

from butler.contract.speech import say
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.draft import Draft
from butler.orchestrator.embedded.further_request import further_requests
from butler.orchestrator.embedded.lexer import lex
from butler.orchestrator.embedded.main_clause import main_clause
from butler.orchestrator.embedded.reported import reported
from butler.orchestrator.embedded.say import capital
from butler.orchestrator.embedded.sure_text import PART_OF_IT, before_joint
from butler.orchestrator.understanding.questions import question_of
from butler.orchestrator.understanding.said import Said, bare
from butler.understanding.reader import SlotWords

TEXTS = frozenset({"text", "reported", "asked"})
THAT = re.compile(r"\b(?:dass|daß|das)\s*[:,]?\s*[\"„“»«]?$", re.IGNORECASE)


def text_of(said: Said, draft: Draft) -> str:
    """The text as its reader shall see it; empty where none was said. Raises `Asking` where it is in doubt."""
    marked = [one for one in said.request.slots if one.slot in TEXTS]
    if not marked:
        return ""
    found = _together(said, marked)
    words = bare(found.text)
    if found.slot == "text" or _is_dictated(said, found):
        return capital(words)
    if found.slot == "asked":
        return _asked(said, words, draft, found)
    return _told(said, words, draft, found)


def _together(said: Said, marked: list[SlotWords]) -> SlotWords:
    """The first text; what directly follows it belongs to it."""
    first = marked[0]
    for one in marked[1:]:
        between = said.request.text[first.end : one.start]
        if len(between) > 6 or one.slot != first.slot:  # noqa: PLR2004 - an "and" or a comma
            break
        first = SlotWords(first.slot, said.request.text[first.start : one.end], first.start, one.end)
    return first


def _is_dictated(said: Said, found: SlotWords) -> bool:
    before = said.request.text[: found.start].rstrip()
    return before.endswith((":", '"', "“", "„", "«", "»"))


def _told(said: Said, words: str, draft: Draft, found: SlotWords) -> str:
    _sure_of_one(said, words, found)
    names = tuple(person.said for person in draft.people)
    doubt = reported(lex(words), names, said.scene, several=len(names) > 1)
    if doubt is not None:
        texts = [doubt.direct, capital(words)] if doubt.direct else [capital(words)]
        question = (
            say("Who is “{word}” in the text?", word=doubt.pronoun)
            if doubt.pronoun
            else say("What exactly shall I write?")
        )
        raise Asking(question, [choice(say("Send: {text}", text=text), _dictated(said, found, text)) for text in texts])
    if said.language == "de" and THAT.search(said.request.text[: found.start]):
        sentence = main_clause(words)
        if sentence is None:
            raise Asking(
                say("What exactly shall I write?"),
                [choice(say("Just this: {text}", text=capital(words)), _dictated(said, found, capital(words)))],
            )
        return sentence
    return capital(words)


def _sure_of_one(said: Said, words: str, found: SlotWords) -> None:
    """Ask where a second request may stand within the text."""
    body = lex(words)
    for rest in further_requests(body, said.scene):
        alone = body.source[: body.tokens[before_joint(body, rest) - 1].end]
        choices = [
            choice(say("Part of the text"), _dictated(said, found, capital(words))),
            choice(say("Leave it out"), _dictated(said, found, capital(alone))),
        ]
        raise Asking(say(PART_OF_IT, rest=rest.bare().text), choices)


def _asked(said: Said, words: str, draft: Draft, found: SlotWords) -> str:
    question = question_of(words, said.language, several=len(draft.people) > 1)
    if question is None:
        plain = f"{capital(words)}?"
        raise Asking(
            say("What exactly shall I ask?"),
            [choice(say("Send: {text}", text=plain), _dictated(said, found, plain))],
        )
    return question


def _dictated(said: Said, found: SlotWords, text: str) -> str:
    """The request with the text behind a colon."""
    before = said.request.text[: found.start].rstrip(" ,:")
    for joint in ("that", "dass", "daß", "que", "qu'", "whether", "if", "ob", "si"):
        if before.casefold().endswith(f" {joint}"):
            before = before[: -len(joint)].rstrip(" ,")
    return f"{before}: {text}{said.request.text[found.end :]}"
