"""What a model is told of codes and of what asks: only where it matters, and as the owner's policy has it."""

from dataclasses import replace

import pytest

from approvals.usual_asks import usually_asks
from butler.contract.errors import AgentErrorCode, IntegrationErrorCode
from butler.contract.names import ApprovalDefault
from butler.contract.tools import ToolMetadata, ToolSpec
from butler.offline import offline_registry
from butler.orchestrator.planning.model_prompt import prompt, tools_text
from butler.orchestrator.planning.outcome_codes import MEANINGS
from butler.orchestrator.planning.planner_view import Fact, FactName
from config.approvals import Approval, ApprovalsSettings, BotOutputs, PolicyLine
from tests.orchestrator.harness import SEARCH, Harness, planned, step
from tests.orchestrator.test_prompts import TOOLS, request

SEND, READ = TOOLS
PLAIN = ToolMetadata({})


def ended(*codes: str) -> tuple[Fact, ...]:
    return tuple(Fact(number, SEND.tool_name, FactName.OUTCOME, code) for number, code in enumerate(codes, 1))


def test_a_code_is_explained_where_a_step_ended_with_it_and_nowhere_else() -> None:
    text = prompt(request(facts=ended("OK", "INVALID_INPUT", "NOT_FOUND", "ERR_MEMORY_NO_RESULTS")))
    assert "- INVALID_INPUT: the arguments do not fit; give others\n" in text
    assert "- NOT_FOUND, ERR_MEMORY_NO_RESULTS: nothing fits" in text
    assert "DENIED" not in text
    assert "codes:" not in prompt(request(facts=ended("OK")))
    assert "codes:" not in prompt(request())


def test_every_code_that_a_step_can_end_with_has_a_meaning() -> None:
    codes = {one.value for one in (*IntegrationErrorCode, *AgentErrorCode)}
    assert codes | {"REFUSED", "DENIED", "EXPIRED", "SKIPPED", "NOT_NEEDED", "FAILED"} == set(MEANINGS)


@pytest.mark.parametrize(
    ("spec", "metadata", "settings", "asks"),
    [
        (READ, PLAIN, ApprovalsSettings(), False),
        (READ, ToolMetadata({}, sensitive_read=True), ApprovalsSettings(), True),
        (READ, PLAIN, ApprovalsSettings(policy=(PolicyLine(tool="bot_email_*", approval=Approval.ALWAYS),)), True),
        (SEND, PLAIN, ApprovalsSettings(), True),
        (replace(SEND, tool_name="bot_x_send", identity=READ.identity), PLAIN, ApprovalsSettings(), False),
        (
            replace(SEND, tool_name="bot_x_send", identity=READ.identity), PLAIN,
            ApprovalsSettings(bot_outputs=BotOutputs.ASK), True,
        ),
        (
            replace(SEND, tool_name="bot_x_send", identity=READ.identity, approval_default=ApprovalDefault.ALWAYS),
            PLAIN, ApprovalsSettings(policy=(PolicyLine(tool="bot_*", approval=Approval.NONE),)), False,
        ),
        (
            replace(SEND, tool_name="bot_x_send", identity=READ.identity, to_owner=True), PLAIN,
            ApprovalsSettings(bot_outputs=BotOutputs.ASK), False,
        ),
    ],
)  # fmt: skip
def test_what_asks_is_what_the_policy_makes_ask(
    spec: ToolSpec, metadata: ToolMetadata, settings: ApprovalsSettings, asks: bool
) -> None:
    assert usually_asks(spec, metadata, settings) is asks


def test_a_private_chat_is_read_with_a_card() -> None:
    registry = offline_registry()[0]
    name = "user_telegram_get_message_history"
    assert usually_asks(registry.spec(name), registry.metadata(name), ApprovalsSettings())


def test_a_tool_is_marked_as_the_policy_has_it() -> None:
    assert "## bot_email_read_message (asks the owner)" in tools_text(request(asks=frozenset({READ.tool_name})), TOOLS)
    assert "(asks the owner)" not in tools_text(request(asks=frozenset()), TOOLS)


async def test_a_request_knows_what_asks(harness: Harness) -> None:
    await harness.say("find a bill", planned(step(1, SEARCH, words="bill")))
    (known,) = harness.script.requests
    assert known.asks is not None
    assert SEARCH not in known.asks
    assert "user_telegram_send_message" in known.asks
