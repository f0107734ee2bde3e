"""The process dies at any commit of a deletion or correction: it is neither lost nor done twice, nor reported wrongly.

An undisturbed run counts the commits, which are the kill points; each is then tried before and after.
"""
# names: made up here

from collections.abc import Awaitable, Callable

import pytest
import sqlalchemy as sa

from approvals.follow_ups import FollowUpKind, name_of
from approvals.revise import Change, NewValue
from butler.contract.card import Button
from butler.contract.integration import Idempotency
from butler.store.queries import approvals, audit
from tests.approvals.crashing_store import CrashingStore
from tests.approvals.follow_up_harness import RESAY, UNSEND, FollowUpHarness
from tests.approvals.providers import OWN_WORDS
from tests.approvals.second_channel import Killed
from tests.support.nightly import every_nth

COMMITS = 14
"""More commits than either scenario makes, which a test checks."""

Scenario = Callable[[FollowUpHarness, str, dict[str, Button]], Awaitable[None]]


async def deletes(harness: FollowUpHarness, approval_id: str, buttons: dict[str, Button]) -> None:
    """Tap Delete; a tap that was not settled is delivered again."""
    if not buttons:
        buttons["Delete"] = harness.button_of(approval_id, "Delete")
    await harness.approvals.decide(harness.tap_of(buttons["Delete"], inbound_id="tap", dedup_key="tap"))
    await harness.run()
    await harness.after_undo_window()


async def corrects(harness: FollowUpHarness, approval_id: str, buttons: dict[str, Button]) -> None:
    """Reply once, and say yes to the card."""
    now, row = harness.clock.now(), await harness.row(approval_id)
    change = Change("in-2", text=NewValue("I'll be very late", OWN_WORDS))

    def once(connection: sa.Connection) -> None:
        # The reply is settled in the transaction of the follow-up request.
        if approvals.by_call(connection, name_of(row, FollowUpKind.CORRECT, 1)) is None:
            harness.approvals.correct(connection, approval_id, change, now)

    await harness.write(once)
    await harness.run()
    offered = [
        card for card in harness.channel.cards.values() if card.buttons and card.buttons[0][0].label == "Approve"
    ]
    for card in offered:
        buttons.setdefault("Approve", card.buttons[0][0])
    await harness.approvals.decide(harness.tap_of(buttons["Approve"], inbound_id="tap", dedup_key="tap"))
    await harness.run()
    await harness.after_undo_window()


SCENARIOS = {UNSEND: (deletes, FollowUpKind.DELETE), RESAY: (corrects, FollowUpKind.CORRECT)}


async def sent(mortal: CrashingStore, idempotency: Idempotency) -> tuple[FollowUpHarness, str]:
    harness = FollowUpHarness(mortal)
    harness.behave(idempotency)
    await harness.meet_anna()
    approval_id = await harness.sent()
    mortal.count = 0
    return harness, approval_id


@pytest.mark.parametrize("tool", SCENARIOS)
async def test_the_scenarios_have_fewer_commits_than_are_tried(mortal: CrashingStore, tool: str) -> None:
    harness, approval_id = await sent(mortal, Idempotency.NONE)
    await SCENARIOS[tool][0](harness, approval_id, {})
    assert 5 < mortal.count <= COMMITS


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("point", every_nth(range(1, COMMITS + 1), 3))
@pytest.mark.parametrize("tool", SCENARIOS)
async def test_a_death_at_any_commit_leads_to_one_effect_or_an_honest_question(
    mortal: CrashingStore, tool: str, point: int, after: bool
) -> None:
    idempotency = Idempotency.PROVIDER if point % 2 else Idempotency.NONE
    harness, approval_id = await sent(mortal, idempotency)
    scenario, what = SCENARIOS[tool]
    buttons: dict[str, Button] = {}
    mortal.left, mortal.after = point, after
    try:
        await scenario(harness, approval_id, buttons)
    except Killed:
        mortal.left = -1
        harness.restart()
        await scenario(harness, approval_id, buttons)
    row, done = await harness.follows(approval_id, what), harness.effects(tool)
    done_words = "Deleted at" if what is FollowUpKind.DELETE else "Corrected at"
    if row.state == "unknown":
        assert idempotency is Idempotency.NONE
        assert len(done) <= 1
        assert "It is not known whether it was" in harness.outcome(approval_id)
        assert harness.labels(row.approval_id) == ["It was done", "It was not done"]
    else:
        assert (row.state, len(done)) == ("done", 1)
        assert done_words in harness.outcome(approval_id)
    assert len({call.token for call in harness.provider.calls if call.tool == tool}) <= 1
    found = [card.approval_id for card in harness.channel.cards.values()]
    assert found.count(approval_id) == 1
    assert await harness.store.read(audit.verify) is None
    entries = await harness.store.read(lambda c: audit.rows(c, row.approval_id))
    kinds = [entry.kind for entry in entries]
    assert all(kinds.count(f"approval.{kind}") == 1 for kind in ("requested", "followed", "approved"))
    assert all(attempt.outcome for attempt in await harness.attempts(row.approval_id))
