"""Finds the values of one kind in words; every reader uses these rules."""

from collections.abc import Iterator, Sequence
from datetime import UTC, date
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from butler.agents.reader.amounts import amounts
from butler.agents.reader.answers import answers
from butler.agents.reader.days import days_asked_for
from butler.agents.reader.people import named
from butler.agents.reader.port import KnownPerson, Reading
from butler.contract.agents import ReadKind, RetrievedContext


def values(
    kind: ReadKind, words: str, chunk: RetrievedContext, people: Sequence[KnownPerson], zone: str, ask: str = ""
) -> Iterator[Reading]:
    """Yield every value of this kind in words of a chunk, in order; `ask` may name the day of a weekday or a time."""
    reading = Reading(kind=kind, quote=words, chunk_id=chunk.chunk_id)
    match kind:
        case ReadKind.AMOUNT:
            yield from (reading.model_copy(update={"amount": one}) for one in amounts(words))
        case ReadKind.DATE:
            found = days_asked_for(words, written_on(chunk, zone), ask)
            yield from (reading.model_copy(update={"day": one.day, "clock": one.clock}) for one in found)
        case ReadKind.YES_NO:
            yield from (reading.model_copy(update={"yes": one}) for one in answers(words))
        case ReadKind.CONTACT:
            yield from (reading.model_copy(update={"contact_id": one}) for one in named(words, people))


def distinct(found: Sequence[Reading]) -> list[Reading]:
    """Return each value once; a day without a time equals the same day with a time."""
    timed = {one.day for one in found if one.clock is not None}
    kept = [one for one in found if one.day is None or one.clock is not None or one.day not in timed]
    return list({_value(one): one for one in reversed(kept)}.values())[::-1]


def _value(one: Reading) -> tuple[object, ...]:
    money = (one.amount.value, one.amount.currency) if one.amount else None
    return money, one.day, one.clock, one.yes, one.contact_id


def written_on(chunk: RetrievedContext, zone: str) -> date | None:
    """Return the day on which a text was written, in its reader's zone."""
    if chunk.at is None:
        return None
    try:
        return chunk.at.astimezone(ZoneInfo(zone)).date()
    except (ZoneInfoNotFoundError, ValueError):
        return chunk.at.astimezone(UTC).date()
