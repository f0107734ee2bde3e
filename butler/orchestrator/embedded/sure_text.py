"""A text in the person's name before it goes: said to whoever reads it, in order, with nothing meant for the butler.

What the owner dictated behind a colon or in quotes is sent letter for letter; this is for all the rest.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from butler.contract.speech import phrase, say
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.further_request import further_requests
from butler.orchestrator.embedded.languages.canonical import language_of
from butler.orchestrator.embedded.lexer import QUOTES, Tail, word_set
from butler.orchestrator.embedded.main_clause import main_clause
from butler.orchestrator.embedded.reported import Reported, reported
from butler.orchestrator.embedded.say import content
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.planning.plan_types import Choice

PART_OF_IT = phrase("Is “{rest}” part of the text, or something else for me to do? Then say it by itself.")
JOINT_WORDS = word_set(
    "and then also please afterwards & und dann auch bitte danach et puis ensuite aussi après y luego después también "
    "entonces e plus , ; . !"
)
"""What joins two requests."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Who is to read a text, and how it would be dictated to the butler."""

    names: str
    """As a question says them; empty where nobody was named."""
    said: tuple[str, ...]
    """What they were called, one by one."""
    dictated: Callable[[str], str]
    """The request anew, with this text behind a colon."""


def is_dictated(body: Tail) -> bool:
    """Whether a text was marked off, so that every word of it is meant."""
    before = body.tokens[body.at - 1].word if body.at else ""
    return before == ":" or before in QUOTES or body.word() in QUOTES


def sure_text(body: Tail, reader: Reader, scene: Scene, *, clause: bool, bidding: bool = False) -> str:
    """The text as it is to be read. Raises `Asking` where that is not certain.

    Args:
        body: The text in the owner's words.
        reader: Who is to read it.
        scene: Who is known.
        clause: Whether it was said as a clause, behind `that`.
        bidding: Whether somebody is told to do something.
    """
    text = content(body)
    for rest in further_requests(body, scene, bidding=bidding):
        alone = content(replace(body, end=before_joint(body, rest)))
        short = (_is_german(scene) and clause and main_clause(alone)) or alone
        whole, part = reader.dictated(text), reader.dictated(short)
        choices = [choice(say("Part of the text"), whole), choice(say("Leave it out"), part)]
        raise Asking(say(PART_OF_IT, rest=rest.bare().text), choices)
    if (found := reported(body, reader.said, scene, several=len(reader.said) > 1)) is not None:
        raise _as_said(found, text, reader)
    if not clause or not _is_german(scene):
        return text
    if (sentence := main_clause(text)) is None:
        raise _what_exactly(reader, [choice(say("Just this: {text}", text=text), reader.dictated(text))])
    return sentence


def before_joint(body: Tail, rest: Tail) -> int:
    """Where the text ends before a second request: in front of what joins them."""
    end = rest.at
    while end > body.at and body.tokens[end - 1].word in JOINT_WORDS:
        end -= 1
    return max(end, body.at + 1)


def _as_said(found: Reported, text: str, reader: Reader) -> Asking:
    texts = [found.direct, text] if found.direct else [text]
    choices = [choice(say("Send: {text}", text=one), reader.dictated(one)) for one in texts]
    if not found.pronoun:
        return _what_exactly(reader, choices)
    if not reader.names:
        return Asking(say("Who is “{word}” in the text?", word=found.pronoun), choices)
    return Asking(say("Who is “{word}” in the text to {names}?", word=found.pronoun, names=reader.names), choices)


def _what_exactly(reader: Reader, choices: list[Choice]) -> Asking:
    if not reader.names:
        example = reader.dictated("…")
        question = say("What exactly shall I reply? Say it with a colon, like “{example}”.", example=example)
        return Asking(question, choices)
    names = reader.names
    question = say("What exactly shall I write to {names}? Say it with a colon, like “tell {names}: …”.", names=names)
    return Asking(question, choices)


def _is_german(scene: Scene) -> bool:
    return scene.translated and language_of(scene.original) == "de"
