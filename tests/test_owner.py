"""The bot learns whom it serves: by a code, once, in time, and after few wrong tries not at all."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from butler.owner import CODE_LIFE, MOST_SENDERS, PAIRING, TRIES, Owner
from butler.store.open import open_store
from butler.store.queries import audit, cursors
from butler.store.store import Store
from tests.support.context import TurnedClock

ROBIN, LUCKY = 42, 666


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    store = open_store("sqlite:///:memory:", data_dir=Path())
    yield store
    await store.close()


@pytest.fixture
def clock() -> TurnedClock:
    return TurnedClock()


@pytest.fixture
def owner(store: Store, clock: TurnedClock) -> Owner:
    return Owner(store, clock, telegram_user_id=None, emails=frozenset())


async def test_whoever_says_the_code_is_the_owner_also_after_a_restart(owner, store, clock):
    code = await owner.open_pairing()
    assert await owner.pair(f" {code.lower()} ", ROBIN)
    again = Owner(store, clock, telegram_user_id=None, emails=frozenset())
    await again.load()
    assert (owner.telegram_user_id, again.telegram_user_id) == (ROBIN, ROBIN)
    [row] = await store.read(audit.rows)
    assert (row.kind, row.subject) == ("paired", "telegram:42")


async def test_a_code_works_once(owner):
    code = await owner.open_pairing()
    assert await owner.pair(code, ROBIN)
    assert not await owner.pair(code, LUCKY)
    assert owner.telegram_user_id == ROBIN


async def test_whoever_was_wrong_too_often_cannot_pair_with_that_code(owner):
    code = await owner.open_pairing()
    for _ in range(TRIES):
        assert not await owner.pair("WRONG", LUCKY)
    assert not await owner.pair(code, LUCKY)
    assert owner.telegram_user_id is None


async def test_a_strangers_wrong_codes_do_not_void_the_owners(owner):
    code = await owner.open_pairing()
    for _ in range(3 * TRIES):
        assert not await owner.pair("WRONG", LUCKY)
    assert await owner.pair(code, ROBIN)


async def test_the_tries_of_countless_strangers_take_little_room(owner, store):
    code = await owner.open_pairing()
    for stranger in range(MOST_SENDERS + 5):
        assert not await owner.pair("WRONG", 1_000_000 + stranger)
    fact = await store.read(lambda c: cursors.fact(c, PAIRING))
    assert len(fact["tries"]) == MOST_SENDERS
    assert await owner.pair(code, ROBIN)


@pytest.mark.parametrize("typed", ["ü", "ß", "日本", "\ud800", "\x00", ""])
async def test_whatever_is_typed_for_a_code_is_wrong_and_no_fault(owner, typed):
    await owner.open_pairing()
    assert not await owner.pair(typed, LUCKY)


async def test_a_code_from_before_tries_were_counted_by_sender_works(owner, store, clock):
    code = await owner.open_pairing()
    old = {"code": code, "until": (clock.now() + CODE_LIFE).timestamp(), "tries": 5}
    await store.write(lambda c: cursors.put_fact(c, PAIRING, old, clock.now()))
    assert await owner.pair(code, ROBIN)


async def test_a_code_is_void_after_its_time(owner, clock):
    code = await owner.open_pairing()
    clock.offset += CODE_LIFE + timedelta(seconds=1)
    assert not await owner.pair(code, ROBIN)


async def test_without_an_open_code_nobody_is_paired(owner):
    assert not await owner.pair("", LUCKY)
    assert owner.telegram_user_id is None


async def test_a_new_code_replaces_the_one_before(owner):
    first, second = await owner.open_pairing(), await owner.open_pairing()
    assert not await owner.pair(first, ROBIN)
    assert await owner.pair(second, ROBIN)


async def test_who_stands_in_the_settings_cannot_be_replaced_by_a_code(store, clock):
    owner = Owner(store, clock, telegram_user_id=ROBIN, emails=frozenset())
    code = await owner.open_pairing()
    assert not await owner.pair(code, LUCKY)
    assert owner.telegram_user_id == ROBIN
