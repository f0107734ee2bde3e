"""The facts that the tools of the person's account declare are in what they yield."""

from typing import Any

import pytest

from butler.contract.module import Health
from butler_demo.mtproto.datacentre import DataCentre
from tests.modules.telegram.user.conftest import ANNA, FAMILY, SAM, Harness
from tests.modules.telegram.user.test_reading import keep
from tests.support.declared_facts import assert_facts, tools_with_facts

READ = ("list_dialogs", "get_updates", "get_message_history", "find_group", "read_message")
SENT = ("send_message", "reply_to_message")
CHAT = f"telegram:{ANNA}"


async def yields(harness: Harness, name: str, *calls: dict[str, Any]) -> None:
    """Run a tool, and look for its facts in what it yields."""
    assert_facts(harness.spec(name), *[await harness.use(name, **args) for args in calls])


async def test_what_reading_yields(harness: Harness, centre: DataCentre) -> None:
    for number, voice in enumerate(("tenors", "altos"), 1):
        centre.add_group(FAMILY + number, f"Choir {voice}", SAM, ANNA)
        centre.inject(ANNA, -FAMILY - number, "tonight?")
    centre.inject(ANNA, -FAMILY, "dinner?")
    file = centre.add_file(b"%PDF-1.7 ...", "plan.pdf", mime_type="application/pdf")
    centre.inject(ANNA, SAM, "the plan", media=file)
    await yields(harness, "list_dialogs", {})
    await yields(harness, "get_message_history", {"chat": CHAT}, {"called": ["the choir"]})
    await yields(harness, "find_group", {"chat": f"telegram:-{FAMILY}"}, {"called": ["the choir"]})
    (listed,) = (await harness.get("get_message_history", chat=CHAT))["items"]
    await yields(harness, "read_message", {"message_id": listed["message_id"]})


async def test_what_others_wrote_yields(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    health = Health(harness.context.clock.now(), 120.0, "")
    monkeypatch.setattr(type(harness.account.source), "health", lambda _: health)
    await keep(harness, "hello")
    await yields(harness, "get_updates", {})


async def test_what_writing_yields(harness: Harness, centre: DataCentre) -> None:
    centre.inject(ANNA, SAM, "when?")
    to = {"address": CHAT}
    await yields(harness, "send_message", {"to": to, "text": "Hello"})
    await yields(harness, "reply_to_message", {"message_id": f"{CHAT}/1", "text": "At eight", "token": "78"})


def test_every_tool_that_declares_facts_is_run_here(harness: Harness) -> None:
    specs = [*harness.module.user_inputs(), *harness.module.user_outputs()]
    assert tools_with_facts(specs) == {f"user_telegram_{name}" for name in (*READ, *SENT)}
