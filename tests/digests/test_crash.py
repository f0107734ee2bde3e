"""Killed before or after the one transaction in which something is told, it is told all the same, and once."""

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from butler.contract.agenda import AgendaGuest
from butler.follow_up.meetings import OWNER
from butler.store.store import Store
from tests.approvals.second_channel import Killed
from tests.digests.day_harness import DayHarness
from tests.orchestrator.builders import NOON
from tests.support.tables import create_tables

MORNING = datetime(2026, 3, 6, 6, 30, tzinfo=UTC)
ANNA = AgendaGuest(address="anna@friends.example")


class Mortal(Store):
    """A store that dies before or after its next write of a label."""

    label, after = "", False

    async def write(self, work: Callable[..., Any], label: str = "", *, flushed: bool = True) -> Any:
        dies = bool(self.label) and label == self.label
        if dies and not self.after:
            raise Killed
        result = await super().write(work, label, flushed=flushed)
        if dies:
            raise Killed
        return result


async def digest(home: DayHarness) -> None:
    home.clock.time = MORNING
    await home.day.digests.due("morning")


async def overdue(home: DayHarness) -> None:
    wait = await home.harness.waits.watch("call", "mail:anna@friends.example", None)
    home.clock.time = wait.until
    await home.day.waiting.overdue(wait.wait_id)


async def meeting(home: DayHarness) -> None:
    await home.event("Budget", NOON + timedelta(hours=2), guests=(ANNA,))
    home.clock.time = NOON + timedelta(hours=1, minutes=40)
    await home.day.meetings.look(OWNER)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(
    ("told", "label", "sign"),
    [(digest, "digest", "☀️"), (overdue, "wait.overdue", "⏳"), (meeting, "meeting", "🗓")],
    ids=["digest", "wait", "meeting"],
)
async def test_a_kill_at_the_telling_loses_and_doubles_nothing(
    told: Callable[[DayHarness], Any], label: str, sign: str, *, after: bool
) -> None:
    store = Mortal("sqlite://")
    create_tables(store.engine)
    home = DayHarness(store, morning="07:30")
    await home.meet()
    await home.begin()
    store.label, store.after = label, after
    with suppress(Killed):
        await told(home)
    store.label = ""
    home.start()
    await home.begin()
    await home.run()
    assert [text[0] for text in home.phone.said] == [sign[0]]
    await told(home) if label == "digest" else None
    await home.run()
    assert len(home.phone.said) == 1
    await store.close()
