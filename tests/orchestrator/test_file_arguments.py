"""A file that was sent, as the argument of a tool that takes files: by its handle, as it came in, with its labels."""

import hashlib
from dataclasses import replace
from typing import Any

import pytest

from butler.contract.integration import IntegrationResult
from butler.contract.tools import ExecutionMode
from butler.orchestrator.execution.file_arguments import takes_files
from tests.orchestrator.builders import BILL
from tests.orchestrator.harness import Harness, all_tools, planned, step
from tests.orchestrator.readers import READ_FILE, document, wired
from tests.support.context import MemoryBlobs
from tests.support.reading import reading_planner

PUT = "bot_r2_put_object"
MAIL = "user_email_send_message"
FILE_1 = {"handle": "file-1"}
TO_ANNA: dict[str, Any] = {"subject": "The bill", "body": "Here it is."}


async def sent_on(harness: Harness, **more: Any) -> None:
    """The bill goes to Anna by mail, which is asked for and approved."""
    anna = {"contact": await harness.contact("Anna")}
    args: dict[str, Any] = TO_ANNA | {"to": [anna], "attachments": [FILE_1]} | more
    await harness.say("mail it to Anna", planned(step(1, MAIL).model_copy(update={"args": args})))


async def test_a_file_that_was_sent_here_goes_out_as_it_came(harness: Harness) -> None:
    wired(harness)
    await harness.meet()
    harness.results[READ_FILE] = [document()]
    await harness.say("", segments=(), attachments=(BILL,))
    await sent_on(harness)
    (card,) = harness.phone.cards.values()
    assert card.attachments == (BILL,)
    assert "the file bill.pdf" in card.reasons[0]


async def test_a_file_is_put_into_the_storage_after_a_yes_and_its_link_told(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    wired(harness)
    content = b"%PDF-1.7 the bill"
    bill = BILL.model_copy(update={"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)})

    async def held(_blobs: MemoryBlobs, sha256: str) -> bytes:
        return {bill.sha256: content}[sha256]

    monkeypatch.setattr(MemoryBlobs, "get", held)
    # What acts on a bucket of its own here is no adapter's, so that it needs no contract.
    local: dict[str, Any] = {"execution_mode": ExecutionMode.LOCAL, "adapter_id": None, "adapter_operation": None}
    spec = replace(harness.registry.spec(PUT), handler=harness._handle, adapter_contract_version=None, **local)  # pyright: ignore[reportPrivateUsage]
    harness.registry._tools[PUT] = spec  # pyright: ignore[reportPrivateUsage]
    harness.planner = reading_planner()
    harness.start()
    harness.results[READ_FILE] = [document(source_id=f"file:{bill.sha256}")]
    link = {"link": "https://bucket.example/bill.pdf?sig=1", "link_expires_at": "2026-03-05T14:00:00+00:00"}
    stored = {"key": "bills/march.pdf", "size": bill.size, "etag": "1", **link}
    harness.results[PUT] = [IntegrationResult(ok=True, data=stored)]
    await harness.say("", segments=(), attachments=(bill,))
    await harness.say("put this file into the storage as bills/march.pdf")
    assert harness.outputs() == []
    await harness.tap("Approve")
    (call,) = harness.outputs()
    assert (call.args.file, call.args.key) == (bill, "bills/march.pdf")
    assert harness.phone.said[-1].startswith(
        "✅ The file is in your storage: bills/march.pdf (17 bytes)\nOpen the file"
    )
    assert "sig=1" not in "".join(harness.phone.said)


async def test_what_is_no_stored_file_is_not_taken_for_one(harness: Harness) -> None:
    wired(harness)
    await harness.meet()
    harness.results[READ_FILE] = [document()]
    await harness.say("", segments=(), attachments=(BILL,))
    await sent_on(harness, attachments=["f" * 64])
    assert "I do not have that file as it was sent" in harness.phone.said[-1]
    assert harness.phone.cards == {}


@pytest.mark.parametrize(
    ("tool", "argument", "takes"),
    [("bot_r2_put_object", "file", True), ("bot_r2_put_object", "key", False), (MAIL, "attachments", True),
     (READ_FILE, "file", False)],
)  # fmt: skip
def test_whether_a_file_itself_is_wanted_stands_in_the_tools_schema(tool: str, argument: str, *, takes: bool) -> None:
    assert takes_files(all_tools().spec(tool), argument) is takes
