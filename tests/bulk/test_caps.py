"""The ceilings of what may be done to many things: of one order, and of a day, counted from the rows."""

from typing import Any

import pytest
from pydantic import ValidationError

from approvals.limits import exceeded
from butler.contract.bulk import BulkSnapshot
from butler.store.store import Store
from config.bulk import BulkSettings
from tests.approvals.harness import card_text
from tests.bulk.repeat_harness import TOOL, RepeatHarness
from tests.bulk.stub_provider import StubProvider


def limited(**limit: Any) -> BulkSettings:
    return BulkSettings.model_validate({"limit": [{"tool": TOOL, **limit}]})


async def approved(harness: RepeatHarness, call_id: str = "c1") -> None:
    await harness.ordered(None, call_id)
    await harness.tap("Approve")
    await harness.after_undo_window()


def back(harness: RepeatHarness) -> None:
    """Everything is there once more."""
    harness.shelf.things = dict.fromkeys(harness.shelf.things, True)


async def test_more_than_the_ceiling_is_refused_before_a_card_and_says_how_to_go_on(store: Store) -> None:
    harness = RepeatHarness(store, StubProvider.of(1234), limited(per_run=1000))
    assert await harness.listed({"words": "x"}) == (
        "There are 1,234 of them, and 1,000 at most may be done at once: narrow it, such as by age or by sender. The "
        f"ceiling is per_run in [[bulk.limit]] for {TOOL}."
    )
    harness.shelf.things.popitem()
    harness.limits = limited(per_run=1233)
    harness.start()
    assert isinstance(await harness.listed({"words": "x"}), BulkSnapshot)


async def test_what_was_listed_for_nothing_is_not_kept(store: Store) -> None:
    harness = RepeatHarness(store, StubProvider.of(60), limited(per_run=10))
    await harness.listed({"words": "x"})
    assert await harness.store.read(lambda c: c.exec_driver_sql("select count(*) from bulk_items").scalar()) == 0


async def test_a_ceiling_that_was_set_after_the_card_holds_at_its_yes(store: Store) -> None:
    harness = RepeatHarness(store, StubProvider.of(60))
    await harness.ordered(None)
    harness.limits = limited(per_run=59)
    harness.start()
    await harness.tap("Approve")
    await harness.after_undo_window()
    assert "There are 60 of them, and 59 at most may be done at once" in card_text(harness.channel.newest)
    assert all(harness.shelf.things.values())


async def test_a_day_has_a_ceiling_and_the_next_day_begins_anew(store: Store) -> None:
    harness = RepeatHarness(store, StubProvider.of(60), limited(per_day=100))
    await approved(harness)
    back(harness)
    assert await harness.listed({"words": "x"}) == (
        "There are 60 of them, and of the 100 that may be done in a day 60 have been: narrow it, or go on tomorrow. "
        f"The ceiling is per_day in [[bulk.limit]] for {TOOL}."
    )
    harness.clock.turn(hours=24)
    assert isinstance(await harness.listed({"words": "x"}), BulkSnapshot)


async def test_what_was_stopped_or_put_back_counts_for_what_was_done(store: Store) -> None:
    harness = RepeatHarness(store, StubProvider.of(60), limited(per_day=80))
    harness.shelf.failing = {f"t{at:05}" for at in range(50)}
    await approved(harness)
    harness.shelf.failing = set()
    (message,) = await harness.messages()
    await harness.press(message, "Undo")
    back(harness)
    assert isinstance(await harness.listed({"words": "x"}), BulkSnapshot)
    harness.shelf.things["one more"] = True
    harness.limits = limited(per_day=70)
    harness.start()
    assert isinstance(await harness.listed({"words": "x"}), str)


async def test_two_orders_that_wait_do_not_pass_a_days_ceiling_together(store: Store) -> None:
    harness = RepeatHarness(store, StubProvider.of(60), limited(per_day=100))
    await harness.ordered(None, "c1")
    await harness.ordered(None, "c2")
    harness.shelf.signed_out = True  # the first is paused, and counts whole
    for card in list(harness.channel.cards.values()):
        await harness.approvals.decide(harness.tap_of(harness.channel.button("Approve", card)))
    await harness.after_undo_window()
    assert [run.total for run in await harness.begun()] == [60]


async def test_tools_of_one_pattern_count_together(store: Store) -> None:
    harness = RepeatHarness(store, StubProvider.of(60), limited(tool="user_shelf_*", per_day=100))
    await approved(harness)
    back(harness)
    harness.invoker.tools["user_shelf_throw_away"] = harness.invoker.tools[TOOL]
    assert isinstance(await harness.listed({"words": "x"}), str)


async def test_to_the_limits_of_approvals_an_order_is_one_act_however_many_things_it_is_about(store: Store) -> None:
    harness = RepeatHarness(store, StubProvider.of(60))
    harness.configure(limit=[{"tool": TOOL, "per_day": 2}])
    await approved(harness)
    now = harness.clock.now()
    back(harness)
    assert await store.read(lambda c: exceeded(harness.context, c, tool=TOOL, recipients=(), now=now)) is None
    await approved(harness, "c2")
    assert await store.read(lambda c: exceeded(harness.context, c, tool=TOOL, recipients=(), now=now))


def test_the_worst_classes_have_a_ceiling_by_default_and_the_owners_own_line_goes_before_it() -> None:
    usual = BulkSettings()
    lines = [usual.limit_for("user_email_trash"), usual.limit_for("user_email_spam")]
    assert [(line.per_run, line.per_day) for line in lines if line is not None] == [(20_000, 50_000)] * 2
    assert usual.limit_for("user_email_archive") is None
    mine = BulkSettings.model_validate({"limit": [{"tool": "user_email_*", "per_run": 7}]})
    assert (line := mine.limit_for("user_email_trash")) is not None
    assert line.per_run == 7


@pytest.mark.parametrize("line", [{"tool": TOOL}, {"tool": "trash", "per_run": 1}, {"tool": TOOL, "per_run": 0}])
def test_a_line_that_limits_nothing_is_refused(line: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        BulkSettings.model_validate({"limit": [line]})
