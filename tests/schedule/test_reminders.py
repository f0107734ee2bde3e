"""Reminders as the owner meets them: said once, said to be late, put off, changed, done, ended by an event, moved."""

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime, timedelta

import pytest
import sqlalchemy as sa

from butler.contract.errors import Refuse
from butler.contract.events import Condition, Event, EventFilter, EventName, Fact
from butler.contract.names import Identity
from butler.contract.ports import Reminder
from butler.contract.provenance import Origin, Trust
from butler.contract.schedules import Every, RecurrenceRule, ZoneChange
from butler.home_zone import HomeZone, home_zone
from butler.store.queries import events, reminder_times
from butler.store.store import Store
from tests.schedule.schedule_harness import DAY, HOUR, MINUTE, ScheduleHarness, SetClock, running_schedule, utc
from tests.support.schedules import once_at

BERLIN = "Europe/Berlin"
HALF_PAST_SEVEN = "2027-06-01T19:30:00"
NOW = utc("2027-06-01T06:00")  # 08:00 in Berlin


@pytest.fixture
def clock() -> SetClock:
    return SetClock(NOW)


@pytest.fixture
async def one(store: Store, clock: SetClock) -> AsyncIterator[ScheduleHarness]:
    async with running_schedule(store, clock) as one:
        yield one


def at(text: str, **more: object) -> RecurrenceRule:
    return RecurrenceRule.model_validate({"zone": BERLIN, "start": text, **more})


DAILY = at("2027-06-01T09:00", every="day")


async def add(one: ScheduleHarness, rule: RecurrenceRule, text: str = "call mum") -> Reminder:
    return await one.book.add(f"call:{text}", text, rule)


async def test_a_reminder_is_said_at_its_time_and_only_then(one: ScheduleHarness) -> None:
    made = await add(one, at("2027-06-01T09:00"))
    await one.turn(utc("2027-06-01T06:59"))
    assert await one.texts() == []
    await one.turn(utc("2027-06-01T07:00"))
    assert await one.texts() == ["⏰ call mum"]
    assert (await one.book.get(made.reminder_id) or made).state == "fired"


async def test_sc_05_a_reminder_that_is_made_twice_before_the_start_is_one(store: Store, clock: SetClock) -> None:
    idle = ScheduleHarness(store, clock, (await _zone(store)))  # its engine never runs
    first, second = await add(idle, DAILY), await add(idle, DAILY)
    assert first == second
    async with running_schedule(store, clock) as one:
        await one.turn(utc("2027-06-01T07:00"))
        await one.turn(utc("2027-06-02T07:00"))
        assert await one.texts() == ["⏰ call mum"] * 2


async def test_sc_03_reminders_go_on_after_the_clocks_change_and_the_engine_tells_when_it_last_looked(
    store: Store,
) -> None:
    clock = SetClock(utc("2027-03-28T00:40"))
    async with running_schedule(store, clock) as one:
        await add(one, at("2027-03-28T01:45", every="minute", interval=5))
        for minutes in range(5, 60, 5):
            await one.turn(utc("2027-03-28T00:40") + minutes * MINUTE)
            assert one.engine.last_tick is not None
        assert len(await one.texts()) == 11
        await one.idle()
        assert one.engine.last_tick == clock.now()


async def test_sc_07_an_hour_that_was_said_is_of_the_owners_clock(store: Store) -> None:
    clock = SetClock(utc("2027-06-01T10:00"))
    async with running_schedule(store, clock, "Asia/Ho_Chi_Minh") as one:
        made = await add(one, RecurrenceRule(zone=one.book.zone(), start=datetime.fromisoformat(HALF_PAST_SEVEN)))
        assert (made.due_at, made.local_time.isoformat()) == (utc("2027-06-01T12:30"), HALF_PAST_SEVEN)


async def test_sc_10_a_time_later_today_is_today_and_one_that_is_over_is_refused(store: Store) -> None:
    clock = SetClock(utc("2027-06-01T12:30"))  # 14:30 in Berlin
    async with running_schedule(store, clock) as one:
        assert (await add(one, at("2027-06-01T15:00"))).due_at == utc("2027-06-01T13:00")
        with pytest.raises(Refuse, match="is in the past"):
            await add(one, at("2027-06-01T14:00"), "late")


async def test_sc_11_a_weekly_hour_is_the_same_in_winter_and_summer(store: Store) -> None:
    clock = SetClock(utc("2027-01-04T10:00"))
    async with running_schedule(store, clock) as one:
        made = await add(one, at("2027-01-05T10:00", every="week"))
        assert made.due_at == utc("2027-01-05T09:00")
        await one.turn(utc("2027-06-28T00:00"))
        summer = await one.book.get(made.reminder_id)
        assert summer is not None
        assert summer.due_at == utc("2027-06-29T08:00")


async def test_sc_13_what_a_sleeping_machine_missed_is_said_once_and_late(one: ScheduleHarness) -> None:
    await add(one, at("2027-06-01T09:00", every="hour", interval=2))
    await one.turn(utc("2027-06-01T14:30"))
    said = "⏰ (late: it was due 1 June 09:00, and 3 more times since) call mum"
    assert [_loose(text) for text in await one.texts()] == [_loose(said)]
    await one.turn(utc("2027-06-01T15:00"))
    assert (await one.texts())[1:] == ["⏰ call mum"]


async def test_a_reminder_of_a_while_ago_says_late_without_a_count(one: ScheduleHarness) -> None:
    await add(one, at("2027-06-01T09:00"))
    await one.turn(utc("2027-06-01T07:02"))
    (text,) = await one.texts()
    assert text.startswith("⏰ (late: it was due ")
    assert "more" not in text


async def test_times_that_were_missed_count_as_times(one: ScheduleHarness) -> None:
    made = await add(one, DAILY.model_copy(update={"times": 3}))
    await one.turn(utc("2027-06-02T12:00"))
    await one.turn(utc("2027-06-03T07:00"))
    await one.turn(utc("2027-06-09T07:00"))
    assert [due for due, _ in await one.fired(made.reminder_id)] == [
        utc("2027-06-01T07:00"),
        utc("2027-06-03T07:00"),
    ]


async def test_all_thousand_times_that_were_missed_count(one: ScheduleHarness) -> None:
    made = await add(one, at("2027-06-01T09:00", every="minute", interval=5, times=1_000))
    await one.turn(utc("2027-06-20T09:00"))
    over = await one.book.get(made.reminder_id)
    assert over is not None
    assert (over.times_past, over.state) == (1_000, "fired")


@pytest.mark.parametrize("what", ["removed", "done", "snooze", "skip", "change"])
async def test_what_the_person_says_holds_where_another_daemon_says_the_time_meanwhile(
    store: Store, clock: SetClock, what: str
) -> None:
    idle = ScheduleHarness(store, clock, (await _zone(store)))  # its engine never runs
    made = await add(idle, at("2027-06-01T08:30") if what == "done" else DAILY)
    now = utc("2027-06-01T07:00")
    raced = iter([True])

    def another(connection: sa.Connection, *ran: object) -> None:
        if str(ran[1]).startswith("UPDATE reminders") and next(raced, False):
            assert reminder_times.fire(connection, made.reminder_id, now) is not None

    sa.event.listen(store.engine, "before_cursor_execute", another)
    await clock.set(now)
    match what:
        case "snooze":
            after = await idle.book.snooze(made.reminder_id, now + HOUR)
            wanted = ("waiting", now + HOUR)
        case "skip":
            after = await idle.book.skip(made.reminder_id, made.due_at)
            wanted = ("waiting", made.due_at + DAY)
        case "change":
            after = await idle.book.change(made.reminder_id, rule=at("2027-06-01T10:00", every="day"))
            wanted = ("waiting", now + HOUR)
        case _:
            after = await idle.book.settle(made.reminder_id, removed=what == "removed")
            wanted = (what, made.due_at)
    sa.event.remove(store.engine, "before_cursor_execute", another)
    assert next(raced, None) is None, "nobody said it meanwhile"
    assert after.state == wanted[0]
    assert what in {"removed", "done"} or after.due_at == wanted[1]


async def test_two_daemons_on_one_store_say_each_time_once(lasting_store: Store, clock: SetClock) -> None:
    async with running_schedule(lasting_store, clock) as one, running_schedule(lasting_store, clock) as other:
        for number in range(30):
            await add(one if number % 2 else other, DAILY, f"task {number}")
        for day in range(3):
            await clock.set(utc("2027-06-01T07:00") + day * DAY)
            one.engine.wake()
            other.engine.wake()
            await one.quiet()
            await one.idle()
        texts = await one.texts()
        assert len(texts) == 90
        assert len(set(texts)) == 30
    assert one.failed == other.failed == []


async def test_a_snoozed_reminder_is_said_again_and_its_rule_goes_on(one: ScheduleHarness) -> None:
    made = await add(one, DAILY)
    await one.turn(utc("2027-06-01T07:00"))
    put_off = await one.book.snooze(made.reminder_id, utc("2027-06-01T07:10"))
    assert put_off.snoozed
    assert await one.book.snooze(made.reminder_id, utc("2027-06-01T07:10")) == put_off
    for when in ("2027-06-01T07:10", "2027-06-01T12:00", "2027-06-02T07:00"):
        await one.turn(utc(when))
    assert [due for due, _ in await one.fired()] == [
        utc("2027-06-01T07:00"),
        utc("2027-06-01T07:10"),
        utc("2027-06-02T07:00"),
    ]


async def test_a_snooze_beyond_the_next_time_loses_neither(one: ScheduleHarness) -> None:
    made = await add(one, DAILY)
    await one.turn(utc("2027-06-01T07:00"))
    await one.book.snooze(made.reminder_id, utc("2027-06-02T10:00"))
    await one.turn(utc("2027-06-02T07:00"))
    await one.turn(utc("2027-06-02T10:00"))
    await one.turn(utc("2027-06-03T07:00"))
    assert [f"{due:%dT%H}" for due, _ in await one.fired()] == ["01T07", "02T07", "02T10", "03T07"]


async def test_a_reminder_that_was_not_said_yet_is_only_said_when_it_was_put_off_to(one: ScheduleHarness) -> None:
    made = await add(one, at("2027-06-01T09:00"))
    await one.book.snooze(made.reminder_id, utc("2027-06-01T08:00"))
    await one.turn(utc("2027-06-01T07:00"))
    assert await one.texts() == []
    await one.turn(utc("2027-06-01T08:00"))
    assert await one.texts() == ["⏰ call mum"]


async def test_one_that_is_over_can_be_put_off_or_changed_and_is_waited_for_again(one: ScheduleHarness) -> None:
    made = await add(one, at("2027-06-01T09:00"))
    await one.turn(utc("2027-06-01T07:00"))
    assert (await one.book.snooze(made.reminder_id, utc("2027-06-01T07:30"))).state == "waiting"
    await one.turn(utc("2027-06-01T07:30"))
    changed = await one.book.change(made.reminder_id, text="call dad", rule=at("2027-06-01T10:00"))
    assert await one.book.change(made.reminder_id, text="call dad", rule=at("2027-06-01T10:00")) == changed
    await one.turn(utc("2027-06-01T08:00"))
    assert await one.texts() == ["⏰ call mum", "⏰ call mum", "⏰ call dad"]


async def test_what_cannot_be_is_refused_in_one_sentence(one: ScheduleHarness) -> None:
    made = await add(one, at("2027-06-01T09:00"))
    for refused in (
        one.book.snooze("nobody", NOW + HOUR),
        one.book.snooze(made.reminder_id, NOW - HOUR),
        one.book.change(made.reminder_id, rule=at("2027-05-01T09:00")),
        one.book.travel("Mars/Olympus"),
        one.book.travel("Europe/Paris", until=NOW - HOUR),
    ):
        with pytest.raises(Refuse):
            await refused
    await one.book.settle(made.reminder_id)
    with pytest.raises(Refuse, match="over"):
        await one.book.change(made.reminder_id, text="other words")
    removed = await one.book.settle(made.reminder_id, removed=True)
    assert removed == await one.book.settle(made.reminder_id, removed=True)
    with pytest.raises(Refuse, match="no such reminder"):
        await one.book.settle(made.reminder_id)


async def test_done_ends_what_is_said_once_and_removed_ends_what_repeats(one: ScheduleHarness) -> None:
    single, daily = await add(one, at("2027-06-01T09:00"), "once"), await add(one, DAILY, "daily")
    await one.book.settle(single.reminder_id)
    assert (await one.book.settle(daily.reminder_id)).state == "waiting"
    await one.turn(utc("2027-06-01T07:00"))
    await one.book.settle(daily.reminder_id, removed=True)
    await one.turn(utc("2027-06-02T07:00"))
    assert await one.texts() == ["⏰ daily"]


async def test_a_time_that_is_skipped_is_left_out_once_however_often_that_is_said(one: ScheduleHarness) -> None:
    made = await add(one, DAILY)
    for _ in range(2):
        await one.book.skip(made.reminder_id, made.due_at)
    await one.turn(utc("2027-06-01T07:00"))
    assert await one.texts() == []
    await one.turn(utc("2027-06-02T07:00"))
    assert await one.texts() == ["⏰ call mum"]


async def test_said_is_delivered_only_once_the_provider_has_accepted_it(one: ScheduleHarness) -> None:
    await add(one, at("2027-06-01T09:00"), "heard")
    await one.turn(utc("2027-06-01T07:00"))
    await one.idle()
    one.accepts = False
    await add(one, at("2027-06-01T10:00"), "unheard")
    await one.turn(utc("2027-06-01T08:00"))
    await one.idle()
    said = await one.said()
    assert [(entry.reminder.text, entry.delivered_at is not None) for entry in said] == [
        ("unheard", False),
        ("heard", True),
    ]


def mail(sender: str, when: datetime, *, proved: bool = True) -> Event:
    facts: dict[str, Fact] = {
        **dict.fromkeys(("identity", "account", "sender_name", "domain", "subject", "text", "ref"), ""),
        **dict.fromkeys(("answer", "list"), False),
        "proved": proved,
        "files": 0,
        "sender": f"mail:{sender}",
        "contact": sender.split("@", maxsplit=1)[0].title(),
    }
    return Event(
        event_id=f"{sender} {when.isoformat()}",
        name=EventName.MAIL_RECEIVED,
        channel="email",
        identity=Identity.USER,
        account="home",
        at=when,
        facts=facts,
        origin=Origin(trust=Trust.CONTACT, source="mail"),
    )


ANNA = EventFilter(event=EventName.MAIL_RECEIVED, where=(Condition(fact="sender", value="mail:anna@friends.example"),))


async def happens(one: ScheduleHarness, event: Event) -> None:
    await one.store.write(lambda c: events.emit(c, event, event.event_id, one.clock.now()))
    one.engine.wake()
    await one.idle()


async def test_what_waits_for_an_answer_is_said_when_it_comes_and_not_at_its_latest(one: ScheduleHarness) -> None:
    await one.book.add("call", "send the offer", at("2027-06-04T09:00"), until_event=(ANNA,))
    await happens(one, mail("bob@friends.example", NOW + MINUTE))
    await happens(one, mail("anna@friends.example", NOW - MINUTE))  # before it was asked for
    assert await one.texts() == []
    for minutes in (2, 3):
        await happens(one, mail("anna@friends.example", NOW + minutes * MINUTE))
    await one.turn(utc("2027-06-04T07:00"))
    assert await one.texts() == ["⏰ (a mail of Anna came) send the offer"]


async def test_a_mail_that_anybody_may_have_sent_is_told_of_once_a_day_and_the_time_stays(one: ScheduleHarness) -> None:
    made = await one.book.add("call", "send the offer", at("2027-06-04T09:00"), until_event=(ANNA,))
    for minutes in (2, 2, 3):
        await happens(one, mail("anna@friends.example", NOW + minutes * MINUTE, proved=False))
    says = "a mail that says it is from Anna came; who sent it is not proved, so I also remind you at your time"
    assert await one.texts() == [f"⏰ ({says}) send the offer"]
    assert (await one.book.get(made.reminder_id) or made).due_at == made.due_at
    await one.turn(utc("2027-06-04T07:00"))
    assert (await one.texts())[1:] == ["⏰ send the offer"]


async def test_without_an_answer_it_is_said_at_the_latest_and_the_answer_is_not_waited_for_any_more(
    one: ScheduleHarness,
) -> None:
    await one.book.add("call", "send the offer", at("2027-06-04T09:00"), until_event=(ANNA,))
    await one.turn(utc("2027-06-04T07:00"))
    await happens(one, mail("anna@friends.example", utc("2027-06-04T07:05")))
    assert await one.texts() == ["⏰ send the offer"]


async def test_each_time_is_an_event_with_its_words_and_whose_they_are(one: ScheduleHarness) -> None:
    stranger = Origin(trust=Trust.UNTRUSTED, source="mail:1")
    await one.book.add("call", "pay it", at("2027-06-01T09:00"), frozenset({stranger, Origin.owner("telegram:42")}))
    await one.turn(utc("2027-06-01T07:00"))
    (event,) = await one.store.read(lambda c: events.since(c, EventName.REMINDER_DUE, NOW, 10))
    assert event.facts["text"] == "pay it"
    assert event.origin == stranger


async def _due_at(one: ScheduleHarness, reminder_id: str, due_at: datetime) -> bool:
    """Wait until a reminder is due then; what sets it runs beside what the test awaits."""
    async with asyncio.timeout(60):
        while (found := await one.book.get(reminder_id)) is None or found.due_at != due_at:  # noqa: ASYNC110 - a row sets no event
            await asyncio.sleep(0.01)
    return True


async def test_a_clock_that_was_wrong_neither_repeats_nor_silences_a_reminder(one: ScheduleHarness) -> None:
    made = await add(one, DAILY)
    await one.turn(utc("2031-01-01T00:00"))  # and back: somebody set it right
    await one.turn(utc("2027-06-01T08:00"))
    await one.idle()
    assert len(await one.texts()) == 1
    assert await _due_at(one, made.reminder_id, utc("2027-06-02T07:00"))
    await one.turn(utc("2027-06-02T07:00"))
    assert len(await one.texts()) == 2


async def test_a_traveller_keeps_the_hour_of_the_clock_and_the_moment_of_what_was_a_length_of_time(
    one: ScheduleHarness,
) -> None:
    daily = await add(one, DAILY, "daily")
    later = await one.book.add("in", "in 20 hours", once_at(NOW + 20 * HOUR, BERLIN))
    await one.turn(utc("2027-06-01T07:00"))
    moved = await one.book.travel("America/New_York")
    assert [one.text for one in moved] == ["in 20 hours", "daily"]
    assert one.book.zone() == "America/New_York"
    assert {r.text: r.due_at for r in await one.book.waiting(10)} == {
        "daily": utc("2027-06-02T13:00"),  # today's was said in Berlin
        "in 20 hours": later.due_at,
    }
    assert (await one.book.get(daily.reminder_id) or daily).zone == "America/New_York"


async def test_a_time_that_a_journey_leaves_out_is_said_when_it_would_have_been_due(one: ScheduleHarness) -> None:
    made = await add(one, at("2027-06-01T10:00"))
    await one.book.travel("Asia/Tokyo")  # 15:00 there
    await one.turn(utc("2027-06-01T08:00"))
    assert [due for due, _ in await one.fired(made.reminder_id)] == [utc("2027-06-01T08:00")]


async def test_whoever_keeps_the_moments_has_none_moved(one: ScheduleHarness) -> None:
    await add(one, DAILY)
    assert list(await one.book.travel("America/New_York", moments=True)) == []
    assert (await one.book.waiting(1))[0].due_at == utc("2027-06-01T07:00")


async def test_what_kept_its_moments_on_one_journey_does_not_follow_the_next_one(one: ScheduleHarness) -> None:
    kept = await add(one, DAILY)
    await one.book.travel("America/New_York", moments=True)
    new = await add(one, DAILY.model_copy(update={"zone": "America/New_York"}), "run")
    moved = await one.book.travel("Asia/Tokyo")
    assert [each.reminder_id for each in moved] == [new.reminder_id]
    assert (await one.book.get(kept.reminder_id) or new).due_at == kept.due_at
    await one.book.travel("America/New_York", moments=True)
    assert [each.reminder_id for each in await one.book.travel("America/New_York")] == [kept.reminder_id]


async def test_a_stay_outlives_a_restart_and_ends_by_itself(store: Store, clock: SetClock) -> None:
    async with running_schedule(store, clock) as one:
        await add(one, DAILY)
        await one.book.travel("America/New_York", until=utc("2027-06-04T12:00"))
    async with running_schedule(store, clock) as one:
        assert (one.book.zone(), one.book.home()) == ("America/New_York", BERLIN)
        await one.turn(utc("2027-06-04T12:00"))
        await one.idle()
        assert one.book.zone() == BERLIN
        assert (await one.book.waiting(1))[0].due_at == utc("2027-06-04T13:00")  # which the way home leaves out
        await one.turn(utc("2027-06-04T13:00"))
        assert (await one.book.waiting(1))[0].due_at == utc("2027-06-05T07:00")


async def test_whoever_writes_another_zone_into_the_settings_has_moved_there(store: Store, clock: SetClock) -> None:
    async with running_schedule(store, clock) as one:
        await add(one, DAILY)
        await one.book.travel("America/New_York")
    async with running_schedule(store, clock, "Europe/Lisbon") as one:
        assert one.book.zone() == "Europe/Lisbon"
        assert (await one.book.waiting(1))[0].due_at == utc("2027-06-01T08:00")


async def test_twenty_minutes_from_now_are_so_in_the_hour_that_comes_twice(store: Store) -> None:
    clock = SetClock(utc("2027-10-31T01:20"))  # 02:20 in Berlin, the second time
    async with running_schedule(store, clock) as one:
        made = await one.book.add("in", "tea", once_at(clock.now() + timedelta(minutes=20), BERLIN))
        assert made.due_at == utc("2027-10-31T01:40")
        assert made.rule.keeps is ZoneChange.INSTANT
        assert made.rule.every is not Every.DAY


def _loose(text: str) -> str:
    """Without the day, which is worded elsewhere."""
    head, _, rest = text.partition("due ")
    return head + rest[rest.find("09:00") :]


async def _zone(store: Store) -> HomeZone:
    return await home_zone(store, BERLIN)
