"""A whole year of the table on a turned clock: every time is said, none twice, through journeys, downtimes, jumps."""

import csv
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

import pytest

from butler.contract.automations import Automation, Tell
from butler.contract.schedules import RecurrenceRule, ZoneChange
from butler.store.open import open_store
from butler.store.store import Store
from tests.schedule.schedule_harness import MINUTE, ScheduleHarness, SetClock, running_schedule, utc
from tests.schedule.year import expected
from tests.schedule.year.expected import AUTOMATIONS, FEW, STAYS, TABLE, lines, times, tricky
from tests.schedule.year.stated import BY_THEMSELVES, STATED

BEGIN, END = utc("2026-12-31T00:00"), utc("2027-12-31T10:00")
"""In the zone that is furthest east 2028 begins then, and the table ends."""
DOWN = (
    (utc("2027-03-14T06:30"), utc("2027-03-14T08:00")),
    (utc("2027-03-28T00:30"), utc("2027-03-28T01:20")),
    (utc("2027-07-05T12:10"), utc("2027-07-08T12:10")),
    (utc("2027-10-31T00:00"), utc("2027-10-31T02:30")),
)
"""When no daemon lives."""
ASLEEP = ((utc("2027-05-20T22:00"), utc("2027-05-21T06:00")), (utc("2027-11-07T04:00"), utc("2027-11-07T07:10")))
"""When the machine sleeps under a daemon that lives: its clock jumps."""
BACK = (utc("2027-02-10T12:05"), utc("2027-06-07T08:05"), utc("2027-10-05T09:05"))
"""When the clock is found to be ahead and is turned back by 90 minutes; each daemon dies later that day."""


@dataclass(frozen=True)
class Row:
    """One row of the table."""

    row_id: str
    rule: RecurrenceRule
    count: int
    due: tuple[datetime, ...]


def rows(table: Path = TABLE) -> list[Row]:
    with table.open(encoding="utf-8", newline="") as file:
        return [
            Row(
                line["id"],
                RecurrenceRule.model_validate_json(line["rule"]),
                int(line["count"]),
                tuple(datetime.strptime(at, "%Y-%m-%dT%H:%MZ").replace(tzinfo=UTC) for at in line["due"].split()),
            )
            for line in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        ]


def test_the_table_says_what_its_rows_state() -> None:
    assert TABLE.read_text(encoding="utf-8").splitlines() == list(lines("Y", STATED))
    assert AUTOMATIONS.read_text(encoding="utf-8").splitlines() == list(lines("A", BY_THEMSELVES))
    assert len(rows()) >= 200
    assert len(rows(AUTOMATIONS)) >= 25


def test_what_works_out_the_table_knows_nothing_of_butler() -> None:
    assert "butler" not in Path(expected.__file__).read_text(encoding="utf-8").replace("Butler", "")


@pytest.mark.parametrize(
    "row",
    [row for row in (*rows(), *rows(AUTOMATIONS)) if row.rule.keeps is ZoneChange.INSTANT],
    ids=lambda row: row.row_id,
)
def test_a_rule_alone_is_due_as_the_table_says(row: Row) -> None:
    found = list(islice(row.rule.fires(BEGIN), row.count))
    assert len(found) == row.count
    assert set(row.due) <= set(found)
    assert found[0] == row.due[0]
    assert found[-1] == row.due[-1]


def coalesced(due: list[datetime]) -> list[tuple[datetime, datetime]]:
    """Each time that is said, with when: what is missed while nobody lives is said once, by whoever lives next."""
    found: list[tuple[datetime, datetime]] = []
    for at in due:
        said = next((up for down, up in (*DOWN, *ASLEEP) if down < at <= up), at)
        if not found or found[-1][1] != said:
            found.append((at, said))
    return found


async def until(one: ScheduleHarness, end: datetime) -> None:
    """From due time to due time."""
    while (due := await one.next_due()) is not None and due <= end:
        await one.turn(due)
    await one.turn(end)


async def a_life(store: Store, clock: SetClock, end: datetime) -> None:
    """A daemon that lives until it dies: it travels, sleeps, and has its clock turned back on the way."""
    begin = clock.now()
    async with running_schedule(store, clock) as one:
        happens = sorted(
            [(since, "travel", zone) for zone, since in STAYS[1:]]
            + [(down, "sleep", up.isoformat()) for down, up in ASLEEP]
            + [(at, "back", "") for at in BACK]
        )
        await one.quiet()
        for at, what, more in happens:
            if not begin <= at < end:
                continue
            await until(one, at)
            if what == "travel":
                await one.book.travel(more)
            elif what == "sleep":
                await one.turn(datetime.fromisoformat(more))
            else:
                await one.turn(at - timedelta(minutes=90))
        await until(one, end)


@pytest.mark.nightly
@pytest.mark.timeout(400)
async def test_a_year_of_reminders_and_automations_is_said_as_the_tables_say(tmp_path: Path) -> None:
    store = open_store("sqlite:///:memory:", data_dir=tmp_path)
    clock = SetClock(BEGIN)
    async with running_schedule(store, clock) as one:
        made = {row.row_id: (await one.book.add(row.row_id, row.row_id, row.rule)).reminder_id for row in rows()}
        for row in rows(AUTOMATIONS):
            spec = Automation(name=row.row_id, clock=row.rule, do=(Tell(tell=row.row_id),))
            made[row.row_id] = (await one.by_themselves.repository.save(row.row_id, spec)).automation_id
    for down, up in (*DOWN, (END, END)):
        await a_life(store, clock, down)
        await clock.set(up)
    async with running_schedule(store, clock) as one:
        await one.idle()
        wrong: list[str] = []
        every = zip((*rows(), *rows(AUTOMATIONS)), (*STATED, *BY_THEMSELVES), strict=True)
        for row, stated in every:
            due = times(stated)
            assert list(row.due) == (due if len(due) <= FEW else tricky(due, stated))
            said = await one.fired(made[row.row_id])
            wanted = coalesced([at for at in due if at <= END])
            if said != wanted:
                strange = sorted(set(said) ^ set(wanted))[:6]
                wrong.append(
                    f"{row.row_id}: " + ", ".join(f"{at:%m-%dT%H:%MZ} at {when:%m-%dT%H:%MZ}" for at, when in strange)
                )
        assert wrong == []
        texts = await one.texts()
        assert len(texts) == len(await one.fired())
        late = [text for text in texts if "late" in text or "I was down" in text]
        assert len(late) == sum(when - at > MINUTE for at, when in await one.fired())
        for row in rows(AUTOMATIONS):
            assert sum(row.row_id in text for text in texts) == len(await one.fired(made[row.row_id]))
    await store.close()
