"""What is old goes in the night, what is still needed stays, and a file goes only when nothing names it."""

import os
from datetime import UTC, datetime, timedelta
from math import inf
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy as sa

from butler.contract.card import OwnerMessage, plain
from butler.contract.hooks import StoredHook
from butler.contract.inbound import Inbound, InboundKind
from butler.contract.names import Identity
from butler.contract.provenance import Origin, Trust
from butler.contract.tools import Attachment
from butler.maintenance.retention import MOST_AT_ONCE, RUN_RETENTION, Retention, next_night, next_portion, would_go
from butler.store.blobs import FileBlobs
from butler.store.queries import cursors, hooks, inbox, memory, outbox, work
from butler.store.queries.counts import LAST_RETENTION
from butler.store.queries.hooks import HookState
from butler.store.queries.inbox import InboxState
from butler.store.queries.retention import OLD as RULES
from butler.store.tables import hooks as hook_rows
from butler.store.tables import inbox as inbox_rows
from butler.store.tables import memory_sources
from butler.store.tables import outbox as outbox_rows
from butler.store.tables import work as work_rows
from config.keeping import RetentionSettings
from tests.schedule.schedule_harness import SetClock
from tests.support.services import make_services

NOW = datetime(2027, 6, 1, 12, tzinfo=UTC)
OLD, NEW = NOW - timedelta(days=400), NOW - timedelta(days=10)
ZONE = ZoneInfo("Europe/Berlin")
AGED = 1_000_000_000.0
"""A time of a file that is years back."""


class Memory:
    """What of memory is needed: it forgets in the rows at once."""

    def __init__(self, store):
        self._store = store

    async def drop(self, source_ids):
        await self._store.write(lambda c: memory.leave(c, source_ids, memory.SourceState.DROPPING))
        await self._store.write(lambda c: memory.mark_removed(c, source_ids))
        return len(source_ids)


@pytest.fixture
def blobs(tmp_path):
    return FileBlobs(tmp_path / "blobs")


@pytest.fixture
def harness(store, blobs):
    def built(**settings):
        services = make_services(store, SetClock(NOW), zone=ZONE, settings={"retention": settings})
        return Retention(services, blobs, Memory(store), turn_s=inf)

    return built


def aged(blobs, data):
    digest = blobs.put_now(data)
    os.utime(blobs.root / digest[:2] / digest, (AGED, AGED))
    return digest


def came(name, at, *, kind=InboundKind.CHAT, state=InboxState.DONE, raw="", file=""):
    """An item of the inbox, settled."""
    files = (Attachment(name="bill.pdf", size=3, sha256=file),) if file else ()
    item = Inbound(
        inbound_id=name,
        kind=kind,
        channel="email" if kind is InboundKind.MAIL else "telegram",
        identity=Identity.BOT,
        account="butler",
        dedup_key=f"key:{name}",
        chat="telegram:42",
        sender="telegram:42",
        received_at=at,
        text="the words",
        attachments=files,
        origin=Origin(trust=Trust.OWNER, source=name, shown_as="you"),
        payload={"raw": raw, "uid": 7, "uidvalidity": 1, "message_id": "<m>", "quarantine": None} if raw else {},
    )

    def write(connection):
        assert inbox.add(connection, item)
        if state is not InboxState.NEW:
            inbox.settle(connection, name, state, now=at)

    return write


def told(key, at, *, sent=True):
    def write(connection):
        message = outbox.add(connection, "telegram:42", OwnerMessage(text=plain("said")), now=at, dedup_key=key)
        connection.execute(work_rows.delete().where(work_rows.c.subject == message))
        if sent:
            connection.execute(outbox_rows.update().where(outbox_rows.c.dedup_key == key).values(state="sent"))

    return write


def hooked(name, at, state):
    def write(connection):
        hooks.add(connection, StoredHook(name, "generic", {}, b"x", at), name, "10.0.0.1", at)
        if state is not HookState.NEW:
            hooks.settle(connection, name, state, at)
            work.cancel(connection, hooks.HOOK, name)

    return write


async def left(store, column):
    return set(await store.read(lambda c: c.execute(sa.select(column)).scalars().all()))


async def test_what_is_old_goes_and_what_is_new_or_still_needed_stays(store, harness):
    writes = [
        came("old", OLD),
        came("new", NEW),
        came("old_unread", OLD, state=InboxState.NEW),
        came("old_quarantined", OLD, state=InboxState.QUARANTINED),
        came("old_awaited", OLD),
        lambda c: work.add(c, "plan_step", "old_awaited", now=OLD),
        told("old", OLD),
        told("new", NEW),
        told("old_unsent", OLD, sent=False),
        hooked("old", OLD, HookState.DONE),
        hooked("old_waiting", OLD, HookState.NEW),
        hooked("new", NEW, HookState.DONE),
    ]
    for write in writes:
        await store.write(write)
    await harness().tonight("house")
    assert await left(store, inbox_rows.c.inbound_id) == {"new", "old_unread", "old_quarantined", "old_awaited"}
    assert await left(store, outbox_rows.c.dedup_key) == {"new", "old_unsent"}
    assert await left(store, hook_rows.c.hook_id) == {"new", "old_waiting"}
    fact = await store.read(lambda c: cursors.fact(c, LAST_RETENTION))
    assert (fact["at"], fact["rows"]) == (NOW.isoformat(), {"inbox": 1, "outbox": 1, "hooks": 1})


async def test_an_old_mail_leaves_a_line_by_which_it_is_still_known(store, harness, blobs):
    raw, file = aged(blobs, b"raw"), aged(blobs, b"pdf")
    await store.write(came("mail", OLD, kind=InboundKind.MAIL, raw=raw, file=file))
    await harness().tonight("house")
    item, state = await store.read(lambda c: inbox.get(c, "mail"))
    assert (item.text, item.sender, item.attachments, item.payload["raw"]) == ("", "", (), "")
    assert (item.payload["uid"], state) == (7, InboxState.DONE)
    assert not await store.write(lambda c: inbox.add(c, item))
    assert list(blobs.digests()) == []
    await harness().tonight("house")
    assert (await store.read(lambda c: cursors.fact(c, LAST_RETENTION)))["rows"] == {}


async def test_the_mail_as_it_came_goes_before_what_was_read_of_it(store, harness, blobs):
    raw, file = aged(blobs, b"raw"), aged(blobs, b"pdf")
    await store.write(came("mail", NOW - timedelta(days=200), kind=InboundKind.MAIL, raw=raw, file=file))
    await harness().tonight("house")
    item, _ = await store.read(lambda c: inbox.get(c, "mail"))
    assert (item.text, item.payload["raw"], item.attachments[0].sha256) == ("the words", "", file)
    assert list(blobs.digests()) == [file]


async def test_a_file_stays_while_anything_names_it_or_its_row_may_be_on_the_way(store, harness, blobs):
    named, nameless, young = aged(blobs, b"named"), aged(blobs, b"nameless"), blobs.put_now(b"young")
    again = aged(blobs, b"again")
    await store.write(lambda c: cursors.put_fact(c, "any", {"deep": [f"file:{named}"]}, NOW))
    blobs.put_now(b"again")
    with blobs.kept():
        await harness().tonight("house")
    assert set(blobs.digests()) == {named, nameless, young, again}
    await harness().tonight("house")
    assert set(blobs.digests()) == {named, young, again}


async def test_for_ever_is_for_ever(store, harness):
    await store.write(came("old", OLD))
    await harness(inbox="").tonight("house")
    assert await left(store, inbox_rows.c.inbound_id) == {"old"}


async def test_memory_forgets_the_kinds_that_it_is_told_to(store, harness):
    def remember(connection):
        for kind in ("chat", "note"):
            row = {"source_id": kind, "kind": kind, "title": "", "account": "", "person": "", "origins": []}
            row |= {"problems": [], "digest": "", "chunks": 1, "state": "kept", "added_at": OLD}
            connection.execute(memory_sources.insert().values(**row))

    await store.write(remember)
    await harness(memory={"chats": "365d", "notes": ""}).tonight("house")
    assert await left(store, memory_sources.c.source_id) == {"note"}


async def test_more_than_a_portion_goes_and_a_dry_run_counts_it_before(store, harness, blobs):
    def fill(connection):
        for number in range(230):
            came(f"m{number}", OLD)(connection)

    await store.write(fill)
    aged(blobs, b"nameless")
    told = await store.read(lambda c: would_go(c, blobs, RetentionSettings(), NOW))
    assert (told.rows, told.files, told.size) == ({"inbox": 230}, 1, 8)
    await harness().tonight("house")
    assert await left(store, inbox_rows.c.inbound_id) == set()


async def test_one_night_waits_whatever_is_begun_again(store, harness):
    one = harness()
    await one.begin()
    await one.begin()
    (row,) = await store.read(lambda c: work.written(c, 0))
    assert (row.kind, row.run_at) == (RUN_RETENTION, datetime(2027, 6, 2, 1, 30, tzinfo=UTC))
    await one.tonight("house")
    assert len(await store.read(lambda c: work.written(c, 0))) == 1


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        ("2027-03-27T12:00:00+00:00", "2027-03-28T01:30:00+00:00"),
        ("2027-10-31T01:00:00+00:00", "2027-10-31T02:30:00+00:00"),
        ("2027-10-31T02:30:00+00:00", "2027-11-01T02:30:00+00:00"),
    ],
)
def test_the_night_is_one_of_the_owners_zone(at, expected):
    assert next_night(datetime.fromisoformat(at), ZONE) == datetime.fromisoformat(expected)


@pytest.mark.parametrize("wrong", [{"inbox": "12h"}, {"events": "10d"}, {"inbox": "soon"}, {"audit": "1d"}])
def test_what_would_break_something_is_no_setting(wrong):
    with pytest.raises(ValueError, match=r"keep it|write a duration|Extra inputs"):
        RetentionSettings(**wrong)


async def test_a_night_is_done_a_turn_at_a_time_and_others_have_theirs(store, blobs):
    def fill(connection):
        for number in range(230):
            came(f"m{number}", OLD)(connection)
            told(f"m{number}", OLD)(connection)

    await store.write(fill)
    one = Retention(make_services(store, SetClock(NOW), zone=ZONE), blobs, Memory(store), turn_s=0.0)
    await one.begin()
    turns = 0
    while await store.read(lambda c: cursors.fact(c, LAST_RETENTION)) is None:
        before = await store.read(lambda c: work.ready(c, NOW))
        await one.tonight("house")
        turns += 1
        # The rest is work that is due at once, behind what others have written meanwhile.
        assert len(await store.read(lambda c: work.ready(c, NOW))) - len(before) in {0, 1}
    assert turns >= 2
    assert await left(store, inbox_rows.c.inbound_id) == await left(store, outbox_rows.c.dedup_key) == set()
    fact = await store.read(lambda c: cursors.fact(c, LAST_RETENTION))
    assert fact["rows"] == {"inbox": 230, "outbox": 230}


async def test_what_came_to_be_needed_between_the_look_and_the_deletion_stays(store):
    await store.write(came("old", OLD))
    (old,) = (one for one in RULES if one.setting == "inbox" and one.blank is None)
    looked = await store.read(lambda c: old.look(c, NOW, None, 10))
    assert (looked.rows, len(looked.found)) == (1, 1)
    await store.write(lambda c: work.add(c, "plan_step", "old", now=NOW))
    assert await store.write(lambda c: old.purge(c, NOW, looked)) == 0
    assert await left(store, inbox_rows.c.inbound_id) == {"old"}


def test_a_portion_is_as_large_as_holds_up_nobody():
    assert next_portion(100, 0.001, 0.0001) == 200
    assert next_portion(400, 0.001, 0.0001) == MOST_AT_ONCE
    assert next_portion(100, 0.001, 0.004) == 100
    assert next_portion(100, 0.001, 0.02) == 50
    assert next_portion(100, 0.2, 0.0) == 50
    assert next_portion(1, 9.0, 9.0) == 1
