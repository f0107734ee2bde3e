"""Eighteen birthdays are eighteen events: none is taken for a loop, and what could not be is told by itself."""

from collections.abc import AsyncIterator
from datetime import date, timedelta
from typing import Any, TypeVar

import pytest
from pydantic import BaseModel

from approvals.states import State
from butler.orchestrator.planning.model_planner import ModelPlanner
from butler.store.queries import approvals
from butler.store.store import Store
from tests.modules.calendar.calendar_account import Account, calendar_account
from tests.orchestrator.harness import Harness, planned, step
from tests.support.models import FormsOnly
from tests.support.tables import create_tables

CREATE = "user_calendar_create_event"
BIRTHDAYS = [
    {"title": f"Birthday of friend {number}", "start": (date(2027, 3, 6) + timedelta(days=9 * number)).isoformat()}
    for number in range(18)
]


M = TypeVar("M", bound=BaseModel)


class Llm(FormsOnly):
    """A model whose plan has one step for each of them."""

    async def fill(self, form: type[M], *, instructions: str, prompt: str, check: object = None) -> M:
        del instructions, prompt, check
        steps = [{"tool": CREATE, "args": {**one, "repeat": "yearly"}} for one in BIRTHDAYS]
        return form.model_validate({"steps": steps})


@pytest.fixture
async def me() -> AsyncIterator[Account]:
    async with calendar_account() as account:
        yield account


@pytest.fixture
async def harness(me: Account) -> AsyncIterator[Harness]:
    """With the calendar's own tools, on its stand-in."""
    store = Store("sqlite://")
    create_tables(store.engine)
    harness = Harness(store)
    own = {spec.tool_name: spec for spec in me.registry.specs()}
    harness.registry._tools |= own  # pyright: ignore[reportPrivateUsage] - as the butler itself takes over tools
    await harness.meet()
    yield harness
    await store.close()


async def states(harness: Harness) -> list[str]:
    """Of all approvals of the calendar."""

    def read(connection: Any) -> list[str]:
        rows = approvals.in_state(connection, *State)
        return [row.state for row in rows if row.tool == CREATE]

    return await harness.store.read(read)


async def approve_all(harness: Harness) -> None:
    for _ in range(len(BIRTHDAYS) * 2):
        if "pending" not in await states(harness):
            return
        await harness.tap("Approve")


@pytest.mark.parametrize("planner", ["model", "script"])
async def test_bk_03_eighteen_birthdays_are_eighteen_events_and_none_is_cut(
    harness: Harness, me: Account, planner: str
) -> None:
    if planner == "model":
        harness.planner = ModelPlanner(Llm())
        harness.start()
        await harness.say("add these 18 birthdays")
    else:
        steps = [step(at, CREATE, **one, repeat="yearly") for at, one in enumerate(BIRTHDAYS, 1)]
        await harness.say("add these 18 birthdays", planned(*steps))
    assert await states(harness) == ["pending"] * 18
    assert me.titles() == [], "nothing before a yes"
    await approve_all(harness)
    assert await states(harness) == ["done"] * 18
    assert me.titles() == sorted(one["title"] for one in BIRTHDAYS)
    assert {tuple(event["recurrence"]) for event in me.book().values()} == {("RRULE:FREQ=YEARLY",)}


async def test_bk_03_what_could_not_be_made_is_told_and_the_rest_is_there(harness: Harness, me: Account) -> None:
    steps = [step(at, CREATE, **one, repeat="yearly") for at, one in enumerate(BIRTHDAYS, 1)]
    await harness.say("add these 18 birthdays", planned(*steps))
    me.server.fail("calendar.events.insert", 400, "invalid", times=2)
    await approve_all(harness)
    assert sorted(await states(harness)) == ["done"] * 16 + ["failed"] * 2
    assert len(me.titles()) == 16
    (told,) = harness.phone.said
    lines = told.split("\n\n")
    assert [sum(line.startswith(sign) for line in lines) for sign in "✅❌"] == [16, 2]
    assert told.count("Google Calendar refused this (400 invalid)") == 2
