"""The process dies at any commit and restarts: nothing is lost, nothing is done twice, no card is wrong.

An undisturbed run counts the commits, which are the kill points; each is then tried before and after.
"""

import pytest

from butler.contract.card import rich_text
from butler.contract.integration import Idempotency
from butler.store.queries import audit
from tests.approvals.crashing_store import CrashingStore
from tests.approvals.harness import Harness
from tests.approvals.second_channel import Killed
from tests.support.nightly import every_nth

COMMITS = 14
"""More commits than the scenario makes, which a test checks."""


async def scenario(harness: Harness) -> None:
    """Request, show, approve, do. Each step is idempotent."""
    await harness.request()
    await harness.run()
    card = harness.channel.newest
    if card.buttons and card.buttons[0][0].label == "Approve":
        await harness.approvals.decide(
            harness.tap_of(harness.channel.button("Approve"), inbound_id="tap", dedup_key="tap")
        )
    await harness.run()
    await harness.after_undo_window()


async def live(harness: Harness, mortal: CrashingStore) -> None:
    """Run the scenario; after a death, continue it in a fresh process."""
    try:
        await scenario(harness)
    except Killed:
        mortal.left = -1
        harness.restart()
        await scenario(harness)


async def test_the_scenario_has_fewer_commits_than_are_tried(mortal: CrashingStore) -> None:
    await scenario(Harness(mortal))
    assert 5 < mortal.count <= COMMITS


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("point", every_nth(range(1, COMMITS + 1), 3))
@pytest.mark.parametrize("idempotency", [Idempotency.NONE, Idempotency.STATE, Idempotency.PROVIDER])
async def test_a_death_at_any_commit_leads_to_one_effect_or_an_honest_question(
    mortal: CrashingStore, idempotency: Idempotency, point: int, after: bool
) -> None:
    harness = Harness(mortal)
    harness.behave(idempotency)
    mortal.left, mortal.after = point, after
    await live(harness, mortal)
    (approval_id,) = {card.approval_id for card in harness.channel.cards.values()}
    row = await harness.row(approval_id)
    said = rich_text(harness.channel.newest.outcome)
    if row.state == "unknown":
        assert idempotency is Idempotency.NONE
        assert len(harness.provider.effects) <= 1
        assert said.startswith("It is not known whether this was sent.")
    else:
        assert row.state == "done"
        assert len(harness.provider.effects) == 1
        assert said.startswith("Sent")
    assert len({call.token for call in harness.provider.calls}) <= 1
    assert await harness.store.read(audit.verify) is None
    kinds = [found.kind for found in await harness.store.read(lambda c: audit.rows(c, approval_id))]
    assert kinds.count("approval.requested") == kinds.count("approval.approved") == 1
    assert all(found.outcome for found in await harness.attempts(approval_id))
    works = [kind for kind, _, _ in await harness.works()]
    assert not works
