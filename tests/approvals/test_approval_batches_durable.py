"""An approval batch survives crashes, closed chats, moved groups, restores and pairings; nothing is done twice."""

import pytest

from butler.contract.card import rich_text
from butler.contract.errors import ChatClosedError
from butler.contract.reasons import Reason, ReasonCode
from butler.store.queries import approval_batches, approvals, audit, cursors, outbox
from tests.approvals.approval_batch_harness import OWN, ask_many, batches_in, digest, labels, newest_batch, see_all
from tests.approvals.crashing_store import CrashingStore
from tests.approvals.harness import Harness
from tests.approvals.phone import NOON, OWNER
from tests.approvals.second_channel import Killed
from tests.support.nightly import every_nth

COMMITS = 39
"""More commits than the scenario makes, which a test checks."""


async def scenario(harness: Harness) -> None:
    """Five are requested and shown, two are approved together and done. Each step is idempotent."""
    await ask_many(harness, 5)
    if "▶" in labels(digest(harness)) and "Approve all 2" not in labels(digest(harness)):
        await harness.tap("▶")
    if "Approve all 2" in labels(digest(harness)):
        tap = harness.tap_of(harness.channel.button("Approve all 2"), inbound_id="tap", dedup_key="tap")
        await harness.approvals.decide(tap)
    await harness.run()
    await harness.after_undo_window()


async def test_the_scenario_has_fewer_commits_than_are_tried(mortal: CrashingStore) -> None:
    await scenario(Harness(mortal))
    assert 10 < mortal.count <= COMMITS


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("point", every_nth(range(1, COMMITS + 1), 4))
async def test_a_death_at_any_commit_loses_no_member_and_does_none_twice(
    mortal: CrashingStore, point: int, after: bool
) -> None:
    harness = Harness(mortal)
    mortal.left, mortal.after = point, after
    try:
        await scenario(harness)
    except Killed:
        mortal.left = -1
        harness.restart()
        await scenario(harness)
    rows = await harness.store.read(lambda c: [approvals.by_call(c, f"c{number}") for number in range(1, 6)])
    members = [row for row in rows if row is not None and row.batch_id is not None]
    assert len(members) == 2
    assert {row.state for row in members} <= {"done", "unknown"}
    sent = [call.args.text for call in harness.provider.effects]
    assert len(sent) == len(set(sent))
    assert len(sent) + [row.state for row in members].count("unknown") >= 2
    assert len(harness.channel.cards) <= OWN + 3
    assert await harness.store.read(audit.verify) is None


@pytest.mark.parametrize("die", ["before", "after"])
async def test_a_death_around_the_sending_leads_to_a_digest_whose_buttons_all_work(harness: Harness, die: str) -> None:
    ids = await ask_many(harness, 3)
    harness.channel.die = die
    with pytest.raises(Killed):
        await ask_many(harness, 3, first=4)
    harness.restart()
    await harness.run()
    ids += await ask_many(harness, 3, first=4)
    digests = [card for card in harness.channel.cards.values() if "wait" in card.title.split("\n")[0]]
    assert len(digests) == (2 if die == "after" else 1)
    first = next(iter(digests))
    answer = await harness.approvals.decide(
        harness.tap_of(harness.channel.button("Approve this", first), message_ref="103")
    )
    assert answer.text.startswith("Approved by you")
    await harness.run()
    assert {card.title for key, card in harness.channel.cards.items() if int(key) > 102} == {digest(harness).title}
    assert await harness.state(first.approval_id) == "approved"


async def test_a_digest_that_a_closed_chat_refused_comes_once_the_owner_is_back(harness: Harness) -> None:
    harness.channel.closed = True
    ids = await ask_many(harness, 12)
    assert not harness.channel.cards
    assert await harness.said() == ["While I could not write to you, something came up that waits for your yes."]
    harness.channel.closed = False
    await harness.write(lambda c: outbox.revive(c, OWNER, harness.clock.now()))
    await harness.write(lambda c: harness.approvals.show_unseen(c, harness.clock.now()))
    await harness.run()
    assert len(harness.channel.cards) == OWN + 1
    assert digest(harness).title.startswith("1 of 9 wait")
    assert {await harness.state(one) for one in ids} == {"pending"}


async def test_a_digest_that_could_not_be_sent_or_edited_is_drawn_when_the_chat_opens(harness: Harness) -> None:
    await ask_many(harness, 3)
    harness.channel.closed = True
    await ask_many(harness, 2, first=4)
    assert len(harness.channel.cards) == OWN
    harness.channel.closed = False
    await harness.write(lambda c: harness.approvals.show_unseen(c, harness.clock.now()))
    await harness.run()
    assert digest(harness).title.startswith("1 of 2 wait")
    edit = harness.channel.edit

    async def refused(*_: object) -> None:
        raise ChatClosedError("blocked")

    harness.channel.edit = refused  # type: ignore[method-assign,assignment]
    await ask_many(harness, 2, first=6)
    assert len(await harness.said()) == 1
    harness.channel.edit = edit  # type: ignore[method-assign]
    await harness.write(lambda c: harness.approvals.show_unseen(c, harness.clock.now()))
    await harness.run()
    assert digest(harness).title.startswith("1 of 4 wait")
    edits = harness.channel.edits
    await harness.write(lambda c: harness.approvals.show_unseen(c, harness.clock.now()))
    await harness.run()
    assert harness.channel.edits == edits


async def test_a_digest_of_a_group_that_moved_is_sent_anew_and_its_buttons_work(harness: Harness) -> None:
    old, new = "telegram:-5", "telegram:-1005"
    ids = await ask_many(harness, 5, chat=old)
    await harness.write(lambda c: harness.approvals.chat_moved(c, old, new, harness.clock.now()))
    await harness.run()
    assert len(harness.channel.cards) <= 2 * (OWN + 1)
    there = digest(harness)
    assert "of 4 wait" in there.title
    assert (await harness.tap("Approve this", chat=new)).startswith("Approved by you")
    assert there.approval_id in ids
    assert await harness.state(there.approval_id) == "approved"


async def test_a_digest_that_was_on_its_way_while_the_group_moved_is_sent_to_the_new_one(harness: Harness) -> None:
    old, new = "telegram:-5", "telegram:-1005"
    await ask_many(harness, 3, chat=old)
    show = harness.channel.show

    async def moved(*args: object) -> object:
        harness.channel.show = show  # type: ignore[method-assign]
        ref = await show(*args)  # type: ignore[arg-type]
        await harness.write(lambda c: harness.approvals.chat_moved(c, old, new, harness.clock.now()))
        return ref

    harness.channel.show = moved  # type: ignore[method-assign,assignment]
    await ask_many(harness, 1, first=4, chat=old)
    (ref,) = (await harness.store.read(lambda c: batches_in(c, new)))[0].card_refs
    assert ref.message.chat == new
    assert (await harness.tap("Deny this", chat=new)).startswith("Denied by you")


async def test_after_a_restore_each_waiting_member_says_so_and_counts_as_unseen(harness: Harness) -> None:
    ids = await ask_many(harness, 6)
    await see_all(harness)
    await harness.tap("Approve this")
    await harness.write(lambda c: cursors.put_fact(c, cursors.RESTORED, "2026-03-01", NOON))
    harness.restart()
    await harness.approvals.after_restore()
    await harness.run()
    assert harness.channel.newest.approval_id == ids[5]
    assert labels(harness.channel.newest) == ["It was done", "It was not done"]
    shared = harness.channel.cards["103"]
    assert "restored from a backup" in rich_text(shared.outcome)
    assert "Approve all 2" not in labels(shared)
    assert not harness.provider.calls


async def test_before_pairing_a_flood_waits_and_is_shown_after_it(harness: Harness) -> None:
    harness.owner.telegram_user_id, harness.channel.home_chat = None, None
    await ask_many(harness, 6, chat="")
    assert not harness.channel.cards
    harness.owner.telegram_user_id, harness.channel.home_chat = 42, OWNER
    harness.clock.turn(minutes=1)
    await harness.run()
    assert len(harness.channel.cards) == OWN + 1
    assert digest(harness).title.startswith("1 of 3 wait")
    assert (await harness.tap("Approve this")).startswith("Approved by you")


async def test_a_digest_waits_while_nobody_is_paired(harness: Harness) -> None:
    await ask_many(harness, 4)
    harness.owner.telegram_user_id = None
    await ask_many(harness, 1, first=5)
    row = await newest_batch(harness)
    await harness.write(lambda c: approval_batches.change(c, row.batch_id, version=row.version + 1))
    with pytest.raises(Exception, match="paired"):
        await harness.approvals.handlers()[approval_batches.SHOW_BATCH](row.batch_id)


async def test_what_was_all_decided_before_it_could_be_shown_is_not_sent(harness: Harness) -> None:
    await ask_many(harness, 3)
    harness.channel.closed = True
    ids = await ask_many(harness, 2, first=4)
    now = harness.clock.now()
    await harness.write(
        lambda c: harness.approvals.supersede_requested_by(c, "in-1", Reason(ReasonCode.MESSAGE_EDITED), now)
    )
    harness.channel.closed = False
    await harness.run()
    assert len(harness.channel.cards) == OWN
    assert {await harness.state(one) for one in ids} == {"superseded"}


async def test_a_reply_to_a_digest_is_about_the_one_that_it_shows(harness: Harness) -> None:
    ids = await ask_many(harness, 5)
    await harness.tap("▶")
    assert await harness.store.read(lambda c: harness.approvals.shown_at(c, OWNER, "103")) == (ids[4], 1)
    assert await harness.store.read(lambda c: harness.approvals.shown_at(c, "telegram:-5", "103")) is None


async def test_work_for_a_flood_that_is_unknown_does_nothing(harness: Harness) -> None:
    await harness.approvals.handlers()[approval_batches.SHOW_BATCH]("no such flood")
    assert not harness.channel.cards


async def test_a_flood_lives_on_every_database(lasting_harness: Harness) -> None:
    harness = lasting_harness
    ids = await ask_many(harness, 7)
    await see_all(harness)
    await harness.tap("Deny this")
    await harness.tap("Approve all 3")
    await harness.tap("Undo all 3")
    ids += await ask_many(harness, 2, first=8)
    harness.clock.turn(hours=24)
    await harness.run()
    harness.clock.turn(hours=24)
    await harness.run()
    now = harness.clock.now()
    await harness.write(lambda c: harness.approvals.chat_moved(c, OWNER, "telegram:-1005", now))
    states = [await harness.state(one) for one in ids[OWN:]]
    assert sorted(states) == ["cancelled", "cancelled", "cancelled", "denied", "expired", "expired"]
    assert len([line for line in await harness.said() if "2 have expired" in line]) == 1
    assert await harness.store.read(audit.verify) is None
