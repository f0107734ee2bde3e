"""A digest card comes down when the owner asks for one more: it stands below their message, and nowhere else."""

from collections.abc import Callable
from typing import Any

import pytest

from approvals.revise import OLDER
from approvals.tapped import Tapped
from butler.contract.card import Card
from butler.contract.errors import ChatClosedError
from butler.contract.inbound import Inbound, InboundKind
from butler.contract.names import Identity
from butler.contract.provenance import Origin
from butler.contract.reasons import Reason, ReasonCode
from butler.store.queries import approval_batches, audit, inbox, work
from butler.store.queries.approval_batches import SHOW_BATCH
from tests.approvals.floods import OWN, batch, digest, flood_of, floods_in, labels, see_all
from tests.approvals.house import House
from tests.approvals.mortal import Mortal
from tests.approvals.phone import OWNER
from tests.approvals.providers import STRANGER
from tests.approvals.second import Killed
from tests.support.nightly import every_nth

DIGEST = str(100 + OWN)
"""The first message that the digest has."""
GROUP = "telegram:-5"
COMMITS, CALLS = 37, 11
"""More than the scenario makes; a test holds that."""


async def came_in(house: House, message_ref: str, **more: Any) -> str:
    """Something comes in: a message of the owner's, unless more is said."""
    values: dict[str, Any] = {
        "inbound_id": f"said-{message_ref}",
        "kind": InboundKind.CHAT,
        "channel": "telegram",
        "identity": Identity.BOT,
        "account": "bot",
        "dedup_key": f"said-{message_ref}",
        "chat": OWNER,
        "sender": OWNER,
        "message_ref": message_ref,
        "received_at": house.clock.now(),
        "origin": Origin.owner(OWNER),
    }
    item = Inbound(**(values | more))
    await house.write(lambda c: inbox.add(c, item))
    return item.inbound_id


async def ask(house: House, number: int, count: int = 1, *, run: bool = True, chat: str = OWNER) -> list[str]:
    """The owner asks for so many in one message, whose id is the number of the first."""
    by = await came_in(house, str(number), chat=chat)
    return await flood_of(house, count, first=number, requested_by=by, run=run, chat=chat)


def digests(house: House) -> list[str]:
    """The messages that show a digest with something that waits."""
    return [key for key, card in house.channel.cards.items() if "Approve this" in labels(card)]


async def tapped(house: House, label: str, card: Card, message_ref: str) -> str:
    """A tap on a message as it once was; what the tapper is told."""
    tap = house.tap_of(house.channel.button(label, card), message_ref=message_ref)
    return (await house.approvals.decide(tap)).text


async def test_the_card_comes_down_below_the_message_that_asked_for_one_more(house: House) -> None:
    await flood_of(house, 4)
    before = digest(house)
    (fifth,) = await ask(house, 5)
    assert house.channel.deleted == [DIGEST]
    (new,) = digests(house)
    assert house.channel.replies[new] == "5"
    assert digest(house).approval_id == fifth
    assert digest(house).title.startswith("2 of 2 wait · Telegram messages as you")
    assert house.channel.edits == 0
    assert (await tapped(house, "Approve this", before, DIGEST)).startswith("A newer version has replaced")
    assert (await house.tap("Approve this")).startswith("Approved by you")
    assert await house.state(fifth) == "approved"
    assert digests(house) == [new]


async def test_each_message_of_the_owner_brings_it_down_once_however_much_it_asks_for(house: House) -> None:
    await flood_of(house, 4)
    ids = await ask(house, 5, 3)
    assert len(house.channel.replies) == OWN + 2
    assert digest(house).approval_id == ids[0]
    await flood_of(house, 1, first=8, requested_by="said-5")
    assert len(house.channel.replies) == OWN + 2
    await ask(house, 9)
    assert len(house.channel.replies) == OWN + 3
    assert len(digests(house)) == 1
    assert house.channel.deleted == [DIGEST, str(100 + OWN + 1)]


@pytest.mark.parametrize("before", [0, 4])
async def test_forty_that_one_message_asks_for_are_few_messages(house: House, before: int) -> None:
    await flood_of(house, before)
    await ask(house, before + 1, 40)
    assert len(house.channel.replies) <= 6
    assert len(digests(house)) == 1
    assert house.channel.replies[digests(house)[0]] == str(5 if before else 1)


async def test_two_messages_at_once_bring_it_down_once_to_what_the_later_asked_for(house: House) -> None:
    await flood_of(house, 4)
    await ask(house, 5, run=False)
    (sixth,) = await ask(house, 6, run=False)
    await house.run()
    assert len(house.channel.replies) == OWN + 2
    assert digest(house).approval_id == sixth
    assert house.channel.replies[digests(house)[0]] == "6"


@pytest.mark.parametrize("kind", [InboundKind.TICK, InboundKind.MAIL, InboundKind.HOOK])
async def test_what_comes_from_elsewhere_changes_the_card_where_it_stands(house: House, kind: InboundKind) -> None:
    await flood_of(house, 4)
    await flood_of(house, 3, first=5, requested_by=await came_in(house, "5", kind=kind))
    assert len(house.channel.replies) == OWN + 1
    assert house.channel.deleted == []
    assert digest(house).title.startswith("1 of 4 wait")


@pytest.mark.parametrize("more", [{"sender": STRANGER}, {"chat": GROUP}])
async def test_what_others_or_other_chats_ask_for_leaves_it_where_it_is(house: House, more: dict[str, str]) -> None:
    await flood_of(house, 4)
    await flood_of(house, 1, first=5, requested_by=await came_in(house, "5", **more))
    assert house.channel.deleted == []


@pytest.mark.parametrize("kind", [InboundKind.BUTTON, InboundKind.EDITED, InboundKind.COMMAND])
async def test_a_tap_an_edit_and_a_command_bring_it_down_too(house: House, kind: InboundKind) -> None:
    await flood_of(house, 4)
    (fifth,) = await flood_of(house, 1, first=5, requested_by=await came_in(house, "5", kind=kind))
    assert house.channel.deleted == [DIGEST]
    assert digest(house).approval_id == fifth


async def test_what_was_seen_stays_seen_and_nothing_unseen_is_approved_with_it(house: House) -> None:
    ids = await flood_of(house, 6)
    before = digest(house)
    await ask(house, 7)
    assert "Approve all 4" not in labels(digest(house))
    assert digest(house).title.splitlines()[1] == "2 not shown to you yet"
    await see_all(house)
    seen = digest(house)
    (eighth,) = await ask(house, 8, run=False)
    assert await tapped(house, "Approve all 4", seen, "104") == "Approved 4. Sending in 10 s."
    await house.run()
    assert await house.state(eighth) == "pending"
    assert await house.state(ids[3]) == "approved"
    assert await tapped(house, "▶", before, DIGEST) == "This card has moved below."


async def test_once_all_others_were_seen_the_one_that_came_down_completes_them(house: House) -> None:
    ids = await flood_of(house, 5)
    await see_all(house)
    ids += await ask(house, 6)
    assert digest(house).approval_id == ids[-1]
    assert await house.tap("Approve all 3") == "Approved 3. Sending in 10 s."
    assert [await house.state(one) for one in ids[OWN:]] == ["approved"] * 3


async def test_while_it_is_coming_down_the_old_buttons_approve_nothing(house: House) -> None:
    ids = await flood_of(house, 5)
    await see_all(house)
    before = digest(house)
    ids += await ask(house, 6, run=False)
    await house.run(kinds={"show_card": None})
    assert "not shown to you yet" in await tapped(house, "Approve all 2", before, DIGEST)
    assert (await tapped(house, "Approve this", before, DIGEST)).startswith("A newer version")
    assert await tapped(house, "▶", before, DIGEST) == "This card has moved below."
    assert {await house.state(one) for one in ids} == {"pending"}
    await house.run()
    assert len(digests(house)) == 1


async def test_a_message_that_cannot_be_deleted_says_that_it_moved(house: House) -> None:
    await flood_of(house, 5)
    before = digest(house)

    async def refused(*_: object) -> bool:
        return False

    house.channel.delete = refused  # type: ignore[method-assign,assignment]
    await ask(house, 6)
    old = house.channel.cards[DIGEST]
    assert (old.title, old.body, labels(old)) == ("Moved below.", "", [])
    assert await tapped(house, "▶", before, DIGEST) == "This card has moved below."
    await house.tap("▶")
    await house.tap("Deny this")
    assert house.channel.cards[DIGEST] == old
    assert digests(house) == ["104"]


async def test_a_reply_to_the_message_that_it_left_is_about_nothing_that_stands(house: House) -> None:
    await flood_of(house, 4)
    (fifth,) = await ask(house, 5)
    assert await house.store.read(lambda c: house.approvals.shown_at(c, OWNER, "104")) == (fifth, 1)
    found = await house.store.read(lambda c: house.approvals.shown_at(c, OWNER, DIGEST))
    assert found == (fifth, 0)
    assert await house.write(lambda c: house.approvals.deny(c, fifth, 0, house.clock.now())) == OLDER
    assert await house.state(fifth) == "pending"


async def test_the_reminder_is_a_reply_to_where_it_stands_now(house: House) -> None:
    await flood_of(house, 4)
    await ask(house, 5)
    house.clock.turn(hours=24)
    await house.run()
    assert [one.reply_to for one in await house.messages() if one.reply_to == DIGEST] == []
    assert "104" in [one.reply_to for one in await house.messages()]


async def test_it_does_not_come_down_for_what_is_withdrawn_before_it_could(house: House) -> None:
    ids = await flood_of(house, 4)
    ids += await ask(house, 5, run=False)
    await house.run(kinds={"show_card": None})
    now = house.clock.now()
    for by in ("in-1", "said-5"):
        await house.write(
            lambda c, by=by: house.approvals.supersede_requested_by(c, by, Reason(ReasonCode.MESSAGE_EDITED), now)
        )
    await house.run()
    assert house.channel.deleted == []
    assert house.channel.cards[DIGEST].title == "Nothing waits here any more · Telegram messages as you"
    assert len(house.channel.replies) == OWN + 1


async def test_it_comes_down_once_the_chat_that_was_closed_is_open_again(house: House) -> None:
    await flood_of(house, 4)
    house.channel.closed = True
    (fifth,) = await ask(house, 5)
    assert house.channel.deleted == []
    assert await house.said() == ["While I could not write to you, something came up that waits for your yes."]
    house.channel.closed = False
    house.restart()
    await house.write(lambda c: house.approvals.show_unseen(c, house.clock.now()))
    await house.run()
    assert house.channel.deleted == [DIGEST]
    assert digest(house).approval_id == fifth
    assert house.channel.replies["104"] == "5"
    await house.write(lambda c: house.approvals.show_unseen(c, house.clock.now()))
    assert SHOW_BATCH not in [kind for kind, _, _ in await house.works()]


async def test_a_chat_that_closes_before_the_old_message_is_gone_has_it_taken_away_later(house: House) -> None:
    await flood_of(house, 4)
    delete = house.channel.delete

    async def closed(*_: object) -> bool:
        raise ChatClosedError("blocked")

    house.channel.delete = closed  # type: ignore[method-assign,assignment]
    await ask(house, 5)
    assert digests(house) == [DIGEST, "104"]
    house.channel.delete = delete  # type: ignore[method-assign]
    await house.write(lambda c: house.approvals.show_unseen(c, house.clock.now()))
    await house.run()
    assert digests(house) == ["104"]


async def test_what_waits_unshown_in_a_closed_chat_shows_what_the_owner_asks_for_then(house: House) -> None:
    await flood_of(house, 3)
    house.channel.closed = True
    await flood_of(house, 2, first=4)
    house.channel.closed = False
    (sixth,) = await ask(house, 6)
    assert digest(house).approval_id == sixth
    assert digest(house).title.startswith("3 of 3 wait")
    assert house.channel.replies[DIGEST] == "6"


async def test_it_comes_down_once_the_line_is_back_after_an_outage(house: House) -> None:
    await flood_of(house, 4)
    house.channel.offline = True
    (fifth,) = await ask(house, 5)
    assert digests(house) == [DIGEST]
    house.channel.offline = False
    house.clock.turn(minutes=1)
    await house.run()
    assert len(digests(house)) == 1
    assert digest(house).approval_id == fifth


async def test_it_comes_down_in_the_group_that_moved_and_leaves_the_old_one(house: House) -> None:
    new = "telegram:-1005"
    await flood_of(house, 4, chat=GROUP)
    await ask(house, 5, chat=GROUP)
    await house.write(lambda c: house.approvals.chat_moved(c, GROUP, new, house.clock.now()))
    await house.run()
    count = len(house.channel.replies)
    (sixth,) = await ask(house, 6, chat=new)
    assert len(house.channel.replies) == count + 1
    assert digest(house).approval_id == sixth
    assert (await house.tap("Deny this", chat=new)).startswith("Denied by you")


async def test_a_group_that_moves_while_it_comes_down_has_it_in_the_new_one(house: House) -> None:
    new = "telegram:-1005"
    await flood_of(house, 4, chat=GROUP)
    show = house.channel.show

    async def moved(*args: object) -> object:
        house.channel.show = show  # type: ignore[method-assign]
        ref = await show(*args)  # type: ignore[arg-type]
        await house.write(lambda c: house.approvals.chat_moved(c, GROUP, new, house.clock.now()))
        return ref

    house.channel.show = moved  # type: ignore[method-assign,assignment]
    await ask(house, 5, chat=GROUP)
    (found,) = await house.store.read(lambda c: floods_in(c, new))
    assert [ref.message.chat for ref in found.card_refs] == [new]
    assert not any(ref.leaving for ref in found.card_refs)


async def test_a_flood_that_vanishes_while_it_comes_down_is_no_fault(house: House) -> None:
    await flood_of(house, 4)
    delete, row = house.channel.delete, await batch(house)

    async def emptied(*args: object) -> object:
        await house.write(lambda c: c.execute(approval_batches.approval_batches.delete()))
        return await delete(*args)  # type: ignore[arg-type]

    house.channel.delete = emptied  # type: ignore[method-assign,assignment]
    await ask(house, 5)
    assert await house.store.read(lambda c: approval_batches.get(c, row.batch_id)) is None


async def test_each_database_brings_it_down(lasting_house: House) -> None:
    await flood_of(lasting_house, 4)
    (fifth,) = await ask(lasting_house, 5)
    assert digest(lasting_house).approval_id == fifth
    assert digests(lasting_house) == ["104"]


class Mortality:
    """Kills around the n-th call of the channel."""

    def __init__(self, house: House) -> None:
        self.left, self.after, self.count = -1, False, 0
        for name in ("show", "edit", "delete"):
            setattr(house.channel, name, self._mortal(getattr(house.channel, name)))

    def _mortal(self, call: Callable[..., Any]) -> Callable[..., Any]:
        async def called(*args: Any) -> Any:
            self.count += 1
            self.left -= 1
            if self.left == 0 and not self.after:
                raise Killed
            result = await call(*args)
            if self.left == 0:
                raise Killed
            return result

        return called


async def scenario(house: House) -> str:
    """Four wait; one more is asked for, approved on the digest and done; each step goes on from how the rows stand."""
    await flood_of(house, 4)
    (fifth,) = await ask(house, 5)
    if "Approve this" in labels(digest(house)) and digest(house).body == "Message number 5":
        tap = house.tap_of(house.channel.button("Approve this"), inbound_id="tap", dedup_key="tap")
        assert (await house.approvals.decide(tap)).tapped in {Tapped.DECIDED, Tapped.TOO_LATE}
    await house.run()
    await house.after_undo_window()
    return fifth


async def held(house: House, fifth: str) -> None:
    """It stands below the message that asked for it, what is left of others is true, and all was done once."""
    row = await batch(house)
    standing = [ref.message.message_ids[0] for ref in row.card_refs if not ref.leaving]
    assert not [ref for ref in row.card_refs if ref.leaving and not ref.retired]
    assert {house.channel.replies[one] for one in standing} == {"5"}
    assert {key for key in digests(house) if key in standing} == set(standing)
    assert len({house.channel.cards[one].model_dump_json() for one in standing}) == 1
    assert len(house.channel.replies) <= OWN + 3
    sent = [call.args.text for call in house.provider.effects]
    assert sent == ["Message number 5"] or (sent == [] and await house.state(fifth) == "unknown")
    assert await house.store.read(audit.verify) is None
    assert not await house.store.read(lambda c: work.ready(c, house.clock.now()))
    for key in (key for key in digests(house) if key not in standing):
        told = await tapped(house, "Approve this", house.channel.cards[key], key)
        assert told.startswith(("Already decided", "A newer version"))


async def test_the_scenario_has_fewer_steps_than_are_tried(mortal: Mortal) -> None:
    house = House(mortal)
    calls = Mortality(house)
    await held(house, await scenario(house))
    assert 10 < mortal.count <= COMMITS
    assert 5 < calls.count <= CALLS


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("point", every_nth(range(1, COMMITS + 1), 4))
async def test_a_death_at_any_commit_leaves_it_in_one_place(mortal: Mortal, point: int, after: bool) -> None:
    house = House(mortal)
    mortal.left, mortal.after = point, after
    try:
        fifth = await scenario(house)
    except Killed:
        mortal.left = -1
        house.restart()
        fifth = await scenario(house)
    mortal.left = -1
    await held(house, fifth)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("point", every_nth(range(1, CALLS + 1), 4))
async def test_a_death_at_any_call_of_the_channel_leaves_it_in_one_place(house: House, point: int, after: bool) -> None:
    calls = Mortality(house)
    calls.left, calls.after = point, after
    try:
        fifth = await scenario(house)
    except Killed:
        house.restart()
        fifth = await scenario(house)
    await held(house, fifth)
