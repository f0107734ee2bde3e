"""Makes the text of a message from words that were dictated or reported.

Dictated words stay as they are. `that she'll be late` is addressed to the reader, `whether he is coming` becomes a
question, and thanks become a thank-you. If that is not certain, the owner is asked, with a button for the most likely
text.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from butler.contract.speech import say
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.draft import Draft
from butler.orchestrator.embedded.further_request import further_requests
from butler.orchestrator.embedded.lexer import lex
from butler.orchestrator.embedded.reported import Reported
from butler.orchestrator.embedded.say import capital
from butler.orchestrator.embedded.sure_text import PART_OF_IT, before_joint
from butler.orchestrator.understanding.people.who import is_named, known
from butler.orchestrator.understanding.said import Said, bare
from butler.orchestrator.understanding.texts.courtesy import courtesy
from butler.orchestrator.understanding.texts.german import sentence_of
from butler.orchestrator.understanding.texts.orders import order_of, wished
from butler.orchestrator.understanding.texts.questions import question_of
from butler.orchestrator.understanding.texts.spoken_of import spoken_of
from butler.orchestrator.understanding.texts.text_words import group, patterns, plain
from butler.understanding.marked import SlotWords
from butler.understanding.tables import LANGUAGES

TEXTS = frozenset({"text", "reported", "asked"})
THAT = re.compile(rf"(?<!\w){group('that')}\s*[:,]?\s*$", re.IGNORECASE)
"""Words before a clause that reports what to say."""
AND_THAT = {language: patterns("and_that", language) for language in LANGUAGES}
"""A second reported clause."""
LISTED = patterns("listed_that")
"""A further reported clause after a comma."""
APPROVED = re.compile(rf"[\s,]+{group('if')}\s+{group('approved')}[\s.!?]*$", re.IGNORECASE)
APPROVED_BY_YOU = re.compile(rf"[\s,]+{group('if')}\s+{group('approved_by_you')}[\s.!?]*$", re.IGNORECASE)
"""A courtesy to the butler behind a text: `tell Bob I'm late if that's ok`."""
OTHERS_TEXT = "others_text"
"""The slot name of a text that goes to somebody else."""
JOINT = 6
"""The most signs between two marks of one text, such as an `and` or a comma."""
ARTICLES = frozenset(plain("articles"))
SHORTEST_CLAUSE = 4
ASKING = re.compile(rf"(?<!\w)({group('asking')})\s+$", re.IGNORECASE)
"""A question word that the reader left out of the question."""
BECAUSE = re.compile(rf"\s*{group('because')}\b", re.IGNORECASE)
"""Words that begin a clause which belongs to the one before."""
ENDS = (".", "!", "?", "…")
LATELY = 4
"""The number of recent messages that may name another person."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One text within the request, with the words before it."""

    said: Said
    found: SlotWords
    before: str
    names: tuple[str, ...]
    several: bool

    @property
    def words(self) -> str:
        """The text's words without quotes."""
        return bare(self.found.text)

    def dictated(self, text: str) -> str:
        """Return the request with this text after a colon."""
        before = self.said.request.text[: self.found.start].rstrip(" ,:")
        for joint in dict.fromkeys(plain("joints")):
            if before.casefold().endswith(f" {joint}"):
                before = before[: -len(joint)].rstrip(" ,")
        return f"{before}: {text}{self.said.request.text[self.found.end :]}"

    def asks(self, question: str, *texts: str) -> Asking:
        """Return a question about what to send, with a button for each of these texts."""
        return Asking(question, [choice(say("Send: {text}", text=text), self.dictated(text)) for text in texts])


def text_of(said: Said, draft: Draft, *, several: bool | None = None) -> str:
    """Return the text for its reader; empty if none was said. Raise `Asking` if it is in doubt.

    Args:
        said: The request.
        draft: Who is to read it.
        several: Whether several people read it; by default, whether the draft names several.
    """
    names = tuple(person.said for person in draft.people)
    many = len(names) > 1 if several is None else several
    pieces = (Piece(said, found, before, names, many) for found, before in _pieces(said))
    return _joined([_text(_without_courtesy(piece)) for piece in pieces])


def _without_courtesy(piece: Piece) -> Piece:
    """Return the piece without words to the butler at its end, where the reader's mark may end within them."""
    if piece.found.slot == "text" or _is_dictated(piece):
        return piece
    found = piece.found
    rest = piece.said.request.text[found.start :]
    end = APPROVED.search(rest) or (APPROVED_BY_YOU.search(rest) if THAT.search(piece.before) else None)
    if end is None or not 0 < end.start() < len(found.text):
        return piece
    return replace(piece, found=replace(found, text=rest[: end.start()], end=found.start + end.start()))


def _joined(texts: list[str]) -> str:
    """Join several texts as sentences of one."""
    if len(texts) < 2:  # noqa: PLR2004 - the only one stays as it is
        return "".join(texts)
    return " ".join(
        text if text.endswith(ENDS) or at == len(texts) - 1 else f"{text}." for at, text in enumerate(texts)
    )


def _pieces(said: Said) -> Iterator[tuple[SlotWords, str]]:
    """Yield each text with the words since the text before it; adjacent parts are joined."""
    text = said.request.text
    marked = sorted((s for s in said.request.slots if s.slot in TEXTS), key=lambda s: s.start)
    others = [s.end for s in said.request.slots if s.slot == OTHERS_TEXT and marked and s.end <= marked[0].start]
    end, pending = max(others, default=0), None
    for one in marked:
        if pending is not None:
            between = text[pending.end : one.start]
            if len(between) <= JOINT and one.slot == pending.slot:
                pending = SlotWords(one.slot, text[pending.start : one.end], pending.start, one.end)
                continue
            yield pending, text[end : pending.start]
            end = pending.end
        pending = one
    if pending is not None:
        yield pending, text[end : pending.start]


def _text(piece: Piece) -> str:
    if piece.found.slot == "asked":
        return piece.words if _is_dictated(piece) else _asked(piece)
    if _is_dictated(piece):
        return piece.words
    if piece.found.slot == "text" and not THAT.search(piece.before):
        return capital(piece.words)
    return _told(piece)


def _is_dictated(piece: Piece) -> bool:
    return piece.before.rstrip().endswith((":", '"', "“", "„", "«", "»"))


def _told(piece: Piece) -> str:
    _sure_of_one(piece)
    language = piece.said.language
    polite = courtesy(piece.before, piece.words, language, several=piece.several)
    order = order_of(piece.before, piece.words, language, several=piece.several) if polite is None else None
    written = polite.written if polite is not None else capital
    words = _addressed(piece, polite.thing if polite is not None else order or piece.words, written)
    if polite is not None:
        return written(words)
    return capital(_as_sentence(piece, words) if THAT.search(piece.before) and order is None else words)


def _addressed(piece: Piece, words: str, written: Callable[[str], str]) -> str:
    """Return the words as they address the reader; raise `Asking`, with a button for each text, if that is in doubt."""
    doubt = _doubt(piece, words)
    if doubt is None:
        return words
    if doubt.direct and _is_reader(piece):
        return doubt.direct
    texts = [written(_offered(piece, one)) for one in (doubt.direct, words) if one]
    who = say("Who is “{word}” in the text?", word=doubt.pronoun)
    raise piece.asks(who if doubt.pronoun else say("What exactly shall I write?"), *texts)


def _offered(piece: Piece, clause: str) -> str:
    """Return a clause for a button: a German one after `dass` as a main clause, if its order is certain."""
    german = piece.said.language == "de" and THAT.search(piece.before) is not None
    return (sentence_of(clause) if german else None) or clause


def _is_reader(piece: Piece) -> bool:
    """Return whether nobody but the only reader was named lately, so that a pronoun means the reader."""
    if piece.several or len(piece.names) != 1:
        return False
    request = piece.said.scene.request
    lately = " ".join([*(one.content for one in request.history[-LATELY:]), piece.said.whole])
    reader = known(piece.names[0], piece.said.scene)
    theirs = {one.contact_id for one in reader.contacts} if reader is not None else set[str]()
    others = (one for one in request.contacts if one.contact_id not in theirs)
    return not any(is_named(one, lately) for one in others)


def _doubt(piece: Piece, words: str) -> Reported | None:
    """Return the doubt about pronouns in the words; each clause after `and that` is checked by itself."""
    edges = [match.span() for match in AND_THAT[piece.said.language].finditer(words)]
    begins, ends = [0, *(end for _, end in edges)], [*(start for start, _ in edges), len(words)]
    clauses = [words[a:b] for a, b in zip(begins, ends, strict=True)]
    found = [
        spoken_of(one, piece.names, piece.said.scene, piece.said.language, several=piece.several) for one in clauses
    ]
    doubts = [one for one in found if one is not None]
    if not doubts or len(clauses) == 1:
        return doubts[0] if doubts else None
    if not all(one.direct for one in doubts):
        return Reported(doubts[0].pronoun)
    said = [one.direct if one is not None else clause for one, clause in zip(found, clauses, strict=True)]
    joints = [words[a:b] for a, b in edges]
    direct = "".join(part for pair in zip(said, [*joints, ""], strict=True) for part in pair)
    return Reported(doubts[0].pronoun, direct)


def _as_sentence(piece: Piece, clause: str) -> str:
    """Return a clause after `that` as a sentence for the reader, with further clauses after another `that`."""
    parts = AND_THAT[piece.said.language].split(clause)
    if piece.said.language != "de":
        return LISTED.sub(", ", " ".join(parts)) if len(parts) > 1 else clause
    joints = parts[1::2]
    sentences = [sentence_of(part) for part in parts[::2]]
    whole = [one for one in sentences if one is not None]
    if len(whole) < len(sentences):
        guess = "" if joints else _guessed(clause)
        text = capital(clause)
        choices = [choice(say("Send: {text}", text=guess), piece.dictated(guess))] if guess else []
        choices.append(choice(say("Just this: {text}", text=text), piece.dictated(text)))
        raise Asking(say("What exactly shall I write?"), choices)
    later = [f" {joint} {_small(one)}" for joint, one in zip(joints, whole[1:], strict=True)]
    return "".join([whole[0].rstrip("."), *later])


def _guessed(clause: str) -> str:
    """Return the most likely sentence for a lower-case clause: `der zug eine stunde verspätung hat`."""
    words = clause.rstrip(".!").split()
    if len(words) < SHORTEST_CLAUSE or "," in clause or words[0].casefold() not in ARTICLES or not words[1].islower():
        return ""
    return capital(" ".join([*words[:2], words[-1], *words[2:-1]]))


def _small(sentence: str) -> str:
    """Return a sentence for after `and`: only German pronouns and articles lose their capital."""
    first = sentence.split(maxsplit=1)[0].casefold()
    return sentence[:1].lower() + sentence[1:] if first in plain("small_behind_and") else sentence


def _sure_of_one(piece: Piece) -> None:
    """Raise `Asking` if the text may hold a second request."""
    body = lex(piece.words)
    for rest in further_requests(body, piece.said.scene):
        alone = body.source[: body.tokens[before_joint(body, rest) - 1].end]
        choices = [
            choice(say("Part of the text"), piece.dictated(capital(piece.words))),
            choice(say("Leave it out"), piece.dictated(capital(alone))),
        ]
        raise Asking(say(PART_OF_IT, rest=rest.bare().text), choices)


def _asked(piece: Piece) -> str:
    """Return the question and the words after it: `who can help, we want to carry the sofa down`."""
    language, several = piece.said.language, piece.several
    asking = ASKING.search(piece.before)
    words = f"{asking[1]} {piece.words}" if asking is not None else piece.words
    if language == "en" and (order := order_of(piece.before, words, language, several=several)) is not None:
        return wished(_addressed(piece, order, wished))
    question = question_of(words, language, several=several)
    if question is not None:
        return question
    first, comma, rest = words.partition(",")
    question = question_of(first, language, several=several) if comma else None
    if question is not None and _doubt(piece, rest) is None:
        mark = " ?" if question.endswith(" ?") else "?"
        because = BECAUSE.match(rest)
        return (
            f"{question.removesuffix(mark)},{rest.rstrip()}{mark}" if because else f"{question} {capital(rest.strip())}"
        )
    raise piece.asks(say("What exactly shall I ask?"), f"{capital(words)}?")
