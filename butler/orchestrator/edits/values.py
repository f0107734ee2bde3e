"""Finds phrases that a text often has once: a time, a day, a duration, an amount, a telephone number, a number.

"Make it twenty minutes" means the only duration in the text; with two of them, it is ambiguous.
"""

import re
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a phrase measures."""

    MONEY = "amount"
    PHONE = "telephone number"
    DAY = "day"
    SPAN = "stretch of time"
    TIME = "time"
    NUMBER = "number"


@dataclass(frozen=True, slots=True)
class Value:
    """A phrase and its position."""

    kind: Kind
    start: int
    end: int
    text: str


_ONES = (
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen",
    "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_WORD = rf"(?:(?:{'|'.join(_TENS)})(?:[ -](?:one|{'|'.join(_ONES[:8])}))?|{'|'.join(_ONES)}|hundred|thousand|a dozen)"
_COUNT = rf"(?:\d+(?:[.,]\d+)*|{_WORD}|one)"
_UNIT = r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?)"
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)"
)
_DAY_NUMBER = r"\d{1,2}(?:st|nd|rd|th)?"
_HALF = r"(?:\s?(?:am|pm|a\.m\.|p\.m\.)(?!\w))"
_HOUR = rf"(?:\d{{1,2}}|{_WORD}|one)"
_AFTER_AT = r"(?:(?<=\bat )|(?<=\bby )|(?<=\bfrom )|(?<=\buntil )|(?<=\btill )|(?<=\bat about )|(?<=\bat around ))"
_CURRENCY = r"(?:€|\$|£|¥|euros?|dollars?|pounds?|francs?|cents?|bucks|quid|eur|usd|gbp|chf)"

_SOURCES = {
    Kind.MONEY: (
        rf"[€$£¥]\s?\d[\d.,]*\d\s?k?(?!\w)|[€$£¥]\s?\d\s?k?(?!\w)|\b(?:{_COUNT})\s?{_CURRENCY}(?!\w)"
        rf"|\b(?:eur|usd|gbp|chf)\s\d[\d.,]*\b"
    ),
    Kind.PHONE: r"\+\d[\d\s()/-]{5,}\d|\b0\d[\d\s()/-]{5,}\d|\b\d{7,}\b|\b\d{3}[ -]\d{3,}(?:[ -]\d+)*\b",
    Kind.DAY: (
        rf"\b\d{{4}}-\d\d-\d\d\b|\b\d{{1,2}}[./]\d{{1,2}}[./](?:\d{{4}}|\d\d)?(?!\w)"
        rf"|\b(?:on\s)?(?:{_WEEKDAY},?\s)?(?:the\s)?{_DAY_NUMBER}\s(?:of\s)?{_MONTH}(?!\w)(?:,?\s\d{{4}}\b)?"
        rf"|\b(?:on\s)?(?:{_WEEKDAY},?\s)?{_MONTH}\.?\s(?:the\s)?{_DAY_NUMBER}\b(?:,?\s\d{{4}}\b)?"
        rf"|\b(?:on\s)?the\s\d{{1,2}}(?:st|nd|rd|th)\b"
        rf"|\b(?:(?:on|next|this|coming)\s){{0,2}}{_WEEKDAY}\b"
        r"|\bthe\sday\safter\stomorrow\b|\b(?:today|tomorrow|tonight)\b|\bthis\s(?:morning|afternoon|evening)\b"
        r"|\b(?:next|this)\s(?:week|month|year|weekend)\b"
    ),
    Kind.SPAN: (
        rf"\bhalf\san?\s(?:hour|day|year)\b|\ba\squarter\sof\san\shour\b|\ban\shour\sand\sa\shalf\b"
        rf"|\b(?:{_COUNT}|an?|a\scouple\sof|a\sfew)(?:\sand\sa\shalf)?[\s-]?{_UNIT}\b"
        rf"(?:\sand\s(?:{_COUNT})\s{_UNIT}\b|\sand\sa\shalf\b)?|\b\d{{1,2}}h\d\d\b"
    ),
    Kind.TIME: (
        rf"\bhalf\spast\s{_HOUR}\b|\ba?\s?quarter\s(?:past|to)\s{_HOUR}\b|\b{_HOUR}\s(?:minutes\s)?(?:past|to)\s{_HOUR}\b"
        rf"|\b\d{{1,2}}[:.]\d\d(?!\d){_HALF}?|\b{_HOUR}{_HALF}|\b{_HOUR}\so'?clock\b|\b(?:noon|midday|midnight)\b"
        rf"|{_AFTER_AT}{_HOUR}\b(?!\s?%)"
    ),
    Kind.NUMBER: rf"\b\d+(?:[.,]\d+)*\b|\b{_WORD}\b",
}
_VALUES = re.compile("|".join(f"(?P<{kind.name}>{source})" for kind, source in _SOURCES.items()), re.IGNORECASE)
_NUMBER = re.compile(rf"\b\d{{1,2}}[:.]\d\d\b|{_SOURCES[Kind.NUMBER]}|\bone\b", re.IGNORECASE)
_LEADS = re.compile(
    r"(?:\s|,|\band\b|\bat\b|\bin\b|\bon\b|\bby\b|\bfor\b|\babout\b|\baround\b|\bfrom\b|\buntil\b|\bthe\b|\bonly\b|\bjust\b|[.!?]\s*$)+",
    re.IGNORECASE,
)
_COUNTED = frozenset({Kind.TIME, Kind.SPAN, Kind.NUMBER, Kind.MONEY})


def values(text: str) -> list[Value]:
    """Return the phrases of a text in order, without overlaps."""
    text = flat(text)
    return [
        Value(Kind[match.lastgroup or ""], match.start(), match.end(), match.group())
        for match in _VALUES.finditer(text)
    ]


def only_values(text: str) -> list[Value]:
    """Return the phrases of a text that holds nothing else, such as `at nine on Friday`; else an empty list."""
    found = values(text)
    rest = flat(text)
    for value in reversed(found):
        rest = f"{rest[: value.start]} {rest[value.end :]}"
    return found if not _LEADS.sub("", rest) else []


def numbers_in(value: Value) -> list[Value]:
    """Return the numbers within a phrase that counts something, at their positions in the text."""
    if value.kind not in _COUNTED:
        return []
    return [
        Value(Kind.NUMBER, value.start + match.start(), value.start + match.end(), match.group())
        for match in _NUMBER.finditer(value.text)
    ]


def targets(text: str, new: Value) -> list[Value]:
    """Return the phrases that a new one may replace: those of its kind, or any counting one for a bare number."""
    found = values(text)
    if new.kind is not Kind.NUMBER:
        return [value for value in found if value.kind is new.kind]
    return [number for value in found for number in numbers_in(value)]


def fitted(text: str, old: Value, new: Value, said: str) -> str:
    """Return the new phrase as it replaces the old one, in the owner's own style.

    `said` is the text in which the owner said the new one; a preposition before it is included if the old has none.
    """
    words = said[new.start : new.end]
    before = flat(text)[: old.start].rstrip().rpartition(" ")[2].lower()
    lead = said[: new.start].rstrip().rpartition(" ")[2].lower()
    if new.kind is Kind.TIME and lead == "at" and before not in _PREPOSITIONS:
        words = f"at {words}"
    if new.kind is Kind.DAY and old.text.lower().startswith("on ") and _NEEDS_ON.match(words):
        words = f"on {words}"
    if old.text[:1].isupper() and words[:1].islower() and _begins_sentence(text, old.start):
        words = words[:1].upper() + words[1:]
    return words


_PREPOSITIONS = frozenset({"at", "by", "from", "until", "till", "about", "around", "before", "after", "to", "since"})
_NEEDS_ON = re.compile(rf"(?:{_WEEKDAY}|the\s|\d|{_MONTH})", re.IGNORECASE)


def _begins_sentence(text: str, at: int) -> bool:
    before = text[:at].rstrip()
    return not before or before[-1] in ".!?:\n"


def flat(text: str) -> str:
    """Return the text with straight apostrophes and plain spaces, of the same length."""
    return text.replace("’", "'").replace("ʼ", "'").replace("\u00a0", " ").replace("\u202f", " ")
