"""A dry run of a stored call shows its content, calls no acting provider, and says where it cannot tell."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from approvals.dry_run import LISTED, which
from approvals.states import State
from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode
from butler.contract.integration import IntegrationResult
from butler.contract.tools import Attachment
from butler.store.queries import approvals
from tests.approvals.harness import Harness
from tests.approvals.providers import ANNA, PRIVATE_READ, SEND

REPORT = Attachment(name="report.pdf", size=10, sha256="a" * 64, media_type="application/pdf")
DONE = "This was a dry run: nothing was done, and the card waits as before."


async def shown(harness: Harness, approval_id: str) -> str:
    before, effects = await harness.row(approval_id), list(harness.provider.effects)
    told = await harness.approvals.dry_run(approval_id)
    assert await harness.row(approval_id) == before
    assert harness.provider.effects == effects
    return told


def answers(harness: Harness, answer: IntegrationResult | Exception) -> None:
    """Return the registry's answer to a dry run."""

    async def invoke(call: Any) -> IntegrationResult:
        assert call.dry_run
        if isinstance(answer, Exception):
            raise answer
        return answer

    harness.invoker.invoke = invoke  # type: ignore[method-assign]


async def test_the_effect_is_said_in_the_words_of_the_answer(harness: Harness) -> None:
    answers(harness, IntegrationResult(ok=True, data={"would": "Sends\u202e a message"}))
    approval_id = await harness.ask(SEND)
    told = (await shown(harness, approval_id)).split("\n")
    assert told[0] == "Sends[U+202E] a message"
    assert told[-1] == DONE


async def test_an_answer_without_words_leaves_those_of_the_card(harness: Harness) -> None:
    answers(harness, IntegrationResult(ok=True, data=None))
    assert (await shown(harness, await harness.ask(SEND))).startswith("Sends a message\n")


async def test_what_would_be_refused_is_said(harness: Harness) -> None:
    answers(harness, failed(IntegrationErrorCode.CONTRACT, "the contract\nis missing"))
    told = await shown(harness, await harness.ask(SEND))
    assert "As it stands, it would fail: the contract" in told
    assert told.endswith(DONE)


async def test_a_handler_that_breaks_is_no_fault_of_the_card(harness: Harness) -> None:
    answers(harness, KeyError("a secret"))
    told = await shown(harness, await harness.ask(SEND))
    assert "It could not be tried further than that." in told
    assert "secret" not in told


async def test_a_read_is_not_made(harness: Harness) -> None:
    answers(harness, AssertionError("it was read"))
    told = await shown(harness, await harness.ask(PRIVATE_READ, args={"item": "diary"}))
    assert f"It would only read, by {PRIVATE_READ}.\n{DONE}" in told


async def test_files_and_the_time_are_said(harness: Harness) -> None:
    answers(harness, IntegrationResult(ok=True, data={}))
    args = {"to": [ANNA], "text": "", "files": [REPORT.model_dump(mode="json")]}
    told = await shown(harness, await harness.ask(SEND, args=args, not_before=harness.clock.now() + timedelta(days=1)))
    assert "File: report.pdf" in told
    assert "Not before: " in told
    assert "Text: " not in told


async def test_a_read_of_a_remote_tool_names_its_method(harness: Harness) -> None:
    spec = replace(harness.invoker.tools[PRIVATE_READ], adapter_id="mails", adapter_operation="read")
    harness.invoker.tools[PRIVATE_READ] = spec
    told = await shown(harness, await harness.ask(PRIVATE_READ, args={"item": "diary"}))
    assert "It would only read, by mails read." in told


async def test_what_is_no_longer_what_was_shown_is_said(harness: Harness) -> None:
    approval_id = await harness.ask(SEND)
    del harness.invoker.tools[SEND]
    told = await shown(harness, approval_id)
    assert told == "It could not be done as it stands: what is stored is no longer what the card showed."


@pytest.mark.parametrize("count", [0, 2, LISTED + 1])
async def test_what_waits_is_listed(harness: Harness, count: int) -> None:
    rows = [await harness.row(await harness.ask(SEND, call_id=f"plan-1:{one}")) for one in range(count)]
    told = await harness.store.read(lambda c: which(harness.context, c, rows))
    assert told.count("\n") == (0 if not count else min(count, LISTED) + 1 + (count > LISTED))
    assert len(await harness.store.read(lambda c: approvals.in_state(c, State.PENDING))) == count


async def test_what_waits_no_more_says_what_became_of_it(harness: Harness) -> None:
    answers(harness, IntegrationResult(ok=True, data={}))
    approval_id = await harness.ask(SEND, args={"to": [ANNA], "text": "I'll be late", "subject": "Tonight"})
    assert await harness.approvals.waiting() == [approval_id]
    assert "Subject: Tonight" in await shown(harness, approval_id)
    await harness.tap("Deny")
    assert (await shown(harness, approval_id)).startswith("This no longer waits. Denied by you")
    assert await harness.approvals.waiting() == []
    assert await harness.approvals.dry_run("none") == "This no longer waits."
