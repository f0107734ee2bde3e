"""Finds the lines that introduce a quoted mail, such as "On Monday Anna wrote:", and text below a person's words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from modules.email.parsing.dates import find_time
from modules.email.parsing.lines import (
    BLANKS,
    COLONS,
    DASHES,
    FOOTERS,
    STARTERS,
    VERBS,
    depth_of,
    folded,
    is_blank,
    plain,
    unquoted,
)  # fmt: skip
from modules.email.parsing.parsed import Address
from modules.email.parsing.phrases import DEVICES, QUOTING, REPLY_ABOVE, phrases

_MOST_LINES = 4
_SHORTEST, _LONGEST = 8, 400
_HEAD, _TAIL = 120, 270
"""The parts of a long line to examine: around its date, and its address."""
_LONGEST_FOOTER = 120
_MOST_IN_SIGNATURE = 10
_LONGEST_IN_SIGNATURE = 100

ADDRESS: Final = re.compile(r"[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
_DAY: Final = re.compile(
    r"(?<!\d)\d{1,2}(?:[./-] ?|\.? |\. ?de | de )(?:\d{1,2}|[^\W\d]{3,})|(?<!\d)\d{4}[-/.年]\s?\d{1,2}|\d{1,2}[月월]"
    r"|[^\W\d]{3,}\.? \d{1,2}(?!\d)"
)
"""A day and a month, in any order; with a verb it is enough to recognise a date."""
_DIGIT: Final = re.compile(r"\d")
_YEAR: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)|\d{1,2}[/.-]\d{1,2}[/.-]\d\d(?!\d)")
_BETWEEN: Final = re.compile(
    r"(?:.*[,;]|.*\b(?:UTC|GMT|[A-Z]{3,4}T)(?:[+-]\d+(?::\d\d)?)?|.*\s[+-]\d{4}"
    r"|\s*(?:[ap]\.? ?m\.?|Uhr|uur|h|г\.|р\.|ч\.))\s",
    re.IGNORECASE,
)
"""The text between a time and a name: am or pm, a zone, a comma."""


@dataclass(frozen=True, slots=True)
class Attribution:
    """One or more lines that name the author of the words below."""

    end: int
    """The first line after it."""
    sender: Address
    date: str
    certain: bool
    """Whether a quotation follows even if its lines are not marked."""


_LONGEST_NAME: Final = 80


def attribution_at(lines: Sequence[str], start: int, depth: int = 0) -> Attribution | None:
    """Return the attribution that begins with this line at quote depth `depth`; None if there is none."""
    first = _shortened(plain(unquoted(lines[start], depth)))
    if not first or not _may_begin(first):
        return None
    begins = _begins_with_date(folded(first))
    joined = ""
    for end in range(start, min(start + _MOST_LINES, len(lines))):
        line = first if end == start else plain(unquoted(lines[end], depth))
        if not line or len(joined) + len(line) > _LONGEST or (end > start and not begins):
            return None
        joined = f"{joined} {line}".strip().rstrip("*_")
        if not joined:
            return None
        if joined[-1] in COLONS or _ends_with_verb(folded(joined)):
            found = _read(joined, end + 1)
            if found is not None or joined[-1] in COLONS:
                return found
    return None


def _shortened(text: str) -> str:
    """Return a long line that ends as an attribution without its middle: a sender's name can have any length."""
    return text if len(text) <= _LONGEST or text[-1] not in COLONS else _cut(text)


def _cut(text: str) -> str:
    return f"{text[:_HEAD]} {text[-_TAIL:]}"


def framed_line(lines: Sequence[str], at: int) -> Attribution | None:
    """Return the attribution between strokes: `>>> Anna 29/10/25 9:31 >>>`, `---- On ... Anna wrote ----`."""
    text = plain(lines[at])
    text = text if len(text) <= _LONGEST else _cut(text)
    if text[:3] not in {">>>", "---", "|--"} or text[-3:] not in {">>>", "---"}:
        return None
    inner = text.strip(DASHES + "|> ")
    if text[:3] == text[-3:] == ">>>" and find_time(inner) is not None:
        return Attribution(at + 1, _sender(inner, ADDRESS.search(inner)), _date(inner), certain=True)
    return _read(f"{inner}:", at + 1) if _begins_with_date(folded(inner)) else None


def dated_line(line: str, depth: int = 0) -> Attribution | None:
    """Return the attribution above marked lines without a colon, such as `2013/7/20 Sam <sam@b.example>`."""
    text = plain(unquoted(line, depth))
    if not text[:1].isdigit() or len(text) > _LONGEST or not _DAY.search(text) or not ADDRESS.search(text):
        return None
    return _read(text.rstrip(COLONS) + ":", 0)


def _may_begin(text: str) -> bool:
    if not _SHORTEST <= len(text) <= _LONGEST:
        return False
    return text[-1] in COLONS or "@" in text or _begins_with_date(folded(text))


def _begins_with_date(text: str) -> bool:
    """Return whether a case-folded text begins like an attribution, which may span several lines."""
    text = text.lstrip("\"'* ")
    if text[:1].isdigit():
        return True
    head = text[:40]
    return _DIGIT.search(head) is not None and ("," in head or "." in head or text.startswith(STARTERS))


def _ends_with_verb(text: str) -> bool:
    return _verb_at_end(text) is not None


_GLUED: Final = tuple(sorted((verb for verb in VERBS if verb[0] >= "\u3000"), key=len, reverse=True))
"""The verbs of languages that put no blanks between words."""


def _verb_at_end(text: str) -> str | None:
    """Return the verb of writing at the end of a case-folded text."""
    tail = text.rstrip(f"{COLONS} .")
    words = tail[-40:].split()
    for count in (1, 2, 3, 4):
        if (verb := " ".join(words[-count:])) in VERBS:
            return verb
    return next((verb for verb in _GLUED if tail.endswith(verb)), None) if tail.endswith(_GLUED) else None


def _read(text: str, end: int) -> Attribution | None:
    bare = text.rstrip(f"{COLONS} *_").rstrip()
    lowered = folded(bare)
    verb = _has_verb(lowered)
    address = ADDRESS.search(bare)
    day, time = _DAY.search(bare) is not None, find_time(bare) is not None
    dated = day and (time or _YEAR.search(bare) is not None)
    # In an unknown language, an address in angle brackets with a day and a time is enough.
    angled = address is not None and bare[: address.start()].endswith("<") and day and time
    closed = (bare[-1:] in {">", ")"} and address is not None) or angled
    quoting = address is not None and lowered.startswith(QUOTING)
    # "Anna wrote:" alone is an attribution only above marked lines.
    short = text[-1] in COLONS and len(bare) <= _LONGEST_NAME and _ends_with_verb(lowered)
    if not ((verb and (dated or address)) or (closed and day) or quoting or short):
        return None
    certain = text[-1] in COLONS and bool((verb and (address or (dated and time))) or (closed and day and time))
    return Attribution(end, _sender(bare, address), _date(bare), certain)


def _has_verb(text: str) -> bool:
    """Return whether a case-folded text contains a verb of writing as a separate word."""
    if _verb_at_end(text) is not None:
        return True
    words = text.replace(",", " ").split()
    return any(word in VERBS for word in words) or any(" ".join(pair) in VERBS for pair in pairwise(words))


def _sender(text: str, address: re.Match[str] | None) -> Address:
    if address is None:
        return Address("", _name(_without_verb(text)))
    return Address(address[0].lower(), _name(text[: address.start()]))


def _without_verb(text: str) -> str:
    verb = _verb_at_end(folded(text))
    return text if verb is None else text[: len(text) - len(verb)]


def _name(before: str) -> str:
    """Return the name at the end of the text before an address or a verb."""
    before = before.rstrip(f"{BLANKS}<([:")
    if before[-1:] in {'"', "'", "”", "“"}:
        inner = before[:-1]
        opening = max(inner.rfind(mark) for mark in "\"'“„”")
        return inner[opening + 1 :].strip()
    time = find_time(before)
    name = before if time is None else before[time[1] :]
    if time is not None and (between := _BETWEEN.match(name)):
        name = name[between.end() :]
    name = name.rpartition(",")[2].strip(f"{BLANKS},;")
    words = name.split()
    while words and (folded(words[0]) in _FILLERS or words[0][0].isdigit() or words[0] in {"-", "|", "*"}):
        words.pop(0)
    return " ".join(words)


_FILLERS: Final = frozenset(phrases("fillers"))
"""Words between a date and a name."""


def _date(head: str) -> str:
    """Return an attribution's date as written."""
    time = find_time(head)
    if time is None:
        return ""
    start = next((at for at, character in enumerate(head) if character.isdigit()), 0)
    if start > time[0]:
        return ""
    words = head[:start].split()
    lead = ""
    for word in reversed(words[-3:]):  # A weekday, or a month before its day.
        if folded(word) + " " in STARTERS or "@" in word or word[-1] == '"':
            break
        lead = f"{word} {lead}"
    return (lead + head[start : time[1]]).strip(f"{BLANKS}[(")


def says_reply_above(line: str) -> bool:
    """Return whether a line asks to write above it: the answered mail follows."""
    text = plain(line)
    return text[:2].strip(DASHES) == "" and any(phrase in folded(text[:_LONGEST]) for phrase in REPLY_ABOVE)


# Text below a person's words


def is_rule(line: str) -> bool:
    """Return whether a line is a stroke, or stands between two."""
    text = plain(line)
    inner = text.strip(DASHES + " ")
    if not inner:
        return len(text) > 4  # noqa: PLR2004 - shorter ones separate signatures
    return len(inner) < _LONGEST_IN_SIGNATURE and text[:3].strip(DASHES) == "" == text[-3:].strip(DASHES)


def is_footer(line: str) -> bool:
    """Return whether a phone or a program identifies itself by this line."""
    text = folded(plain(line).lstrip(DASHES + " "))
    if not text or len(text) > _LONGEST_FOOTER:
        return False
    return (text.startswith(FOOTERS) or text.endswith(("gönderildi", "送信", "보냄", "发送", "傳送"))) and any(
        device in text for device in DEVICES
    )


def signature_in(lines: Sequence[str], start: int, end: int) -> int:
    """Return where the signature begins in these lines of one person; `end` if it is uncertain."""
    marks = [at for at in range(start, end) if lines[at].strip(BLANKS) == "--"]
    if not marks:
        return end
    at = marks[-1]
    below = [line for line in lines[at + 1 : end] if not is_blank(line)]
    short = len(below) <= _MOST_IN_SIGNATURE and all(len(line) <= _LONGEST_IN_SIGNATURE for line in below)
    agreed = lines[at].rstrip("\r") == "-- " and depth_of(lines[at]) == 0
    lonely = len(marks) == 1 and (at == start or is_blank(lines[at - 1])) and not is_blank("".join(below[:1]))
    asks = any(line.rstrip().endswith(("?", ":")) for line in below)
    return at if short and (agreed or lonely) and not asks else end
