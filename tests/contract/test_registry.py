"""What breaks a rule of names, directions, schemas or adapters is refused at registration."""

from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from butler.contract.errors import IntegrationErrorCode, ToolNameError
from butler.contract.integration import Idempotency, IntegrationResult
from butler.contract.module import Module
from butler.contract.names import ApprovalDefault, Direction, Identity, ToolName
from butler.contract.tools import (
    ArgRole,
    IOToolSpec,
    Preview,
    Settled,
    ToolCall,
    ToolMetadata,
    ToolSpec,
)
from butler.registry import Registry, check_spec
from butler.tool_invoker import ToolSpecError, UnknownToolError


class Args(BaseModel):
    model_config = ConfigDict(extra="forbid")

    text: str


class LooseArgs(BaseModel):
    text: str


class OnByDefaultArgs(BaseModel):
    """A flag that a card could not show as taken away."""

    model_config = ConfigDict(extra="forbid")

    text: str
    loud: bool = True


async def handler(call: ToolCall) -> IntegrationResult:
    return IntegrationResult(ok=True, data={"text": call.args.text})


def spec(**more: Any) -> ToolSpec:
    values: dict[str, Any] = {
        "tool_name": "user_example_send",
        "channel": "example",
        "direction": Direction.OUTPUT,
        "identity": Identity.USER,
        "approval_default": ApprovalDefault.ALWAYS,
        "description": "Send an example.",
        "args": Args,
        "handler": handler,
        "preview": lambda args: Preview(effect="Sends an example", body=args.text),
    }
    return ToolSpec(**{**values, **more})


def check(**more: Any) -> ToolSpec:
    return check_spec(spec(**more), Identity.USER, Direction.OUTPUT, "example")


class Example(Module):
    channel = "example"
    settings_model = Args

    def __init__(self, *outputs: IOToolSpec, roles: dict[str, ToolMetadata] | None = None) -> None:
        self.outputs = outputs
        self.roles = roles

    def user_outputs(self):
        return self.outputs

    def tool_metadata(self):
        if self.roles is not None:
            return self.roles
        return {s.tool_name: ToolMetadata({"text": ArgRole.CONTENT}) for s in self.outputs}


@pytest.mark.parametrize(
    "name",
    ["send", "example_send", "user_send", "User_example_send", "user_example_", "owner_example_send", "user__send", ""],
)
def test_a_name_without_identity_channel_and_action_is_refused(name: str):
    with pytest.raises(ToolNameError, match="user_<channel>_<action>"):
        ToolName.parse(name)


def test_a_name_is_taken_apart():
    parsed = ToolName.parse("bot_email_check_and_route_inbox")
    assert (parsed.identity, parsed.channel, parsed.action) == (Identity.BOT, "email", "check_and_route_inbox")
    assert str(parsed) == "bot_email_check_and_route_inbox"


@pytest.mark.parametrize(
    "wrong",
    [
        {"tool_name": "bot_example_send"},
        {"identity": Identity.BOT},
        {"direction": Direction.INPUT},
        {"channel": "other"},
        {"tool_name": "user_other_send"},
        {"description": " "},
        {"args": LooseArgs},
        {"args": OnByDefaultArgs},
        {"preview": None},
        {"to_owner": True},
    ],
)
def test_a_tool_that_breaks_a_rule_is_refused(wrong: dict[str, Any]):
    with pytest.raises((ToolSpecError, ToolNameError)):
        check(**wrong)


def test_a_tool_that_keeps_the_rules_is_registered():
    registry = Registry()
    registry.add_module(Example(spec()))
    assert registry.spec("user_example_send").description == "Send an example."
    assert [s.tool_name for s in registry.specs()] == ["user_example_send"]
    assert registry.metadata("user_example_send").args["text"] is ArgRole.CONTENT


def test_a_declared_tool_that_cannot_be_called_is_refused():
    declared = IOToolSpec(
        tool_name="user_example_send",
        channel="example",
        direction=Direction.OUTPUT,
        identity=Identity.USER,
        approval_default=ApprovalDefault.ALWAYS,
        description="Send.",
    )
    with pytest.raises(ToolSpecError, match="cannot be called"):
        Registry().add_module(Example(declared))


def test_a_second_tool_of_a_name_and_an_argument_without_role_are_refused():
    with pytest.raises(ToolSpecError, match="twice"):
        Registry().add_module(Example(spec(), spec()))
    with pytest.raises(ToolSpecError, match="role"):
        Registry().add_module(Example(spec(), roles={}))
    with pytest.raises(ToolSpecError, match="does not have"):
        Registry().add_module(Example(roles={"user_example_other": ToolMetadata({})}))


async def test_a_call_of_an_unregistered_tool_is_refused():
    registry = Registry()
    call = ToolCall(tool="user_example_send", args=Args(text="x"), call_id="1", trace_id="1")
    with pytest.raises(UnknownToolError):
        await registry.invoke(call)
    with pytest.raises(UnknownToolError):
        registry.metadata("user_example_send")
    with pytest.raises(ToolNameError):
        registry.spec("send")


async def test_arguments_are_checked_again_when_a_tool_is_called():
    registry = Registry()
    registry.add_module(Example(spec()))
    good = ToolCall(tool="user_example_send", args=Args(text="x"), call_id="1", trace_id="1")
    assert (await registry.invoke(good)).data == {"text": "x"}
    broken = ToolCall(tool="user_example_send", args=Args.model_construct(text=7), call_id="1", trace_id="1")
    result = await registry.invoke(broken)
    assert result.error is not None
    assert result.error.code is IntegrationErrorCode.INVALID_INPUT


@pytest.mark.parametrize(
    ("idempotency", "settled"),
    [
        (Idempotency.PROVIDER, Settled.REPEAT),
        (Idempotency.READ, Settled.REPEAT),
        (Idempotency.STATE, Settled.UNKNOWN),
        (Idempotency.NONE, Settled.UNKNOWN),
    ],
)
async def test_an_attempt_without_answer_is_repeated_only_where_the_provider_refuses_doubles(
    idempotency: Idempotency, settled: Settled
):
    registry = Registry()
    registry.add_module(Example(spec(idempotency=idempotency)))
    call = ToolCall(tool="user_example_send", args=Args(text="x"), call_id="1", trace_id="1")
    assert (await registry.reconcile(call)).settled is settled


async def test_the_envelope_refuses_an_operation_it_does_not_have():
    registry = Registry()
    registry.add_module(Example(spec()))
    with pytest.raises(UnknownToolError, match="list_providers"):
        await registry.describe("user_example_send", "run")
