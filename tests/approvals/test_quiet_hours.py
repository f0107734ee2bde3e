"""Quiet hours: cards that nobody waits for are shown afterwards; what the owner requests at night, at once."""

from datetime import UTC, datetime, timedelta

import pytest

from butler.contract.inbound import Inbound, InboundKind
from butler.contract.names import Identity
from butler.contract.provenance import Origin
from butler.contract.reasons import Reason, ReasonCode
from butler.store.queries import approvals, audit, inbox
from tests.approvals.approval_batch_harness import OWN, ask_many
from tests.approvals.harness import Harness, card_text
from tests.approvals.phone import OWNER
from tests.approvals.providers import STRANGER

NIGHT = datetime(2026, 3, 5, 23, 30, tzinfo=UTC)
MORNING = datetime(2026, 3, 6, 7, 0, tzinfo=UTC)


@pytest.fixture
def night(harness: Harness) -> Harness:
    harness.clock.time = NIGHT
    return harness


async def came_in(harness: Harness, kind: InboundKind, sender: str = OWNER) -> str:
    item = Inbound(
        inbound_id=f"{kind}-{sender}",
        kind=kind,
        channel="telegram",
        identity=Identity.BOT,
        account="bot",
        dedup_key=f"{kind}-{sender}",
        chat=OWNER,
        sender=sender,
        received_at=harness.clock.now(),
        origin=Origin.owner(OWNER),
    )
    await harness.write(lambda c: inbox.add(c, item))
    return item.inbound_id


async def due(harness: Harness, approval_id: str) -> dict[str, datetime]:
    return {kind: run_at for kind, subject, run_at in await harness.works() if subject == approval_id}


async def test_a_card_that_nobody_waits_for_is_shown_when_the_quiet_hours_are_over(night: Harness) -> None:
    approval_id = await night.ask()
    assert not night.channel.cards
    assert (await due(night, approval_id))[approvals.SHOW_CARD] == MORNING
    assert [one.approval_id for one in await night.pending()] == [approval_id]
    night.clock.time = MORNING - timedelta(seconds=1)
    night.restart()
    await night.run()
    assert not night.channel.cards
    night.clock.time = MORNING
    await night.run()
    assert night.channel.newest.approval_id == approval_id
    assert (await night.tap("Approve")).startswith("Approved by you")


@pytest.mark.parametrize("kind", [InboundKind.CHAT, InboundKind.EDITED, InboundKind.COMMAND, InboundKind.BUTTON])
async def test_what_the_owner_asks_for_at_night_is_shown_at_once(night: Harness, kind: InboundKind) -> None:
    await night.ask(requested_by=await came_in(night, kind))
    assert len(night.channel.cards) == 1


@pytest.mark.parametrize("kind", [InboundKind.MAIL, InboundKind.TICK, InboundKind.HOOK])
async def test_a_mail_a_tick_or_a_hook_waits_until_morning(night: Harness, kind: InboundKind) -> None:
    await night.ask(requested_by=await came_in(night, kind))
    assert not night.channel.cards


async def test_what_somebody_else_asked_for_waits_until_morning(night: Harness) -> None:
    await night.ask(requested_by=await came_in(night, InboundKind.CHAT, STRANGER))
    assert not night.channel.cards


async def test_the_time_to_answer_counts_from_when_the_card_can_be_seen(night: Harness) -> None:
    night.configure(expires="2h")
    approval_id = await night.ask()
    row = await night.row(approval_id)
    assert row.expires_at == MORNING + timedelta(hours=2)
    works = await due(night, approval_id)
    assert works[approvals.EXPIRE] == row.expires_at
    assert works[approvals.REMIND] == MORNING + timedelta(hours=1)
    night.clock.time = MORNING
    await night.run()
    assert await night.state(approval_id) == "pending"
    assert night.channel.newest.expires_at == row.expires_at
    night.clock.time = row.expires_at
    await night.run()
    assert await night.state(approval_id) == "expired"
    (told,) = await night.said()
    assert told.startswith("Nobody answered in time")


async def test_no_reminder_is_planned_that_would_fall_into_the_next_quiet_hours(night: Harness) -> None:
    night.configure(expires="20h", quiet_hours="12:00-07:00")
    approval_id = await night.ask()
    works = await due(night, approval_id)
    assert works[approvals.EXPIRE] == MORNING + timedelta(hours=20)
    assert approvals.REMIND not in works


async def test_a_card_is_put_off_to_the_same_hour_however_often_it_is_drawn(night: Harness) -> None:
    approval_id = await night.ask()
    before = await due(night, approval_id)
    await night.redraw(await night.row(approval_id))
    assert await due(night, approval_id) == before
    kinds = [row.kind for row in await night.store.read(lambda c: audit.rows(c, approval_id))]
    assert "approval.put_off" in kinds


async def test_what_is_withdrawn_at_night_is_told_in_the_morning(night: Harness) -> None:
    approval_id = await night.ask()
    now = night.clock.now()
    await night.write(
        lambda c: night.approvals.supersede_requested_by(c, "in-1", Reason(ReasonCode.MESSAGE_EDITED), now)
    )
    await night.run()
    assert not night.channel.cards
    assert set(await due(night, approval_id)) == {approvals.SHOW_CARD}
    night.clock.time = MORNING
    await night.run()
    assert "Withdrawn at" in card_text(night.channel.newest)


async def test_a_card_that_was_shown_before_goes_on_being_drawn_at_night(harness: Harness) -> None:
    await harness.ask()
    harness.clock.time = NIGHT
    assert (await harness.tap("Deny")).startswith("Denied by you at 23:30:00")
    assert "Denied by you" in card_text(harness.channel.newest)


async def test_a_night_of_requests_is_a_digest_in_the_morning(night: Harness) -> None:
    ids = await ask_many(night, 40)
    assert not night.channel.cards
    night.clock.time = MORNING
    night.restart()
    await night.run()
    assert len(night.channel.cards) == OWN + 1
    assert night.channel.newest.title.startswith("1 of 37 wait")
    assert {(await night.row(one)).expires_at for one in ids} == {MORNING + timedelta(hours=48)}


async def test_without_quiet_hours_a_card_comes_at_any_hour(night: Harness) -> None:
    night.configure(quiet_hours="")
    await night.ask()
    assert len(night.channel.cards) == 1
