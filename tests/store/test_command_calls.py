"""A command that a plan gave is noted once, on both databases, and the note goes after a while."""

from datetime import UTC, datetime, timedelta

from butler.store.queries import command_calls, cursors
from butler.store.store import Store

NOW = datetime(2026, 3, 5, 12, 0, tzinfo=UTC)


async def begin(store: Store, call_id: str, now: datetime = NOW) -> bool:
    return await store.write(lambda c: command_calls.begin(c, call_id, now))


async def test_a_call_begins_once(store: Store) -> None:
    assert [await begin(store, call) for call in ("plan:1", "plan:1", "plan:2", "plan:1")] == [True, False, True, False]


async def test_old_notes_go_and_other_facts_stay(store: Store) -> None:
    await store.write(lambda c: cursors.put_fact(c, "quiet_hours", "", NOW))
    await begin(store, "plan:1")
    later = NOW + command_calls.KEPT + timedelta(seconds=1)
    await begin(store, "plan:2", later)
    assert await store.read(lambda c: cursors.fact(c, f"{command_calls.PREFIX}plan:1")) is None
    assert await store.read(lambda c: cursors.fact(c, "quiet_hours")) == ""
    assert not await begin(store, "plan:2", later)
