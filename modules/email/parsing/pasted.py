"""Finds where a new mail shows another's words without a quotation: text that its sender pasted into it.

No program that quotes has added to a new mail, so dates, names and lists are the sender's own. Pasted text is
recognised by its form: lines of a chat, a mail's headers in one line, reported words of somebody, indented text.
Pasted text never commands.
"""

import re
import unicodedata
from collections.abc import Sequence
from itertools import islice
from typing import Final

from modules.email.parsing.forms import is_item
from modules.email.parsing.languages import Header
from modules.email.parsing.lines import COLONS, HEADERS, VERBS, folded, is_blank, plain

_LONGEST = 400
_SAYING: Final = frozenset(
    {
        *("said", "says", "asked", "asks", "told", "tells", "texted", "messaged", "replied", "answered", "posted"),
        *("wrote", "writes", "sent", "emailed", "mailed", "shouted", "added", "commented"),
        *("sagte", "sagt", "fragte", "fragt", "meinte", "meint", "schrieb", "schreibt", "antwortete", "antwortet"),
        *("geschrieben", "gesagt", "gefragt", "geantwortet", "erzählte", "postete", "schickte", "geschickt"),
        *("dit", "disait", "demandait", "demandé", "répondu", "répond", "écrit", "écrivait", "envoyé", "ajouté"),
        *("dijo", "dice", "decía", "preguntó", "preguntaba", "respondió", "escribió", "contestó", "comentó", "mandó"),
        *("dicho", "preguntado", "respondido", "escrito", "enviado"),
    }
)
"""Verbs that report somebody's words, none that addresses the butler: not "escribe", "pregunta", "demande"."""
_OWN: Final = frozenset({"i", "i've", "ich", "je", "j'ai", "yo", "he"})
_WORDS_BEFORE_A_VERB = 2
_MOST_WORDS_BEFORE = 9
_WORD: Final = re.compile(r"[^\W\d_][\w'’]*")
_CLOCK: Final = r"\d{1,2}\s?[:.h]\s?\d{2}(?:\s?[:.]\d{2})?(?:\s?[ap]\.?\s?m\.?)?"
_DAY: Final = r"\d{1,4}\s?[./-]\s?\d{1,2}(?:\s?[./-]\s?\d{1,4})?\.?"
_WHEN: Final = rf"(?:{_DAY}[,;]?\s+(?:(?:at|um|à|a las)\s+)?{_CLOCK}|{_CLOCK}[,;]?\s+{_DAY}|{_CLOCK})"
_NAME: Final = r"[^\W\d_][^:：<>\[\]()]{0,79}"
_LINE_OF_A_CHAT: Final = re.compile(
    rf"[\[(<]{_WHEN}(?:\s+[ap]\.?m\.?)?[\])>]\s*[-–—:]?\s*\S"
    rf"|{_WHEN}\s*[-–—|]?\s*{_NAME}[:：]\s*\S"
    rf"|{_WHEN}\s*[-–—|]?\s*<[^<>@]{{1,40}}>"
    rf"|{_NAME},?\s*\[{_WHEN}\]|{_NAME},?\s*\({_WHEN}\)\s*[:：]"
    r"|<[@+%&~ ]?[^\s<>@:/]{1,30}>(?:\s+\S|$)"
    rf"|{_NAME},\s*{_WHEN}\s*[:：]",
    re.IGNORECASE,
)
"""`[10:01] Eve: x`, `03.11.26, 17:21 - Eve: x`, `Eve, [03.11.26 17:21]`, `<eve> x`, as copied from chat programs."""
_PERSON: Final = r"[^\W\d_][\w.'’-]{0,24}(?:,?\s[^\W\d_][\w.'’-]{0,24}){0,2}"
_SAID_TODAY: Final = re.compile(
    rf"{_PERSON}\s{{1,3}}[—–-]\s(?:(?:today|yesterday|heute|gestern|aujourd.hui|hier|hoy|ayer)\s(?:at|um|à|a las)\s)?"
    rf"{_CLOCK}",
    re.IGNORECASE,
)
"""`Eve — Today at 10:01`: a line of its own above a message."""
_SAID_AT: Final = re.compile(rf"{_PERSON}\s{{1,3}}\d{{1,2}}[:.]\d{{2}}\s?[ap]\.?m\.?", re.IGNORECASE)
"""`Eve Mallory  10:01 AM`: the same with text directly below; otherwise it may be an appointment."""
_LABEL: Final = re.compile(r"([^\W\d_][\w'’()/-]*(?:[ \xa0][\w'’()/-]+){0,2})[*_ \xa0]{0,2}[:：](?!//)")
_SPOKEN: Final = re.compile(r"\s{0,3}([^\W\d_][^:：]{0,79}?)\s?[:：](?!//)")
_FEWEST_LABELS = 3
_LINES_OF_A_TALK = 40
_INDENT: Final = re.compile("(?:[ \xa0]{2,}|[ \xa0]*[\t\u3000])")


def is_pasted(lines: Sequence[str], at: int) -> bool:
    """Return whether a line of a new mail begins, or belongs to, text that somebody else may have written."""
    text = plain(lines[at][:_LONGEST])
    if is_indented(lines, at) or _LINE_OF_A_CHAT.match(text.lstrip("*_")) is not None:
        return True
    if _SAID_TODAY.fullmatch(text.strip("*_")) is not None:
        return True
    if _SAID_AT.fullmatch(text.strip("*_")) is not None and _is_text(lines, at + 1):
        return True
    return is_head_in_one_line(text) or introduces_quotation(text) or _is_of_a_talk(lines, at)


def is_indented(lines: Sequence[str], at: int) -> bool:
    """Return whether a line is indented, and neither a list item nor the rest of one."""
    if _INDENT.match(lines[at]) is None or is_item(lines[at]):
        return False
    for above in reversed(lines[max(at - _LINES_OF_A_TALK, 0) : at]):
        if is_blank(above):
            return True
        if is_item(above):
            return False
        if _INDENT.match(above) is None:
            return True
    return True


def is_head_in_one_line(text: str) -> bool:
    """Return whether a line holds several headers of a mail: `From: Eve Sent: Monday To: me`."""
    found = _LABEL.findall(text)
    kinds = {kind for label in found if (kind := _header(label)) is not None}
    if Header.SENDER in kinds and len(kinds) > 1:
        return True
    # In an unknown language an address decides; "To: ..., Subject: ..." alone requests a mail.
    return len(found) >= _FEWEST_LABELS and not kinds and "@" in text


def _header(label: str) -> Header | None:
    """Return the header that a label's end names; in one line the value before it is part of the match."""
    words = folded(label).split()
    return next((kind for at in range(len(words)) if (kind := HEADERS.get(" ".join(words[at:])))), None)


def introduces_quotation(text: str) -> bool:
    """Return whether a line reports somebody's words: `Eve wrote me: "..."`."""
    ends = [at for colon in COLONS if (at := text.find(colon)) > 0]
    if not ends:
        return False
    words = [folded(word) for word in _WORD.findall(text[: min(ends)])][-_MOST_WORDS_BEFORE:]
    return any(
        _OWN.isdisjoint(words[max(at - _WORDS_BEFORE_A_VERB, 0) : at])
        and (word in _SAYING or word in VERBS or " ".join(words[at:]) in VERBS)
        for at, word in enumerate(words)
    )


def _is_of_a_talk(lines: Sequence[str], at: int) -> bool:
    """Return whether a line is part of a conversation: several lines, each with a name and a colon."""
    speakers = [speaker for line in islice(lines, at, at + _LINES_OF_A_TALK) if (speaker := _speaker(line))]
    own = _speaker(lines[at])
    return bool(own) and own in speakers[1:] and len(set(speakers)) > 1


def _speaker(line: str) -> str:
    found = _SPOKEN.match(plain(line[:_LONGEST]))
    return folded(found[1]) if found is not None else ""


def _is_text(lines: Sequence[str], at: int) -> bool:
    return at < len(lines) and any(unicodedata.category(letter)[0] in "LN" for letter in lines[at][:_LONGEST])
