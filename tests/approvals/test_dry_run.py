"""A dry run of a stored call shows what it holds, calls nobody that acts, and says where that cannot be shown."""

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
from tests.approvals.house import House
from tests.approvals.providers import ANNA, PRIVATE_READ, SEND

REPORT = Attachment(name="report.pdf", size=10, sha256="a" * 64, media_type="application/pdf")
DONE = "This was a dry run: nothing was done, and the card waits as before."


async def shown(house: House, approval_id: str) -> str:
    before, effects = await house.row(approval_id), list(house.provider.effects)
    told = await house.approvals.dry_run(approval_id)
    assert await house.row(approval_id) == before
    assert house.provider.effects == effects
    return told


def answers(house: House, answer: IntegrationResult | Exception) -> None:
    """The registry's answer to a dry run."""

    async def invoke(call: Any) -> IntegrationResult:
        assert call.dry_run
        if isinstance(answer, Exception):
            raise answer
        return answer

    house.invoker.invoke = invoke  # type: ignore[method-assign]


async def test_the_effect_is_said_in_the_words_of_the_answer(house: House) -> None:
    answers(house, IntegrationResult(ok=True, data={"would": "Sends\u202e a message"}))
    approval_id = await house.ask(SEND)
    told = (await shown(house, approval_id)).split("\n")
    assert told[0] == "Sends[U+202E] a message"
    assert told[-1] == DONE


async def test_an_answer_without_words_leaves_those_of_the_card(house: House) -> None:
    answers(house, IntegrationResult(ok=True, data=None))
    assert (await shown(house, await house.ask(SEND))).startswith("Sends a message\n")


async def test_what_would_be_refused_is_said(house: House) -> None:
    answers(house, failed(IntegrationErrorCode.CONTRACT, "the contract\nis missing"))
    told = await shown(house, await house.ask(SEND))
    assert "As it stands, it would fail: the contract" in told
    assert told.endswith(DONE)


async def test_a_handler_that_breaks_is_no_fault_of_the_card(house: House) -> None:
    answers(house, KeyError("a secret"))
    told = await shown(house, await house.ask(SEND))
    assert "It could not be tried further than that." in told
    assert "secret" not in told


async def test_a_read_is_not_made(house: House) -> None:
    answers(house, AssertionError("it was read"))
    told = await shown(house, await house.ask(PRIVATE_READ, args={"item": "diary"}))
    assert f"It would only read, by {PRIVATE_READ}.\n{DONE}" in told


async def test_files_and_the_time_are_said(house: House) -> None:
    answers(house, IntegrationResult(ok=True, data={}))
    args = {"to": [ANNA], "text": "", "files": [REPORT.model_dump(mode="json")]}
    told = await shown(house, await house.ask(SEND, args=args, not_before=house.clock.now() + timedelta(days=1)))
    assert "File: report.pdf" in told
    assert "Not before: " in told
    assert "Text: " not in told


async def test_a_read_of_a_remote_tool_names_its_method(house: House) -> None:
    spec = replace(house.invoker.tools[PRIVATE_READ], adapter_id="mails", adapter_operation="read")
    house.invoker.tools[PRIVATE_READ] = spec
    told = await shown(house, await house.ask(PRIVATE_READ, args={"item": "diary"}))
    assert "It would only read, by mails read." in told


async def test_what_is_no_longer_what_was_shown_is_said(house: House) -> None:
    approval_id = await house.ask(SEND)
    del house.invoker.tools[SEND]
    told = await shown(house, approval_id)
    assert told == "It could not be done as it stands: what is stored is no longer what the card showed."


@pytest.mark.parametrize("count", [0, 2, LISTED + 1])
async def test_what_waits_is_listed(house: House, count: int) -> None:
    rows = [await house.row(await house.ask(SEND, call_id=f"plan-1:{one}")) for one in range(count)]
    told = await house.store.read(lambda c: which(house.context, c, rows))
    assert told.count("\n") == (0 if not count else min(count, LISTED) + 1 + (count > LISTED))
    assert len(await house.store.read(lambda c: approvals.in_state(c, State.PENDING))) == count


async def test_what_waits_no_more_says_what_became_of_it(house: House) -> None:
    answers(house, IntegrationResult(ok=True, data={}))
    approval_id = await house.ask(SEND, args={"to": [ANNA], "text": "I'll be late", "subject": "Tonight"})
    assert await house.approvals.waiting() == [approval_id]
    assert "Subject: Tonight" in await shown(house, approval_id)
    await house.tap("Deny")
    assert (await shown(house, approval_id)).startswith("This no longer waits. Denied by you")
    assert await house.approvals.waiting() == []
    assert await house.approvals.dry_run("none") == "This no longer waits."
