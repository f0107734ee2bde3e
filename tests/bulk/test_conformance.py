"""Seed 1's checklist, over every adapter that a module registers: each is proven on its provider's stand-in."""

import pkgutil
from collections.abc import AsyncIterator, Iterator
from copy import deepcopy
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

import modules
from butler.contract.bulk import BatchRefusedError, BulkItem, BulkOrder, BulkToolAdapter, PreparedBulkContext
from butler.discovery import discover
from butler.store.store import Store
from tests.bulk import subjects
from tests.bulk.bulk_harness import BulkHarness
from tests.bulk.subject import Subject
from tests.support.nightly import all_but_the_first

pytestmark = pytest.mark.every_case


SUBJECTS = {module.name for module in pkgutil.iter_modules(subjects.__path__)}
CHANNELS = {"gmail": "email", "imap": "email"}
"""The channel of a registry key that is not called like it."""
OF_TESTS = "stub"
"""The adapter that no module has."""


@pytest.fixture(params=sorted(SUBJECTS))
async def subject(request: pytest.FixtureRequest) -> AsyncIterator[Subject]:
    made = import_module(f"{subjects.__name__}.{request.param}")
    async with made.subject() as found:
        yield found


async def test_prepare_takes_an_order_apart_and_fetches_nothing(subject: Subject) -> None:
    context = await subject.adapter.prepare(subject.order)
    assert context.tool_name == subject.adapter.tool_name
    assert context.action == subject.order["action"]
    assert subject.fetched() == 0


async def test_prepare_refuses_what_makes_no_sense(subject: Subject) -> None:
    for wrong in subject.wrong:
        with pytest.raises(ValueError, match=r"\S"):
            await subject.adapter.prepare(wrong)


async def test_prepare_resolves_names_to_ids(subject: Subject) -> None:
    context = await subject.adapter.prepare(subject.named)
    assert context.action_params == subject.resolved


async def test_the_count_is_exact(subject: Subject) -> None:
    context = await subject.adapter.prepare(subject.order)
    assert await subject.adapter.get_total_count(context) == 5


@pytest.mark.parametrize("page", all_but_the_first([2, 1, 5, 100]))
async def test_the_controllers_listing_comes_to_the_same_count(
    subject: Subject, store: Store, monkeypatch: pytest.MonkeyPatch, page: int
) -> None:
    """A card's count is its listing's; `get_total_count` says the same of every order, and changes nothing by it."""
    adapter = subject.adapter
    usual = adapter.limits
    monkeypatch.setattr(adapter, "limits", lambda context: replace(usual(context), page=page))
    room = BulkHarness.of(store, adapter)
    for params in (subject.order, subject.named):
        context = await adapter.prepare(dict(params))
        before = deepcopy(context)
        count = await adapter.get_total_count(context)
        assert context == before
        shown = await room.shown(BulkOrder(adapter.tool_name, "", dict(params)))
        assert shown.count == count == await adapter.get_total_count(context) > 0


async def test_what_moves_onto_the_next_page_is_counted_once_by_both(
    subject: Subject, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    adapter = subject.adapter
    listed, usual = adapter.get_next_batch, adapter.limits

    async def moving(context: PreparedBulkContext, batch_size: int, offset: int = 0) -> list[BulkItem]:
        """Each page begins with the last thing of the one before."""
        whole = await listed(context, 100, 0)
        shifted = [item for at, item in enumerate(whole) for _ in range(2 if at % 2 else 1)]
        return shifted[offset : offset + batch_size]

    monkeypatch.setattr(adapter, "get_next_batch", moving)
    monkeypatch.setattr(adapter, "limits", lambda context: replace(usual(context), page=2))
    count = await adapter.get_total_count(await adapter.prepare(dict(subject.order)))
    shown = await BulkHarness.of(store, adapter).shown(BulkOrder(adapter.tool_name, "", dict(subject.order)))
    assert shown.count == count == 5


async def test_a_batch_respects_its_size_and_offset_and_is_empty_at_the_end(subject: Subject) -> None:
    context = await subject.adapter.prepare(subject.order)
    first = await subject.adapter.get_next_batch(context, 2, 0)
    second = await subject.adapter.get_next_batch(context, 2, 2)
    rest = await subject.adapter.get_next_batch(context, 2, 4)
    assert [len(first), len(second), len(rest)] == [2, 2, 1]
    assert len({item.id for item in (*first, *second, *rest)}) == 5
    assert await subject.adapter.get_next_batch(context, 2, 5) == []
    assert [item.id for item in await subject.adapter.get_next_batch(context, 2, 0)] == [item.id for item in first]


async def test_a_batch_has_a_result_for_each_item_and_one_that_is_gone_raises_nothing(subject: Subject) -> None:
    context = await subject.adapter.prepare(subject.order)
    items = [*await subject.adapter.get_next_batch(context, 10, 0), BulkItem(subject.gone, "gone")]
    try:
        results = await subject.adapter.execute_batch(items, context)
    except BatchRefusedError:
        pytest.fail("one that is gone hinders the others")
    assert [result.item_id for result in results] == [item.id for item in items]
    assert await subject.adapter.get_total_count(await subject.adapter.prepare(subject.order)) == 0


async def test_doing_it_again_changes_nothing(subject: Subject) -> None:
    context = await subject.adapter.prepare(subject.order)
    items = await subject.adapter.get_next_batch(context, 10, 0)
    for _ in range(2):
        results = await subject.adapter.execute_batch(items, context)
        assert all(result.success for result in results)


async def test_its_inverse_brings_everything_back(subject: Subject) -> None:
    context = await subject.adapter.prepare(subject.order)
    items = await subject.adapter.get_next_batch(context, 10, 0)
    await subject.adapter.execute_batch(items, context)
    inverse = subject.adapter.inverse(context)
    assert inverse is not None
    await subject.adapter.execute_batch(items, inverse)
    assert await subject.adapter.get_total_count(await subject.adapter.prepare(subject.order)) == 5


async def test_it_keeps_no_state_of_its_own(subject: Subject) -> None:
    one, other = await subject.adapter.prepare(subject.order), await subject.adapter.prepare(subject.order)
    first = await subject.adapter.get_next_batch(one, 3, 0)
    assert [item.id for item in await subject.adapter.get_next_batch(other, 3, 0)] == [item.id for item in first]
    assert len(await subject.adapter.get_next_batch(one, 3, 3)) == 2


async def test_it_can_say_what_it_does_and_shows_a_few(subject: Subject) -> None:
    context = await subject.adapter.prepare(subject.order)
    words = subject.adapter.words(context)
    assert all((words.does, words.doing, words.did))
    items = await subject.adapter.get_next_batch(context, 3, 0)
    assert len(await subject.adapter.sample(items, context)) == 3


async def test_every_class_of_adapter_is_among_them() -> None:
    """Also a second one of a channel that has one already."""
    adapters = _adapters_of_modules()
    proven: set[type] = set()
    for name in SUBJECTS:
        async with import_module(f"{subjects.__name__}.{name}").subject() as found:
            proven.add(type(found.adapter))
    assert adapters
    assert adapters <= proven


def test_every_adapter_of_every_module_is_among_them() -> None:
    """A module that adds one has to prove it here."""
    overriding = [module for module in discover().values() if "bulk_adapters" in vars(module)]
    assert {module.channel for module in overriding} == {CHANNELS.get(key, key) for key in SUBJECTS - {OF_TESTS}}


def _adapters_of_modules() -> set[type[BulkToolAdapter]]:
    """Every class of one, whether or not a module's settings bring it in."""
    home = Path(modules.__path__[0])
    for path in home.rglob("*.py"):
        if "BulkToolAdapter" in path.read_text():
            import_module(".".join(("modules", *path.relative_to(home).with_suffix("").parts)))
    return {one for one in _concrete(BulkToolAdapter) if one.__module__.startswith("modules.")}


def _concrete(kind: type[BulkToolAdapter]) -> Iterator[type[BulkToolAdapter]]:
    for one in kind.__subclasses__():
        yield from _concrete(one)
        if not one.__abstractmethods__:
            yield one
