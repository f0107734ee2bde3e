"""Pause, Resume, Stop, Undo and Retry failed: each takes effect within a batch, once, and only on its own run."""

import asyncio

import pytest
import sqlalchemy as sa

from approvals.pause import lift, set_paused
from approvals.tap_result import TapResult
from butler.bulk.run_actions import RunAction, RunActions
from butler.contract.bulk import BatchLaterError, BatchRefusedError, BatchUnclearError, BulkOrder
from butler.contract.errors import Refuse
from butler.store.queries import audit, bulk
from butler.store.queries.bulk import RunState
from butler.store.store import Store
from butler.store.tables import bulk_items, bulk_runs
from tests.bulk.bulk_harness import BulkHarness, called
from tests.bulk.stub_provider import StubBulkAdapter, StubProvider


@pytest.fixture
def room(store: Store) -> BulkHarness[StubBulkAdapter]:
    return BulkHarness.of(store, StubBulkAdapter(StubProvider.of(130)))


def away(room: BulkHarness[StubBulkAdapter]) -> int:
    return sum(not is_open for is_open in room.adapter.shelf.things.values())


async def begun(room: BulkHarness[StubBulkAdapter], batches: int) -> str:
    """A run of which so many batches are done."""
    run_id = await room.begun()
    for _ in range(batches):
        await room.step()
    return run_id


async def test_a_pause_holds_before_the_next_batch_and_resume_goes_on(room: BulkHarness[StubBulkAdapter]) -> None:
    run_id = await begun(room, 3)
    assert (await room.tap(run_id, "Pause")).tapped is TapResult.DECIDED
    await room.worked_off()
    assert away(room) == 60
    assert (await room.text(run_id)).startswith("Putting away: paused\n▰▰▰▰▰▱▱▱▱▱▱▱ 46 %\n60 of 130")
    assert await room.labels(run_id) == ["Resume", "Stop"]
    await room.tap(run_id, "Resume")
    await room.worked_off()
    assert away(room) == 130
    assert set(room.adapter.shelf.sent.values()) == {1}


async def test_stop_leaves_the_rest_as_it_is_and_undo_takes_back_what_was_done(
    room: BulkHarness[StubBulkAdapter],
) -> None:
    run_id = await begun(room, 2)
    await room.tap(run_id, "Stop")
    await room.worked_off()
    assert away(room) == 40
    assert await room.text(run_id) == "Put away: 40 of 130\nStopped; 90 were left as they are."
    await room.tap(run_id, "Undo")
    await room.worked_off()
    assert away(room) == 0


async def test_undo_restores_everything_exactly_and_is_offered_once(room: BulkHarness[StubBulkAdapter]) -> None:
    before = dict(room.adapter.shelf.things)
    run_id = await room.begun()
    await room.worked_off()
    assert (await room.tap(run_id, "Undo")).text == "130 are being put back."
    assert "Undo" not in await room.labels(run_id)
    await room.worked_off()
    assert room.adapter.shelf.things == before
    (undo,) = await room.store.read(lambda c: bulk.of_run(c, run_id))
    assert await room.text(undo.run_id) == "Put back: 130 of 130"
    assert await room.labels(undo.run_id) == ["As a file"]


async def test_bk_05_undo_puts_back_only_what_was_done(room: BulkHarness[StubBulkAdapter]) -> None:
    room.adapter.shelf.things["t00005"] = False
    room.adapter.shelf.failing = {"t00009"}
    run_id = await room.begun()
    await room.worked_off()
    room.adapter.shelf.sent.clear()
    await room.tap(run_id, "Undo")
    await room.worked_off()
    assert not {"t00005", "t00009"} & set(room.adapter.shelf.sent)
    assert room.adapter.shelf.things["t00005"] is False


async def test_undo_is_offered_for_a_week(room: BulkHarness[StubBulkAdapter]) -> None:
    run_id = await room.begun()
    await room.worked_off()
    room.clock.at = room.clock.at.replace(day=13)
    assert "too late" in (await room.tap(run_id, "Undo")).text
    await room.worked_off()
    assert away(room) == 130


async def test_only_what_failed_is_tried_again_and_only_on_a_tap(room: BulkHarness[StubBulkAdapter]) -> None:
    room.adapter.shelf.failing = {"t00001", "t00077"}
    run_id = await room.begun()
    await room.worked_off()
    assert max(room.adapter.shelf.sent.values()) == 1
    room.adapter.shelf.failing = set()
    assert (await room.tap(run_id, "Retry failed")).text == "2 are tried again."
    await room.worked_off()
    assert away(room) == 130
    assert room.adapter.shelf.sent["t00077"] == 2


async def test_a_button_is_good_for_one_tap(room: BulkHarness[StubBulkAdapter]) -> None:
    run_id = await begun(room, 1)
    pause = (await room.message(run_id)).buttons[0][0].data
    await room.press(pause)
    await room.tap(run_id, "Resume")
    assert (await room.press(pause)).tapped is TapResult.TOO_LATE
    assert (await room.run(run_id)).state is RunState.RUNNING


async def test_pausing_all_that_acts_as_the_person_pauses_a_run(room: BulkHarness[StubBulkAdapter]) -> None:
    run_id = await begun(room, 1)
    await room.store.write(lambda c: set_paused(c, "telegram:42", room.clock.now()))
    await room.worked_off()
    assert away(room) == 20
    assert (await room.run(run_id)).state is RunState.PAUSED
    assert "is paused" in (await room.tap(run_id, "Resume")).text
    await room.store.write(lambda c: lift(c, room.clock.now()))
    assert (await room.tap(run_id, "Resume")).text == "It goes on."
    await room.worked_off()
    assert away(room) == 130


async def test_a_second_run_of_the_account_waits_until_the_first_has_ended(room: BulkHarness[StubBulkAdapter]) -> None:
    first = await begun(room, 1)
    second = await room.begun("call-2")
    await room.step()
    await room.step()
    assert "waits until the one before it has ended" in await room.text(second)
    await room.tap(first, "Pause")
    await room.worked_off()
    assert (await room.run(second)).state is RunState.DONE
    await room.tap(first, "Resume")
    await room.worked_off()
    assert (await room.run(first)).state is RunState.DONE
    assert away(room) == 130


async def test_each_end_and_each_tap_is_in_the_audit_log(room: BulkHarness[StubBulkAdapter]) -> None:
    run_id = await begun(room, 1)
    await room.tap(run_id, "Pause")
    await room.tap(run_id, "Resume")
    await room.worked_off()
    kinds = await room.store.read(lambda c: sorted(row.kind for row in audit.rows(c, run_id)))
    assert kinds == ["bulk.done", "bulk.paused", "bulk.resumed"]


async def test_a_tap_that_comes_too_late_says_so_and_changes_nothing(room: BulkHarness[StubBulkAdapter]) -> None:
    run_id = await begun(room, 1)
    running = [one.data for line in (await room.message(run_id)).buttons for one in line]
    await room.tap(run_id, "Pause")
    paused = [one.data for line in (await room.message(run_id)).buttons for one in line]
    await room.press(running[1])
    await room.worked_off()
    assert [(await room.press(data)).text for data in paused] == ["That had ended before."] * 2
    assert away(room) == 20
    second = await room.begun("call-2")
    await room.step()
    pause = (await room.message(second)).buttons[0][0].data
    await room.worked_off()
    assert (await room.press(pause)).text == "That had ended before."
    assert (await room.run(second)).state is RunState.DONE


async def test_a_button_of_a_run_that_is_no_more_does_nothing(room: BulkHarness[StubBulkAdapter]) -> None:
    run_id = await begun(room, 1)
    pause = (await room.message(run_id)).buttons[0][0].data

    def forget(connection: sa.Connection) -> None:
        connection.execute(bulk_items.delete())
        connection.execute(bulk_runs.delete())

    await room.store.write(forget)
    assert (await room.press(pause)).tapped is TapResult.UNKNOWN
    await room.runs.advance(run_id)
    assert away(room) == 20


async def test_what_is_stopped_while_it_is_being_sent_is_told_as_it_was_done(
    room: BulkHarness[StubBulkAdapter],
) -> None:
    run_id = await begun(room, 1)
    stop = (await room.message(run_id)).buttons[0][1].data
    room.adapter.shelf.meanwhile = lambda: room.press(stop)
    await room.worked_off()
    assert away(room) == 40
    assert (await room.text(run_id)).startswith("Put away: 40 of 130\nStopped; 90 were left as they are.")


async def test_what_is_stopped_while_its_end_is_looked_for_stays_stopped(room: BulkHarness[StubBulkAdapter]) -> None:
    run_id = await begun(room, 7)
    stop = (await room.message(run_id)).buttons[0][1].data
    room.adapter.shelf.while_listing = lambda: room.press(stop)
    await room.worked_off()
    assert (await room.run(run_id)).state is RunState.STOPPED
    assert await room.text(run_id) == "Put away: 130 of 130"


async def test_what_is_stopped_while_its_account_is_signed_out_stays_stopped(
    room: BulkHarness[StubBulkAdapter],
) -> None:
    run_id = await begun(room, 1)
    stop = (await room.message(run_id)).buttons[0][1].data
    room.adapter.shelf.meanwhile = lambda: room.press(stop)
    room.adapter.shelf.signed_out = True
    await room.worked_off()
    assert (await room.run(run_id)).state is RunState.STOPPED


async def test_what_was_sent_and_never_answered_before_a_stop_is_said_to_be_unknown_and_undo_reaches_it(
    room: BulkHarness[StubBulkAdapter],
) -> None:
    room.adapter.shelf.unclear_after = 1
    run_id = await room.begun()
    with pytest.raises(BatchUnclearError):
        await room.step()
    await room.store.write(lambda c: room.telling.draw(c, run_id, room.clock.now()))
    await room.tap(run_id, "Stop")
    await room.worked_off()
    assert "Of 20 it is not known." in await room.text(run_id)
    await room.tap(run_id, "Undo")
    await room.worked_off()
    assert away(room) == 0


async def test_what_puts_back_waits_for_the_batch_that_was_under_way_when_it_was_stopped(
    room: BulkHarness[StubBulkAdapter],
) -> None:
    run_id = await begun(room, 1)
    stop = (await room.message(run_id)).buttons[0][1].data
    undoing: list[asyncio.Task[None]] = []

    async def stop_and_undo() -> None:
        await room.press(stop)
        await room.tap(run_id, "Undo")
        (undo,) = await room.store.read(lambda c: bulk.of_run(c, run_id))

        async def put_back() -> None:
            for _ in range(2):
                await room.runs.advance(undo.run_id)

        undoing.append(asyncio.create_task(put_back()))
        await asyncio.wait(undoing, timeout=0.5)

    room.adapter.shelf.meanwhile = stop_and_undo
    await room.step()
    await asyncio.gather(*undoing)
    await room.worked_off()
    assert away(room) == 0


async def test_the_list_comes_as_a_file_that_no_table_program_runs(room: BulkHarness[StubBulkAdapter]) -> None:
    room.adapter.shelf.named["t00001"] = "=HYPERLINK(1)"
    room.adapter.shelf.failing = {"t00002"}
    run_id = await room.begun()
    await room.worked_off()
    await room.tap(run_id, "As a file")
    await room.reports.send(run_id)
    (file,) = await room.files()
    lines = file.decode("utf-8-sig").splitlines()
    assert lines[0] == "Id,Name,Outcome,Why"
    assert lines[2] == "t00001,'=HYPERLINK(1),done,"
    assert lines[3] == "t00002,thing t00002,could not be,it is stuck"
    assert len(lines) == 131
    await room.reports.send("no such run")
    assert len(await room.files()) == 1
    (name,) = await room.file_names()
    assert name == "put-away-2027-03-05.csv"


async def test_what_failed_and_is_known_by_its_id_alone_is_named_for_the_message_and_for_the_file(
    room: BulkHarness[StubBulkAdapter],
) -> None:
    shelf = room.adapter.shelf
    shelf.named = {one: one for one in shelf.things}
    shelf.failing = {f"t{at:05}" for at in range(40, 70)}
    run_id = await room.begun()
    await room.worked_off()
    assert "• Anna · book t00040: it is stuck" in await room.text(run_id)
    await room.reports.send(run_id)
    (file,) = await room.files()
    lines = file.decode("utf-8-sig").splitlines()
    assert lines[70] == "t00069,Anna · book t00069,could not be,it is stuck"
    assert lines[1] == "t00000,t00000,done,"


async def test_names_that_cannot_be_found_out_leave_the_ids(room: BulkHarness[StubBulkAdapter]) -> None:
    shelf = room.adapter.shelf
    shelf.named = {one: one for one in shelf.things}
    shelf.failing = {"t00040"}
    run_id = await room.begun()
    shelf.nameless = True
    await room.worked_off()
    assert "• t00040: it is stuck" in await room.text(run_id)
    shelf.nameless = False
    bare = BulkHarness.bare(room.store, room.adapter)
    await bare.reports.send(run_id)
    (file,) = await bare.files()
    assert "t00040,t00040,could not be" in file.decode()
    assert await bare.file_names() == ["many-things-at-once-2027-03-05.csv"]


async def test_an_older_undo_or_retry_button_does_nothing_a_second_time(room: BulkHarness[StubBulkAdapter]) -> None:
    room.adapter.shelf.failing = {"t00001"}
    run_id = await room.begun()
    await room.worked_off()
    first = {one.label: one.data for line in (await room.message(run_id)).buttons for one in line}
    await room.tap(run_id, "Undo")
    await room.worked_off()
    assert (await room.tap(run_id, "Retry failed")).text == "It is tried again."
    second = BulkHarness.of(room.store, room.adapter)
    again = await second.begun("call-2")
    await second.worked_off()
    older = {one.label: one.data for line in (await second.message(again)).buttons for one in line}
    await second.tap(again, "Retry failed")
    assert (await second.tap(again, "Undo")).text == "129 are being put back."
    assert (await second.press(older["Undo"])).text == "That was put back before."
    assert (await room.press(first["Retry failed"])).text == "That was tried again before."
    runs = await room.store.read(lambda c: bulk.of_run(c, again))
    assert len([one for one in runs if one.undo_of]) == 1


async def test_what_makes_no_sense_is_refused_on_any_surface(room: BulkHarness[StubBulkAdapter]) -> None:
    run_id = await begun(room, 1)
    steps = RunActions(room.adapters)

    async def take(step: RunAction, which: str) -> str:
        run = await room.run(which)
        return await room.store.write(lambda c: steps.take(c, step, run, "somebody", room.clock.now()))

    with pytest.raises(Refuse, match="has not ended"):
        await take(RunAction.UNDO, run_id)
    await room.store.write(lambda c: set_paused(c, "telegram:42", room.clock.now()))
    with pytest.raises(Refuse, match="is paused"):
        await take(RunAction.RESUME, run_id)
    await room.store.write(lambda c: lift(c, room.clock.now()))
    await room.worked_off()
    with pytest.raises(Refuse, match="Nothing of it failed"):
        await take(RunAction.RETRY, run_id)
    assert await take(RunAction.UNDO, run_id) == "130 are being put back."
    (undo,) = await room.store.read(lambda c: bulk.of_run(c, run_id))
    await room.worked_off()
    with pytest.raises(Refuse, match="puts something back itself"):
        await take(RunAction.UNDO, undo.run_id)
    assert await room.labels(run_id) == ["As a file"]
    await room.runs.redraw(run_id)
    assert await room.labels(run_id) == ["As a file"]


async def test_a_retry_button_from_before_an_undo_tries_once(room: BulkHarness[StubBulkAdapter]) -> None:
    room.adapter.shelf.failing = {"t00001"}
    run_id = await room.begun()
    await room.worked_off()
    older = {one.label: one.data for line in (await room.message(run_id)).buttons for one in line}
    await room.tap(run_id, "Undo")
    await room.tap(run_id, "Retry failed")
    assert (await room.press(older["Retry failed"])).text == "That was tried again before."
    assert len(await room.store.read(lambda c: bulk.of_run(c, run_id))) == 2


async def test_a_run_whose_adapter_is_gone_after_a_restart_waits_and_says_why(
    room: BulkHarness[StubBulkAdapter],
) -> None:
    run_id = await begun(room, 1)
    bare = BulkHarness.bare(room.store, room.adapter)
    bare.clock.at = room.clock.at
    await bare.worked_off()
    assert (await bare.run(run_id)).state is RunState.PAUSED
    assert await bare.text(run_id) == (
        "Many things at once: paused\n▰▱▱▱▱▱▱▱▱▱▱▱ 15 %\n20 of 130\n"
        "The account that this is about is no longer set up. Set it up again; then it can go on."
    )
    back = room.again()
    assert (await back.tap(run_id, "Resume")).text == "It goes on."
    await back.worked_off()
    assert away(room) == 130
    assert "no longer set up" in (await bare.tap(run_id, "Undo")).text
    await bare.worked_off()
    assert away(room) == 130
    result = await bare.launcher.snapshot(BulkOrder("shelf", "", {"action": "away"}), called("asks"))
    assert result.error is not None


async def test_what_is_stopped_without_its_adapter_is_told_without_an_undo(room: BulkHarness[StubBulkAdapter]) -> None:
    run_id = await begun(room, 1)
    bare = BulkHarness.bare(room.store, room.adapter)
    await bare.tap(run_id, "Stop")
    assert (await bare.text(run_id)).startswith("Many things at once: 20 of 130")
    assert await bare.labels(run_id) == ["As a file"]


async def test_what_may_have_been_done_before_the_provider_wanted_it_later_stays_within_reach_of_undo(
    room: BulkHarness[StubBulkAdapter],
) -> None:
    room.adapter.shelf.unclear_after = 1
    run_id = await room.begun()
    with pytest.raises(BatchUnclearError):
        await room.step()
    room.adapter.shelf.later = 1
    with pytest.raises(BatchLaterError):
        await room.step()
    await room.tap(run_id, "Stop")
    assert "Of 20 it is not known." in await room.text(run_id)
    await room.tap(run_id, "Undo")
    await room.worked_off()
    assert away(room) == 0


async def test_a_list_that_is_refused_at_the_end_pauses_the_run(room: BulkHarness[StubBulkAdapter]) -> None:
    run_id = await begun(room, 7)
    room.adapter.shelf.while_listing = refusing
    await room.worked_off()
    assert (await room.run(run_id)).state is RunState.PAUSED
    assert "no lists today" in await room.text(run_id)
    await room.tap(run_id, "Resume")
    await room.worked_off()
    assert (await room.run(run_id)).state is RunState.DONE


async def refusing() -> None:
    raise BatchRefusedError("no lists today")
