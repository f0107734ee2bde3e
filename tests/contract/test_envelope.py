"""Seed 5's envelope: what a tool says of itself, and whether its account can be used."""

import asyncio
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field

from butler import envelope
from butler.adapters.catalogue import catalogue_of
from butler.contract.adapters import Operation, RemoteIntegration, remote_tool
from butler.contract.integration import (
    BaseIntegration,
    Idempotency,
    IntegrationCall,
    Method,
    RateLimitHint,
    RawAnswer,
    method,
)
from butler.contract.module import Module
from butler.contract.names import Identity
from butler.contract.tools import ArgMetadata, ArgRole, ToolMetadata, ToolSpec, input_tool
from butler.registry import Registry
from tests.support.context import make_context

FIND = "almanac.days.find.v1"


class FindArgs(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    words: str = Field(description="What the day is called.")
    limit: int = Field(default=5, ge=1, description="At most so many.")


class Found(BaseModel):
    days: list[str]


class Almanac(RemoteIntegration):
    provider = "almanac"
    adapter_id = "almanac-days"
    adapter_description = "Days and what they are called."
    operations = {"find_days": Operation(FIND, "Find days by what they are called.")}  # noqa: RUF012 - never changed

    def __init__(self) -> None:
        self.signed_in = True
        self.hangs = False
        super().__init__()

    def methods(self) -> list[Method]:
        return [
            method(
                FIND,
                args=FindArgs,
                answer=Found,
                run=self._raw_find,
                idempotency=Idempotency.READ,
                auth_scopes=("days.read",),
                rate_limit=RateLimitHint(calls=10, per_s=1),
            )
        ]

    async def auth_status(self) -> dict[str, Any]:
        if self.hangs:
            await asyncio.Event().wait()
        todo = "" if self.signed_in else "set ALMANAC_KEY"
        return {"ok": self.signed_in, "account": "almanac.example", "detail": "", "todo": todo}

    async def _raw_find(self, _call: IntegrationCall, args: FindArgs) -> RawAnswer:
        return RawAnswer({"days": [args.words]})


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid")


class AlmanacModule(Module):
    channel = "almanac"
    settings_model = Section

    def __init__(self) -> None:
        super().__init__(Section(), make_context())
        self.almanac = Almanac()

    def bot_inputs(self) -> list[ToolSpec]:
        return [
            remote_tool(
                self.almanac,
                self.channel,
                "find_days",
                contract_version="1.0.0",
                description="Find days by what they are called.",
                args=FindArgs,
            )
        ]

    def user_inputs(self) -> list[ToolSpec]:
        return [input_tool("user_almanac_list_days", "List your days.", FindArgs, self.bot_inputs()[0].handler)]

    def tool_metadata(self) -> dict[str, ToolMetadata]:
        roles = ToolMetadata({"words": ArgMetadata(ArgRole.CONTENT), "limit": ArgMetadata(ArgRole.OPTION)})
        return {"bot_almanac_find_days": roles, "user_almanac_list_days": roles}

    def integrations(self) -> list[BaseIntegration]:
        return [self.almanac]

    def backing(self, identity: Identity) -> list[BaseIntegration]:
        return self.integrations() if identity is Identity.BOT else []


@pytest.fixture
def module() -> AlmanacModule:
    return AlmanacModule()


@pytest.fixture
def registry(module: AlmanacModule) -> Registry:
    made = Registry(catalogue_of(module.almanac.contract("1.0.0")))
    made.add_module(module)
    return made


async def test_help_says_what_it_takes_what_comes_back_and_how_it_is_called(registry: Registry):
    told = await registry.describe("bot_almanac_find_days", "help")
    assert told["description"] == "Find days by what they are called."
    assert told["args"]["properties"]["words"]["description"] == "What the day is called."
    assert told["returns"]["properties"]["days"]["type"] == "array"
    assert told["examples"] == [{"words": "..."}]
    assert told["ops"] == ["help", "status", "list_methods", "list_providers"]


async def test_methods_and_providers_are_those_of_the_tools_own_integration(registry: Registry):
    (method,) = (await registry.describe("bot_almanac_find_days", "list_methods"))["methods"]
    assert method["method_id"] == FIND
    assert method["auth_scopes"] == ["days.read"]
    assert method["rate_limit_hint"] == {"calls": 10, "per_s": 1.0}
    assert (await registry.describe("bot_almanac_find_days", "list_providers"))["providers"] == ["almanac-days"]
    assert (await registry.describe("user_almanac_list_days", "list_methods"))["methods"] == []
    assert (await registry.describe("user_almanac_list_days", "list_providers"))["providers"] == ["butler"]


async def test_status_says_whether_the_account_is_signed_in(registry: Registry, module: AlmanacModule):
    good = await registry.describe("bot_almanac_find_days", "status")
    assert good["ok"] is True
    assert good["adapter"] == {"id": "almanac-days", "operation": "find_days", "contract_version": "1.0.0"}
    module.almanac.signed_in = False
    bad = await registry.describe("bot_almanac_find_days", "status")
    assert bad["ok"] is False
    assert bad["auth"][0]["todo"] == "set ALMANAC_KEY"


async def test_status_of_a_provider_that_never_answers_ends(
    registry: Registry, module: AlmanacModule, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(envelope, "STATUS_WITHIN_S", 0.01)
    module.almanac.hangs = True
    told = await registry.describe("bot_almanac_find_days", "status")
    assert told["ok"] is False
    assert "not answered" in told["auth"][0]["detail"]


async def test_status_says_why_a_gate_refuses_the_tool_by_now(registry: Registry):
    registry.reload(catalogue_of())
    told = await registry.describe("bot_almanac_find_days", "status")
    assert told["ok"] is False
    assert "does not exist" in told["refused"]


def test_examples_are_made_from_what_a_schema_says_of_each_field():
    schema = {
        "required": ["at", "kind", "people", "size", "either", "box"],
        "properties": {
            "at": {"type": "string", "format": "date-time"},
            "kind": {"$ref": "#/$defs/Kind"},
            "people": {"type": "array", "minItems": 1, "items": {"type": "string", "examples": ["Anna"]}},
            "size": {"type": "integer", "minimum": 3},
            "either": {"anyOf": [{"const": "x"}, {"type": "null"}]},
            "box": {"type": "object", "properties": {"day": {"type": "string", "format": "date"}}, "required": ["day"]},
        },
        "$defs": {"Kind": {"enum": ["red", "blue"]}},
    }
    assert envelope.sample(schema) == {
        "at": "2026-03-01T09:00:00",
        "kind": "red",
        "people": ["Anna"],
        "size": 3,
        "either": "x",
        "box": {"day": "2026-03-01"},
    }
