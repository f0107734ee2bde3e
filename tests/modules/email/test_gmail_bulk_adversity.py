"""Whatever befalls a run over a Gmail account: it ends whole, tells what is so, and is put back exactly."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest

from butler.contract.bulk import BulkToolAdapter
from butler.contract.integration import IntegrationCall, IntegrationResult
from butler.store.open import open_store
from butler.store.queries import bulk
from butler.store.queries.bulk import RunState
from butler_demo.gmail.server import GmailServer
from modules.email.bulk import gmail as gmail_bulk
from modules.email.integration_gmail_records import BATCH_MODIFY
from tests.bulk.bulk_harness import BulkHarness
from tests.modules.email.gmail_account import ME, VARIABLE, GmailUnderTest, gmail_server
from tests.modules.email.gmail_mails import SCHOOL, SHOP, labels, own_labels, put, undone
from tests.support.context import RecordingProbe, TurnedClock
from tests.support.nightly import all_but_the_first, every_nth

BATCH_OPERATION = "gmail.users.messages.batchModify"


class KilledError(BaseException):
    """The process ends here."""


@dataclass
class MortalProbe(RecordingProbe):
    """Ends the process at the call of this number, before it or after it; 0: never."""

    moment: int = 0
    passed: int = 0
    done: Counter[str] = field(default_factory=Counter[str])

    def before_call(self, call: IntegrationCall) -> None:
        super().before_call(call)
        self._strike()

    def after_call(self, call: IntegrationCall, result: IntegrationResult) -> None:
        super().after_call(call, result)
        if call.method_id == BATCH_MODIFY and result.ok:
            self.done.update(call.args["ids"])
        self._strike()

    def _strike(self) -> None:
        self.passed += 1
        if self.passed == self.moment:
            raise KilledError


@pytest.fixture
def clock() -> TurnedClock:
    """The stand-in's, by which its tokens end and its history is forgotten."""
    return TurnedClock()


@pytest.fixture
async def server(clock: TurnedClock, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[GmailServer]:
    monkeypatch.setattr(gmail_bulk, "BATCH", 3)
    async with gmail_server(now=clock.now) as found:
        yield found


@pytest.fixture
async def user(server: GmailServer) -> AsyncIterator[GmailUnderTest]:
    under_test = GmailUnderTest(server, probe=MortalProbe())
    yield under_test
    await under_test.module.stop()


@pytest.fixture
async def room(user: GmailUnderTest, tmp_path: Path) -> AsyncIterator[BulkHarness[BulkToolAdapter]]:
    store = open_store("sqlite://", data_dir=tmp_path)
    (adapter,) = user.module.bulk_adapters()
    yield BulkHarness.of(store, adapter)
    await store.close()


def probe_of(user: GmailUnderTest) -> MortalProbe:
    assert isinstance(user.probe, MortalProbe)
    return user.probe


def turn(user: GmailUnderTest, clock: TurnedClock, by: timedelta) -> None:
    """Time passes for the butler and for Google."""
    assert isinstance(user.context.clock, TurnedClock)
    user.context.clock.offset += by
    clock.offset += by


async def waited_out(room: BulkHarness[BulkToolAdapter], user: GmailUnderTest, clock: TurnedClock) -> None:
    """Work everything off, while time passes fast."""

    async def pass_time() -> None:
        while True:
            await asyncio.sleep(0.02)
            turn(user, clock, timedelta(seconds=10))

    passing = asyncio.create_task(pass_time())
    try:
        await asyncio.wait_for(room.worked_off(), 60)
    finally:
        passing.cancel()


async def worked_off_in_spite_of_kills(room: BulkHarness[BulkToolAdapter]) -> int:
    """Work everything off, with a restart after each kill; how often it was killed."""
    killed = 0
    while True:
        try:
            await room.worked_off()
        except KilledError:
            killed += 1
            room = room.again()
        else:
            return killed


# Signing in


async def test_an_access_token_that_ends_in_the_middle_is_renewed(
    user: GmailUnderTest, room: BulkHarness[BulkToolAdapter], clock: TurnedClock
) -> None:
    for at in range(8):
        put(user.server, SHOP, at)
    run_id = await room.begun(action="archive", senders=[SHOP])
    await room.step()
    turn(user, clock, timedelta(hours=2))
    await room.step()
    user.server.fail(BATCH_OPERATION, 401, "authError")
    await room.worked_off()
    assert await room.text(run_id) == "Archived: 8 of 8"
    assert not any("INBOX" in found for found in labels(user.server).values())


async def test_a_consent_that_is_taken_back_in_the_middle_pauses_it_and_resume_finishes_after_signing_in(
    user: GmailUnderTest, room: BulkHarness[BulkToolAdapter]
) -> None:
    for at in range(8):
        put(user.server, SHOP, at)
    before = labels(user.server)
    run_id = await room.begun(action="archive", senders=[SHOP])
    await room.step()
    user.server.revoke(ME)
    await room.worked_off()
    assert (await room.run(run_id)).state is RunState.PAUSED
    assert "run `butler login gmail`" in await room.text(run_id)
    assert await room.labels(run_id) == ["Resume", "Stop"]
    await room.tap(run_id, "Resume")
    await room.worked_off()
    assert (await room.run(run_id)).state is RunState.PAUSED
    user.vault.values[VARIABLE] = user.server.credentials_json(ME)
    await user.module.signed_in()
    await room.tap(run_id, "Resume")
    await room.worked_off()
    assert await room.text(run_id) == "Archived: 8 of 8"
    assert set(probe_of(user).done.values()) == {1}
    await undone(room, run_id)
    assert labels(user.server) == before


# What the person does meanwhile


async def test_a_label_that_is_renamed_in_the_middle_is_still_the_one(
    user: GmailUnderTest, room: BulkHarness[BulkToolAdapter]
) -> None:
    for at in range(5):
        put(user.server, SCHOOL, at)
    before, label = labels(user.server), user.server.add_label(ME, "Family")
    run_id = await room.begun(action="move", senders=[SCHOOL], to="Family")
    await room.step()
    user.server.rename_label(ME, label, "Relatives")
    await room.worked_off()
    assert await room.text(run_id) == "Moved: 5 of 5"
    assert all(found == (label.id, "UNREAD") for found in labels(user.server).values())
    await undone(room, run_id)
    assert labels(user.server) == before


async def test_a_label_that_is_deleted_in_the_middle_pauses_it_and_is_the_one_once_it_is_made_anew(
    user: GmailUnderTest, room: BulkHarness[BulkToolAdapter]
) -> None:
    for at in range(5):
        put(user.server, SCHOOL, at)
    label = user.server.add_label(ME, "Family")
    run_id = await room.begun(action="label", senders=[SCHOOL], name="Family")
    await room.step()
    user.server.delete_label(ME, label)
    await room.worked_off()
    assert "The label Family is no longer there. Make it anew, and tap Resume." in await room.text(run_id)
    anew = user.server.add_label(ME, "family")
    await room.tap(run_id, "Resume")
    await room.worked_off()
    # The first three had lost it with the label itself.
    text = await room.text(run_id)
    assert text.startswith("Labelled: 2 of 5\n3 could not be:")
    assert "• office@school.example · number 4: the provider took it and did not do it" in text
    await room.tap(run_id, "Retry failed")
    await room.worked_off()
    assert all(anew.id in found for found in labels(user.server).values())


async def test_a_label_that_is_deleted_before_it_is_put_back_is_off_already(
    user: GmailUnderTest, room: BulkHarness[BulkToolAdapter]
) -> None:
    for at in range(5):
        put(user.server, SCHOOL, at)
    before = labels(user.server)
    run_id = await room.begun(action="move", senders=[SCHOOL], to="Family")
    await room.worked_off()
    (label,) = (label for label in user.server.labels(ME) if label.name == "Family")
    user.server.delete_label(ME, label)
    await undone(room, run_id)
    assert labels(user.server) == before
    assert "Family" not in own_labels(user.server)


async def test_new_mail_is_left_alone_and_told(user: GmailUnderTest, room: BulkHarness[BulkToolAdapter]) -> None:
    for at in range(5):
        put(user.server, SHOP, at)
    run_id = await room.begun(action="spam", senders=[SHOP])
    await room.step()
    fresh = [put(user.server, SHOP, at) for at in (90, 91)]
    await room.worked_off()
    assert (
        await room.text(run_id) == "Marked as spam: 5 of 5\n2 more of that kind came meanwhile, and are as they were."
    )
    assert all("INBOX" in labels(user.server)[one] for one in fresh)


async def test_mails_that_vanish_are_not_said_to_be_done(
    user: GmailUnderTest, room: BulkHarness[BulkToolAdapter]
) -> None:
    ids = [put(user.server, SHOP, at) for at in range(5)]
    run_id = await room.begun(action="archive", senders=[SHOP])
    user.server.delete(ME, ids[1])
    await room.step()
    user.server.delete(ME, ids[4])
    await room.worked_off()
    text = await room.text(run_id)
    assert text.startswith("Archived: 3 of 5\n2 could not be:")
    assert text.count("it is no longer there") == 2
    await undone(room, run_id)
    assert all("INBOX" in found for found in labels(user.server).values())
    await room.tap(run_id, "Retry failed")
    await room.worked_off()
    (again,) = [one for one in await room.store.read(lambda c: bulk.of_run(c, run_id)) if one.retry_of]
    assert (await room.text(again.run_id)).startswith("Archived: 0 of 2\n2 could not be:")


async def test_where_the_history_no_longer_reaches_back_nothing_is_claimed_of_what_vanished(
    user: GmailUnderTest, room: BulkHarness[BulkToolAdapter]
) -> None:
    ids = [put(user.server, SHOP, at) for at in range(5)]
    run_id = await room.begun(action="archive", senders=[SHOP])
    user.server.delete(ME, ids[1])
    user.server.forget_history(ME)
    await room.worked_off()
    assert await room.text(run_id) == "Archived: 5 of 5"


@pytest.mark.parametrize("action", ["archive", "move"])
async def test_what_the_person_archived_before_it_began_is_not_put_back_into_the_inbox(
    user: GmailUnderTest, room: BulkHarness[BulkToolAdapter], action: str
) -> None:
    ids = [put(user.server, SHOP, at) for at in range(5)]
    label = user.server.add_label(ME, "Shops")
    run_id = await room.begun(action=action, senders=[SHOP], **({"to": "Shops"} if action == "move" else {}))
    user.server.relabel(ME, ids[1], remove=["INBOX"])
    user.server.relabel(ME, ids[2], add=[label.id])
    user.server.relabel(ME, ids[3], remove=["INBOX"])
    user.server.relabel(ME, ids[3], add=["INBOX"])
    before = labels(user.server)
    await room.worked_off()
    assert not any("INBOX" in found for found in labels(user.server).values())
    await undone(room, run_id)
    assert labels(user.server) == before


async def test_two_runs_over_the_same_mails_each_put_back_only_what_they_did(
    user: GmailUnderTest, room: BulkHarness[BulkToolAdapter]
) -> None:
    for at in range(5):
        put(user.server, SHOP, at)
    first = await room.begun("call-1", action="archive", senders=[SHOP])
    room.clock.at += timedelta(seconds=1)
    second = await room.begun("call-2", action="archive", senders=[SHOP])
    await room.worked_off()
    await undone(room, second)
    assert not any("INBOX" in found for found in labels(user.server).values())
    await undone(room, first)
    assert all("INBOX" in found for found in labels(user.server).values())


# Google has enough


@pytest.mark.parametrize(
    ("status", "reason", "retry_after"),
    all_but_the_first(
        [
            pytest.param(429, "rateLimitExceeded", None),
            pytest.param(429, "rateLimitExceeded", 90),
            pytest.param(403, "userRateLimitExceeded", None),
        ]
    ),
)
async def test_gm_13_a_quota_that_others_used_up_is_waited_out(
    user: GmailUnderTest,
    room: BulkHarness[BulkToolAdapter],
    clock: TurnedClock,
    status: int,
    reason: str,
    retry_after: int | None,
) -> None:
    for at in range(8):
        put(user.server, SHOP, at)
    run_id = await room.begun(action="archive", senders=[SHOP])
    await room.step()
    user.server.fail(BATCH_OPERATION, status, reason, times=3, retry_after=retry_after)
    await waited_out(room, user, clock)
    assert await room.text(run_id) == "Archived: 8 of 8"
    assert set(probe_of(user).done.values()) == {1}


async def test_half_of_an_undo_that_google_stops_is_finished_and_exact(
    user: GmailUnderTest, room: BulkHarness[BulkToolAdapter], clock: TurnedClock
) -> None:
    for at in range(4):
        put(user.server, SCHOOL, at, *(("INBOX",) if at % 2 else ("UNREAD",)))
    before = labels(user.server)
    run_id = await room.begun(action="move", senders=[SCHOOL], to="Family")
    await room.worked_off()
    await room.tap(run_id, "Undo")

    calls = 0

    def refuse_the_second(call: IntegrationCall) -> None:
        nonlocal calls
        calls += call.method_id == BATCH_MODIFY
        if calls == 2:
            calls += 1
            user.server.fail(BATCH_OPERATION, 429, "rateLimitExceeded")

    probe_of(user).before_call = refuse_the_second  # type: ignore[method-assign]
    await waited_out(room, user, clock)
    assert labels(user.server) == before


@pytest.mark.nightly
async def test_a_flood_of_runs_goes_one_after_the_other_and_each_ends(
    user: GmailUnderTest, room: BulkHarness[BulkToolAdapter]
) -> None:
    ids = [put(user.server, SHOP, at) for at in range(25)]
    runs: list[str] = []
    for at, one in enumerate(ids):
        room.clock.at += timedelta(seconds=1)
        runs.append(await room.begun(f"call-{at}", action="star", mails=[one]))
    await room.worked_off()
    assert [await room.text(run_id) for run_id in runs] == ["Starred: 1 of 1"] * 25
    assert [call.args["ids"] for call in user.probe.calls if call.method_id == BATCH_MODIFY] == [[one] for one in ids]


async def test_after_a_week_it_is_too_late_to_undo(
    user: GmailUnderTest, room: BulkHarness[BulkToolAdapter], clock: TurnedClock
) -> None:
    put(user.server, SHOP, 1)
    run_id = await room.begun(action="archive", senders=[SHOP])
    await room.worked_off()
    turn(user, clock, timedelta(days=8))
    room.clock.at += timedelta(days=8)
    assert "too late" in (await room.tap(run_id, "Undo")).text
    await room.worked_off()
    assert not any("INBOX" in found for found in labels(user.server).values())


async def test_a_yes_after_the_history_was_forgotten_does_what_was_listed(
    user: GmailUnderTest, room: BulkHarness[BulkToolAdapter], clock: TurnedClock
) -> None:
    ids = [put(user.server, SHOP, at) for at in range(4)]
    run_id = await room.begun(action="archive", senders=[SHOP])
    user.server.relabel(ME, ids[0], remove=["INBOX"])
    turn(user, clock, timedelta(days=8))
    await room.worked_off()
    assert await room.text(run_id) == "Archived: 4 of 4"


# The process ends


@pytest.mark.parametrize("moment", every_nth(range(1, 17), 4))
async def test_a_run_its_undo_and_its_retry_are_whole_wherever_the_process_ends(
    user: GmailUnderTest, room: BulkHarness[BulkToolAdapter], moment: int
) -> None:
    kinds = (("INBOX",), ("UNREAD",))
    ids = [put(user.server, SCHOOL, at, *kinds[at % 2]) for at in range(7)]
    before, probe = labels(user.server), probe_of(user)
    run_id = await room.begun(action="move", senders=[SCHOOL], to="Family")
    probe.passed, probe.moment = 0, moment
    killed = await worked_off_in_spite_of_kills(room)
    assert await room.text(run_id) == "Moved: 7 of 7"
    label = own_labels(user.server)["Family"]
    assert all(label in found and "INBOX" not in found for found in labels(user.server).values())
    await room.tap(run_id, "Undo")
    probe.passed = 0
    killed += await worked_off_in_spite_of_kills(room)
    assert labels(user.server) == before
    assert killed >= 1
    (undo,) = await room.store.read(lambda c: bulk.of_run(c, run_id))
    assert await room.text(undo.run_id) == "Put back: 7 of 7"
    user.server.delete(ME, ids[0])
    probe.moment = 0
    again = await room.begun("call-2", action="archive", senders=[SCHOOL])
    user.server.delete(ME, ids[2])
    await room.worked_off()
    await room.tap(again, "Retry failed")
    probe.passed, probe.moment = 0, moment
    await worked_off_in_spite_of_kills(room)
    (retry,) = await room.store.read(lambda c: bulk.of_run(c, again))
    assert (await room.text(retry.run_id)).startswith("Archived: 0 of 1\n1 could not be:")
