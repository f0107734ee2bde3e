"""How often an automation may fire: what comes beyond its limits is skipped or stops it, and the owner is told."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from butler.contract.automation_words import NOT_FIRED
from butler.contract.automations import AutomationState, FiringState, SavedAutomation
from butler.contract.card import OwnerMessage, plain
from butler.contract.events import Event, EventName
from butler.contract.speech import say, say_short_moment
from butler.orchestrator.replies import own_reports
from butler.orchestrator.replies.buttons import button
from butler.store.queries import automations, outbox

DEEPEST = 3
"""Most automations that may follow from one another; the next one does not fire."""
KEY = "automation"
"""The name under which buttons are stored."""
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether an automation may fire now."""

    state: FiringState
    goes_on_at: datetime | None = None
    """When a skipped one may fire again."""


def verdict_on(connection: sa.Connection, kept: SavedAutomation, event: Event, replay: int, now: datetime) -> Verdict:
    """Return whether an automation may fire now."""
    if event.depth >= DEEPEST:
        return Verdict(FiringState.LOOP)
    if replay or event.name is EventName.CLOCK:
        # The owner requested this firing, or has seen how often its time comes.
        return Verdict(FiringState.FIRED)
    spec = kept.automation
    # Firings before the owner resumed it no longer count.
    begun = automations.begun_at(connection, kept.automation_id)
    for most, span in ((spec.per_day, DAY), (spec.per_hour, HOUR)):
        first = automations.fired_at(connection, kept.automation_id, most - 1)
        if first is None or first < max(now - span, begun):
            continue
        if span is DAY and spec.stops_at_day_limit:
            return Verdict(FiringState.TOO_OFTEN)
        return Verdict(FiringState.SKIPPED, first + span)
    return Verdict(FiringState.FIRED)


def tell_loop(connection: sa.Connection, chat: str, kept: SavedAutomation, now: datetime, zone: ZoneInfo) -> None:
    """Tell the owner, once a day, that an automation did not fire because others led to it."""
    text = say(
        "Automation {number}, “{name}”, did not fire: {why}.",
        number=kept.number,
        name=kept.automation.name,
        why=say(NOT_FIRED[FiringState.LOOP]),
    )
    # Once a day: a loop that returns next month is news.
    key = f"loop:{kept.automation_id}:{now.astimezone(zone):%Y-%m-%d}"
    outbox.add(connection, chat, OwnerMessage(text=plain(text)), now=now, dedup_key=key)


def skip(
    connection: sa.Connection, chat: str, kept: SavedAutomation, goes_on_at: datetime, now: datetime, zone: ZoneInfo
) -> None:
    """Tell the owner, once a day, that what comes is skipped for now."""
    text = say(
        "⏭ Automation {number}, “{name}”, fired as often as it may. I skip what comes until {moment}; then it goes on "
        "by itself.",
        number=kept.number,
        name=kept.automation.name,
        moment=say_short_moment(goes_on_at.astimezone(zone)),
    )
    key = f"skips:{kept.automation_id}:{now.astimezone(zone):%Y-%m-%d}"
    if outbox.add(connection, chat, OwnerMessage(text=plain(text)), now=now, dedup_key=key) is not None:
        own_reports.keep(connection, chat, own_reports.automation_skips(kept.number), now, now)


def stop(connection: sa.Connection, chat: str, kept: SavedAutomation, key: str, now: datetime) -> None:
    """Stop an automation that runs wild, and tell the owner with a button to let it go on."""
    automations.set_state(connection, kept.automation_id, [AutomationState.ACTIVE], AutomationState.STOPPED, now)
    text = say(
        "⛔ I stopped automation {number}, “{name}”: {why}. What it was to do now is not done.",
        number=kept.number,
        name=kept.automation.name,
        why=say(NOT_FIRED[FiringState.TOO_OFTEN]),
    )
    on = button(connection, chat, KEY, say("Go on"), {"number": kept.number, "step": "resume"}, now)
    message = OwnerMessage(text=plain(text), buttons=((on,),))
    outbox.add(connection, chat, message, now=now, dedup_key=key)
    own_reports.keep(connection, chat, own_reports.automation_stopped(kept.number), now, now)
