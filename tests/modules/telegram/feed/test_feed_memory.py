"""The client of a person's account runs for months: what it is shown must not pile up."""

import asyncio
import gc
import itertools
import tracemalloc
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from telethon import types

from butler_demo.mtproto.datacentre import DataCentre
from modules.telegram.integration_client_session import BoundedSession
from tests.modules.telegram.feed.feed_support import QUICK, SAM, FeedHarness
from tests.support.waiting import until

AT = datetime(2026, 3, 1, tzinfo=UTC)
BURST, STRANGERS = 40, 8
"""Updates that come at once, and people whom they show for the first time."""
GROWTH_ALLOWED = 200_000
"""Bytes; the people alone that are shown below would take five times that."""


def people(count: int, first: int = 1) -> list[Any]:
    return [
        types.User(i, access_hash=i, first_name=f"Person {i}", username=f"Person_{i}")
        for i in range(first, first + count)
    ]


def test_a_session_knows_those_it_was_shown_last_each_once() -> None:
    session: Any = BoundedSession(most=100)
    session.process_entities(people(90))
    session.process_entities([types.User(1, access_hash=11, first_name="Renamed", username="New_Name")])
    session.process_entities(people(20, first=1001))

    assert len(session) == 100
    assert session.get_input_entity(1) == types.InputPeerUser(1, 11)
    assert session.get_entity_rows_by_username("new_name") == (1, 11)
    assert session.get_entity_rows_by_username("person_1") is None
    with pytest.raises(ValueError, match="input entity"):
        session.get_input_entity(2)


@pytest.mark.parametrize(
    ("key", "found"),
    [
        (types.PeerUser(1), types.InputPeerUser(1, 1)),
        (types.PeerChannel(7), types.InputPeerChannel(7, 70)),
        ("person_1", types.InputPeerUser(1, 1)),
        ("Person 1", types.InputPeerUser(1, 1)),
        (7, types.InputPeerChannel(7, 70)),
    ],
)
def test_whom_it_was_shown_is_found_as_in_telethons_own(key: Any, found: Any) -> None:
    session: Any = BoundedSession()
    session.process_entities(
        types.contacts.ResolvedPeer(None, [types.Channel(7, "Club", None, AT, access_hash=70)], people(1))
    )

    assert session.get_input_entity(key) == found


@pytest.fixture
async def harness(tmp_path: Path) -> Any:
    centre = DataCentre()
    centre.add_account(SAM, "+15550042", "Sam")
    await centre.start()
    key_file = tmp_path / "centre.pem"
    key_file.write_text(centre.public_key_pem)
    yield FeedHarness(centre, key_file, centre.session_string(SAM), pace=replace(QUICK, apart=0.3))
    await centre.stop()


@pytest.mark.nightly
async def test_op_13_memory_stays_flat_over_tens_of_thousands_of_updates(harness: FeedHarness) -> None:
    bursts = itertools.count(1)

    async def replay(client: Any, count: int) -> None:
        """What Telethon does with what comes off the wire, without the cipher."""
        for burst in itertools.islice(bursts, count // BURST):
            first = burst * BURST
            pushed = [
                types.UpdateNewMessage(types.Message(i, types.PeerUser(first), AT, "text"), i, 1)
                for i in range(first, first + BURST)
            ]
            users = people(STRANGERS, first)
            client.session.process_entities(users)
            client._updates_queue.put_nowait(types.Updates(pushed, users, [], AT, 0))
            await asyncio.sleep(0)
        await until(client._updates_queue.empty)

    async with harness.running() as feed:
        await until(lambda: feed.health().last_ok is not None)
        client = feed._connection._client
        assert client is not None
        client.session._most = 200
        tracemalloc.start()
        try:
            await replay(client, 2_000)
            gc.collect()
            before, _ = tracemalloc.get_traced_memory()
            await replay(client, 20_000)
            gc.collect()
            after, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()

    assert after - before < GROWTH_ALLOWED
