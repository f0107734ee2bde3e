"""That an event begins is told a while before, once for each time that it begins, and as it stands then."""

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from butler.contract.agenda import AgendaEntry
from butler.contract.events import Event, EventName
from butler.contract.polled import Polled, PolledKind
from butler.contract.wall_time import moment
from butler.event_store import StorePolled
from butler.follow_up import event_starts
from butler.follow_up.event_starts import EventStarts
from butler.store.open import open_store
from butler.store.queries import events, work
from butler.store.queries.event_starts import STARTING
from butler.store.store import Store
from config.agenda import AgendaSettings
from tests.support.ticking import Ticking

BERLIN = ZoneInfo("Europe/Berlin")
NINE = datetime(2027, 3, 5, 9, tzinfo=UTC)


class Clock(Ticking):
    """Friday 5 March 2027, 9:00 in UTC, until it is turned."""

    def __init__(self) -> None:
        self.at = NINE

    def now(self) -> datetime:
        return self.at

    async def sleep_until(self, when: datetime) -> None:
        raise AssertionError("nobody waits")


class Harness:
    """The rows, and whoever looks at them when they are due, as the engine does."""

    def __init__(self, store: Store, zone: ZoneInfo = BERLIN, **settings: Any) -> None:
        self.store, self.clock = store, Clock()
        self.book = StorePolled(store, self.clock, lambda: None)
        self.starting = EventStarts(store, self.clock, zone, AgendaSettings(**settings), lambda: None)

    async def keep(self, ref: str, starts: datetime, minutes: int = 60, **fields: Any) -> None:
        ends = starts + timedelta(minutes=minutes)
        entry = AgendaEntry(event_id=ref, calendar="me", title=ref, starts=starts, ends=ends, **fields)
        await self._keep(ref, entry)

    async def keep_days(self, ref: str, first: date, last: date) -> None:
        starts, ends = (moment(datetime.combine(day, time()), BERLIN) for day in (first, last + timedelta(days=1)))
        entry = AgendaEntry(
            event_id=ref, calendar="me", title=ref, starts=starts, ends=ends, first_day=first, last_day=last
        )
        await self._keep(ref, entry)

    async def _keep(self, ref: str, entry: AgendaEntry) -> None:
        await self.book.keep([record(ref, at=entry.starts, ends_at=entry.ends, item=entry.model_dump(mode="json"))])

    async def cancel(self, ref: str) -> None:
        await self.book.keep([record(ref, item={}, removed=True)])

    async def rows(self) -> list[work.WorkRow]:
        written = await self.store.read(lambda c: work.written(c, 0))
        return [row for row in written if row.kind == STARTING]

    async def until(self, at: datetime) -> None:
        """Turn the clock from look to look."""
        while due := [row for row in await self.rows() if row.run_at <= at]:
            row = min(due, key=lambda one: one.run_at)
            self.clock.at = max(self.clock.at, row.run_at)
            await self.look(row)
        self.clock.at = at

    async def look(self, row: work.WorkRow) -> None:
        await self.starting.look(row.subject)
        await self.store.write(lambda c: work.done(c, row.work_id))

    async def down_until(self, at: datetime) -> None:
        """Nobody looks till then; then all that is due is looked at."""
        self.clock.at = at
        await event_starts.begin(self.store, self.clock)
        await self.until(at)

    async def told(self) -> list[Event]:
        return list(
            await self.store.read(lambda c: events.since(c, EventName.EVENT_STARTING, NINE - timedelta(9), 100))
        )

    async def times(self) -> list[tuple[object, datetime]]:
        return [(event.facts["title"], event.at) for event in await self.told()]


def record(ref: str, **fields: Any) -> Polled:
    return Polled(channel="calendar", account="main", kind=PolledKind.EVENT, ref=ref, **fields)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    made = open_store("sqlite://", data_dir=tmp_path)
    yield made
    await made.close()


@pytest.fixture
def harness(store: Store) -> Harness:
    return Harness(store)


def at(hour: int, minute: int = 0, day: int = 5) -> datetime:
    return datetime(2027, 3, day, hour, minute, tzinfo=UTC)


async def test_it_is_told_a_quarter_of_an_hour_before_with_what_is_known_of_it(harness: Harness) -> None:
    await harness.keep("Budget", at(12), place="Room 4", organizer="anna@friends.example")
    await harness.until(at(18))
    (event,) = await harness.told()
    assert event.at == at(11, 45)
    assert event.facts == {
        "account": "main",
        "event": "Budget",
        "title": "Budget",
        "place": "Room 4",
        "organizer": "anna@friends.example",
        "guests": 0,
        "minutes": 15,
        "all_day": False,
    }
    assert event.subject == "calendar/main/Budget"


async def test_how_long_before_is_as_set(store: Store) -> None:
    harness = Harness(store, starting_minutes=60)
    await harness.keep("Budget", at(12))
    await harness.until(at(18))
    assert await harness.times() == [("Budget", at(11))]


async def test_what_is_moved_is_told_at_its_new_time_and_what_is_cancelled_or_declined_never(harness: Harness) -> None:
    for name in ("Moved later", "Moved sooner", "Cancelled"):
        await harness.keep(name, at(14))
    await harness.keep("Declined", at(14), answer="declined")
    await harness.until(at(10))
    await harness.keep("Moved later", at(16))
    await harness.keep("Moved sooner", at(11))
    await harness.cancel("Cancelled")
    await harness.until(at(20))
    assert await harness.times() == [("Moved sooner", at(10, 45)), ("Moved later", at(15, 45))]


async def test_what_is_moved_after_it_was_told_is_told_again_for_the_new_time_and_once_for_each(
    harness: Harness,
) -> None:
    await harness.keep("Budget", at(12))
    await harness.until(at(11, 50))
    await harness.keep("Budget", at(12), place="Room 5")
    await harness.until(at(11, 55))
    await harness.keep("Budget", at(15))
    await harness.until(at(20))
    assert await harness.times() == [("Budget", at(11, 45)), ("Budget", at(14, 45))]


async def test_what_comes_near_before_it_is_known_is_told_at_once_and_what_is_begun_is_no_news(
    harness: Harness,
) -> None:
    await harness.keep("Soon", at(9, 5))
    await harness.keep("Begun", at(8, 30))
    await harness.until(at(9, 1))
    (event,) = await harness.told()
    assert (event.facts["title"], event.facts["minutes"]) == ("Soon", 5)


async def test_down_for_a_while_it_tells_late_of_what_goes_on_and_not_of_what_is_over(harness: Harness) -> None:
    await harness.keep("Over", at(10), 30)
    await harness.keep("Goes on", at(11), 120)
    await harness.keep("To come", at(12, 10))
    await harness.until(at(9, 30))
    await harness.down_until(at(12))
    assert await harness.times() == [("Goes on", at(12)), ("To come", at(12))]
    assert [event.facts["minutes"] for event in await harness.told()] == [0, 10]
    await harness.until(at(20))
    assert len(await harness.told()) == 2


async def test_whole_days_are_told_at_eight_where_the_person_is(store: Store) -> None:
    harness = Harness(store)
    await harness.keep_days("Fair", date(2027, 3, 6), date(2027, 3, 7))
    await harness.keep_days("Today", date(2027, 3, 5), date(2027, 3, 5))
    await harness.until(at(20, day=9))
    assert await harness.times() == [("Fair", at(7, day=6))]
    assert (await harness.told())[0].facts["all_day"] is True


@pytest.mark.parametrize(
    ("zone", "day", "hour", "due"),
    [
        ("Europe/Berlin", date(2027, 3, 28), "02:30", datetime(2027, 3, 28, 1, tzinfo=UTC)),
        ("Europe/Berlin", date(2027, 10, 31), "02:30", datetime(2027, 10, 31, 0, 30, tzinfo=UTC)),
        ("America/New_York", date(2027, 3, 14), "08:00", datetime(2027, 3, 14, 12, tzinfo=UTC)),
        ("Australia/Lord_Howe", date(2027, 10, 3), "02:15", datetime(2027, 10, 2, 15, 30, tzinfo=UTC)),
        ("Pacific/Auckland", date(2027, 6, 1), "08:00", datetime(2027, 5, 31, 20, tzinfo=UTC)),
    ],
)
async def test_also_in_nights_in_which_the_clocks_change(
    store: Store, zone: str, day: date, hour: str, due: datetime
) -> None:
    harness = Harness(store, ZoneInfo(zone), all_day_at=time.fromisoformat(hour))
    await harness.keep_days("Fair", day, day)
    await harness.until(due + timedelta(days=2))
    assert await harness.times() == [("Fair", due)]


async def test_there_is_one_row_to_wait_with_however_many_events_there_are(harness: Harness) -> None:
    for number in range(50):
        await harness.keep(f"Event {number}", at(12) + timedelta(hours=number))
    await harness.until(at(9, 1))
    assert len(await harness.rows()) == 1
    await harness.until(at(23, day=8))
    assert len(await harness.told()) == 50


async def test_a_look_that_is_made_twice_tells_once(harness: Harness) -> None:
    await harness.keep("Budget", at(12))
    await harness.until(at(11, 44))
    harness.clock.at = at(11, 46)
    (row,) = await harness.rows()
    await harness.starting.look(row.subject)
    await harness.look(row)
    assert len(await harness.told()) == 1


async def test_where_no_calendar_is_kept_nobody_waits(harness: Harness) -> None:
    await event_starts.begin(harness.store, harness.clock)
    assert await harness.rows() == []
    await harness.keep("Budget", at(12))
    await harness.until(at(9, 1))
    await harness.cancel("Budget")
    await harness.until(at(20, day=7))
    assert await harness.rows() == []
