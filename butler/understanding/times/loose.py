"""Reads times with other words around them, or said in parts: `when I get home so about six`, `since [Friday]`.

Surrounding words are dropped only if none of them states a time as well or changes the time.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import Any, cast

from butler.understanding.patterns import any_of
from butler.understanding.times.clocks import in_part
from butler.understanding.times.lexicon import LANGUAGES, Lexicon, corrected, lexicon, tokens_of
from butler.understanding.times.parse import parse
from butler.understanding.times.saying import TimeSaid

TELLING = (
    "day", "today", "weekday", "month", "season", "feast", "unit", "hours", "oclock", "am", "pm", "half", "quarter",
    "and_half", "three_quarters", "part",
)  # fmt: skip
"""Kinds of words that state a time."""
BOUNDS = ("since", "before", "until", "between")
LEAD = 4
"""The most words of a bound before the marked words."""
OF_A_DAY = {
    "fr": (re.compile(r"\b(?:du|au|le)\s*$"), "le"), "es": (re.compile(r"\b(?:del|al|el|d[ií]a)\s*$"), "el"),
    "de": (re.compile(r"\b(?:am|den|dem|zum|vom)\s*$"), "am"),
}  # fmt: skip
"""The articles before the number of a day, as in `au [22]`, and the article that is read instead."""
DAY_NUMBER = {
    "fr": re.compile(r"\d{1,2}\b(?!\s*(?:h|heures|:))"), "es": re.compile(r"\d{1,2}\b(?!\s*(?:hs?\b|horas|:))"),
    "de": re.compile(r"\d{1,2}\.\d{1,2}\b"),
}  # fmt: skip
THIS = {"en": "this", "de": "diese", "fr": "cette", "es": "esta"}
SILENT = frozenset({"filler", "whole", "in"})
ARTICLES = frozenset(
    {"the", "der", "die", "das", "dem", "den", "am", "zu", "zum", "le", "la", "les", "l'", "du", "des", "el", "los",
     "las", "del"}
)  # fmt: skip
OF = frozenset({"of", "de", "del", "du", "des", "d'"})
LONGEST_MONTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
"""The most days of each month."""
FIGURES = re.compile(r"(\d{1,2})(?:\.|st|nd|rd|th)?")
WORD = re.compile(r"[^\s,;!?¿¡]+")
LONGEST = 8
"""Words of a time within a text."""
FOREIGN = 5
"""The fewest letters of a lone word that is tried in other languages."""


def marked_time(
    text: str, places: Sequence[tuple[int, int]], language: str, now: datetime, *,
    back: bool | None = None, bounds: bool = True,
) -> TimeSaid | None:  # fmt: skip
    """Read the time at marked places of a text; return None if it is not understood.

    Args:
        text: The request.
        places: Start and end of each group of its words, in order.
        language: The language of the request; the others are tried if the time is not understood in this one.
        now: Local and aware.
        back: Whether days are in the past, as in `parse`.
        bounds: Whether a `since` or `until` before the first place belongs to it.
    """
    apart = _corrections_apart(text, places, language)
    if (meant := _corrected(text, apart, language, now, back=back)) is not None:
        return meant
    words = [text[first:last] for first, last in places]
    whole = text[places[0][0] : places[-1][1]]
    before = text[: places[0][0]]
    leads = (_bound_before(before, language) if bounds else "", _article_before(before, words[0], language))
    for said in dict.fromkeys((whole, " ".join(words))):
        for lead in (*filter(None, leads), ""):
            if (found := parse(f"{lead} {said}", language, now, back=back)) is not None:
                return found
    if (other := _in_other(" ".join(words), language, now, back=back)) is not None:
        return other
    parts = [parse(one, language, now, back=back) or within(one, language, now, back=back) for one in words]
    return parts[0] if len(parts) == 1 else _merged(parts)


def _corrections_apart(text: str, places: Sequence[tuple[int, int]], language: str) -> list[tuple[int, int]]:
    """Return the places, split at corrections: `at 5, no, 6`."""
    found: list[tuple[int, int]] = []
    for first, last in places:
        begin = first
        for match in _correcting(language).finditer(text, first, last):
            if match.start() > begin and match.end() < last:
                found.append((begin, match.start()))
                begin = match.end()
        found.append((begin, last))
    return found


@cache
def _correcting(language: str) -> re.Pattern[str]:
    said = (" ".join(words) for words, kinds in lexicon(language).phrases.items() if "correction" in kinds)
    return re.compile(rf"(?:\s*[,;.…–-]+\s*(?:{any_of(said)})\b[\s,;]*)+", re.IGNORECASE)


def _corrected(
    text: str, places: Sequence[tuple[int, int]], language: str, now: datetime, *, back: bool | None
) -> TimeSaid | None:
    """Read the corrected time of `at eight, no, half past eight`, with the day that was said before it."""
    known = lexicon(language)
    for n in range(len(places) - 1, 0, -1):
        between = tokens_of(text[places[n - 1][1] : places[n][0]])
        if not any(known.longest(between, at, "correction") for at in range(len(between))):
            continue
        later = marked_time(text, places[n:], language, now, back=back, bounds=False)
        if later is None or later.day is not None or later.moment is not None:
            return later
        first = marked_time(text, places[:n], language, now, back=back, bounds=False)
        if first is not None and first.moment is not None:
            return None
        return replace(later, day=first.day, weekday=first.weekday) if first is not None else later
    return None


def _bound_before(before: str, language: str) -> str:
    """Return the bound at the end of the words before a time: `mails since [Friday]`."""
    known = lexicon(language)
    tokens = corrected(known, tokens_of(before))[-LEAD:]
    for start in range(len(tokens)):
        ends = [found[1] for kind in BOUNDS if (found := known.longest(tokens, start, kind)) is not None]
        if ends and ARTICLES.issuperset(tokens[max(ends) :]):
            return " ".join(tokens[start:])
    return ""


def _article_before(before: str, words: str, language: str) -> str:
    """Return the article that makes a bare number a day: `le [22 à 10h]`."""
    if language not in OF_A_DAY or not DAY_NUMBER[language].match(words):
        return ""
    article, read = OF_A_DAY[language]
    return read if article.search(before.casefold()) else ""


def _in_other(words: str, language: str, now: datetime, *, back: bool | None) -> TimeSaid | None:
    """Read words that are a complete time in another language."""
    tokens = tokens_of(words)
    if len(tokens) < 2 and not (words.isalpha() and len(words) >= FOREIGN):  # noqa: PLR2004 - a lone word
        return None
    others = (one for one in LANGUAGES if one != language)
    return next((found for one in others if (found := parse(words, one, now, back=back)) is not None), None)


def _merged(parts: list[TimeSaid | None]) -> TimeSaid | None:
    """Merge the times of several parts; return None if one is missing or contradicts another."""
    if any(one is None for one in parts):
        return None
    whole = TimeSaid()
    for one in parts:
        assert one is not None
        for name in ("day", "until_day", "clock", "until_clock", "part", "moment", "bound", "or_day"):
            value: Any = getattr(one, name)
            if value and getattr(whole, name) not in {None, "", value}:
                return None
            if value:
                whole = cast("TimeSaid", replace(whole, **{name: value}))
        whole = replace(whole, weekday=whole.weekday or one.weekday, half_said=whole.half_said and one.half_said)
    if whole.moment and (whole.day or whole.clock or whole.part):
        return None
    parted = whole.clock is not None and whole.part and not whole.half_said
    return replace(whole, clock=in_part(whole.clock, whole.part), half_said=True) if parted and whole.clock else whole


def within(words: str, language: str, now: datetime, *, back: bool | None = None) -> TimeSaid | None:
    """Return the longest time at the beginning or the end of words that state no other time."""
    known = lexicon(language)
    tokens = corrected(known, tokens_of(words))
    if _says_nothing(tokens, known) or never_comes(words, language):
        return None
    if (this := _this_one(tokens, known, now, back=back)) is not None:
        return this
    for size in range(len(tokens), 0, -1):
        for part, rest, first in (
            (tokens[-size:], tokens[:-size], False),
            (tokens[:size], tokens[size:], True),
        ):
            if any(tells(token, known) for token in rest) or _other_one(part, rest, known, first=first):
                continue
            bound = "" if first else _bound_in(rest, known)
            found = _read(f"{bound} {' '.join(part)}", language, now, back=back)
            if found is not None and _alone(found, part, rest, known):
                return found
    return _of_known(tokens, known, now, back=back)


def dated(text: str, language: str, now: datetime) -> tuple[str, TimeSaid] | None:
    """Return the words of a text that state a day and its details, verbatim, and the time that they state."""
    words = list(WORD.finditer(text))
    for size in range(min(len(words), LONGEST), 0, -1):
        for first, last in zip(words, words[size - 1 :], strict=False):
            stretch = text[first.start() : last.end()]
            found = parse(" ".join(WORD.findall(stretch)), language, now)
            if found is not None and found.day is not None:
                return _needed(stretch, found, language, now), found
    return None


def _needed(words: str, said: TimeSaid, language: str, now: datetime) -> str:
    """Remove words at either end that do not change the time."""
    parts = list(WORD.finditer(words))
    while len(parts) > 1 and parse(" ".join(one[0] for one in parts[1:]), language, now) == said:
        del parts[0]
    while len(parts) > 1 and parse(" ".join(one[0] for one in parts[:-1]), language, now) == said:
        del parts[-1]
    return words[parts[0].start() : parts[-1].end()]


def _says_nothing(tokens: list[str], known: Lexicon) -> bool:
    """Return whether all words are fillers: `más tarde`."""
    at = 0
    while at < len(tokens) and (found := known.longest(tokens, at, "filler")) is not None:
        at = found[1]
    return at == len(tokens)


def _this_one(tokens: list[str], known: Lexicon, now: datetime, *, back: bool | None) -> TimeSaid | None:
    """Read `the week`, `la journée` as the current one."""
    kinds = [known.phrases.get((token,), {}).keys() for token in tokens]
    left = [token for token, own in zip(tokens, kinds, strict=True) if "unit" in own or not SILENT & own]
    return _read(f"{THIS[known.language]} {left[0]}", known.language, now, back=back) if len(left) == 1 else None


def _bound_in(rest: list[str], known: Lexicon) -> str:
    """Return the bound at the beginning of the dropped words: `since I went to hospital on`."""
    found = next((found for kind in BOUNDS if (found := known.longest(rest, 0, kind)) is not None), None)
    return " ".join(rest[: found[1]]) if found is not None else ""


def _other_one(part: list[str], rest: list[str], known: Lexicon, *, first: bool) -> bool:
    """Return whether the word next to a time makes it another one: `bank holiday Monday`, `last week of term`."""
    if not rest:
        return False
    edge, beside = (part[-1], rest[0]) if first else (part[0], rest[-1])
    kinds, others = known.phrases.get((edge,), {}).keys(), known.phrases.get((beside,), {}).keys()
    unknown = beside.isalpha() and (beside,) not in known.phrases
    counts = unknown and _counts(edge, known) and (first or len(part) == 1)
    at = first and len(part) > 1 and "at" in known.phrases.get((part[-2],), {})
    if "and" in others or (first and edge in OF) or (counts and not at):
        return True
    if first:
        return beside in OF and bool({"unit", "weekday", "month", "part"} & kinds)
    return unknown and bool({"unit", "weekday", "month"} & kinds)


def never_comes(words: str, language: str) -> bool:
    """Return whether words name a day that its month never has: `31 June`, `February 30`."""
    known = lexicon(language)
    tokens = corrected(known, tokens_of(words))
    for at in range(len(tokens)):
        month = known.longest(tokens, at, "month")
        if month is None:
            continue
        before = at - 2 if at and tokens[at - 1] in OF else at - 1
        days = (_day_number(tokens, place, known) for place in (before, month[1]))
        if any(LONGEST_MONTHS[int(month[0]) - 1] < day <= LONGEST_MONTHS[0] for day in days):
            return True
    return False


def _day_number(tokens: list[str], at: int, known: Lexicon) -> int:
    """Return the day of the month that a word is, in figures or as an ordinal; 0 if it is none."""
    if not 0 <= at < len(tokens):
        return 0
    if found := FIGURES.fullmatch(tokens[at]):
        return int(found[1])
    ordinal = known.longest(tokens, at, "ordinal")
    return int(ordinal[0]) if ordinal is not None else 0


def _alone(found: TimeSaid, part: list[str], rest: list[str], known: Lexicon) -> bool:
    """Return whether no dropped word changes a time, and its hour is no article."""
    kinds = {kind for token in rest for kind in known.phrases.get((token,), {})}
    vague = found.moment is not None or found.same_clock or (found.day is None and found.clock is None)
    if vague and "relative" in kinds:
        return False
    if found.clock is not None and "zone" in kinds:
        return False
    ones = [token for token in part if known.phrases.get((token,), {}).get("number") == "1"]
    return not (ones and found.clock is not None and found.clock.hour == 1)


def _of_known(tokens: list[str], known: Lexicon, now: datetime, *, back: bool | None) -> TimeSaid | None:
    """Read only the words that belong to times, if no number is next to an unknown word."""
    kept, left = list[str](), list[str]()
    for n, token in enumerate(tokens):
        if token[:1].isdigit() or (token,) in known.phrases or not token.isalpha():
            kept.append(token)
            continue
        before, behind = (tokens[n - 1] if n else ""), (tokens[n + 1] if n + 1 < len(tokens) else "")
        counts = _counts(before, known) or _counts(behind, known)
        if counts or before in OF or _other_one(tokens[n + 1 :] or [""], [token], known, first=False):
            return None
        left.append(token)
    found = _read(" ".join(kept), known.language, now, back=back) if left else None
    return found if found is not None and _alone(found, kept, tokens, known) else None


def _counts(token: str, known: Lexicon) -> bool:
    """Return whether a word is a number and no article."""
    return token.isdigit() or known.phrases.get((token,), {}).get("number", "1") not in {"0", "1"}


def _read(words: str, language: str, now: datetime, *, back: bool | None) -> TimeSaid | None:
    return parse(words, language, now, back=back)


def tells(token: str, known: Lexicon) -> bool:
    """Return whether a word states something about a time."""
    meanings = known.phrases.get((token,), {})
    number = meanings.get("number", "1")
    return token[:1].isdigit() or number not in {"0", "1"} or any(kind in meanings for kind in TELLING)
