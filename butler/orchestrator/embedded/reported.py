"""Detects reported speech (`I love her`, `asking whether she's free`), which is never sent as it is.

The butler puts no words into the owner's mouth: it asks for other words, with a button for the most likely text.
The words are in `reported.toml` and `direct_speech.toml`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from butler.contract.tables import table
from butler.orchestrator.embedded.lexer import Tail
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.embedded.table_words import phrases_of, word_set
from butler.understanding.stored_words import stored


@dataclass(frozen=True, slots=True)
class Reported:
    """A doubt about a text."""

    pronoun: str
    """The doubtful pronoun; empty if the whole text is reported."""
    direct: str = ""
    """The text in direct speech; empty if it is not certain."""


def reported(body: Tail, names: tuple[str, ...], scene: Scene, *, several: bool) -> Reported | None:
    """Return the part of a text that was not addressed to its recipient; None if the text can go as it stands.

    Args:
        body: The text as it was said.
        names: The names of the recipients.
        scene: The request with the known people.
        several: Whether it goes to several people.
    """
    words = body.bare()
    if words.take(phrases_of("reported", "begins")) is not None:
        return Reported("")
    place = _pronoun(words, scene, names, several=several)
    if place is None:
        return None
    return Reported(words.tokens[place].word, _said_directly(words) if not several else "")


def _pronoun(words: Tail, scene: Scene, names: tuple[str, ...], *, several: bool) -> int | None:
    """Return the place of the first pronoun without anybody named before it."""
    theirs = {word for name in names for word in name.casefold().split()}
    named, here = False, words
    while not here.done:
        if not named and _is_other(here, words, several=several):
            return here.at
        named = named or _names(here, words, scene, theirs)
        here = here.skip()
    return None


def _is_other(here: Tail, words: Tail, *, several: bool) -> bool:
    word = here.word()
    if word in _words("third_person") or (several and word in _words("several")):
        return True
    if word in _words("object_and_verb") or (
        here.take(phrases_of("reported", "objects")) is not None and _object(here)
    ):
        return True
    if word in _words("one_or_several") and not several:
        return here.at > words.at or here.word(1) not in _words("verbs_of_several")
    return word in _words("object_first") and here.at == words.at and _is_verb(here.word(1))


def _object(here: Tail) -> bool:
    after = here.take(phrases_of("reported", "objects"))
    assert after is not None
    return _is_verb(after.word()) or after.word() in _words("verbs_of_objects")


def _is_verb(word: str) -> bool:
    endings = stored("butler.orchestrator.embedded", "reported", "verb_endings")
    return word.endswith(endings) and word not in _words("no_verbs")


def _names(here: Tail, words: Tail, scene: Scene, theirs: set[str]) -> bool:
    """Return whether the words name somebody or something here that a later pronoun may stand for."""
    word, written = here.word(), here.written()
    if word in theirs:
        return False
    capital = written[:1].isupper() and here.at > words.at and word not in _words("capitals")
    known = (word,) in scene.people
    return capital or known or word in _words("people") or (word in _words("determiners") and here.word(1) != "")


def _said_directly(words: Tail) -> str:
    """Return an English text in direct speech; empty if it is not certain."""
    said: list[str] = []
    pronouns, verbs, subjects = _direct("pronouns"), _direct("verbs"), word_set("direct_speech", "subjects")
    here, before = words, ""
    while not here.done:
        word, written = here.word(), here.written()
        if word == "her":
            last = here.skip()
            behind = word_set("direct_speech", "behind_her") | _words("determiners")
            new = "you" if last.done or last.word() in behind else "your"
        elif word in pronouns:
            new = pronouns[word]
        elif before in subjects and word in verbs:
            new = verbs[word]
        elif (before in subjects and word.endswith("s")) or word in _words("several") or not word.isascii():
            # Such a verb would have another ending, and such a word may be of another language.
            return ""
        else:
            new = written
        gap = words.source[here.tokens[here.at - 1].end : here.tokens[here.at].start] if here.at > words.at else ""
        said.append(gap + new)
        before, here = word, here.skip()
    text = "".join(said)
    return text[:1].upper() + text[1:] if text.casefold() != words.text.casefold() else ""


def _words(kind: str) -> frozenset[str]:
    return word_set("reported", kind)


def _direct(kind: str) -> Mapping[str, str]:
    """Return what each word of a kind is in direct speech; known for English only."""
    return table("butler.orchestrator.embedded", "direct_speech")[kind]["en"]
