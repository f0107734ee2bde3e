"""A card says what it has to say once: of a few, their own lines tell whose and how old they are."""

import pytest

from butler.contract.bulk import BulkOrder
from butler.store.store import Store
from tests.bulk.bulk_harness import BulkHarness
from tests.bulk.stub_provider import StubBulkAdapter, StubProvider

ENDS = ("Newest", "Oldest", "Whose")


@pytest.mark.parametrize(("things", "told"), [(1, ()), (2, ()), (130, ENDS)])
async def test_the_ends_are_told_where_not_every_one_is_named(store: Store, things: int, told: tuple[str, ...]) -> None:
    room = BulkHarness[StubBulkAdapter].of(store, StubBulkAdapter(StubProvider.of(things)))
    snapshot = await room.shown(BulkOrder("shelf", "", {"action": "away"}))
    facts = dict(snapshot.facts)
    assert facts["How many"] == str(things)
    assert tuple(label for label in ENDS if label in facts) == told
    assert len(snapshot.sample) == (6 if told else things)
