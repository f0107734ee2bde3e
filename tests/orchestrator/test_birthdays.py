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
from butler.store.tables import metadata
from tests.modules.calendar.calendar_account import Account, calendar_account
from tests.orchestrator.house import House, planned, step

CREATE = "user_calendar_create_event"
BIRTHDAYS = [
    {"title": f"Birthday of friend {number}", "start": (date(2027, 3, 6) + timedelta(days=9 * number)).isoformat()}
    for number in range(18)
]


M = TypeVar("M", bound=BaseModel)


class Llm:
    """A model whose plan has one step for each of them."""

    async def fill(self, form: type[M], *, instructions: str, prompt: str) -> M:
        del instructions, prompt
        steps = [{"tool": CREATE, "args": {**one, "repeat": "yearly"}} for one in BIRTHDAYS]
        return form.model_validate({"steps": steps})


@pytest.fixture
async def me() -> AsyncIterator[Account]:
    async with calendar_account() as account:
        yield account


@pytest.fixture
async def house(me: Account) -> AsyncIterator[House]:
    """With the calendar's own tools, on its stand-in."""
    store = Store("sqlite://")
    metadata.create_all(store.engine)
    house = House(store)
    own = {spec.tool_name: spec for spec in me.registry.specs()}
    house.registry._tools |= own  # pyright: ignore[reportPrivateUsage] - as the house itself takes over tools
    await house.meet()
    yield house
    await store.close()


async def states(house: House) -> list[str]:
    """Of all approvals of the calendar."""

    def read(connection: Any) -> list[str]:
        rows = approvals.in_state(connection, *State)
        return [row.state for row in rows if row.tool == CREATE]

    return await house.store.read(read)


async def approve_all(house: House) -> None:
    for _ in range(len(BIRTHDAYS) * 2):
        if "pending" not in await states(house):
            return
        await house.tap("Approve")


@pytest.mark.parametrize("planner", ["model", "script"])
async def test_bk_03_eighteen_birthdays_are_eighteen_events_and_none_is_cut(
    house: House, me: Account, planner: str
) -> None:
    if planner == "model":
        house.planner = ModelPlanner(Llm())
        house.start()
        await house.say("add these 18 birthdays")
    else:
        steps = [step(at, CREATE, **one, repeat="yearly") for at, one in enumerate(BIRTHDAYS, 1)]
        await house.say("add these 18 birthdays", planned(*steps))
    assert await states(house) == ["pending"] * 18
    assert me.titles() == [], "nothing before a yes"
    await approve_all(house)
    assert await states(house) == ["done"] * 18
    assert me.titles() == sorted(one["title"] for one in BIRTHDAYS)
    assert {tuple(event["recurrence"]) for event in me.book().values()} == {("RRULE:FREQ=YEARLY",)}


async def test_bk_03_what_could_not_be_made_is_told_and_the_rest_is_there(house: House, me: Account) -> None:
    steps = [step(at, CREATE, **one, repeat="yearly") for at, one in enumerate(BIRTHDAYS, 1)]
    await house.say("add these 18 birthdays", planned(*steps))
    me.server.fail("calendar.events.insert", 400, "invalid", times=2)
    await approve_all(house)
    assert sorted(await states(house)) == ["done"] * 16 + ["failed"] * 2
    assert len(me.titles()) == 16
    (told,) = house.phone.said
    lines = told.split("\n\n")
    assert [sum(line.startswith(sign) for line in lines) for sign in "✅❌"] == [16, 2]
    assert told.count("Google Calendar refused this (400 invalid)") == 2
