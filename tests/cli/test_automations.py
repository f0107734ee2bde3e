"""`butler automations` and `butler events`: what is done by itself, beside a running daemon."""
# ruff: noqa: ASYNC240 - a test may wait for a small file

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from butler.contract.automations import Automation, AutomationState, SavedAutomation
from butler.store.open import open_store
from butler.store.queries import automations, events, work
from butler.store.store import Store
from tests.automations.test_firing import BILLS, TELL
from tests.automations.world import happened

BILLS_FILE = """[[automations]]
name = "Bills"
when = { event = "mail.received", where = [{ fact = "subject", compare = "contains", value = "invoice" }] }
do = [{ tell = "{subject}" }]
"""


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    Path("butler.toml").touch()
    Path("data").mkdir(mode=0o700)
    store = open_store("sqlite:///butler.db", data_dir=Path("data"))
    now = datetime.now(UTC)
    automation = Automation.model_validate({"name": "Bills", **BILLS, **TELL})
    await store.write(lambda c: automations.add(c, "a-1", automation, source="call-1", now=now))
    event = happened(subject="Invoice 7", sender="mail:shop@shop.example", at=now)
    await store.write(lambda c: events.emit(c, event, "key-1", now))
    yield store
    await store.close()


async def one(store: Store) -> SavedAutomation:
    found = await store.read(lambda c: automations.get(c, "a-1"))
    assert found is not None
    return found


async def test_automations_are_listed_shown_paused_let_go_on_and_removed(butler, store: Store) -> None:
    assert "subject contains “invoice”" in (await butler("automations")).stdout
    (listed,) = json.loads((await butler("automations", "--json")).stdout)
    assert (listed["number"], listed["standing"]) == (1, "active")
    assert "has not fired yet" in (await butler("automations", "show", "1")).stdout
    for step, standing in (
        ("pause", AutomationState.PAUSED),
        ("resume", AutomationState.ACTIVE),
        ("remove", AutomationState.REMOVED),
    ):
        assert (await butler("automations", step, "1")).exit_code == 0
        assert (await one(store)).standing is standing
    gone = await butler("automations", "pause", "1")
    assert gone.exit_code == 1
    assert "there is no automation 1" in gone.stderr


async def test_an_event_is_listed_and_fired_again_by_the_daemon(butler, store: Store) -> None:
    assert "Invoice 7" in (await butler("events", "--name", "mail.received")).stdout
    (event,) = json.loads((await butler("events", "--json")).stdout)
    assert (await butler("automations", "replay", event["event_id"])).exit_code == 0
    rows = await store.read(lambda c: work.ready(c, datetime.now(UTC)))
    (subject,) = [row.subject for row in rows if row.kind == automations.REPLAY]
    assert subject.startswith("a-1/event-1/")
    assert (await butler("events", "--name", "mail.lost")).exit_code == 1


async def test_a_file_is_tried_and_nothing_of_it_saved(butler, store: Store) -> None:
    Path("bills.toml").write_text(BILLS_FILE)
    tried = await butler("automations", "test", "bills.toml")
    assert tried.exit_code == 0
    assert "would have fired once" in tried.stdout
    assert len(await store.read(automations.every)) == 1
    Path("bills.toml").write_text(BILLS_FILE.replace("{subject}", "{weather}"))
    assert "has no fact weather" in (await butler("automations", "test", "bills.toml")).stderr
    Path("automations").mkdir()
    Path("bills.toml").rename("automations/bills.toml")
    assert "has no fact weather" in (await butler("config", "check")).stderr
