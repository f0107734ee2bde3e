"""The grammar of changes to a card: a table of phrasings, and the operation of each.

A line holds a pattern over one clause and a reader of the match. The first line applies whose pattern matches and whose
reader returns an operation; `a` is what is put in, `b` what is taken out.
"""
# ruff: noqa: E501 - a phrasing a line

import re
from collections.abc import Callable
from dataclasses import dataclass

from butler.contract.speech import say
from butler.orchestrator.edits.card_content import (
    CardContent,
    Op,
    account,
    account_called,
    add,
    drop,
    finds,
    fits,
    has_file,
    is_value,
    make,
    remove,
    sign,
    start,
    subject,
    swap,
    whole,
)
from butler.orchestrator.edits.recipients import People
from butler.orchestrator.edits.values import flat
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.lexer import QUOTES
from butler.orchestrator.planning.plan_types import Unclear


@dataclass(frozen=True, slots=True)
class EditContext:
    """The context of a reply: the card, and the people the owner knows."""

    sheet: CardContent
    people: People


Reader = Callable[[EditContext, dict[str, str]], Op | None]
"""Turns the named parts of a clause, as the owner wrote them, into an operation; None if they do not fit."""

_IT = r"(?:it|this|that)"
_CUT = r"(?:remove|delete|drop|cut|strike|leave out|take out|omit|skip|lose|without)"
_SEND = r"(?:send|address|forward|write|mail)"
_NOT_SEND = rf"(?:not|don't {_SEND} {_IT}|do not {_SEND} {_IT})"
_TEXT = r"(?:the |whole |new )*(?:text|message|body|wording)"
_SUBJECT = r"(?:the |new )*subject(?: line)?"
_ACCOUNT = r"(?:account|mailbox)"
_FILE = r"(?:attachments?|files?|documents?|pictures?|photos?|images?|pdfs?)"
_A, _B = r"(?P<a>.+?)", r"(?P<b>.+?)"
_QUOTED = r"(?P<a>[\"“„«»].+[\"”“»«])"


def unquoted(words: str) -> str:
    """Strip quotation marks that enclose all the words."""
    words = words.strip()
    close = QUOTES.get(words[:1])
    inner = words[1:-1]
    return inner.strip() if close and len(words) > 1 and words.endswith(close) and close not in inner else words


def bare(words: str) -> str:
    """Strip quotation marks, or the final `.` or `!` of the owner's sentence, from words that name something."""
    words = words.strip()
    return unquoted(words) if unquoted(words) != words else unquoted(re.sub(r"(?<=[\w)\"”»“«])[.!]$", "", words))


def _swap(ground: EditContext, found: dict[str, str]) -> Op | None:
    old, new = bare(found["b"]), bare(found["a"])
    both = ground.people.names(old) and ground.people.names(new)
    if both and ground.people.reached(ground.sheet, old) and not finds(ground.sheet, old):
        return ground.people.instead(new, old)
    return swap(old, new)


def _swap_if_found(ground: EditContext, found: dict[str, str]) -> Op | None:
    old, new = bare(found["b"]), _MAKING.sub("", found["a"])
    if "," in new or len(new.split()) > MOST_NEW:
        return None
    found = {**found, "a": new}
    known = finds(ground.sheet, old) or (
        ground.people.reached(ground.sheet, old) and ground.people.names(bare(found["a"]))
    )
    return _swap(ground, found) if known else None


def _change(ground: EditContext, found: dict[str, str]) -> Op | None:
    """Read `change X to Y`, where X and Y may contain `to`: split where the card has the X."""
    rest = found["a"]
    cuts = [
        (bare(rest[: m.start()]), bare(rest[m.end() :])) for m in re.finditer(r"\s+(?:to|with|into|by|for)\s+", rest)
    ]
    cuts = [(old, new) for old, new in cuts if old and new]
    held = [(old, new) for old, new in cuts if finds(ground.sheet, old)]
    if len(held) > 1:
        choices = [choice(f"{old} → {new}", f"“{old}” → “{new}”") for old, new in held]
        raise Asking(say("What shall become what?"), choices)
    if held:
        return swap(*held[0])
    if cuts and ground.people.names(cuts[0][0]) and ground.people.names(cuts[0][1]):
        return ground.people.instead(cuts[0][1], cuts[0][0])
    return swap(*cuts[0]) if cuts else None


def _make(ground: EditContext, found: dict[str, str]) -> Op | None:
    words = bare(found["a"])
    return make(words) if is_value(words) or fits(ground.sheet, words) else None


def _remove(ground: EditContext, found: dict[str, str]) -> Op | None:
    words = bare(found["a"])
    if has_file(ground.sheet, words):
        return drop(words)
    if ground.people.reached(ground.sheet, words) and not finds(ground.sheet, words):
        return ground.people.less(words)
    return remove(words)


def _add(ground: EditContext, found: dict[str, str]) -> Op | None:
    words = unquoted(found["a"] + found["end"])
    if ground.people.names(bare(words)):
        return ground.people.more(bare(words))
    return None if re.match(r"(?:an?|some|more|the)\s", words) else add(words)


def _literal(op: Callable[[str], Op]) -> Reader:
    return lambda _ground, found: op(unquoted(found["a"] + found["end"]))


def _named(op: Callable[[str], Op]) -> Reader:
    return lambda _ground, found: op(bare(found["a"]))


def _people(how: Callable[[People, str], Op]) -> Reader:
    return lambda ground, found: how(ground.people, bare(found["a"]))


def _to(ground: EditContext, found: dict[str, str]) -> Op | None:
    gone = found.get("b")
    return ground.people.instead(bare(found["a"]), bare(gone)) if gone else ground.people.only(bare(found["a"]))


def _to_if_known(ground: EditContext, found: dict[str, str]) -> Op | None:
    return _to(ground, found) if ground.people.names(bare(found["a"])) else None


def _account_if_known(ground: EditContext, found: dict[str, str]) -> Op | None:
    words = bare(found["a"])
    return account(words) if account_called(ground.sheet, words) else None


def _say(_ground: EditContext, found: dict[str, str]) -> Op | None:
    asked = text_or_addition(found["a"] + found["end"])
    raise Asking(asked.question, asked.choices)


def text_or_addition(words: str, reply: str = "") -> Unclear:
    """Return the question whether words are the whole text or are to be added to it; or a longer reply as it stands."""
    choices = (
        choice(say("The whole text: {words}", words=words), f"text: {words}"),
        choice(say("One more sentence: {words}", words=words), f"add: {words}"),
        *((choice(say("The text: {words}", words=reply), f"text: {reply}"),) if reply else ()),
    )
    return Unclear(say("Is “{words}” the whole text, or shall it be added?", words=words), choices)


_TABLE: tuple[tuple[str, Reader], ...] = (
    # the subject
    (rf"{_SUBJECT}\s*(?:[:=]|(?:is|should be|should read)\b)\s*(?P<a>.+)", _literal(subject)),
    (rf"(?:change|set|make|turn)\s+{_SUBJECT}\s*(?:to(?: be)?\b|into\b|say\b|read\b|:|(?=[\"“„«]))\s*:?\s*(?P<a>.+)", _named(subject)),
    (rf"{_CUT}\s+{_SUBJECT}", lambda _g, _f: subject("")),
    # the whole text
    (rf"{_TEXT}\s*[:=]\s*(?P<a>.+)", _literal(whole)),
    (rf"(?:change|set|rewrite)\s+(?:{_TEXT}|it|everything|all of it)\s+(?:to (?:say|read)|as)\s*:?\s*(?P<a>.+)", _literal(whole)),
    (rf"(?:change|set)\s+{_TEXT}\s*(?:to\b|:)\s*:?\s*(?P<a>.+)", _literal(whole)),
    (rf"replace\s+(?:{_TEXT}|it|everything|all of it)\s+(?:with|by)\s*:?\s*(?P<a>.+)", _literal(whole)),
    (r"(?:just |only |simply |rather )*(?:say|write|send|put)\s*:\s*(?P<a>.+)", _literal(whole)),
    (r"(?:make it|it should|let it|have it)\s+(?:say|read)\s*:?\s*(?P<a>.+)", _literal(whole)),
    (rf"(?:just |only |simply |rather )*(?:say|write|send|put)\s+{_QUOTED}", _literal(whole)),
    # the files
    (rf"(?:no|{_CUT})\s+(?:the |any |all |of )*(?P<a>{_FILE})", _named(drop)),
    (rf"{_CUT}\s+(?:the )?(?P<a>(?:file|attachment) (?:number )?\d+)", _named(drop)),
    (rf"{_CUT}\s+(?:the )?(?:file|attachment)\s+(?P<a>.+)", _named(drop)),
    # the account
    (rf"(?:{_SEND}\s+{_IT}\s+)?(?:from|through|via|with|using|use|take)\s+(?:(?:my|the)\s+)?(?P<a>.+?)\s+{_ACCOUNT}(?:,?\s+instead)?", _named(account)),
    (rf"(?:change|set|switch)\s+(?:to\s+)?the\s+{_ACCOUNT}\s+(?:to\s+)?(?P<a>.+)", _named(account)),
    (rf"(?:the )?{_ACCOUNT}\s*:\s*(?P<a>.+)", _named(account)),
    (rf"(?:{_SEND}\s+{_IT}\s+)?(?:from|through|via|use|using|with)\s+(?:my\s+)?(?P<a>.+?)(?:,?\s+instead)?", _account_if_known),
    # the recipients
    (r"to\s*:\s*(?P<a>.+)", _people(People.only)),
    (rf"{_SEND}\s+{_IT}\s+(?:also|too|as well)\s+to\s+(?P<a>.+)", _people(People.more)),
    (rf"(?:{_SEND}\s+{_IT}\s+)?to\s+{_A},?\s+(?:too|as well|also)", _people(People.more)),
    (rf"(?:and\s+)?also\s+(?:{_SEND}\s+{_IT}\s+)?to\s+(?P<a>.+)", _people(People.more)),
    (r"(?:add|include|copy)\s+(?P<a>.+?)\s+(?:as a recipient|(?:to|as one of) the recipients)", _people(People.more)),
    (rf"{_NOT_SEND}\s+to\s+{_B},?\s+but\s+(?:to\s+)?(?P<a>.+)", _to),
    (rf"(?:{_SEND}\s+{_IT}\s+)?to\s+{_A},?\s+(?:and\s+)?not\s+(?:to\s+)?(?P<b>.+)", _to),
    (rf"(?:{_SEND}\s+{_IT}\s+)?(?:only\s+|just\s+)?to\s+{_A},?\s+instead\s+of\s+(?:to\s+)?(?P<b>.+)", _to),
    (rf"(?:{_SEND}\s+{_IT}\s+)?(?:only\s+|just\s+)?to\s+{_A},?\s+instead", _to),
    (rf"(?:but\s+)?{_NOT_SEND}\s+to\s+(?P<a>.+)", _people(People.less)),
    (rf"{_SEND}\s+{_IT}\s+(?:only\s+|just\s+)?to\s+(?P<a>.+)", _to),
    (r"(?:change|set)\s+(?:the\s+)?(?:recipients?|receiver|addressee)\s+to\s+(?P<a>.+)", _to),
    (rf"{_CUT}\s+(?P<a>.+?)\s+from the recipients", _people(People.less)),
    # words added
    (r"(?:also )?(?:start|begin|open)\s+(?:(?:it|the text|the message|the mail)\s+)?with\s*:?\s*(?P<a>.+)", _literal(start)),
    (r"(?:add|put)\s+(?:at|to)\s+the\s+(?:beginning|start|top)\s*:?\s*(?P<a>.+)", _literal(start)),
    (r"(?:add|put)\s+(?P<a>.+?)\s+(?:in front(?: of it)?|before it|at\s+the\s+(?:very\s+)?(?:front|start|beginning|top))", _literal(start)),
    (r"(?:add|put)\s+(?P<a>.+?)\s+(?:after it|behind it|at\s+the\s+(?:very\s+)?(?:end|bottom))", _literal(add)),
    (r"(?:end|finish|close)\s+(?:(?:it|the text|the message|the mail)\s+)?with\s*:?\s*(?P<a>.+)", _literal(add)),
    (r"(?:add|put)\s+(?:at|to)\s+the\s+(?:end|bottom)\s*:?\s*(?P<a>.+)", _literal(add)),
    (r"(?:also )?(?:add|append|mention)\s*:\s*(?P<a>.+)", _literal(add)),
    (r"(?:also )?(?:add|append|mention|include)\s+that\s+(?P<a>.+)", _literal(add)),
    (r"also\s+(?:say|mention|write|tell (?:him|her|them))\s+(?:that\s+)?:?\s*(?P<a>.+)", _literal(add)),
    (r"sign\s+(?:(?:it|this|off)\s+)*(?:(?:as|with|by)\s+|:\s*)?(?P<a>.+)", _named(sign)),
    # some words for others
    (rf"(?:make|change|set|move|put|push|turn)\s+(?:{_IT}|the (?:time|day|date|amount|price|number|phone number))\s+(?:to\s+)?(?P<a>.+)", _make),
    (rf"(?:change|set|turn|rewrite)\s+{_IT}\s+(?:to|into)\s+(?P<a>.+)", _say),
    (r"make\s+it\s+(?:out\s+)?(?:to\s+)?(?P<a>.+)", _to_if_known),
    (r"(?:change|replace|swap|turn|switch|correct|substitute)\s+(?P<a>.+)", _change),
    (rf"(?:say|write|use|put|make it)\s+{_A},?\s+(?:instead of|rather than|in place of|not)\s+(?P<b>.+)", _swap),
    (rf"{_A},?\s+(?:instead of|rather than|in place of)\s+(?P<b>.+)", _swap_if_found),
    (rf"{_B}\s*(?:->|→|=>)\s*(?P<a>.+)", _swap),
    (rf"not\s+{_B},?\s+but\s+(?P<a>.+)", _swap_if_found),
    (rf"not\s+{_B},\s+(?P<a>.+)", _swap_if_found),
    (rf"{_A},\s+not\s+(?P<b>.+)", _swap_if_found),
    (r"to\s+(?P<a>.+)", _to_if_known),
    (rf"{_B}\s+should\s+(?:be|read)\s+(?P<a>.+)", _swap_if_found),
    (r"(?:rather|better|actually|let's say|say|use|i meant|i mean|it should be|it's|better make it)\s+(?P<a>.+)", _make),
    (r"(?P<a>.+?),?\s+instead", _make),
    (r"(?P<a>.+)", _make),
    (rf"{_CUT}\s+(?:the (?:words?|phrase|part|bit)\s+|the (?=[\"“„«»]))?(?P<a>.+)", _remove),
    (r"(?:also )?(?:add|append|include)\s+(?P<a>.+)", _add),
    (r"(?:just |only |simply )*(?:say|write)\s+(?:that\s+)?(?P<a>.+)", _say),
)  # fmt: skip
_LINES = tuple((re.compile(pattern, re.IGNORECASE | re.DOTALL), reader) for pattern, reader in _TABLE)
_MANNERS = re.compile(
    r"(?:(?:please|pls|kindly|can you|could you|would you|will you|and|then|better|rather)\b[\s,]*)+", re.IGNORECASE
)
_THANKS = re.compile(r"[\s,]{0,3}(?:\b(?:please|pls|thanks|thank you)\b[\s.!]*)+$", re.IGNORECASE)
_MAKING = re.compile(r"^(?:(?:please )?make (?:it|that|this)|it's|it is|it should be|let's say|say)\s+", re.IGNORECASE)
MOST_NEW = 6
"""The most words that take the place of others in `nine, not eight`."""
LITERAL = re.compile(
    rf"(?:{_TEXT}\s*[:=]|(?:just |only |also )*(?:say|write|send|put|add|append|mention)\s*:)", re.IGNORECASE
)
"""How a clause begins whose words are taken literally to the end."""


def without_manners(words: str) -> str:
    """Strip polite words from both ends of a clause."""
    words = words.strip()
    led = _MANNERS.match(flat(words))
    words = words[led.end() :] if led else words
    ended = None if LITERAL.match(flat(words)) else _THANKS.search(flat(words))
    return words[: ended.start()] if ended and ended.start() else words


def read_clause(words: str, ground: EditContext) -> Op | None:
    """Return a clause's operation; None if no line of the table fits. Raise `Asking` if it is ambiguous."""
    words = without_manners(words)
    body = words if LITERAL.match(flat(words)) else re.sub(r"(?<=[\w\"”»“«)])\s*[.!?]+$", "", words)
    for pattern, reader in _LINES:
        match = pattern.fullmatch(flat(body))
        if match is None:
            continue
        pieces = {name: body[slice(*match.span(name))] for name, value in match.groupdict().items() if value}
        if (op := reader(ground, {**pieces, "end": words[len(body) :]})) is not None:
            return op
    return None
