"""Reminders are changed and moved by the clocks that the owner lives by at the time, wherever they were made."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest

from butler.contract.errors import IntegrationErrorCode
from butler.contract.integration import IntegrationResult
from butler.contract.schedules import RecurrenceRule
from butler.contract.tools import ToolCall
from butler.home_zone import HomeZone
from butler.registry import Registry
from butler.reminder_repository import StoreReminders
from butler.store.queries import reminder_times
from butler.store.store import Store
from modules.reminders.module import RemindersModule, RemindersSettings
from tests.approvals.harness import create_tables
from tests.schedule.schedule_harness import SetClock, utc
from tests.support.context import make_context
from tests.support.declared_facts import assert_facts, tools_with_facts

BERLIN, NEW_YORK = "Europe/Berlin", "America/New_York"
ONCE = RecurrenceRule.model_validate({"zone": BERLIN, "start": "2027-06-02T12:00"})
DAILY = RecurrenceRule.model_validate({"zone": BERLIN, "start": "2027-06-01T12:00", "every": "day"})
BY_THE_HOUR = RecurrenceRule.model_validate(
    {"zone": BERLIN, "start": "2027-06-01T12:00", "every": "hour", "interval": 2, "keeps": "instant"}
)
OFTEN = RecurrenceRule.model_validate(
    {"zone": BERLIN, "start": "2027-06-01T09:00", "every": "minute", "interval": 15, "within": ["09:00", "17:00"]}
)


@dataclass
class Tools:
    """The tools over a store, on a clock that is set by hand."""

    store: Store
    clock: SetClock
    book: StoreReminders
    registry: Registry

    async def call(self, action: str, **args: Any) -> IntegrationResult:
        tool = f"bot_reminders_{action}"
        made = self.registry.spec(tool).args.model_validate(args)
        return await self.registry.invoke(ToolCall(tool=tool, args=made, call_id="c1", trace_id="t1"))

    async def keep(self, rule: RecurrenceRule) -> str:
        return (await self.book.add("kept", "call mum", rule)).reminder_id

    async def rule(self, reminder_id: str) -> RecurrenceRule:
        kept = await self.book.get(reminder_id)
        assert kept is not None
        return kept.rule


@pytest.fixture
async def tools() -> AsyncIterator[Tools]:
    """At ten o'clock in Berlin on a Tuesday."""
    store, clock = create_tables(Store("sqlite://")), SetClock(utc("2027-06-01T08:00"))
    book, registry = StoreReminders(store, clock, HomeZone(BERLIN), lambda: None), Registry()
    registry.add_module(RemindersModule(RemindersSettings(), make_context(reminders=book, clock=clock)))
    yield Tools(store, clock, book, registry)
    await store.close()


@pytest.mark.parametrize(
    ("rule", "to", "due"),
    [
        (ONCE, {"at": "2027-06-03T08:00"}, "2027-06-03T12:00"),
        (ONCE, {"to_clock": "08:00"}, "2027-06-02T12:00"),
        (DAILY, {"to_clock": "08:00"}, "2027-06-01T12:00"),
        (DAILY, {"at": "2027-06-04T08:00", "every": "week"}, "2027-06-04T12:00"),
        (BY_THE_HOUR, {"at": "2027-06-02T08:00", "every": "day"}, "2027-06-02T12:00"),
    ],
    ids=["another time", "another hour", "another hour of what repeats", "other days", "days instead of hours"],
)
@pytest.mark.parametrize("moments", [False, True], ids=["moved along", "left where it was"])
async def test_a_new_time_is_one_of_the_clocks_that_the_owner_lives_by(
    tools: Tools, rule: RecurrenceRule, to: dict[str, str], due: str, moments: bool
) -> None:
    kept = await tools.keep(rule)
    assert (await tools.call("travel", zone=NEW_YORK, moments=moments)).ok
    assert (await tools.call("change", reminder_id=kept, **to)).ok
    changed = await tools.book.get(kept)
    assert changed is not None
    assert (changed.due_at, changed.rule.zone) == (utc(due), NEW_YORK)


async def test_another_hour_gives_what_is_said_five_times_no_more_times(tools: Tools) -> None:
    kept = await tools.keep(DAILY.model_copy(update={"times": 5}))
    for day in ("2027-06-01T10:00", "2027-06-02T10:00", "2027-06-03T10:00"):
        await tools.clock.set(utc(day))
        now = tools.clock.now()
        assert await tools.store.write(lambda c: reminder_times.fire(c, kept, now), "fire")  # noqa: B023 - runs at once
    assert (await tools.call("change", reminder_id=kept, to_clock="18:00")).ok
    left = list((await tools.rule(kept)).fires(tools.clock.now()))
    assert left == [utc("2027-06-03T16:00"), utc("2027-06-04T16:00")]


async def test_one_hour_for_what_is_said_all_day_is_asked_about_and_changes_nothing(tools: Tools) -> None:
    kept = await tools.keep(OFTEN)
    result = await tools.call("change", reminder_id=kept, to_clock="10:00")
    assert result.error is not None
    assert result.error.code is IntegrationErrorCode.INVALID_INPUT
    assert await tools.rule(kept) == OFTEN


@pytest.mark.parametrize("more", [{}, {"until": "2027-06-05"}, {"moments": True}], ids=["for good", "until", "moments"])
async def test_a_zone_that_there_is_not_is_refused(tools: Tools, more: dict[str, Any]) -> None:
    result = await tools.call("travel", zone="Mars/Phobos", **more)
    assert result.error is not None
    assert result.error.code is IntegrationErrorCode.INVALID_INPUT
    assert tools.book.zone() == BERLIN


@pytest.mark.parametrize(
    ("when", "keeps"),
    [
        ({"at": "2027-06-01T10:40:00"}, "instant"),
        ({"at": "2027-06-02T10:00:00"}, "wall"),
        ({"every": "hour", "interval": 2}, "instant"),
        ({"every": "minute", "interval": 15, "within": ["09:00", "17:00"]}, "wall"),
        ({"at": "2027-06-02T10:00:00", "every": "day"}, "wall"),
    ],
    ids=["soon", "tomorrow", "by the hour", "within hours of the day", "every day"],
)
async def test_lengths_of_time_keep_their_moments_and_hours_the_clock(
    tools: Tools, when: dict[str, Any], keeps: str
) -> None:
    assert (await tools.call("create", text="stretch", **when)).ok
    (kept,) = await tools.book.waiting(10)
    assert kept.rule.keeps == keeps


async def test_declared_facts_are_in_what_each_tool_yields(tools: Tools) -> None:
    kept = await tools.keep(DAILY)
    calls: dict[str, dict[str, Any]] = {
        "create": {"text": "call dad", "at": "2027-06-02T12:00"},
        "list": {},
        "change": {"reminder_id": kept, "to_clock": "13:00"},
        "snooze": {"reminder_id": kept, "minutes": 20},
        "skip": {"reminder_id": kept},
        "travel": {"zone": NEW_YORK},
    }
    for action, args in calls.items():
        assert_facts(tools.registry.spec(f"bot_reminders_{action}"), await tools.call(action, **args))
    assert tools_with_facts(tools.registry.specs()) == {f"bot_reminders_{action}" for action in calls}
