"""The named queries of inbox, work, outbox, cursors and facts, the same on every database."""

from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
from sqlalchemy import exc

from butler.contract.card import MessageRef, OwnerMessage, plain
from butler.contract.inbound import Inbound, InboundKind
from butler.contract.names import Identity
from butler.contract.provenance import Origin
from butler.contract.reasons import ReasonCode, in_own_words, of_error, reason
from butler.store.errors import StoreBusyError
from butler.store.queries import cursors, inbox, outbox, work
from butler.store.queries.inbox import InboxNote, InboxState
from butler.store.store import Store

NOW = datetime(2026, 7, 30, 12, 0, 0, 123_457, tzinfo=UTC)
HOUR = timedelta(hours=1)


def item(number: int, chat: str = "telegram:42", text: str = "hello", ref: str = "") -> Inbound:
    return Inbound(
        inbound_id=f"i{number}",
        kind=InboundKind.CHAT,
        channel="telegram",
        identity=Identity.BOT,
        account="7000",
        dedup_key=f"telegram:bot:7000:{number}",
        chat=chat,
        sender="telegram:42",
        message_ref=ref or str(number),
        received_at=NOW,
        text=text,
        origin=Origin.owner("telegram:42"),
    )


async def test_an_item_comes_back_as_it_was_stored_and_a_double_is_known(store: Store):
    stored = item(1, text="grüße 😀 \x00 \udcff")
    assert await store.write(lambda c: inbox.add(c, stored))
    assert not await store.write(lambda c: inbox.add(c, stored.model_copy(update={"inbound_id": "another"})))
    assert await store.read(lambda c: inbox.get(c, "i1")) == (stored, InboxState.NEW)
    assert await store.read(lambda c: inbox.get(c, "another")) is None
    await store.write(lambda c: inbox.settle(c, "i1", InboxState.IGNORED, now=NOW, detail=InboxNote.NOT_FROM_OWNER))
    assert await store.read(lambda c: inbox.get(c, "i1")) == (stored, InboxState.IGNORED)


async def test_the_newest_items_of_a_chat_come_first(store: Store):
    def fill(connection: sa.Connection) -> None:
        for n in range(6):
            inbox.add(connection, item(n, chat=f"telegram:{n % 2}", ref=str(n // 4)))

    await store.write(fill)
    recent = await store.read(lambda c: inbox.recent(c, channel="telegram", identity="bot", limit=3))
    assert [i.inbound_id for i in recent] == ["i5", "i4", "i3"]
    of_chat = await store.read(lambda c: inbox.recent(c, channel="telegram", identity="bot", chat="telegram:0"))
    assert [i.inbound_id for i in of_chat] == ["i4", "i2", "i0"]
    assert await store.read(lambda c: inbox.recent(c, channel="telegram", identity="user")) == []
    versions = await store.read(lambda c: inbox.by_message(c, "telegram:0", "0"))
    assert [i.inbound_id for i in versions] == ["i0", "i2"]


async def test_what_was_dealt_with_waits_until_it_is_filed_and_what_is_put_aside_does_not(store: Store):
    def fill(connection: sa.Connection) -> None:
        for n in range(6):
            inbox.add(connection, item(n, text="\x00 \udcff").model_copy(update={"payload": {"raw": f"d{n % 5}"}}))
        ends = (InboxState.DONE, InboxState.IGNORED, InboxState.QUARANTINED, InboxState.DONE)
        for n, end in enumerate(ends, 1):
            inbox.settle(connection, f"i{n}", end, now=NOW, detail=(in_own_words("why"),))

    await store.write(fill)
    of = {"channel": "telegram", "identity": "bot", "account": "7000"}
    handled = await store.read(lambda c: inbox.handled(c, **of, limit=2))
    assert [i.inbound_id for i in handled] == ["i1", "i4"]
    await store.write(lambda c: inbox.note_filed(c, ["i1"], NOW))
    assert [i.inbound_id for i in await store.read(lambda c: inbox.handled(c, **of, limit=9))] == ["i4"]
    assert await store.read(lambda c: inbox.raws(c, **of)) == {"d0", "d1", "d2", "d3", "d4"}
    assert await store.read(lambda c: inbox.raws(c, **of | {"account": "7001"})) == frozenset()
    (aside,) = await store.read(lambda c: inbox.quarantined(c, channel="telegram", beginning="i"))
    assert (aside.item.inbound_id, aside.why) == ("i3", (in_own_words("why"),))
    assert await store.read(lambda c: inbox.quarantined(c, channel="telegram", beginning="%")) == []
    assert await store.read(lambda c: inbox.quarantined(c, channel="email")) == []


async def test_work_is_ready_when_due_in_the_order_of_writing(store: Store):
    def fill(connection: sa.Connection) -> list[int]:
        return [
            work.add(connection, "look", "later", now=NOW, run_at=NOW + HOUR),
            work.add(connection, "look", "first", now=NOW, lane="chat"),
            work.add(connection, "look", "second", now=NOW, lane="chat"),
        ]

    later, first, second = await store.write(fill)
    ready = await store.read(lambda c: work.ready(c, NOW))
    assert [(row.work_id, row.subject, row.lane, row.delayed) for row in ready] == [
        (first, "first", "chat", False),
        (second, "second", "chat", False),
    ]
    assert [row.work_id for row in await store.read(lambda c: work.ready(c, NOW, after=first))] == [second]
    assert [row.work_id for row in await store.read(lambda c: work.ready(c, NOW + HOUR))] == [later, first, second]
    written = await store.read(lambda c: work.written(c, 0))
    assert next((row.work_id, row.lane, row.delayed) for row in written) == (later, "look:later", True)
    assert await store.read(lambda c: work.next_due(c, NOW)) == NOW + HOUR
    assert await store.read(lambda c: work.next_due(c, NOW + HOUR)) is None


async def test_work_is_put_back_set_aside_cancelled_and_done(store: Store):
    def fill(connection: sa.Connection) -> list[int]:
        return [work.add(connection, "look", subject, now=NOW) for subject in "abcd"]

    a, b, _, d = await store.write(fill)
    await store.write(lambda c: work.again(c, a, NOW + HOUR, of_error(StoreBusyError())))
    await store.write(lambda c: work.again(c, a, NOW + HOUR, reason(ReasonCode.FAULT, kind="ValueError"), fault=True))
    await store.write(lambda c: work.fail(c, b, reason(ReasonCode.FAULT, kind="ValueError")))
    await store.write(lambda c: work.cancel(c, "look", "c"))
    await store.write(lambda c: work.done(c, d))
    (row,) = await store.read(lambda c: work.written(c, 0))
    assert (row.subject, row.attempts, row.faults, row.run_at) == ("a", 2, 1, NOW + HOUR)
    assert [await store.read(lambda c, s=s: work.count(c, s)) for s in ("ready", "failed")] == [1, 1]


async def test_a_work_id_is_never_given_out_twice(store: Store):
    first = await store.write(lambda c: work.add(c, "look", "a", now=NOW))
    await store.write(lambda c: work.done_all(c, [first]))
    assert await store.write(lambda c: work.add(c, "look", "b", now=NOW)) > first


async def test_a_message_to_the_owner_is_put_on_its_way_once(store: Store):
    message = OwnerMessage(text=plain("Good morning"))
    sent_id = await store.write(lambda c: outbox.add(c, "telegram:42", message, now=NOW, dedup_key="digest:1"))
    assert sent_id is not None
    assert await store.write(lambda c: outbox.add(c, "telegram:42", message, now=NOW, dedup_key="digest:1")) is None
    (row,) = await store.read(lambda c: work.ready(c, NOW))
    assert (row.kind, row.subject, row.lane) == (outbox.DELIVER, sent_id, "out:telegram:42")
    ref = MessageRef(chat="telegram:42", message_ids=("9",))
    await store.write(lambda c: outbox.sent(c, sent_id, ref, NOW))
    stored = await store.read(lambda c: outbox.get(c, sent_id))
    assert stored == outbox.OutboxRow(sent_id, "telegram:42", message, "sent", ref, "digest:1")


async def test_a_chat_that_moved_takes_its_items_and_waiting_messages_along(store: Store):
    message = OwnerMessage(text=plain("Hello"))

    def move(connection: sa.Connection) -> str | None:
        inbox.add(connection, item(1, chat="telegram:-5"))
        message_id = outbox.add(connection, "telegram:-5", message, now=NOW)
        inbox.rename_chat(connection, "telegram:-5", "telegram:-1005")
        outbox.rename_chat(connection, "telegram:-5", "telegram:-1005")
        return message_id

    message_id = await store.write(move)
    moved = await store.read(lambda c: outbox.get(c, str(message_id)))
    assert moved is not None
    assert moved.chat == "telegram:-1005"
    found = await store.read(lambda c: inbox.recent(c, channel="telegram", identity="bot", chat="telegram:-1005"))
    assert [i.inbound_id for i in found] == ["i1"]


async def test_cursors_and_facts_hold_their_last_value(store: Store):
    await store.write(lambda c: cursors.put(c, "offset", "1", NOW))
    await store.write(lambda c: cursors.put(c, "offset", "2", NOW))
    await store.write(lambda c: cursors.put_fact(c, "owner", {"id": 42}, NOW))
    await store.write(lambda c: cursors.put_fact(c, "owner", {"id": 43}, NOW))
    assert await store.read(lambda c: cursors.get(c, "offset")) == "2"
    assert await store.read(lambda c: cursors.fact(c, "owner")) == {"id": 43}
    assert await store.read(lambda c: cursors.get(c, "other")) is None
    assert await store.read(lambda c: cursors.fact(c, "other")) is None


async def test_a_step_of_no_plan_cannot_be_stored(store: Store):
    with pytest.raises(exc.IntegrityError):
        await store.write(
            lambda c: c.exec_driver_sql(
                "INSERT INTO contact_aliases (contact_id, alias, confirmed, source) VALUES ('nobody', 'a', true, 's')"
            )
        )
