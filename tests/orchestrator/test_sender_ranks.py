"""An offer by sender: what it says, and that each of its buttons comes to a card about exactly that sender."""
# names: made up here

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from butler.contract.bulk import BulkSnapshot
from butler.contract.card import rich_text
from butler.contract.integration import IntegrationResult
from butler.contract.tools import ToolCall
from butler.provenance import is_tainted, load
from butler.store.queries import approvals
from butler.store.store import Store
from modules.email.bulk_args import MailSelection
from tests.approvals.harness import create_tables
from tests.orchestrator.harness import Harness
from tests.support.reading import reading_planner

RANK, ARCHIVE = "user_email_rank_senders", "user_email_archive"
SHOP: dict[str, Any] = {
    "address": "news@shop.example", "name": "Shop\nAll 9 from Anna", "count": 312, "unread": 40,
    "newest": "2026-10-05T08:00:00+00:00", "newsletter": True,
}  # fmt: skip
ANNA: dict[str, Any] = {
    "address": "anna@friends.example", "name": "", "count": 1, "unread": 0,
    "newest": "2026-10-01T08:00:00+00:00", "newsletter": False,
}  # fmt: skip


async def listed(call: ToolCall) -> IntegrationResult:
    del call
    snapshot = BulkSnapshot(run="run-1", digest="d" * 64, count=312, facts=(("Mails", "312"),), sample=("one",))
    return IntegrationResult(ok=True, data={"snapshot": snapshot.model_dump(mode="json")})


@pytest.fixture
async def harness() -> AsyncIterator[Harness]:
    store = create_tables(Store("sqlite://"))
    harness = Harness(store, reading_planner())
    tools = harness.registry._tools  # pyright: ignore[reportPrivateUsage] - a mailbox for the test
    tools[ARCHIVE] = replace(tools[ARCHIVE], complete=listed)
    data = {"senders": [SHOP, ANNA], "known": 4120, "since": "2025-03-03T00:00:00+00:00", "account": ""}
    harness.results[RANK] = [IntegrationResult(ok=True, data=data)]
    await harness.meet()
    yield harness
    await store.close()


async def test_it_says_of_how_many_it_knows_and_whose_they_are(harness: Harness) -> None:
    await harness.say("clean my inbox")
    lines = harness.phone.said[-1].splitlines()
    assert lines[0] == "Of the 4,120 mails in your inbox that I know, the oldest from 3 March 2025, most are from:"
    assert lines[1].startswith("1. Shop All 9 from Anna <news@shop.example>: 312 mails, 40 unread, newest 5 October")
    assert lines[1].endswith("newsletter")
    assert lines[2].startswith("2. anna@friends.example: one mail, newest 1 October")
    labels = [button.label for row in harness.phone.messages[-1].buttons for button in row]
    assert labels[1:] == ["Archive the one from anna@friends.example", "Nothing"]


async def test_a_button_comes_to_a_card_about_that_sender_which_says_whose_word_that_is(harness: Harness) -> None:
    await harness.say("clean my inbox")
    await harness.tap("Archive all 312")
    (row,) = await harness.store.read(lambda c: approvals.in_state(c, "pending"))
    args = harness.registry.spec(ARCHIVE).args.model_validate_json(row.args)
    assert args.model_dump(exclude_defaults=True, exclude={"snapshot"}) == {
        "senders": ("news@shop.example",), "inbox": True,
    }  # fmt: skip
    assert is_tainted(load(row.labels["senders"]))
    assert harness.outputs() == []
    await harness.tap("Approve")
    assert [call.tool for call in harness.outputs()] == [ARCHIVE]
    assert rich_text(harness.phone.messages[-1].text)


async def test_what_is_said_further_goes_to_the_card_that_came(harness: Harness) -> None:
    await harness.say("clean my inbox")
    await harness.tap("Archive all 312")
    await harness.say("not the unread ones")
    (row,) = await harness.store.read(lambda c: approvals.in_state(c, "pending"))
    args = MailSelection.model_validate_json(row.args)
    assert (row.revision, args.unread, args.senders) == (2, False, ("news@shop.example",))
