"""Reads the zone of a time: `15:00 PST`, `9 Tokyo time`, `um 9 New Yorker Zeit`, `à 9h heure de Paris`, `12:00 UTC+2`.

The words after a time of day are read in all languages at once, as their names of zones are alike. The caller asks
about ambiguous zones, unknown ones, and places that may not be zones (`at 9 in London`). The words are in `zones.toml`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce

from butler.orchestrator.embedded.lexer import Phrases, Tail
from butler.orchestrator.embedded.places import zones_of
from butler.orchestrator.embedded.table_words import phrases_of, word_set
from butler.orchestrator.embedded.zone_names import OFFSET, abbreviations, long_names, offset_name
from butler.understanding.stored_words import stored

MOST_WORDS = 3
"""Most words of a place's name."""


@dataclass(frozen=True, slots=True)
class SaidZone:
    """The zones that may be meant, by name: empty if unknown; `own` is the owner's zone."""

    names: tuple[str, ...] = ()
    words: str = ""
    own: bool = False
    perhaps_place: bool = False
    """Whether the words may name a place rather than a zone."""


def zone_at(tail: Tail) -> tuple[SaidZone, Tail] | None:
    """Return the zone after a time of day, and the tail after it."""
    for start in (tail, tail.past(_phrases("leads"))):
        found = _zone(start, led=start.at > tail.at and tail.word() in _words("by"))
        if found is None:
            continue
        said, after = found
        opened = start.at > tail.at and tail.word() == "("
        if opened and after.word() != ")":
            return None
        return SaidZone(said.names, start.until(after).text, said.own), after.skip() if opened else after
    return _perhaps_place(tail)


def _zone(tail: Tail, *, led: bool) -> tuple[SaidZone, Tail] | None:
    if (own := tail.take(_phrases("own"))) is not None:
        return SaidZone(own=True), own
    if (others := tail.take(_phrases("others"))) is not None:
        return SaidZone(), others
    return _offset(tail) or _long_name(tail) or _abbreviation(tail) or _city_time(tail, led=led) or _time_of_city(tail)


def _offset(tail: Tail) -> tuple[SaidZone, Tail] | None:
    match = None if tail.done else OFFSET.match(tail.source, tail.tokens[tail.at].start)
    name = offset_name(match[1], match[2], match[3]) if match else None
    if match is None or name is None:
        return None
    after = tail
    while not after.done and after.tokens[after.at].start < match.end():
        after = after.skip()
    return SaidZone((name,)), after


def _abbreviation(tail: Tail) -> tuple[SaidZone, Tail] | None:
    names = abbreviations().get(tail.word(), ())
    is_name = tail.word() not in _words("in_capitals") or tail.written().isupper() or _is_behind_clock(tail)
    return (SaidZone(names), tail.skip().past(_phrases("short_time"))) if names and is_name else None


def _is_behind_clock(tail: Tail) -> bool:
    """Return whether `est` is a zone, as in `3pm est to call`: the French word never follows `pm`."""
    before = tail.tokens[tail.at - 1].word if tail.at else ""
    return tail.word() in _words("behind_clocks") and before.endswith(_stored("halves_of_days"))


def _long_name(tail: Tail) -> tuple[SaidZone, Tail] | None:
    if tail.done or not tail.word()[:1].isalpha():
        return None
    said = [token.word for token in tail.tokens[tail.at : min(tail.end, tail.at + 6)]]
    joined = _stored("noun_joined")
    if _words("noun").isdisjoint(said) and not any(word.endswith(joined) for word in said):
        return None
    known = long_names()
    for length in range(len(said), 0, -1):
        if (names := known.get(tuple(said[:length]))) is not None:
            return SaidZone(names), tail.skip(length)
    return None


def _city_time(tail: Tail, *, led: bool) -> tuple[SaidZone, Tail] | None:
    """Return the zone of `Tokyo time` or `Londoner Zeit`, even if the place is unknown."""
    for length in range(1, MOST_WORDS + 1):
        after = tail.skip(length).take(_phrases("time"))
        if after is None:
            continue
        place = tail.until(tail.skip(length)).text
        names = next((zones for name in _cities(place) if (zones := zones_of(name))), ())
        if names or led or place[:1].isupper():
            return SaidZone(names), after
    return _iana(tail)


def _iana(tail: Tail) -> tuple[SaidZone, Tail] | None:
    names = zones_of(tail.written()) if "/" in tail.word() else ()
    return (SaidZone(names), tail.skip().past(_phrases("short_time"))) if names else None


def _cities(place: str) -> Iterator[str]:
    yield reduce(str.removesuffix, _stored("possessives"), place)
    for ending, _, instead in (one.partition(" > ") for one in _stored("endings")):
        if place.endswith(ending):
            yield place.removesuffix(ending) + instead


def _time_of_city(tail: Tail) -> tuple[SaidZone, Tail] | None:
    """Return the zone of `time in Tokyo`, `heure de Paris` or `hora de Nueva York`."""
    start = tail.take(_phrases("time_in"))
    if start is None or start.done:
        return _elided(tail)
    return _place(start) or ((SaidZone(), start.skip()) if start.written()[:1].isupper() else None)


def _elided(tail: Tail) -> tuple[SaidZone, Tail] | None:
    """Return the zone of `heure d'Amsterdam`."""
    place = tail.take(_phrases("time_elided"))
    sign = next((one for one in _stored("elided") if place is not None and place.word().startswith(one)), "")
    return (SaidZone(zones_of(place.written()[len(sign) :])), place.skip()) if place is not None and sign else None


def _place(start: Tail) -> tuple[SaidZone, Tail] | None:
    for length in range(MOST_WORDS, 0, -1):
        after = start.skip(length)
        if after.at - start.at == length and (names := zones_of(start.until(after).text)):
            return SaidZone(names), after
    return None


def _perhaps_place(tail: Tail) -> tuple[SaidZone, Tail] | None:
    """Return the zone of a place such as `in London`, which follows a time."""
    start = tail.take(_phrases("place_in"))
    found = _place(start) if start is not None and start.written()[:1].isupper() else None
    return (SaidZone(found[0].names, tail.until(found[1]).text, perhaps_place=True), found[1]) if found else None


def _phrases(kind: str) -> Phrases:
    return phrases_of("zones", kind)


def _words(kind: str) -> frozenset[str]:
    return word_set("zones", kind)


def _stored(kind: str) -> tuple[str, ...]:
    return stored("butler.orchestrator.embedded", "zones", kind)
