"""Finds the zone of a request's time: `15:00 PST tomorrow`, `um 15 Uhr New Yorker Zeit`, `at 9 in London`."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from butler.orchestrator.embedded.lexer import lex
from butler.orchestrator.embedded.zones import SaidZone, zone_at
from butler.understanding.reader import Request

LONGEST_NAME = 5
"""The most words of a zone's name."""


@dataclass(frozen=True, slots=True)
class OtherClock:
    """A zone, and the place of its words in the request."""

    zone: SaidZone
    start: int
    end: int

    def without(self, request: Request) -> Request:
        """Return the request with these words blank, so that all other words keep their places."""
        text = request.text
        blank = text[: self.start] + " " * (self.end - self.start) + text[self.end :]
        slots = tuple(replace(one, text=blank[one.start : one.end]) for one in request.slots)
        return replace(request, text=blank, slots=slots)


def other_clock(request: Request, slot: str) -> OtherClock | None:
    """Return the zone within or right after a time's words; None if the time is in the owner's zone.

    A zone with a known place takes precedence over words that only look like one.
    """
    found = sorted(_clocks(request, slot), key=lambda one: not (one.zone.names or one.zone.own))
    return found[0] if found else None


def _clocks(request: Request, slot: str) -> Iterator[OtherClock]:
    others = [(one.start, one.end) for one in request.slots if one.slot != slot]
    for marked in (one for one in request.slots if one.slot == slot):
        whole = lex(request.text[marked.start :])
        length = marked.end - marked.start
        inside = sum(token.start < length for token in whole.tokens)
        for at in range(1, inside + 1):
            here = replace(whole.skip(at), end=min(whole.end, at + LONGEST_NAME))
            found = zone_at(here) if not here.done else None
            if found is None:
                continue
            start = marked.start + whole.tokens[at].start
            end = marked.start + whole.tokens[found[1].at - 1].end
            if not (found[0].perhaps_place and any(begin <= start < stop for begin, stop in others)):
                yield OtherClock(found[0], start, end)
