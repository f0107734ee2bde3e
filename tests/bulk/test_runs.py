"""A run does exactly what was listed and shown, once, whatever its provider does; and says what came of it."""

import asyncio
from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from butler.bulk.progress_message import BulkVerb, spanned
from butler.bulk.registry import BulkAdapters
from butler.bulk.service import BulkService
from butler.clock import RealClock
from butler.contract.bulk import BatchLaterError, BatchRefusedError, BatchUnclearError, BulkOrder, BulkSnapshot
from butler.contract.bulk_tool import FACTS
from butler.contract.errors import AuthRequiredError, ButlerError, IntegrationErrorCode
from butler.contract.reasons import ReasonCode, reason
from butler.engine import LocalEngine
from butler.store.blobs import FileBlobs
from butler.store.queries import bulk
from butler.store.queries.bulk import ItemState, RunState
from butler.store.store import Store
from tests.bulk.bulk_harness import BulkHarness, called
from tests.bulk.stub_provider import StubBulkAdapter, StubProvider
from tests.support.context import FixedOwner
from tests.support.waiting import until


@pytest.fixture
def room(store: Store) -> BulkHarness[StubBulkAdapter]:
    return BulkHarness.of(store, StubBulkAdapter(StubProvider.of(130)))


async def counts(room: BulkHarness[StubBulkAdapter], run_id: str) -> dict[ItemState, int]:
    return await room.store.read(lambda c: bulk.counts(c, run_id))


async def test_one_listing_counts_and_is_what_is_done(room: BulkHarness[StubBulkAdapter]) -> None:
    snapshot = await room.shown(BulkOrder("shelf", "", {"action": "away"}))
    assert snapshot.count == 130
    assert dict(snapshot.facts)["Oldest"] == "Anna · thing t00000 · 1 March 2027"
    assert dict(snapshot.facts)["Newest"] == "Anna · thing t00129 · 8 July 2027"
    assert dict(snapshot.facts)["Whose"] == "Anna 65, 65 that I have not seen yet"
    assert dict(snapshot.facts)["Stays"] == "They stay on the shelf."


async def test_everything_is_done_in_batches_of_the_provider_and_the_count_is_told(
    room: BulkHarness[StubBulkAdapter],
) -> None:
    run_id = await room.begun()
    await room.worked_off()
    assert not any(room.adapter.shelf.things.values())
    assert [len(batch) for batch in room.adapter.shelf.batches] == [20, 20, 20, 20, 20, 20, 10]
    assert set(room.adapter.shelf.sent.values()) == {1}
    assert (await room.run(run_id)).state is RunState.DONE
    assert await room.text(run_id) == "Put away: 130 of 130"
    assert await room.labels(run_id) == ["Undo", "As a file"]


async def test_bk_02_a_set_that_shrinks_while_it_is_worked_off_is_done_whole(store: Store) -> None:
    room = BulkHarness.of(store, StubBulkAdapter(StubProvider.of(1000), page=100, batch=100))
    run_id = await room.begun()
    await room.worked_off()
    assert not any(room.adapter.shelf.things.values())
    assert (await counts(room, run_id))[ItemState.DONE] == 1000


async def test_what_comes_after_the_listing_is_left_alone(room: BulkHarness[StubBulkAdapter]) -> None:
    run_id = await room.begun()
    room.adapter.shelf.things["t90000"] = True
    await room.worked_off()
    assert room.adapter.shelf.things["t90000"] is True
    assert await room.text(run_id) == ("Put away: 130 of 130\n1 more of that kind came meanwhile, and is as it was.")


async def test_what_went_away_meanwhile_is_named_and_is_not_counted_as_done(room: BulkHarness[StubBulkAdapter]) -> None:
    run_id = await room.begun()
    room.adapter.shelf.vanished = ["t00003"]
    await room.worked_off()
    assert await room.text(run_id) == "Put away: 129 of 130\n1 could not be:\n• thing t00003: it is no longer there"


async def test_what_others_did_to_a_thing_before_a_run_began_is_kept_beside_what_was_known_of_it(
    room: BulkHarness[StubBulkAdapter],
) -> None:
    room.adapter.shelf.places = dict.fromkeys(room.adapter.shelf.things, "on top")
    run_id = await room.begun()
    room.adapter.shelf.changed = {"t00002": {"by": "others"}, "of another list": {"by": "others"}}
    await room.worked_off()
    data = {row.item_id: row.data for row in await room.store.read(lambda c: bulk.page_of(c, run_id, -1))}
    assert data["t00002"] == {"at": "on top", "by": "others", "now": "away"}
    assert data["t00003"] == {"at": "on top", "now": "away"}
    await room.tap(run_id, "Undo")
    await room.worked_off()
    assert room.adapter.shelf.asked == 1


async def test_what_has_to_wait_at_the_end_says_why_and_goes_on_later(room: BulkHarness[StubBulkAdapter]) -> None:
    run_id = await room.begun()
    for _ in range(7):
        await room.step()
    room.adapter.shelf.listing_later = True
    with pytest.raises(BatchLaterError):
        await room.step()
    assert (await room.text(run_id)).endswith("130 of 130\nnot now")
    room.adapter.shelf.listing_later = False
    await room.worked_off()
    assert await room.text(run_id) == "Put away: 130 of 130"


async def test_what_others_did_to_other_things_is_nothing_to_a_run(room: BulkHarness[StubBulkAdapter]) -> None:
    room.adapter.shelf.changed = {"of another list": {"by": "others"}}
    run_id = await room.begun()
    await room.worked_off()
    assert await room.text(run_id) == "Put away: 130 of 130"


async def test_what_an_adapter_notes_of_a_thing_is_there_when_it_is_put_back(
    room: BulkHarness[StubBulkAdapter],
) -> None:
    shelf = room.adapter.shelf
    shelf.places = dict.fromkeys(shelf.things, "left")
    run_id = await room.begun()
    await room.worked_off()
    assert set(shelf.places.values()) == {"away"}
    await room.tap(run_id, "Undo")
    await room.worked_off()
    assert set(shelf.places.values()) == {"left"}
    assert shelf.noted == {"left, then away"}


async def test_nothing_to_be_done_is_said_and_asks_nobody(store: Store) -> None:
    room = BulkHarness.of(store, StubBulkAdapter(StubProvider()))
    result = await room.launcher.snapshot(BulkOrder("shelf", "", {"action": "away"}), called("asks"))
    assert result.error is not None
    assert result.error.message == "There is nothing of that kind, so there is nothing to do."


async def test_an_order_that_makes_no_sense_is_refused_in_the_adapters_words(
    room: BulkHarness[StubBulkAdapter],
) -> None:
    result = await room.launcher.snapshot(BulkOrder("shelf", "", {}), called("asks"))
    assert result.error is not None
    assert result.error.message == "say what is to be done"


async def test_a_yes_begins_it_once_however_often_it_comes(room: BulkHarness[StubBulkAdapter]) -> None:
    order = BulkOrder("shelf", "", {"action": "away"})
    snapshot = await room.shown(order)
    first = await room.launcher.start(order, snapshot, called("call-1"))
    second = await room.launcher.start(order, snapshot, called("call-1"))
    another = await room.launcher.start(order, snapshot, called("call-2"))
    assert first.data is not None
    assert all(fact in first.data for fact in FACTS)
    assert second.data == first.data
    assert another.error is not None
    await room.worked_off()
    assert set(room.adapter.shelf.sent.values()) == {1}


async def test_a_snapshot_that_shows_something_else_than_was_listed_does_nothing(
    room: BulkHarness[StubBulkAdapter],
) -> None:
    order = BulkOrder("shelf", "", {"action": "away"})
    snapshot = await room.shown(order)
    forged = snapshot.model_copy(update={"count": 3})
    for said, shown in ((order, forged), (BulkOrder("shelf", "", {"action": "back"}), snapshot), (order, None)):
        result = await room.launcher.start(said, shown, called("call-1"))
        assert result.error is not None
        assert "nothing was done" in result.error.message
    await room.worked_off()
    assert not room.adapter.shelf.sent


async def test_whether_it_has_begun_can_be_found_out(room: BulkHarness[StubBulkAdapter]) -> None:
    assert (await room.launcher.reconcile(called("call-1"))).settled == "repeat"
    run_id = await room.begun("call-1")
    found = await room.launcher.reconcile(called("call-1"))
    assert found.settled == "done"
    assert found.data == {"run": run_id, "count": 130}


async def test_bk_08_one_that_fails_is_named_and_the_others_are_done(room: BulkHarness[StubBulkAdapter]) -> None:
    room.adapter.shelf.failing = {"t00007"}
    run_id = await room.begun()
    await room.worked_off()
    assert await room.text(run_id) == "Put away: 129 of 130\n1 could not be:\n• thing t00007: it is stuck"
    assert await room.labels(run_id) == ["Undo", "Retry failed", "As a file"]


async def test_a_refused_batch_is_halved_until_the_bad_one_stands_alone(room: BulkHarness[StubBulkAdapter]) -> None:
    room.adapter.shelf.bad = {"t00007"}
    run_id = await room.begun()
    await room.worked_off()
    found = await counts(room, run_id)
    assert (found[ItemState.DONE], found[ItemState.FAILED]) == (129, 1)
    assert set(room.adapter.shelf.sent.values()) == {1}
    assert "t00007: one of them is not for me" in await room.text(run_id)


async def test_what_the_provider_took_and_did_not_do_is_found_at_the_end(room: BulkHarness[StubBulkAdapter]) -> None:
    room.adapter.shelf.silent = {"t00003", "t00111"}
    run_id = await room.begun()
    await room.worked_off()
    found = await counts(room, run_id)
    assert (found[ItemState.DONE], found[ItemState.FAILED]) == (128, 2)
    assert "thing t00003: the provider took it and did not do it" in await room.text(run_id)


async def test_nothing_is_sent_twice_where_the_provider_wants_it_later(room: BulkHarness[StubBulkAdapter]) -> None:
    room.adapter.shelf.later = 3
    run_id = await room.begun()
    with pytest.raises(BatchLaterError):
        await room.step()
    assert (await counts(room, run_id))[ItemState.TODO] == 130
    assert "it is full" in await room.text(run_id)
    await room.worked_off()
    assert set(room.adapter.shelf.sent.values()) == {1}


async def test_a_batch_whose_answer_was_lost_is_sent_once_more_exactly_as_it_was(
    room: BulkHarness[StubBulkAdapter],
) -> None:
    room.adapter.shelf.unclear_after = 1
    run_id = await room.begun()
    with pytest.raises(BatchUnclearError):
        await room.step()
    assert (await counts(room, run_id))[ItemState.INFLIGHT] == 20
    await room.again().worked_off()
    shelf = room.adapter.shelf
    assert shelf.batches[0] == shelf.batches[1]
    assert sum(shelf.sent.values()) == 150
    assert (await room.run(run_id)).context["action_params"] == {"learnt": True}
    assert (await counts(room, run_id))[ItemState.DONE] == 130


async def test_a_provider_that_never_answers_is_not_asked_for_ever(room: BulkHarness[StubBulkAdapter]) -> None:
    room.adapter.shelf.unclear = 99
    run_id = await room.begun()
    await room.worked_off()
    assert room.adapter.shelf.unclear == 99 - 5
    assert (await room.run(run_id)).state is RunState.PAUSED
    assert "There is no answer" in await room.text(run_id)
    room.adapter.shelf.unclear = 0
    await room.tap(run_id, "Resume")
    await room.worked_off()
    assert await room.text(run_id) == "Put away: 130 of 130"


async def test_an_account_that_has_to_be_signed_in_again_pauses_it_and_says_so(
    room: BulkHarness[StubBulkAdapter],
) -> None:
    run_id = await room.begun()
    await room.step()
    room.adapter.shelf.signed_out = True
    await room.worked_off()
    assert "sign in again" in await room.text(run_id)
    assert await room.labels(run_id) == ["Resume", "Stop"]
    room.adapter.shelf.signed_out = False
    await room.tap(run_id, "Resume")
    await room.worked_off()
    assert not any(room.adapter.shelf.things.values())


async def test_the_pace_and_the_time_left_are_told_while_it_goes(store: Store) -> None:
    room = BulkHarness.of(store, StubBulkAdapter(StubProvider.of(2_000), page=500))
    run_id = await room.begun()
    texts: list[str] = []
    for minutes in (0, 1, 1, 1):
        for _ in range(4):
            await room.step()
        room.clock.at += timedelta(minutes=minutes)
        texts.append(await room.text(run_id))
    assert texts[0].endswith("\n80 of 2,000\n1,200 a minute, 2 minutes left")
    assert all("a minute, " in text and text.endswith("minutes left") for text in texts)
    room.clock.at += timedelta(hours=3)
    await room.step()
    assert "left" not in (await room.text(run_id)).splitlines()[-1]


@pytest.mark.parametrize(
    ("left", "said"),
    [(timedelta(seconds=3), "a minute or less"), (timedelta(minutes=5), "5 minutes"), (timedelta(hours=3), "3 hours")],
)
def test_the_time_left_is_told_in_words(left: timedelta, said: str) -> None:
    assert spanned(left) == said


async def test_a_run_that_nobody_said_yes_to_is_forgotten_after_a_while(room: BulkHarness[StubBulkAdapter]) -> None:
    order = BulkOrder("shelf", "", {"action": "away"})
    old = await room.shown(order)
    room.clock.at += timedelta(days=15)
    fresh = await room.shown(order)
    kept = await room.store.read(lambda c: (bulk.get(c, old.run), bulk.get(c, fresh.run)))
    assert kept[0] is None
    assert kept[1] is not None
    refused = await room.launcher.start(order, old, called("call-1"))
    assert refused.error is not None


@pytest.mark.parametrize("page", [1, 50])
async def test_a_thing_that_is_listed_twice_while_the_list_moves_counts_once(store: Store, page: int) -> None:
    room = BulkHarness.of(store, StubBulkAdapter(StubProvider.of(60), page=page))
    room.adapter.shelf.shifts = True
    snapshot = await room.shown(BulkOrder("shelf", "", {"action": "away"}))
    ids = await room.ids(snapshot.run)
    assert len(ids) == len(set(ids)) == snapshot.count == 60


async def test_a_listing_that_the_provider_wants_later_is_told_and_begins_nothing(
    room: BulkHarness[StubBulkAdapter],
) -> None:
    room.adapter.shelf.listing_later = True
    result = await room.launcher.snapshot(BulkOrder("shelf", "", {"action": "away"}), called("asks"))
    assert result.error is not None
    assert "not now" in result.error.message


async def test_a_card_without_ends_or_senders_shows_the_count(store: Store) -> None:
    room = BulkHarness.of(store, StubBulkAdapter(StubProvider.of(1), plain=True))
    snapshot = await room.shown(BulkOrder("shelf", "", {"action": "back", "any": True}))
    assert snapshot.facts == (("How many", "1"),)


async def test_a_card_of_many_without_ends_or_senders_shows_the_count_alone(store: Store) -> None:
    room = BulkHarness.of(store, StubBulkAdapter(StubProvider.of(130), plain=True))
    snapshot = await room.shown(BulkOrder("shelf", "", {"action": "back", "any": True}))
    assert snapshot.facts == (("How many", "130"),)


async def test_what_asks_nobodys_list_at_the_end_is_done_as_answered(room: BulkHarness[StubBulkAdapter]) -> None:
    for one in room.adapter.shelf.things:
        room.adapter.shelf.things[one] = False
    run_id = await room.begun(action="back")
    await room.worked_off()
    assert await room.text(run_id) == "Put back: 130 of 130"
    assert await room.labels(run_id) == ["As a file"]


async def test_a_run_that_is_told_nowhere_goes_on_all_the_same(store: Store) -> None:
    room = BulkHarness.of(store, StubBulkAdapter(StubProvider.of(30)), home="")
    run_id = await room.begun()
    await room.worked_off()
    assert (await room.run(run_id)).state is RunState.DONE
    assert (await room.run(run_id)).message_id is None
    await room.reports.send(run_id)


def test_two_adapters_of_one_name_are_refused_and_an_unknown_one_is_named() -> None:
    adapters, adapter = BulkAdapters(), StubBulkAdapter(StubProvider())
    adapters.add([adapter])
    assert adapters.every() == (adapter,)
    assert adapters.get("shelf") is adapter
    with pytest.raises(ValueError, match="two bulk adapters for shelf"):
        adapters.add([adapter])
    with pytest.raises(ValueError, match="No bulk adapter registered for tool: trello"):
        adapters.get("trello")


async def test_the_engine_works_off_what_was_begun(store: Store, tmp_path: Path) -> None:
    clock, adapter = RealClock(), StubBulkAdapter(StubProvider.of(50))
    engine = LocalEngine(store, clock)
    owner = FixedOwner()
    harness = BulkService(store, clock, owner, FileBlobs(tmp_path), zone=ZoneInfo("UTC"), wake=engine.wake)
    harness.adapters.add([adapter])
    for kind, handler in harness.handlers().items():
        engine.register(kind, handler)
    for kind in (bulk.BATCH, "something_else"):
        await harness.dead_letter(kind, "no run of ours", reason(ReasonCode.FAULT, kind="OverflowError"))
    order = BulkOrder("shelf", "", {"action": "away"})
    result = await harness.launcher.snapshot(order, called("asks"))
    assert result.data is not None
    snapshot = BulkSnapshot.model_validate(result.data["snapshot"])
    assert (await harness.launcher.start(order, snapshot, called("call-1"))).ok
    running = asyncio.create_task(engine.run())
    await until(lambda: not any(adapter.shelf.things.values()))
    running.cancel()
    assert {verb for _, verb in harness.press_handlers()} == set(BulkVerb)
    owner.telegram_user_id = None
    assert (await harness.launcher.snapshot(order, called("asks"))).error is not None


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (BatchRefusedError("it makes no sense to me"), IntegrationErrorCode.REJECTED),
        (AuthRequiredError("sign in again"), IntegrationErrorCode.AUTH_REQUIRED),
    ],
)
async def test_a_listing_that_the_provider_refuses_is_told_and_begins_nothing(
    room: BulkHarness[StubBulkAdapter], error: ButlerError, code: IntegrationErrorCode
) -> None:
    async def refuse() -> None:
        raise error

    room.adapter.shelf.while_listing = refuse
    result = await room.launcher.snapshot(BulkOrder("shelf", "", {"action": "away"}), called("asks"))
    assert result.error is not None
    assert (result.error.code, result.error.message) == (code, error.detail)


async def test_what_others_call_a_thing_takes_one_short_line(room: BulkHarness[StubBulkAdapter]) -> None:
    room.adapter.shelf.named["t00000"] = "a\nHow many: 3 \udcff" + "x" * 400_000
    snapshot = await room.shown(BulkOrder("shelf", "", {"action": "away"}))
    shown = next(line for line in snapshot.sample if "How many" in line)
    assert shown.startswith("Anna · a How many: 3 ?x")
    assert "\n" not in shown
    assert len(shown) < 200
    (first, *_) = await room.store.read(lambda c: bulk.page_of(c, snapshot.run, -1))
    assert len(first.name) == 120
