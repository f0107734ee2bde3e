"""The ceilings of what may be done to many things: of one order, and of a day, counted from the rows."""

from typing import Any

import pytest
from pydantic import ValidationError

from approvals.limits import exceeded
from butler.contract.bulk import BulkSnapshot
from butler.store.store import Store
from config.bulk import BulkSettings
from tests.approvals.house import card_text
from tests.bulk.repeat_house import TOOL, RepeatHouse
from tests.bulk.shelf import Shelf


def limited(**limit: Any) -> BulkSettings:
    return BulkSettings.model_validate({"limit": [{"tool": TOOL, **limit}]})


async def approved(house: RepeatHouse, call_id: str = "c1") -> None:
    await house.ordered(None, call_id)
    await house.tap("Approve")
    await house.after_undo_window()


def back(house: RepeatHouse) -> None:
    """Everything is there once more."""
    house.shelf.things = dict.fromkeys(house.shelf.things, True)


async def test_more_than_the_ceiling_is_refused_before_a_card_and_says_how_to_go_on(store: Store) -> None:
    house = RepeatHouse(store, Shelf.of(1234), limited(per_run=1000))
    assert await house.listed({"words": "x"}) == (
        "There are 1,234 of them, and 1,000 at most may be done at once: narrow it, such as by age or by sender. The "
        f"ceiling is per_run in [[bulk.limit]] for {TOOL}."
    )
    house.shelf.things.popitem()
    house.limits = limited(per_run=1233)
    house.start()
    assert isinstance(await house.listed({"words": "x"}), BulkSnapshot)


async def test_what_was_listed_for_nothing_is_not_kept(store: Store) -> None:
    house = RepeatHouse(store, Shelf.of(60), limited(per_run=10))
    await house.listed({"words": "x"})
    assert await house.store.read(lambda c: c.exec_driver_sql("select count(*) from bulk_items").scalar()) == 0


async def test_a_ceiling_that_was_set_after_the_card_holds_at_its_yes(store: Store) -> None:
    house = RepeatHouse(store, Shelf.of(60))
    await house.ordered(None)
    house.limits = limited(per_run=59)
    house.start()
    await house.tap("Approve")
    await house.after_undo_window()
    assert "There are 60 of them, and 59 at most may be done at once" in card_text(house.channel.newest)
    assert all(house.shelf.things.values())


async def test_a_day_has_a_ceiling_and_the_next_day_begins_anew(store: Store) -> None:
    house = RepeatHouse(store, Shelf.of(60), limited(per_day=100))
    await approved(house)
    back(house)
    assert await house.listed({"words": "x"}) == (
        "There are 60 of them, and of the 100 that may be done in a day 60 have been: narrow it, or go on tomorrow. "
        f"The ceiling is per_day in [[bulk.limit]] for {TOOL}."
    )
    house.clock.turn(hours=24)
    assert isinstance(await house.listed({"words": "x"}), BulkSnapshot)


async def test_what_was_stopped_or_put_back_counts_for_what_was_done(store: Store) -> None:
    house = RepeatHouse(store, Shelf.of(60), limited(per_day=80))
    house.shelf.failing = {f"t{at:05}" for at in range(50)}
    await approved(house)
    house.shelf.failing = set()
    (message,) = await house.messages()
    await house.press(message, "Undo")
    back(house)
    assert isinstance(await house.listed({"words": "x"}), BulkSnapshot)
    house.shelf.things["one more"] = True
    house.limits = limited(per_day=70)
    house.start()
    assert isinstance(await house.listed({"words": "x"}), str)


async def test_two_orders_that_wait_do_not_pass_a_days_ceiling_together(store: Store) -> None:
    house = RepeatHouse(store, Shelf.of(60), limited(per_day=100))
    await house.ordered(None, "c1")
    await house.ordered(None, "c2")
    house.shelf.signed_out = True  # the first is paused, and counts whole
    for card in list(house.channel.cards.values()):
        await house.approvals.decide(house.tap_of(house.channel.button("Approve", card)))
    await house.after_undo_window()
    assert [run.total for run in await house.begun()] == [60]


async def test_tools_of_one_pattern_count_together(store: Store) -> None:
    house = RepeatHouse(store, Shelf.of(60), limited(tool="user_shelf_*", per_day=100))
    await approved(house)
    back(house)
    house.invoker.tools["user_shelf_throw_away"] = house.invoker.tools[TOOL]
    assert isinstance(await house.listed({"words": "x"}), str)


async def test_to_the_limits_of_approvals_an_order_is_one_act_however_many_things_it_is_about(store: Store) -> None:
    house = RepeatHouse(store, Shelf.of(60))
    house.configure(limit=[{"tool": TOOL, "per_day": 2}])
    await approved(house)
    now = house.clock.now()
    back(house)
    assert await store.read(lambda c: exceeded(house.context, c, tool=TOOL, recipients=(), now=now)) is None
    await approved(house, "c2")
    assert await store.read(lambda c: exceeded(house.context, c, tool=TOOL, recipients=(), now=now))


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
