"""A reply to the card of what was approved for later: another time or text is a new version, a no takes it back."""
# names: made up here

from datetime import timedelta

import pytest

from butler.contract.card import rich_text
from butler.orchestrator.planning.plan_types import Planned
from butler.store.queries import approvals
from tests.orchestrator.edits.test_handler import newest, row
from tests.orchestrator.harness import SEND, Harness
from tests.orchestrator.test_turns import planned, step, to


async def asked(harness: Harness) -> str:
    """A card of what is to be sent in an hour; the id of its message."""
    due = harness.clock.now() + timedelta(hours=1)
    one = step(1, SEND, to=await to(harness), text="see you").model_copy(update={"not_before": due})
    plan = planned(one)
    assert isinstance(plan, Planned)
    await harness.say("tell Anna in an hour", plan)
    return list(harness.phone.cards)[-1]


async def test_the_plan_waits_until_it_is_sent_at_its_time(harness: Harness) -> None:
    await asked(harness)
    await harness.tap("Approve")
    assert (await row(harness)).state == "approved"
    assert harness.sent() == []
    harness.clock.time += timedelta(hours=1)
    await harness.run()
    assert harness.sent() == ["see you"]


@pytest.mark.parametrize("approved", [False, True])
async def test_another_time_in_words_is_a_new_version_that_asks(harness: Harness, approved: bool) -> None:
    card = await asked(harness)
    if approved:
        await harness.tap("Approve")
    before = await row(harness)
    assert before.not_before is not None
    await harness.say("an hour later", reply_to=card)
    after = await row(harness)
    assert (after.state, after.revision) == ("pending", 2)
    assert after.not_before == before.not_before + timedelta(hours=1)
    assert rich_text(newest(harness).changes).startswith("Goes out on: ")


async def test_another_text_for_what_was_approved_asks_too(harness: Harness) -> None:
    card = await asked(harness)
    await harness.tap("Approve")
    await harness.say("text: see you soon", reply_to=card)
    after = await row(harness)
    assert (after.state, newest(harness).body) == ("pending", "see you soon")


async def test_a_no_in_words_takes_the_yes_back(harness: Harness) -> None:
    card = await asked(harness)
    await harness.tap("Approve")
    approval_id = (await row(harness)).approval_id
    await harness.say("don't send it", reply_to=card)
    found = await harness.store.read(lambda c: approvals.get(c, approval_id))
    assert found is not None
    assert found.state == "cancelled"


async def test_a_time_that_the_text_may_have_is_asked_about(harness: Harness) -> None:
    due = harness.clock.now() + timedelta(hours=1)
    one = step(1, SEND, to=await to(harness), text="see you at 8").model_copy(update={"not_before": due})
    await harness.say("tell Anna in an hour", planned(one))
    card = list(harness.phone.cards)[-1]
    await harness.say("make it 9", reply_to=card)
    assert (await row(harness)).revision == 1


@pytest.mark.parametrize("words", ["lieber nicht", "schick es nicht", "mejor no"])
async def test_a_no_with_words_that_may_be_a_time_is_a_no(harness: Harness, words: str) -> None:
    card = await asked(harness)
    await harness.say(words, reply_to=card)
    assert (await row(harness)).state == "denied"


@pytest.mark.parametrize("words", ["noch nicht", "pas maintenant", "ahora no", "zu früh", "ne l'envoie pas à 9h"])
async def test_a_not_yet_changes_nothing(harness: Harness, words: str) -> None:
    card = await asked(harness)
    before = await row(harness)
    await harness.say(words, reply_to=card)
    assert (await row(harness)).not_before == before.not_before
    assert (await row(harness)).state == "pending"


async def test_send_it_now_is_a_new_version_without_a_time(harness: Harness) -> None:
    card = await asked(harness)
    await harness.say("send it now", reply_to=card)
    assert (await row(harness)).not_before is None
    assert harness.sent() == []
    await harness.tap("Approve")
    assert harness.sent() == ["see you"]
