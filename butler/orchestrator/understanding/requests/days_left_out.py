"""Marks the days that a recurrence leaves out: `every day` … `, except on Sundays`.

The reader often marks them apart, without their `except` or `not`, or as part of the text beside them.
"""

import re
from dataclasses import replace
from datetime import datetime
from itertools import pairwise

from butler.contract.bulk_repeat import Weekday
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.understanding.recurring.rules import Recurrence, recurrence
from butler.orchestrator.understanding.recurring.words import exception_in
from butler.orchestrator.understanding.requests.request_words import group
from butler.understanding.marked import SlotWords
from butler.understanding.reader import Request
from butler.understanding.times.parse import parse

TEXT = "text"
OF_WHAT = re.compile(rf"\s+{group('of_what')}\s+(?P<text>\S.*?)[\s,;]*$", re.IGNORECASE)
"""What a reminder is about, behind how often it is: `jeden Tag ans Gießen`."""
NAMES = frozenset({"text", "topic", "title", "reported", "asked"})
WORD = re.compile(r"\s+[^\W\d_]+")


def with_days_left_out(request: Request, now: datetime) -> Request:
    """Return the request with excluded days marked as part of its recurrence.

    Args:
        request: The request as it was read.
        now: Local and aware.
    """
    if not request.words("every"):
        return request
    whole = _with_text_within(request, now)
    return _with_left_out(replace(whole, slots=_with_their_words(whole, now)), now)


def _with_left_out(request: Request, now: datetime) -> Request:
    """Return the request with exceptions between or behind its marks as marks of their own."""
    language, often, text = request.language or "en", " ".join(request.words("every")), request.text
    marked = sorted(request.slots, key=lambda each: each.start)
    slots = list[SlotWords]()
    for before, one in pairwise([None, *marked, None]):
        end = before.end if before is not None else 0
        begins = one.start if one is not None else len(text)
        left_out = exception_in(text[end:begins], language) if before is not None else ""
        start = text.find(left_out, end) if left_out else -1
        if one is None:
            asks = request.intent.startswith("reminder.") or _leaves_days_out(often, left_out, language, now)
            slots += [SlotWords("every", left_out, start, start + len(left_out))] if start >= 0 and asks else []
        elif one.slot == "every" and start >= 0:
            slots.append(SlotWords("every", text[start : one.end], start, one.end))
        else:
            slots += _without_days(one, often, language, now) if one.slot == TEXT else [one]
    return replace(request, slots=tuple(slots))


def _without_days(one: SlotWords, often: str, language: str, now: datetime) -> list[SlotWords]:
    """Return a text and, as a slot of its own, the days that it excludes: `stretch, but not on Fridays`."""
    left_out = exception_in(one.text, language)
    at = one.text.rfind(left_out) if left_out else 0
    if at <= 0 or not _leaves_days_out(often, left_out, language, now):
        return [one]
    return [_cut(one, at), SlotWords("every", left_out, one.start + at, one.start + at + len(left_out))]


def _with_their_words(request: Request, now: datetime) -> tuple[SlotWords, ...]:
    """Return the marks, where excluded days take an `except` from the end of a text, or the `not` behind them."""
    language, slots = request.language or "en", sorted(request.slots, key=lambda each: each.start)
    for n, one in enumerate(slots):
        often = " ".join(other.text for other in slots if other.slot == "every" and other is not one)
        if one.slot != "every" or not often:
            continue
        behind = WORD.match(request.text, one.end)
        if behind is not None and _leaves_days_out(f"{often} {one.text}", behind[0], language, now):
            slots[n] = SlotWords("every", request.text[one.start : behind.end()], one.start, behind.end())
            continue
        before = slots[n - 1] if n and slots[n - 1].slot == TEXT else None
        left_out = exception_in(before.text, language) if before is not None else ""
        adjacent = before is not None and not request.text[before.end : one.start].strip()
        if before is None or not (left_out and adjacent and before.text.endswith(left_out)):
            continue
        start = before.end - len(left_out)
        words = request.text[start : one.end]
        if start > before.start and _leaves_days_out(often, words, language, now):
            slots[n - 1 : n + 1] = [_cut(before, start - before.start), SlotWords("every", words, start, one.end)]
    return tuple(slots)


def _with_text_within(request: Request, now: datetime) -> Request:
    """Return a reminder with the text that was marked as part of how often it is: `jeden Tag ans Gießen außer …`."""
    language = request.language or "en"
    every = [one for one in request.slots if one.slot == "every"]
    named = any(one.slot in NAMES for one in request.slots)
    left_out = exception_in(every[0].text, language) if request.intent == "reminder.create" and not named else ""
    if not left_out or len(every) != 1 or not every[0].text.endswith(left_out):
        return request
    (one,) = every
    head = one.text[: -len(left_out)]
    what = OF_WHAT.search(head)
    if what is None or parse(what["text"], language, now) is not None or _often(what["text"], language, now):
        return request
    if _often(head[: what.start()], language, now) is None:
        return request
    start, at = one.start + what.start("text"), one.end - len(left_out)
    marks = (
        _cut(one, what.start()),
        SlotWords(TEXT, what["text"], start, start + len(what["text"])),
        SlotWords("every", left_out, at, one.end),
    )
    return replace(request, slots=(*(other for other in request.slots if other is not one), *marks))


def _cut(one: SlotWords, at: int) -> SlotWords:
    kept = one.text[:at].rstrip(" ,;")
    return replace(one, text=kept, end=one.start + len(kept))


def _leaves_days_out(often: str, tail: str, language: str, now: datetime) -> bool:
    """Return whether a recurrence has other days of the week with the words behind it."""
    whole, fewer = _often(often, language, now), _often(f"{often} {tail}", language, now)
    return whole is not None and fewer is not None and _weekdays(fewer) != _weekdays(whole)


def _weekdays(found: Recurrence) -> frozenset[Weekday]:
    return frozenset(found.said.often.get("on") or Weekday)


def _often(words: str, language: str, now: datetime) -> Recurrence | None:
    try:
        return recurrence(words, language, now)
    except Asking:
        return None
