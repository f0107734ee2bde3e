"""A batch card moves down when the owner requests one more: it is below their message, and nowhere else."""

from collections.abc import Callable
from typing import Any

import pytest

from approvals.revise import OLDER
from approvals.tap_result import TapResult
from butler.contract.card import Card
from butler.contract.errors import ChatClosedError
from butler.contract.inbound import Inbound, InboundKind
from butler.contract.names import Identity
from butler.contract.provenance import Origin
from butler.contract.reasons import Reason, ReasonCode
from butler.store.queries import approval_batches, audit, inbox, work
from butler.store.queries.approval_batches import SHOW_BATCH
from tests.approvals.approval_batch_harness import OWN, ask_many, batches_in, digest, labels, newest_batch, see_all
from tests.approvals.crashing_store import CrashingStore
from tests.approvals.harness import Harness
from tests.approvals.phone import OWNER
from tests.approvals.providers import STRANGER
from tests.approvals.second_channel import Killed
from tests.support.nightly import every_nth

DIGEST = str(100 + OWN)
"""The first message of the batch card."""
GROUP = "telegram:-5"
COMMITS, CALLS = 37, 11
"""More commits than the scenario makes, which a test checks."""


async def came_in(harness: Harness, message_ref: str, **more: Any) -> str:
    """Receive an item: by default a message of the owner."""
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
        "received_at": harness.clock.now(),
        "origin": Origin.owner(OWNER),
    }
    item = Inbound(**(values | more))
    await harness.write(lambda c: inbox.add(c, item))
    return item.inbound_id


async def ask(harness: Harness, number: int, count: int = 1, *, run: bool = True, chat: str = OWNER) -> list[str]:
    """Let the owner request this many in one message, whose id is the number of the first."""
    by = await came_in(harness, str(number), chat=chat)
    return await ask_many(harness, count, first=number, requested_by=by, run=run, chat=chat)


def digests(harness: Harness) -> list[str]:
    """Return the messages that show a batch with pending approvals."""
    return [key for key, card in harness.channel.cards.items() if "Approve this" in labels(card)]


async def tapped(harness: Harness, label: str, card: Card, message_ref: str) -> str:
    """Tap a message as it was earlier; return the answer to the tapper."""
    tap = harness.tap_of(harness.channel.button(label, card), message_ref=message_ref)
    return (await harness.approvals.decide(tap)).text


async def test_the_card_comes_down_below_the_message_that_asked_for_one_more(harness: Harness) -> None:
    await ask_many(harness, 4)
    before = digest(harness)
    (fifth,) = await ask(harness, 5)
    assert harness.channel.deleted == [DIGEST]
    (new,) = digests(harness)
    assert harness.channel.replies[new] == "5"
    assert digest(harness).approval_id == fifth
    assert digest(harness).title.startswith("2 of 2 wait · Telegram messages as you")
    assert harness.channel.edits == 0
    assert (await tapped(harness, "Approve this", before, DIGEST)).startswith("A newer version has replaced")
    assert (await harness.tap("Approve this")).startswith("Approved by you")
    assert await harness.state(fifth) == "approved"
    assert digests(harness) == [new]


async def test_each_message_of_the_owner_brings_it_down_once_however_much_it_asks_for(harness: Harness) -> None:
    await ask_many(harness, 4)
    ids = await ask(harness, 5, 3)
    assert len(harness.channel.replies) == OWN + 2
    assert digest(harness).approval_id == ids[0]
    await ask_many(harness, 1, first=8, requested_by="said-5")
    assert len(harness.channel.replies) == OWN + 2
    await ask(harness, 9)
    assert len(harness.channel.replies) == OWN + 3
    assert len(digests(harness)) == 1
    assert harness.channel.deleted == [DIGEST, str(100 + OWN + 1)]


@pytest.mark.parametrize("before", [0, 4])
async def test_forty_that_one_message_asks_for_are_few_messages(harness: Harness, before: int) -> None:
    await ask_many(harness, before)
    await ask(harness, before + 1, 40)
    assert len(harness.channel.replies) <= 6
    assert len(digests(harness)) == 1
    assert harness.channel.replies[digests(harness)[0]] == str(5 if before else 1)


async def test_two_messages_at_once_bring_it_down_once_to_what_the_later_asked_for(harness: Harness) -> None:
    await ask_many(harness, 4)
    await ask(harness, 5, run=False)
    (sixth,) = await ask(harness, 6, run=False)
    await harness.run()
    assert len(harness.channel.replies) == OWN + 2
    assert digest(harness).approval_id == sixth
    assert harness.channel.replies[digests(harness)[0]] == "6"


@pytest.mark.parametrize("kind", [InboundKind.TICK, InboundKind.MAIL, InboundKind.HOOK])
async def test_what_comes_from_elsewhere_changes_the_card_where_it_stands(harness: Harness, kind: InboundKind) -> None:
    await ask_many(harness, 4)
    await ask_many(harness, 3, first=5, requested_by=await came_in(harness, "5", kind=kind))
    assert len(harness.channel.replies) == OWN + 1
    assert harness.channel.deleted == []
    assert digest(harness).title.startswith("1 of 4 wait")


@pytest.mark.parametrize("more", [{"sender": STRANGER}, {"chat": GROUP}])
async def test_what_others_or_other_chats_ask_for_leaves_it_where_it_is(harness: Harness, more: dict[str, str]) -> None:
    await ask_many(harness, 4)
    await ask_many(harness, 1, first=5, requested_by=await came_in(harness, "5", **more))
    assert harness.channel.deleted == []


@pytest.mark.parametrize("kind", [InboundKind.BUTTON, InboundKind.EDITED, InboundKind.COMMAND])
async def test_a_tap_an_edit_and_a_command_bring_it_down_too(harness: Harness, kind: InboundKind) -> None:
    await ask_many(harness, 4)
    (fifth,) = await ask_many(harness, 1, first=5, requested_by=await came_in(harness, "5", kind=kind))
    assert harness.channel.deleted == [DIGEST]
    assert digest(harness).approval_id == fifth


async def test_what_was_seen_stays_seen_and_nothing_unseen_is_approved_with_it(harness: Harness) -> None:
    ids = await ask_many(harness, 6)
    before = digest(harness)
    await ask(harness, 7)
    assert "Approve all 4" not in labels(digest(harness))
    assert digest(harness).title.splitlines()[1] == "2 not shown to you yet"
    await see_all(harness)
    seen = digest(harness)
    (eighth,) = await ask(harness, 8, run=False)
    assert await tapped(harness, "Approve all 4", seen, "104") == "Approved 4. Sending in 10 s."
    await harness.run()
    assert await harness.state(eighth) == "pending"
    assert await harness.state(ids[3]) == "approved"
    assert await tapped(harness, "▶", before, DIGEST) == "This card has moved below."


async def test_once_all_others_were_seen_the_one_that_came_down_completes_them(harness: Harness) -> None:
    ids = await ask_many(harness, 5)
    await see_all(harness)
    ids += await ask(harness, 6)
    assert digest(harness).approval_id == ids[-1]
    assert await harness.tap("Approve all 3") == "Approved 3. Sending in 10 s."
    assert [await harness.state(one) for one in ids[OWN:]] == ["approved"] * 3


async def test_while_it_is_coming_down_the_old_buttons_approve_nothing(harness: Harness) -> None:
    ids = await ask_many(harness, 5)
    await see_all(harness)
    before = digest(harness)
    ids += await ask(harness, 6, run=False)
    await harness.run(kinds={"show_card": None})
    assert "not shown to you yet" in await tapped(harness, "Approve all 2", before, DIGEST)
    assert (await tapped(harness, "Approve this", before, DIGEST)).startswith("A newer version")
    assert await tapped(harness, "▶", before, DIGEST) == "This card has moved below."
    assert {await harness.state(one) for one in ids} == {"pending"}
    await harness.run()
    assert len(digests(harness)) == 1


async def test_a_message_that_cannot_be_deleted_says_that_it_moved(harness: Harness) -> None:
    await ask_many(harness, 5)
    before = digest(harness)

    async def refused(*_: object) -> bool:
        return False

    harness.channel.delete = refused  # type: ignore[method-assign,assignment]
    await ask(harness, 6)
    old = harness.channel.cards[DIGEST]
    assert (old.title, old.body, labels(old)) == ("Moved below.", "", [])
    assert await tapped(harness, "▶", before, DIGEST) == "This card has moved below."
    await harness.tap("▶")
    await harness.tap("Deny this")
    assert harness.channel.cards[DIGEST] == old
    assert digests(harness) == ["104"]


async def test_a_reply_to_the_message_that_it_left_is_about_nothing_that_stands(harness: Harness) -> None:
    await ask_many(harness, 4)
    (fifth,) = await ask(harness, 5)
    assert await harness.store.read(lambda c: harness.approvals.shown_at(c, OWNER, "104")) == (fifth, 1)
    found = await harness.store.read(lambda c: harness.approvals.shown_at(c, OWNER, DIGEST))
    assert found == (fifth, 0)
    assert await harness.write(lambda c: harness.approvals.deny(c, fifth, 0, harness.clock.now())) == OLDER
    assert await harness.state(fifth) == "pending"


async def test_the_reminder_is_a_reply_to_where_it_stands_now(harness: Harness) -> None:
    await ask_many(harness, 4)
    await ask(harness, 5)
    harness.clock.turn(hours=24)
    await harness.run()
    assert [one.reply_to for one in await harness.messages() if one.reply_to == DIGEST] == []
    assert "104" in [one.reply_to for one in await harness.messages()]


async def test_it_does_not_come_down_for_what_is_withdrawn_before_it_could(harness: Harness) -> None:
    ids = await ask_many(harness, 4)
    ids += await ask(harness, 5, run=False)
    await harness.run(kinds={"show_card": None})
    now = harness.clock.now()
    for by in ("in-1", "said-5"):
        await harness.write(
            lambda c, by=by: harness.approvals.supersede_requested_by(c, by, Reason(ReasonCode.MESSAGE_EDITED), now)
        )
    await harness.run()
    assert harness.channel.deleted == []
    assert harness.channel.cards[DIGEST].title == "Nothing waits here any more · Telegram messages as you"
    assert len(harness.channel.replies) == OWN + 1


async def test_it_comes_down_once_the_chat_that_was_closed_is_open_again(harness: Harness) -> None:
    await ask_many(harness, 4)
    harness.channel.closed = True
    (fifth,) = await ask(harness, 5)
    assert harness.channel.deleted == []
    assert await harness.said() == ["While I could not write to you, something came up that waits for your yes."]
    harness.channel.closed = False
    harness.restart()
    await harness.write(lambda c: harness.approvals.show_unseen(c, harness.clock.now()))
    await harness.run()
    assert harness.channel.deleted == [DIGEST]
    assert digest(harness).approval_id == fifth
    assert harness.channel.replies["104"] == "5"
    await harness.write(lambda c: harness.approvals.show_unseen(c, harness.clock.now()))
    assert SHOW_BATCH not in [kind for kind, _, _ in await harness.works()]


async def test_a_chat_that_closes_before_the_old_message_is_gone_has_it_taken_away_later(harness: Harness) -> None:
    await ask_many(harness, 4)
    delete = harness.channel.delete

    async def closed(*_: object) -> bool:
        raise ChatClosedError("blocked")

    harness.channel.delete = closed  # type: ignore[method-assign,assignment]
    await ask(harness, 5)
    assert digests(harness) == [DIGEST, "104"]
    harness.channel.delete = delete  # type: ignore[method-assign]
    await harness.write(lambda c: harness.approvals.show_unseen(c, harness.clock.now()))
    await harness.run()
    assert digests(harness) == ["104"]


async def test_what_waits_unshown_in_a_closed_chat_shows_what_the_owner_asks_for_then(harness: Harness) -> None:
    await ask_many(harness, 3)
    harness.channel.closed = True
    await ask_many(harness, 2, first=4)
    harness.channel.closed = False
    (sixth,) = await ask(harness, 6)
    assert digest(harness).approval_id == sixth
    assert digest(harness).title.startswith("3 of 3 wait")
    assert harness.channel.replies[DIGEST] == "6"


async def test_it_comes_down_once_the_line_is_back_after_an_outage(harness: Harness) -> None:
    await ask_many(harness, 4)
    harness.channel.offline = True
    (fifth,) = await ask(harness, 5)
    assert digests(harness) == [DIGEST]
    harness.channel.offline = False
    harness.clock.turn(minutes=1)
    await harness.run()
    assert len(digests(harness)) == 1
    assert digest(harness).approval_id == fifth


async def test_it_comes_down_in_the_group_that_moved_and_leaves_the_old_one(harness: Harness) -> None:
    new = "telegram:-1005"
    await ask_many(harness, 4, chat=GROUP)
    await ask(harness, 5, chat=GROUP)
    await harness.write(lambda c: harness.approvals.chat_moved(c, GROUP, new, harness.clock.now()))
    await harness.run()
    count = len(harness.channel.replies)
    (sixth,) = await ask(harness, 6, chat=new)
    assert len(harness.channel.replies) == count + 1
    assert digest(harness).approval_id == sixth
    assert (await harness.tap("Deny this", chat=new)).startswith("Denied by you")


async def test_a_group_that_moves_while_it_comes_down_has_it_in_the_new_one(harness: Harness) -> None:
    new = "telegram:-1005"
    await ask_many(harness, 4, chat=GROUP)
    show = harness.channel.show

    async def moved(*args: object) -> object:
        harness.channel.show = show  # type: ignore[method-assign]
        ref = await show(*args)  # type: ignore[arg-type]
        await harness.write(lambda c: harness.approvals.chat_moved(c, GROUP, new, harness.clock.now()))
        return ref

    harness.channel.show = moved  # type: ignore[method-assign,assignment]
    await ask(harness, 5, chat=GROUP)
    (found,) = await harness.store.read(lambda c: batches_in(c, new))
    assert [ref.message.chat for ref in found.card_refs] == [new]
    assert not any(ref.leaving for ref in found.card_refs)


async def test_a_flood_that_vanishes_while_it_comes_down_is_no_fault(harness: Harness) -> None:
    await ask_many(harness, 4)
    delete, row = harness.channel.delete, await newest_batch(harness)

    async def emptied(*args: object) -> object:
        await harness.write(lambda c: c.execute(approval_batches.approval_batches.delete()))
        return await delete(*args)  # type: ignore[arg-type]

    harness.channel.delete = emptied  # type: ignore[method-assign,assignment]
    await ask(harness, 5)
    assert await harness.store.read(lambda c: approval_batches.get(c, row.batch_id)) is None


async def test_each_database_brings_it_down(lasting_harness: Harness) -> None:
    await ask_many(lasting_harness, 4)
    (fifth,) = await ask(lasting_harness, 5)
    assert digest(lasting_harness).approval_id == fifth
    assert digests(lasting_harness) == ["104"]


class Mortality:
    """Kills the process around the channel's n-th call."""

    def __init__(self, harness: Harness) -> None:
        self.left, self.after, self.count = -1, False, 0
        for name in ("show", "edit", "delete"):
            setattr(harness.channel, name, self._mortal(getattr(harness.channel, name)))

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


async def scenario(harness: Harness) -> str:
    """Four approvals are pending; a fifth is requested, approved on the batch card and done.

    Each step is idempotent.
    """
    await ask_many(harness, 4)
    (fifth,) = await ask(harness, 5)
    if "Approve this" in labels(digest(harness)) and digest(harness).body == "Message number 5":
        tap = harness.tap_of(harness.channel.button("Approve this"), inbound_id="tap", dedup_key="tap")
        assert (await harness.approvals.decide(tap)).tapped in {TapResult.DECIDED, TapResult.TOO_LATE}
    await harness.run()
    await harness.after_undo_window()
    return fifth


async def held(harness: Harness, fifth: str) -> None:
    """Check that the card is below the request, that the other cards are true, and that each act was done once."""
    row = await newest_batch(harness)
    standing = [ref.message.message_ids[0] for ref in row.card_refs if not ref.leaving]
    assert not [ref for ref in row.card_refs if ref.leaving and not ref.retired]
    assert {harness.channel.replies[one] for one in standing} == {"5"}
    assert {key for key in digests(harness) if key in standing} == set(standing)
    assert len({harness.channel.cards[one].model_dump_json() for one in standing}) == 1
    assert len(harness.channel.replies) <= OWN + 3
    sent = [call.args.text for call in harness.provider.effects]
    assert sent == ["Message number 5"] or (sent == [] and await harness.state(fifth) == "unknown")
    assert await harness.store.read(audit.verify) is None
    assert not await harness.store.read(lambda c: work.ready(c, harness.clock.now()))
    for key in (key for key in digests(harness) if key not in standing):
        told = await tapped(harness, "Approve this", harness.channel.cards[key], key)
        assert told.startswith(("Already decided", "A newer version"))


async def test_the_scenario_has_fewer_steps_than_are_tried(mortal: CrashingStore) -> None:
    harness = Harness(mortal)
    calls = Mortality(harness)
    await held(harness, await scenario(harness))
    assert 10 < mortal.count <= COMMITS
    assert 5 < calls.count <= CALLS


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("point", every_nth(range(1, COMMITS + 1), 4))
async def test_a_death_at_any_commit_leaves_it_in_one_place(mortal: CrashingStore, point: int, after: bool) -> None:
    harness = Harness(mortal)
    mortal.left, mortal.after = point, after
    try:
        fifth = await scenario(harness)
    except Killed:
        mortal.left = -1
        harness.restart()
        fifth = await scenario(harness)
    mortal.left = -1
    await held(harness, fifth)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("point", every_nth(range(1, CALLS + 1), 4))
async def test_a_death_at_any_call_of_the_channel_leaves_it_in_one_place(
    harness: Harness, point: int, after: bool
) -> None:
    calls = Mortality(harness)
    calls.left, calls.after = point, after
    try:
        fifth = await scenario(harness)
    except Killed:
        harness.restart()
        fifth = await scenario(harness)
    await held(harness, fifth)
