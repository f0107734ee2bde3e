"""A flood outlives crashes, closed chats, moved groups, restores and pairings: nothing is lost, nothing done twice."""

import pytest

from butler.contract.card import rich_text
from butler.contract.errors import ChatClosedError
from butler.contract.reasons import Reason, ReasonCode
from butler.store.queries import approval_batches, approvals, audit, cursors, outbox
from tests.approvals.floods import OWN, batch, digest, flood_of, floods_in, labels, see_all
from tests.approvals.house import House
from tests.approvals.mortal import Mortal
from tests.approvals.phone import NOON, OWNER
from tests.approvals.second import Killed
from tests.support.nightly import every_nth

COMMITS = 39
"""More than the scenario makes; a test holds that."""


async def scenario(house: House) -> None:
    """Five asked for, all shown, two approved together, done; each step goes on from wherever the rows stand."""
    await flood_of(house, 5)
    if "▶" in labels(digest(house)) and "Approve all 2" not in labels(digest(house)):
        await house.tap("▶")
    if "Approve all 2" in labels(digest(house)):
        tap = house.tap_of(house.channel.button("Approve all 2"), inbound_id="tap", dedup_key="tap")
        await house.approvals.decide(tap)
    await house.run()
    await house.after_undo_window()


async def test_the_scenario_has_fewer_commits_than_are_tried(mortal: Mortal) -> None:
    await scenario(House(mortal))
    assert 10 < mortal.count <= COMMITS


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("point", every_nth(range(1, COMMITS + 1), 4))
async def test_a_death_at_any_commit_loses_no_member_and_does_none_twice(
    mortal: Mortal, point: int, after: bool
) -> None:
    house = House(mortal)
    mortal.left, mortal.after = point, after
    try:
        await scenario(house)
    except Killed:
        mortal.left = -1
        house.restart()
        await scenario(house)
    rows = await house.store.read(lambda c: [approvals.by_call(c, f"c{number}") for number in range(1, 6)])
    members = [row for row in rows if row is not None and row.batch_id is not None]
    assert len(members) == 2
    assert {row.state for row in members} <= {"done", "unknown"}
    sent = [call.args.text for call in house.provider.effects]
    assert len(sent) == len(set(sent))
    assert len(sent) + [row.state for row in members].count("unknown") >= 2
    assert len(house.channel.cards) <= OWN + 3
    assert await house.store.read(audit.verify) is None


@pytest.mark.parametrize("die", ["before", "after"])
async def test_a_death_around_the_sending_leads_to_a_digest_whose_buttons_all_work(house: House, die: str) -> None:
    ids = await flood_of(house, 3)
    house.channel.die = die
    with pytest.raises(Killed):
        await flood_of(house, 3, first=4)
    house.restart()
    await house.run()
    ids += await flood_of(house, 3, first=4)
    digests = [card for card in house.channel.cards.values() if "wait" in card.title.split("\n")[0]]
    assert len(digests) == (2 if die == "after" else 1)
    first = next(iter(digests))
    answer = await house.approvals.decide(house.tap_of(house.channel.button("Approve this", first), message_ref="103"))
    assert answer.text.startswith("Approved by you")
    await house.run()
    assert {card.title for key, card in house.channel.cards.items() if int(key) > 102} == {digest(house).title}
    assert await house.state(first.approval_id) == "approved"


async def test_a_digest_that_a_closed_chat_refused_comes_once_the_owner_is_back(house: House) -> None:
    house.channel.closed = True
    ids = await flood_of(house, 12)
    assert not house.channel.cards
    assert await house.said() == ["While I could not write to you, something came up that waits for your yes."]
    house.channel.closed = False
    await house.write(lambda c: outbox.revive(c, OWNER, house.clock.now()))
    await house.write(lambda c: house.approvals.show_unseen(c, house.clock.now()))
    await house.run()
    assert len(house.channel.cards) == OWN + 1
    assert digest(house).title.startswith("1 of 9 wait")
    assert {await house.state(one) for one in ids} == {"pending"}


async def test_a_digest_that_could_not_be_sent_or_edited_is_drawn_when_the_chat_opens(house: House) -> None:
    await flood_of(house, 3)
    house.channel.closed = True
    await flood_of(house, 2, first=4)
    assert len(house.channel.cards) == OWN
    house.channel.closed = False
    await house.write(lambda c: house.approvals.show_unseen(c, house.clock.now()))
    await house.run()
    assert digest(house).title.startswith("1 of 2 wait")
    edit = house.channel.edit

    async def refused(*_: object) -> None:
        raise ChatClosedError("blocked")

    house.channel.edit = refused  # type: ignore[method-assign,assignment]
    await flood_of(house, 2, first=6)
    assert len(await house.said()) == 1
    house.channel.edit = edit  # type: ignore[method-assign]
    await house.write(lambda c: house.approvals.show_unseen(c, house.clock.now()))
    await house.run()
    assert digest(house).title.startswith("1 of 4 wait")
    edits = house.channel.edits
    await house.write(lambda c: house.approvals.show_unseen(c, house.clock.now()))
    await house.run()
    assert house.channel.edits == edits


async def test_a_digest_of_a_group_that_moved_is_sent_anew_and_its_buttons_work(house: House) -> None:
    old, new = "telegram:-5", "telegram:-1005"
    ids = await flood_of(house, 5, chat=old)
    await house.write(lambda c: house.approvals.chat_moved(c, old, new, house.clock.now()))
    await house.run()
    assert len(house.channel.cards) <= 2 * (OWN + 1)
    there = digest(house)
    assert "of 4 wait" in there.title
    assert (await house.tap("Approve this", chat=new)).startswith("Approved by you")
    assert there.approval_id in ids
    assert await house.state(there.approval_id) == "approved"


async def test_a_digest_that_was_on_its_way_while_the_group_moved_is_sent_to_the_new_one(house: House) -> None:
    old, new = "telegram:-5", "telegram:-1005"
    await flood_of(house, 3, chat=old)
    show = house.channel.show

    async def moved(*args: object) -> object:
        house.channel.show = show  # type: ignore[method-assign]
        ref = await show(*args)  # type: ignore[arg-type]
        await house.write(lambda c: house.approvals.chat_moved(c, old, new, house.clock.now()))
        return ref

    house.channel.show = moved  # type: ignore[method-assign,assignment]
    await flood_of(house, 1, first=4, chat=old)
    (ref,) = (await house.store.read(lambda c: floods_in(c, new)))[0].card_refs
    assert ref.message.chat == new
    assert (await house.tap("Deny this", chat=new)).startswith("Denied by you")


async def test_after_a_restore_each_waiting_member_says_so_and_counts_as_unseen(house: House) -> None:
    ids = await flood_of(house, 6)
    await see_all(house)
    await house.tap("Approve this")
    await house.write(lambda c: cursors.put_fact(c, cursors.RESTORED, "2026-03-01", NOON))
    house.restart()
    await house.approvals.after_restore()
    await house.run()
    assert house.channel.newest.approval_id == ids[5]
    assert labels(house.channel.newest) == ["It was done", "It was not done"]
    shared = house.channel.cards["103"]
    assert "restored from a backup" in rich_text(shared.outcome)
    assert "Approve all 2" not in labels(shared)
    assert not house.provider.calls


async def test_before_pairing_a_flood_waits_and_is_shown_after_it(house: House) -> None:
    house.owner.telegram_user_id, house.channel.home_chat = None, None
    await flood_of(house, 6, chat="")
    assert not house.channel.cards
    house.owner.telegram_user_id, house.channel.home_chat = 42, OWNER
    house.clock.turn(minutes=1)
    await house.run()
    assert len(house.channel.cards) == OWN + 1
    assert digest(house).title.startswith("1 of 3 wait")
    assert (await house.tap("Approve this")).startswith("Approved by you")


async def test_a_digest_waits_while_nobody_is_paired(house: House) -> None:
    await flood_of(house, 4)
    house.owner.telegram_user_id = None
    await flood_of(house, 1, first=5)
    row = await batch(house)
    await house.write(lambda c: approval_batches.change(c, row.batch_id, version=row.version + 1))
    with pytest.raises(Exception, match="paired"):
        await house.approvals.handlers()[approval_batches.SHOW_BATCH](row.batch_id)


async def test_what_was_all_decided_before_it_could_be_shown_is_not_sent(house: House) -> None:
    await flood_of(house, 3)
    house.channel.closed = True
    ids = await flood_of(house, 2, first=4)
    now = house.clock.now()
    await house.write(
        lambda c: house.approvals.supersede_requested_by(c, "in-1", Reason(ReasonCode.MESSAGE_EDITED), now)
    )
    house.channel.closed = False
    await house.run()
    assert len(house.channel.cards) == OWN
    assert {await house.state(one) for one in ids} == {"superseded"}


async def test_a_reply_to_a_digest_is_about_the_one_that_it_shows(house: House) -> None:
    ids = await flood_of(house, 5)
    await house.tap("▶")
    assert await house.store.read(lambda c: house.approvals.shown_at(c, OWNER, "103")) == (ids[4], 1)
    assert await house.store.read(lambda c: house.approvals.shown_at(c, "telegram:-5", "103")) is None


async def test_work_for_a_flood_that_is_unknown_does_nothing(house: House) -> None:
    await house.approvals.handlers()[approval_batches.SHOW_BATCH]("no such flood")
    assert not house.channel.cards


async def test_a_flood_lives_on_every_database(lasting_house: House) -> None:
    house = lasting_house
    ids = await flood_of(house, 7)
    await see_all(house)
    await house.tap("Deny this")
    await house.tap("Approve all 3")
    await house.tap("Undo all 3")
    ids += await flood_of(house, 2, first=8)
    house.clock.turn(hours=24)
    await house.run()
    house.clock.turn(hours=24)
    await house.run()
    now = house.clock.now()
    await house.write(lambda c: house.approvals.chat_moved(c, OWNER, "telegram:-1005", now))
    states = [await house.state(one) for one in ids[OWN:]]
    assert sorted(states) == ["cancelled", "cancelled", "cancelled", "denied", "expired", "expired"]
    assert len([line for line in await house.said() if "2 have expired" in line]) == 1
    assert await house.store.read(audit.verify) is None
