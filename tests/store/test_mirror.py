"""What the person's accounts hold, as rows: kept once, replaced by news of it, found by what is asked."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from butler.contract.mirror import ChatKind, MirrorUpdate, Removal, SeenChat, SeenMessage, SeenQuery
from butler.sink import StoreMirror
from butler.store.queries import mirror
from butler.store.store import Store
from tests.support.context import TurnedClock

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def message(number: int, text: str = "hello", chat: str = "telegram:7", **more: Any) -> SeenMessage:
    at = NOW + timedelta(minutes=number)
    values: dict[str, Any] = {"sender": "telegram:7", "unread": True, "text": text, **more}
    return SeenMessage(channel="telegram", account="main", chat=chat, ref=str(number), order=number, at=at, **values)


def chat(address: str = "telegram:7", **more: Any) -> SeenChat:
    return SeenChat(channel="telegram", account="main", chat=address, **more)


async def keep(store: Store, *messages: SeenMessage, **more: Any) -> int:
    batch = MirrorUpdate("telegram", "main", messages=messages, **more)
    return await store.write(lambda c: mirror.keep(c, batch, NOW))


async def found(store: Store, **query: Any) -> list[str]:
    wanted = SeenQuery("telegram", **query)
    rows = await store.read(lambda c: mirror.messages(c, wanted))
    assert await store.read(lambda c: mirror.count(c, wanted)) == len(rows)
    return [row.text for row in rows]


async def test_a_message_that_comes_twice_is_kept_once(store: Store):
    assert await keep(store, message(1), message(2)) == 2
    assert await keep(store, message(2), message(3)) == 1
    assert len(await found(store)) == 3


async def test_an_edit_replaces_what_was_kept(store: Store):
    await keep(store, message(1, "at six"))
    assert await keep(store, message(1, "at seven", edited_at=NOW)) == 0
    assert await found(store) == ["at seven"]


async def test_a_removed_message_is_found_no_more_and_only_in_its_own_chat(store: Store):
    await keep(store, message(1, "a"), message(1, "b", chat="telegram:-1001"), chats=[chat()])
    await keep(store, removed=[Removal(ref="1", apart_from="telegram:-100")])
    assert await found(store) == ["b"]
    await keep(store, removed=[Removal(ref="1", chat="telegram:-1001")])
    assert await found(store) == []


async def test_what_is_older_is_taken_away_in_portions_with_chats_that_hold_nothing_then(
    store: Store, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(mirror, "MOST_PRUNED", 2)
    chats = [chat(), chat("telegram:8"), chat("telegram:9")]
    old = [message(n, f"old {n}", chat="telegram:8", raw=b"x") for n in range(3)]
    await keep(store, *old, message(3, "also old"), message(10, "new"), chats=chats)
    await keep(store, removed=[Removal(ref="0", chat="telegram:8")])
    turned = StoreMirror(store, TurnedClock())
    assert await turned.prune("telegram", "work", NOW + timedelta(minutes=10)) == 0
    assert await turned.prune("telegram", "main", NOW + timedelta(minutes=10)) == 4, "what was removed goes as well"
    assert await found(store) == ["new"]
    assert [one.chat for one in await turned.chats("telegram")] == ["telegram:7", "telegram:9"], "one was never full"
    assert await turned.raw("telegram", "main", "telegram:8", "1") is None


async def test_muted_chats_are_left_out_unless_they_are_asked_for(store: Store):
    chats = [chat(), chat("telegram:8", muted=True)]
    await keep(store, message(1, "a"), message(2, "b", chat="telegram:8"), chats=chats)
    assert await found(store) == ["a"]
    assert await found(store, muted=True) == ["b", "a"]
    assert await found(store, chat="telegram:8") == ["b"]


async def test_words_are_found_in_any_case_and_signs_mean_themselves(store: Store):
    await keep(store, message(1, "Straße 100%"), message(2, "Strasse 1000", sender_name="Ümit"))
    assert await found(store, words="STRASSE") == ["Strasse 1000", "Straße 100%"]
    assert await found(store, words="100%") == ["Straße 100%"]
    assert await found(store, words="ümit strasse") == ["Strasse 1000"]


async def test_unread_is_what_lies_behind_the_mark(store: Store):
    rows = [message(1, "a"), message(2, "b"), message(3, "mine", outgoing=True, unread=False)]
    await keep(store, *rows, chats=[chat(read_order=1)])
    assert await found(store, unread=True) == ["b"]
    assert await found(store, incoming=True) == ["b", "a"]


async def test_a_chat_is_read_onwards_or_backwards(store: Store):
    await keep(store, *(message(n, str(n)) for n in range(1, 6)))
    assert await found(store, chat="telegram:7", after_order=3) == ["4", "5"]
    assert await found(store, chat="telegram:7", before_order=3, since=NOW) == ["2", "1"]


async def test_chats_stand_by_their_newest_message(store: Store):
    chats = [chat(title="Old", kind=ChatKind.GROUP), chat("telegram:8", title="New"), chat("telegram:9", title="Empty")]
    await keep(store, message(1), message(2, chat="telegram:8"), chats=chats)
    assert [c.title for c in await store.read(lambda c: mirror.chats(c, "telegram"))] == ["New", "Old", "Empty"]
    assert await store.read(lambda c: mirror.chat(c, "telegram", "main", "telegram:7")) == chats[0]
    assert await store.read(lambda c: mirror.chats(c, "telegram", "other")) == []


async def test_a_whole_mail_is_kept_and_goes_with_its_chat(store: Store):
    await keep(store, message(1, raw=b"From: a\r\n\r\nx"))
    await keep(store, message(1, raw=b"From: b\r\n\r\ny"))
    assert await store.read(lambda c: mirror.raw(c, "telegram", "main", "telegram:7", "1")) == b"From: b\r\n\r\ny"
    assert await store.write(lambda c: mirror.forget(c, "telegram", "main", "telegram:7")) == 1
    assert await store.read(lambda c: mirror.raw(c, "telegram", "main", "telegram:7", "1")) is None
    assert await found(store) == []


async def test_who_sent_most_of_what_bears_a_label_is_counted(store: Store):
    inbox: dict[str, Any] = {"labels": ("INBOX", "IMPORTANT")}
    await keep(
        store,
        message(1, sender="mail:a@x.example", **inbox),
        message(3, "newest", sender="mail:a@x.example", **inbox, chat="telegram:8"),
        message(2, sender="mail:a@x.example", unread=False, **inbox),
        message(4, sender="mail:b@x.example", **inbox),
        message(5, sender="mail:b@x.example", labels=("INBOX2",)),
        message(6, sender="mail:c@x.example", outgoing=True, **inbox),
        message(7, sender="", **inbox),
        message(8, sender="mail:b@x.example", **inbox),
        removed=[Removal(ref="8")],
    )
    ranking = await store.read(lambda c: mirror.ranking(c, "telegram", "main", "INBOX", 9))
    assert [(one.address, one.count, one.unread, one.newest.text) for one in ranking.senders] == [
        ("mail:a@x.example", 3, 2, "newest"),
        ("mail:b@x.example", 1, 1, "hello"),
    ]
    assert (ranking.known, ranking.since) == (5, NOW + timedelta(minutes=1))
    none = await store.read(lambda c: mirror.ranking(c, "telegram", "work", "INBOX", 9))
    assert (none.senders, none.known, none.since) == ((), 0, None)
