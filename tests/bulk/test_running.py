"""What is under way can be asked for, and its message can be lost: its buttons come back to where the owner is."""

import pytest

from butler.bulk.open_runs import MOST_SHOWN, NONE, OpenRuns
from butler.contract.card import rich_text
from butler.contract.errors import Refuse
from butler.contract.reasons import of_error
from butler.store.queries import bulk, outbox
from butler.store.queries.bulk import RunState
from butler.store.store import Store
from tests.bulk.bulk_harness import OWNER, BulkHarness
from tests.bulk.stub_provider import StubBulkAdapter, StubProvider

TOO_LONG = of_error(Refuse("it is too long"))


@pytest.fixture
def room(store: Store) -> BulkHarness[StubBulkAdapter]:
    return BulkHarness.of(store, StubBulkAdapter(StubProvider.of(130)))


async def asked(room: BulkHarness[StubBulkAdapter], key: str = "asked", chat: str = OWNER) -> None:
    await room.store.write(lambda c: OpenRuns(room.telling).say(c, chat, key, room.clock.now()))


async def said(room: BulkHarness[StubBulkAdapter], key: str) -> str:
    message = await room.store.read(lambda c: outbox.by_key(c, key))
    assert message is not None
    return rich_text(message.text)


async def test_nothing_runs_and_that_is_said(room: BulkHarness[StubBulkAdapter]) -> None:
    await asked(room)
    assert await said(room, "asked") == NONE


async def test_what_runs_is_brought_down_with_its_buttons_and_where_it_stood_says_so(
    room: BulkHarness[StubBulkAdapter],
) -> None:
    run_id = await room.begun()
    await room.step()
    old = (await room.run(run_id)).message_id or ""
    await asked(room, chat="telegram:-100")
    assert (await room.text(run_id)).startswith("Putting away\n▰")
    row = await room.store.read(lambda c: outbox.get(c, old))
    assert row is not None
    assert (rich_text(row.message.text), row.message.buttons) == ("How far it is stands further down.", ())
    run = await room.run(run_id)
    assert (run.chat, run.message_id != old) == ("telegram:-100", True)
    await room.tap(run_id, "Pause")
    assert (await room.run(run_id)).state is RunState.PAUSED
    await asked(room, "again")
    third = (await room.run(run_id)).message_id
    await asked(room, "again")
    assert (await room.run(run_id)).message_id == third
    assert await room.labels(run_id) == ["Resume", "Stop"]
    await room.tap(run_id, "Resume")
    await room.worked_off()
    assert await room.text(run_id) == "Put away: 130 of 130"


async def test_what_was_never_told_of_is_told_when_it_is_asked_for(room: BulkHarness[StubBulkAdapter]) -> None:
    run_id = await room.begun()
    await asked(room)
    assert (await room.text(run_id)).startswith("Putting away\n")
    assert await room.labels(run_id) == ["Pause", "Stop"]


async def test_of_many_that_run_the_first_are_shown_and_the_others_counted(room: BulkHarness[StubBulkAdapter]) -> None:
    for at in range(MOST_SHOWN + 2):
        room.clock.at = room.clock.at.replace(minute=at)
        last = await room.begun(f"call-{at}")
    await asked(room)
    assert await said(room, "asked") == "2 more wait behind these."
    assert (await room.run(last)).message_id is None
    assert len(await room.store.read(bulk.all_open)) == MOST_SHOWN + 2


async def test_a_message_that_is_refused_for_good_is_sent_anew_with_its_buttons(
    room: BulkHarness[StubBulkAdapter],
) -> None:
    run_id = await room.begun()
    await room.step()
    refused = (await room.run(run_id)).message_id or ""
    for key in (refused, ""):
        lost = key or (await room.run(run_id)).message_id or ""
        await room.store.write(lambda c, lost=lost: outbox.refused(c, lost, TOO_LONG, room.clock.now()))
        room.clock.at = room.clock.at.replace(minute=room.clock.at.minute + 1)
        await room.step()
    second = (await room.run(run_id)).message_id
    assert second != refused
    # One that stands in the same way is refused in the same way: it is not sent again and again.
    row = await room.store.read(lambda c: outbox.get(c, second or ""))
    assert row is not None
    assert row.state == outbox.REFUSED
    await room.worked_off()
    assert await room.text(run_id) == "Put away: 130 of 130"
    assert await room.labels(run_id) == ["Undo", "As a file"]
