"""What webhooks brought, over every database: any bytes, a key once, a replay numbered."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

from butler.contract.hooks import StoredHook
from butler.store.queries import hooks, work
from butler.store.queries.hooks import HookState
from butler.store.store import Store

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)


async def test_any_bytes_are_kept_as_they_came_once_for_each_key(store: Store):
    hook = StoredHook("id", "bell", {"content-type": "a"}, bytes(range(256)), AT)
    assert await store.write(lambda c: hooks.add(c, hook, "k" * 10_000, "198.51.100.7", AT))
    assert not await store.write(lambda c: hooks.add(c, hook, "k" * 10_000, "198.51.100.7", AT))
    row = await store.read(lambda c: hooks.get(c, "id"))
    assert row is not None
    assert (row.hook, row.state, row.replays) == (hook, HookState.NEW, 0)
    assert row.key.startswith("sha256:")
    assert [await store.write(lambda c: hooks.replay(c, "id", AT)) for _ in range(2)] == [1, 2]
    assert [one.replays for one in await store.read(lambda c: hooks.newest(c, 5, state=HookState.NEW))] == [2]


async def test_a_key_that_is_known_for_an_hour_slides_with_its_delivery_and_not_with_the_clock(store: Store):
    async def came(key: str, minute: int, receiver: str = "door") -> bool:
        at = AT + timedelta(minutes=minute)
        hook = StoredHook(f"{receiver}{key}{minute}", receiver, {}, b"ring", at)
        return await store.write(lambda c: hooks.add(c, hook, key, "x", at, within=timedelta(hours=1)))

    assert await came("k", 59)
    assert not await came("k", 61)  # another hour by the clock
    assert not await came("k", 118)
    assert await came("k1", 61)
    assert await came("k", 61, "bell")
    assert await came("k", 119)
    assert not await came("k", 178)


async def test_what_is_signed_is_known_for_an_hour_under_whatever_id(store: Store):
    async def came(key: str, minute: int, signed: str = "s") -> bool:
        at = AT + timedelta(minutes=minute)
        hook = StoredHook(f"{key}{minute}", "door", {}, b"ring", at)
        return await store.write(lambda c: hooks.add(c, hook, key, "x", at, signed=signed))

    assert await came("a", 59)
    assert not await came("b", 59)
    assert not await came("b", 118)
    assert not await came("a", 119)
    assert await came("b", 59, "other")
    assert await came("c", 119)


async def test_a_delivery_that_another_daemon_stored_meanwhile_is_known(store: Store):
    def both(connection: sa.Connection) -> list[bool]:
        hook = StoredHook("id", "door", {}, b"ring", AT)
        first = hooks.add(connection, hook, "k", "x", AT, within=timedelta(hours=1))
        again = replace(hook, hook_id="other", received_at=AT + timedelta(milliseconds=3))
        return [first, hooks.add(connection, again, "k", "x", AT, within=timedelta(hours=1))]

    assert await store.write(both) == [True, False]
    assert len(await store.read(lambda c: work.written(c, 0))) == 1
    assert [row.key for row in await store.read(lambda c: hooks.newest(c, 5))] == [f"k:{int(AT.timestamp() // 3600)}"]
