"""Reads a reply to a card: a change, the whole new text, a refusal, or words that must not count as a yes."""
# ruff: noqa: E501 - a list of words a line

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, reduce

from butler.contract.speech import phrase, say
from butler.orchestrator.edits.card_content import HINT, CardContent, NotFoundError, Op, whole
from butler.orchestrator.edits.card_words import PACKAGE, card_words
from butler.orchestrator.edits.grammar import LITERAL, EditContext, bare, read_clause, unquoted, without_manners
from butler.orchestrator.edits.values import flat
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.lexer import QUOTES
from butler.orchestrator.planning.plan_types import Choice, Unclear
from butler.understanding.patterns import any_of
from butler.understanding.stored_words import stored
from butler.understanding.times.lexicon import folded


class Word(StrEnum):
    """A reply that changes nothing."""

    YES = "yes"
    """Never counts as an approval."""
    NO = "no"
    WAIT = "wait"
    """Neither yes nor no, such as `hm` or `later`."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A card's changed words. `told`: the reply said what to change, and was not itself the text."""

    sheet: CardContent
    told: bool = True


@dataclass(frozen=True, slots=True)
class Unsure:
    """An instruction that the rules do not understand; the sentence says how to write it."""

    sentence: str


Reading = Edit | Unclear | Unsure | Word

_SIGNS = r"[\s,.!…¡¿\ufe0f\U0001f3fb-\U0001f3ff]"


def _stored(kind: str) -> str:
    """Return a pattern of the words of a kind in all languages."""
    return any_of(flat(form) for one in stored(PACKAGE, "words", kind) for form in (one, folded(one)))


@cache
def _words() -> Sequence[tuple[re.Pattern[str], Word]]:
    """Return a pattern for each word that a whole reply may be, repeated or with polite words beside it."""
    polite = _stored("polite")
    return tuple((_only(_stored(word), polite), word) for word in (Word.NO, Word.YES, Word.WAIT))


def _only(words: str, polite: str) -> re.Pattern[str]:
    return re.compile(
        rf"{_SIGNS}*(?:{words})(?:{_SIGNS}+(?:{words}|{polite})|(?=\W)(?:{words}))*{_SIGNS}*\??", re.IGNORECASE
    )


_HARD = r"(?:yes|yep|yeah|yup|ok|okay|sure|fine|no|nope|nah|all right|alright)"
_SOFT = r"(?:good|great|perfect|hmm*|well|almost|nearly|actually|wait|sorry|right|oh|ah|looks good|sounds good|thanks)"
_OPENING = re.compile(
    rf"(?:(?:{_HARD}|{_SOFT})\b[\s,.;:!–—-]*)+(?:(?:but|just|only|and|rather|though|except|then)\b[\s,:]*)*",
    re.IGNORECASE,
)
_ANSWERS = re.compile(
    rf"(?:yes|yep|yeah|yup|ok|okay|nope|nah)\b|{_HARD}\b(?:\s*[,.;:!–—-]|\s+(?:but|just|only|except)\b)", re.IGNORECASE
)
"""How a reply begins that answers the card, so it cannot be the new text as it stands."""
_TELLS = re.compile(
    r"(?:make|change|replace|remove|delete|drop|add|append|swap|shorten|translate|rephrase|reword|rewrite|fix|correct|cut"
    r"|leave out|take out|omit|skip|attach|cc|bcc|cancel|remind me|ask me|sign|mention|include|insert|use|move|put|set|turn|switch|start with"
    r"|end with|instead|don't|do not|try|give it|keep|expand|soften|capitali[sz]e|spell|undo|revert|send (?:it|this|that)"
    r"|delay|postpone|push|reschedule|tell (?!me|us)\w+|check the|also to|not to|to:|without the|in (?:german|french|english|spanish|italian)|more (?:formal|polite|friendly)"
    r"|(?:shorter|longer|friendlier|nicer|politer|warmer)|less \w+)(?!\w)",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"(?:why|who (?:is|are|was|gets|sees|receives|will)|whose|what(?:'s| is| does| do| happens)|is (?:this|that|it)|are you|how (?:do|does|can) (?:i|it|this))\b.*\?",
    re.IGNORECASE | re.DOTALL,
)
_SPOKEN_OF = re.compile(
    r"\b(?:the (?:subject|text|message|attachment|file|recipient|draft|card)s?|instead)\b", re.IGNORECASE
)
_JOINT = re.compile(
    r"[,;]?\s{1,4}(?:and|then)\s{1,4}|;\s{0,4}|\n{1,4}|,\s{1,4}|(?<=[\w\"”»)])[.!]\s{1,4}", re.IGNORECASE
)
_HEAD = re.compile(
    r"(?:please |also |and )*(?:make (?:it|that|this|the)|change|replace|swap|remove|delete|drop|add|append|start with|sign|end with"
    r"|set|send (?:it|this|that)|from (?:my|the)\b|through\b|via\b|use|leave out|take out|(?:also |only |just )?to\b|subject|the subject|text\s*:|without|no (?:attach|file))",
    re.IGNORECASE,
)
_LEFT = phrase("The card waits as it was. Tap a button on it, or say what to change.")
MOST_CLAUSES = 6
LONGEST = 600
"""Most characters of an instruction; a longer reply is a text, unless it says that it is an instruction."""


def read(reply: str, ground: EditContext) -> Reading:
    """Read the owner's own words against the card they reply to."""
    words = reply.strip()
    if (word := word_of(words)) is not None:
        return word
    try:
        return _changed(words, ground)
    except NotFoundError as asking:
        return asking.unclear if asking.unclear.choices else Unsure(asking.unclear.question)
    except Asking as asking:
        return asking.unclear


def word_of(reply: str) -> Word | None:
    """Return the word that a reply amounts to; None if it may say what to change."""
    words = reply.strip()
    if not words.strip("?.!… "):
        return Word.WAIT
    return next((word for pattern, word in _words() if pattern.fullmatch(flat(words))), None)


def _changed(words: str, ground: EditContext) -> Reading:
    if (text := _quoted(words)) is not None:
        return Edit(whole(text)(ground.sheet))
    if len(words) > LONGEST:
        op = read_clause(words, ground) if LITERAL.match(flat(words)) else whole(words)
        return Edit((op or whole(words))(ground.sheet), told=False)
    opening = _OPENING.match(flat(words))
    for sentence in (words, words[opening.end() :] if opening else ""):
        if sentence.strip() and (ops := _ops(sentence, ground)):
            return Edit(reduce(lambda sheet, op: op(sheet), ops, ground.sheet))
    rest = words[opening.end() :] if opening else words
    if tells(rest) or tells(words):
        sentence = say("I did not understand what to change.")
        return Unsure(f"{sentence} {say(HINT)}")
    if _ASKS.fullmatch(flat(words)) or card_words("asks_who").fullmatch(flat(words)) or not rest.strip():
        return Unclear(say(_LEFT))
    if ground.people.names(bare(rest)):
        raise Asking(
            say("Shall it go to {whom}, or is that the text?", whom=rest),
            [choice(say("To {whom}", whom=rest), f"send it to {rest} instead"), _the_text(words)],
        )
    if _ANSWERS.match(flat(words)):
        raise Asking(
            say("Is that the whole new text, or is it to be added? A yes is given by the Approve button only."),
            [
                _the_text(rest),
                _the_text(words),
                choice(say("Add it: {words}", words=rest), f"add: {rest}"),
            ],
        )
    return Edit(whole(words)(ground.sheet), told=False)


def _the_text(words: str) -> Choice:
    return choice(say("The text: {words}", words=words), f"text: {words}")


def tells(words: str) -> bool:
    """Return whether words look like an instruction rather than a text for somebody else."""
    words = flat(without_manners(words))
    return bool(_TELLS.match(words) or _SPOKEN_OF.search(words))


def _quoted(words: str) -> str | None:
    """Return the quoted text if the reply is nothing but a quotation."""
    return unquoted(words) if words[:1] in QUOTES and unquoted(words) != words else None


def _ops(words: str, ground: EditContext) -> list[Op]:
    """Return each clause's operation, for the finest split with every clause understood; empty if there is none."""
    asking: Asking | None = None
    for clauses in _cuts(words):
        try:
            ops = [read_clause(clause, ground) for clause in clauses]
        except Asking as error:
            asking = asking or (error if len(clauses) == 1 else None)
            continue
        if all(ops):
            return [op for op in ops if op]
    if asking is not None:
        raise asking
    return []


def _cuts(words: str) -> Iterator[list[str]]:
    """Yield the ways to split a reply into clauses, the finest first."""
    places = list(_joints(words))[: MOST_CLAUSES - 1]
    for count in range(len(places), -1, -1):
        clauses: list[str] = []
        begin = 0
        for start, end in places[:count]:
            clauses.append(words[begin:start])
            begin = end
        yield [*clauses, words[begin:]]


def _joints(words: str) -> Iterator[tuple[int, int]]:
    """Yield where another instruction begins, outside of quotations; literal text is not split."""
    text, clause = flat(words), 0
    for match in _JOINT.finditer(text):
        if LITERAL.match(text[clause:].lstrip()) and "\n" not in match.group():
            continue
        if _HEAD.match(text[match.end() :]) and not _within_quotes(words[clause : match.start()]):
            yield match.span()
            clause = match.end()


def _within_quotes(words: str) -> bool:
    closing = ""
    for sign in words:
        closing = ("" if sign == closing else closing) if closing else QUOTES.get(sign, "")
    return bool(closing)
