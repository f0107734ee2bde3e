"""Hours of an appointment on somebody else's clock, brought to the owner's: `Friday at 9am Tokyo time`."""

from dataclasses import dataclass
from datetime import date, datetime, time

from butler.contract.speech import say
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.every import OWN_CLOCK
from butler.orchestrator.embedded.lexer import Tail
from butler.orchestrator.embedded.when import WHOSE_TIME, Spoken, in_each_zone, settle
from butler.orchestrator.embedded.zone_names import short_name
from butler.orchestrator.embedded.zones import SaidZone


@dataclass(frozen=True, slots=True)
class HoursThere:
    """What was said of the hours, as the clock of the zone shows them."""

    zone: SaidZone
    day: date | None
    weekday: bool
    start: time
    end: time | None
    repeats: bool


def on_own_clock(hours: HoursThere, request: Tail, now: datetime) -> tuple[datetime, datetime | None]:
    """Start and end in the owner's wall time. Asks where it is not sure whose clock is meant. `now` is local, aware."""
    zone = hours.zone
    if hours.repeats:
        raise Asking(say(OWN_CLOCK, zone=zone.words))
    said = Spoken(day=hours.day, clock=hours.start, weekday=hours.weekday, zone=zone)
    if clocks := in_each_zone(said, now):
        before, _, after = request.text.rpartition(zone.words)
        choices = [choice(short_name(name), f"{before}{name} time{after}") for name, _ in clocks]
        raise Asking(say(WHOSE_TIME), choices)
    start = settle(said, now)
    if start is None:
        raise Asking(say("That time is past. When is it?"))
    if hours.end is None:
        return start, None
    lasts = datetime.combine(now.date(), hours.end) - datetime.combine(now.date(), hours.start)
    return start, start + lasts
