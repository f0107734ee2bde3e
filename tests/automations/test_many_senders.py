"""However many senders' mails an automation hears of, it fires as often as it may, and nothing grows with them."""

import gc
import sys

import pytest
import sqlalchemy as sa

from butler.automations.firing import fitting_of
from butler.contract.automations import AutomationState
from butler.store.tables import automation_firings, events, outbox, work
from tests.automations.world import World, happened

SENDERS = 100_000
WARM = 1_000
PER_DAY = 100
GROWN = 5_000
"""Blocks of memory that Python may hold more than before; one for each of the senders would be 99,000."""


def counts(connection: sa.Connection) -> list[int]:
    tables = (automation_firings, outbox, work, events)
    return [connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one() for table in tables]


def held() -> int:
    gc.collect()
    return sys.getallocatedblocks()


@pytest.mark.nightly
@pytest.mark.timeout(300)
async def test_op_12_mails_of_a_hundred_thousand_senders_fire_as_often_as_they_may_and_grow_nothing(
    world: World,
) -> None:
    kept = await world.keep(
        when={"event": "mail.received"}, do=[{"tell": "{sender} wrote"}], per_hour=PER_DAY, per_day=PER_DAY
    )
    of_anna = {"fact": "sender", "compare": "starts_with", "value": "mail:anna@"}
    other = await world.keep(
        when={"event": "mail.received", "where": [of_anna]},
        do=[{"tell": "{sender} wrote"}],
    )
    event = happened()
    (heard,) = world.by_themselves.listeners()
    for number in range(PER_DAY * 2):
        sender = {"event_id": f"e{number}", "facts": dict(event.facts) | {"sender": f"mail:p{number}@a.example"}}
        await heard(event.model_copy(update=sender))
    assert (await world.look(kept)).standing is AutomationState.STOPPED
    assert sorted(await world.fired(kept)) == [*["fired"] * PER_DAY, "too_often"]
    rows = await world.store.read(counts)

    def hear_all(connection: sa.Connection) -> int:
        before = 0
        for number in range(SENDERS):
            facts = dict(event.facts) | {"sender": f"mail:q{number}@a.example"}
            assert not fitting_of(connection, event.model_copy(update={"event_id": f"q{number}", "facts": facts}))
            if number == WARM:
                before = held()
        return held() - before

    assert await world.store.look(hear_all) < GROWN
    assert await world.store.read(counts) == rows
    assert (await world.look(other)).standing is AutomationState.ACTIVE
