"""Seed 5's envelope: what a tool says of itself, and whether its account can be used."""

import pytest

from butler import envelope
from butler.adapters.catalogue import catalogue_of
from butler.registry import Registry
from tests.contract.almanac import FIND, AlmanacModule


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
    assert method["rate_limit_hint"] == {"calls": 10, "per_s": 1.0, "shared": False}
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
        "required": ["at", "kind", "people", "size", "either", "box", "second"],
        "properties": {
            "at": {"type": "string", "format": "date-time"},
            "kind": {"$ref": "#/$defs/Kind"},
            "people": {"type": "array", "minItems": 1, "items": {"type": "string", "examples": ["Anna"]}},
            "size": {"type": "integer", "minimum": 3},
            "either": {"anyOf": [{"const": "x"}, {"type": "null"}]},
            "box": {"type": "object", "properties": {"day": {"type": "string", "format": "date"}}, "required": ["day"]},
            "second": {"$ref": "#/$defs/Kind", "examples": ["blue"]},
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
        "second": "blue",
    }
