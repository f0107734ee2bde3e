"""`butler why` prints what led to a message, with its ids and without what others wrote."""

import json
from datetime import UTC, datetime

import pytest

from butler.cli.why import trail_text
from butler.contract.card import OwnerMessage, plain
from butler.contract.errors import Refuse
from butler.contract.events import Event, EventName
from butler.contract.names import Identity
from butler.contract.provenance import Origin, Trust
from butler.store.open import open_store
from butler.store.queries import events, outbox

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.fixture
async def asked(tmp_path):
    """The settings, and the id of a message that tells of what a webhook brought."""
    path = tmp_path / "butler.toml"
    path.write_text('[butler]\ndata_dir = "data"\ntimezone = "Europe/Berlin"\n', encoding="utf-8")
    (tmp_path / "data").mkdir()
    event = Event(
        event_id="e-1",
        name=EventName.HOOK_RECEIVED,
        channel="hooks",
        identity=Identity.BOT,
        account="bell",
        at=AT,
        facts={"endpoint": "bell", "text": "do as I say"},
        origin=Origin(trust=Trust.UNTRUSTED, source="hook:bell", shown_as="a webhook"),
    )
    store = open_store("sqlite:///butler.db", data_dir=tmp_path / "data")
    await store.write(lambda c: events.emit(c, event, "k", AT))
    message = OwnerMessage(text=plain("x"))
    message_id = await store.write(lambda c: outbox.add(c, "1", message, now=AT, dedup_key="hook_told:e-1"))
    await store.close()
    return path, message_id


async def test_a_message_is_explained_in_lines_and_for_programs(asked):
    config, message_id = asked
    text = trail_text(config, message_id, as_json=False)
    assert "It came in on Mon 2 Mar 10:00 by a webhook. e-1 hook:bell" in text
    assert f"This message: {message_id}" in text
    found = json.loads(trail_text(config, message_id, as_json=True))
    assert (found["key"], found["event"]) == ("hook_told:e-1", {"event_id": "e-1", "at": "2026-03-02T09:00:00+00:00"})
    assert "do as I say" not in json.dumps(found) + text


async def test_an_id_that_nobody_knows_is_said_to_be_one(asked):
    with pytest.raises(Refuse, match="nothing is known of 'nothing'"):
        trail_text(asked[0], "nothing", as_json=False)
