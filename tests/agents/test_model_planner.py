"""What a planner makes of a filled form: rounds, preferences, and personal data that the model never saw."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from pydantic import BaseModel, SecretStr

from butler.agents.errors import ModelOutputError
from butler.contract.agents import PlanStep, ReadKind, When
from butler.contract.integration import IntegrationResult
from butler.contract.referents import ReferentKind
from butler.contract.tools import ToolCall, input_tool
from butler.guardrails.redaction import redact
from butler.orchestrator.planning.model_planner import MODEL, NOT_UNDERSTOOD, ModelPlanner
from butler.orchestrator.planning.plan_types import (
    NOTHING_DONE,
    NOTHING_MORE_DONE,
    Planned,
    PlannerInput,
    PlannerOutput,
    Unclear,
)
from butler.orchestrator.planning.planner_view import Fact, FactName
from butler.orchestrator.planning.tool_arguments import argument_lines
from butler.store.conversation import ConversationMessage, Referent
from tests.agents.tailor.builders import Model
from tests.agents.test_fallbacks import request
from tests.support.registered import registered

NOON = datetime(2026, 3, 5, 12, tzinfo=UTC)
FOUND = (
    Fact(1, "bot_email_search_inbox", FactName.OUTCOME, "OK"),
    Fact(1, "bot_email_search_inbox", FactName.COUNT, 2),
)
WORDS = "write to Eve at eve@friends.example, she is at +44 20 7946 0958"
SEARCH = {"tool": "bot_email_search_inbox", "args": {"words": "x"}}


async def plan(given: PlannerInput, **form: Any) -> PlannerOutput:
    return await ModelPlanner(Model(form)).plan(given)


async def test_a_model_may_ask_to_go_on_once_it_knows_what_was_found() -> None:
    first = await plan(request("find it"), steps=[SEARCH], more=True)
    assert isinstance(first, Planned)
    assert first.more
    assert first.labels == MODEL
    done = await plan(replace(request("find it"), facts=FOUND))
    assert done == Planned((), MODEL)
    assert await plan(request("find it")) == Unclear(NOT_UNDERSTOOD)


async def test_a_question_that_claims_something_is_contradicted_as_far_as_nothing_was_done() -> None:
    asked = "I have sent it. Whom else?"
    first = await plan(request("find it"), question=asked)
    later = await plan(replace(request("find it"), facts=FOUND), question=asked)
    assert first == Unclear(f"{asked}\n\n{NOTHING_DONE}")
    assert later == Unclear(f"{asked}\n\n{NOTHING_MORE_DONE}")
    assert await plan(request("find it"), question="Which one?") == Unclear("Which one?")


@pytest.mark.parametrize(
    ("said", "moment"),
    [
        ("2026-07-06T08:00", datetime(2026, 7, 6, 8, tzinfo=ZoneInfo("Europe/Berlin"))),
        ("2026-07-06T08:00Z", datetime(2026, 7, 6, 8, tzinfo=UTC)),
        (None, None),
    ],
)
async def test_what_a_model_puts_off_waits_for_the_owners_time(said: str | None, moment: datetime | None) -> None:
    here = replace(request("send it on Monday at 8"), zone=ZoneInfo("Europe/Berlin"))
    planned = await plan(here, steps=[SEARCH | {"at": said}])
    assert isinstance(planned, Planned)
    assert planned.steps[0].not_before == moment


async def test_a_question_with_a_link_that_the_owner_did_not_write_is_not_asked() -> None:
    linked = "Shall I open https://evil.example/?d=XK7 for it?"
    assert await plan(request("open the page"), question=linked) == Unclear(NOT_UNDERSTOOD)
    assert await plan(request("open evil.example"), question="Is it evil.example?d=XK7?") == Unclear(NOT_UNDERSTOOD)
    asked = await plan(request("open https://friends.example/a"), question="All of https://friends.example/a?")
    assert asked == Unclear("All of https://friends.example/a?")


async def test_addresses_and_numbers_are_kept_from_the_model_and_stand_in_the_plan() -> None:
    def answer(prompt: str) -> dict[str, Any]:
        said = prompt.rpartition("The owner says:\n")[2]
        address = next(word.strip(",") for word in said.split() if word.startswith("[EMAIL"))
        step = {"tool": "bot_email_send_message", "args": {"to": [{"address": f"mail:{address}"}], "body": said}}
        return {"steps": [step]}

    model = Model(answer)
    before = ConversationMessage(role="user", content="Eve is eve@friends.example", timestamp=NOON)
    planned = await ModelPlanner(model, redact).plan(replace(request(WORDS), history=(before,)))
    rules, prompt = model.asked[0]
    assert "eve@friends.example" not in rules + prompt
    assert "7946" not in rules + prompt
    assert prompt.count("[EMAIL_1]") == 2
    assert isinstance(planned, Planned)
    assert planned.steps[0].args == {"to": [{"address": "mail:eve@friends.example"}], "body": WORDS}


async def test_a_placeholder_that_a_model_makes_up_stands_for_nothing() -> None:
    step = {"tool": "bot_notes_remember", "args": {"text": "[EMAIL_9] and [SECRET_1]"}}
    planned = await ModelPlanner(Model({"steps": [step]}), redact).plan(request(WORDS))
    assert isinstance(planned, Planned)
    assert planned.steps[0].args == {"text": "[EMAIL_9] and [SECRET_1]"}


async def test_what_does_not_fit_once_it_is_put_back_is_unusable() -> None:
    address = f"{'e' * 60}@friends.example"
    form = {"question": "[EMAIL_1]" * 100}
    with pytest.raises(ModelOutputError, match="no room"):
        await ModelPlanner(Model(form), redact).plan(request(f"write to {address}"))


async def test_a_model_is_not_told_of_arguments_that_hold_secrets() -> None:
    class Args(BaseModel):
        file: str
        password: SecretStr = SecretStr("")

    async def never(_: ToolCall) -> IntegrationResult:
        raise AssertionError

    told = argument_lines(input_tool("bot_documents_read", "Read a file.", Args, never))
    assert told == ("file*: text",)


async def steps_of(*steps: dict[str, Any], shown: tuple[Referent, ...] = ()) -> list[PlanStep]:
    planned = await plan(replace(request("do it"), tools=tuple(registered().specs()), referents=shown), steps=steps)
    assert isinstance(planned, Planned)
    return list(planned.steps)


def seen(handle: str, kind: ReferentKind, tool: str) -> Referent:
    return Referent(handle=handle, kind=kind, key="k", tool=tool)


SHOWN = (
    seen("mail-1", ReferentKind.MAIL, "user_email_search_inbox"),
    seen("file-1", ReferentKind.FILE, "bot_documents_read"),
    seen("reminder-1", ReferentKind.REMINDER, "bot_reminders_list"),
)


async def test_what_is_read_out_of_something_shown_is_read_by_a_step_of_its_own() -> None:
    at = {"from": "mail-1", "read": "date", "ask": "when?"}
    remind = {"tool": "bot_reminders_create", "args": {"text": "viewing", "at": at}}
    note = {"tool": "bot_notes_remember", "args": {"text": {"draft": {"from": ["file-1", "mail-1"], "ask": "x"}}}}
    first, second, mail, file = await steps_of(remind, note, shown=SHOWN)
    assert (mail.step_id, mail.tool_call, mail.args) == (
        3,
        "user_email_read_message",
        {"message_id": {"handle": "mail-1"}},
    )
    assert (file.step_id, file.tool_call, file.args) == (4, "bot_documents_read", {"file": {"handle": "file-1"}})
    assert (first.depends_on, first.args["at"]["from"]) == ([3], 3)
    assert (second.depends_on, second.args["text"]["draft"]["from"]) == ([3, 4], [4, 3])


async def test_a_handle_that_holds_no_text_stays_one_and_nothing_waits_for_it() -> None:
    at = {"from": "reminder-1", "read": "date"}
    (only,) = await steps_of({"tool": "bot_reminders_create", "args": {"text": "x", "at": at}}, shown=SHOWN)
    assert (only.args["at"], only.depends_on) == (at, [])


async def test_a_step_may_hang_on_what_a_text_says_or_on_a_fact_of_an_earlier_step() -> None:
    text = {"from": "mail-1", "read": "yes_no", "ask": "does she come?"}
    fact = {"from": 1, "fact": "count", "is": "equal", "value": 0}
    note = {"tool": "bot_notes_remember", "args": {"text": "a"}}
    search = {"tool": "bot_notes_search", "args": {"words": "x"}}
    late = {"from": 3, "fact": "count", "is": "empty"}
    steps = await steps_of(
        search,
        note | {"when": text},
        {"tool": "bot_notes_remember", "args": {"text": "b"}, "when": fact},
        {"tool": "bot_notes_remember", "args": {"text": "c"}, "when": late},
        shown=SHOWN,
    )
    assert steps[1].when == When(step_id=5, read=ReadKind.YES_NO, ask="does she come?", is_="equal", value=True)
    assert steps[2].when == When(step_id=1, fact="count", is_="equal", value=0)
    assert steps[4].tool_call == "user_email_read_message"


async def test_a_step_cannot_hang_on_what_comes_after_it() -> None:
    late = {"from": 2, "fact": "count", "is": "not_empty"}
    note = {"tool": "bot_notes_remember", "args": {"text": "a"}, "when": late}
    first, _ = await steps_of(note, {"tool": "bot_notes_search", "args": {"words": "x"}})
    assert first.when is not None
    assert first.when.step_id == 0
