"""A deprecated method goes on working, and warns whoever lists, plans, calls or examines it."""

import asyncio
import json
from pathlib import Path

import pytest
from pydantic import ValidationError
from structlog.testing import capture_logs

from butler.adapters.catalogue import catalogue_of
from butler.cli.doctor import diagnosis as doctor
from butler.cli.tools import describe as tool_envelope
from butler.contract.integration import IntegrationCall, MethodSpec
from butler.contract.tools import ToolCall
from butler.orchestrator.planning.model_prompt import tools_text
from butler.registry import Registry
from tests.contract.almanac import FIND, AlmanacModule, FindArgs
from tests.orchestrator.embedded.scene import request

NEWER = "almanac.days.find.v2"
TOOL = "bot_almanac_find_days"
WARNING = f"{FIND} is deprecated; {NEWER} replaces it"


@pytest.fixture
def module() -> AlmanacModule:
    return AlmanacModule(NEWER)


@pytest.fixture
def registry(module: AlmanacModule) -> Registry:
    made = Registry(catalogue_of(module.almanac.contract("1.0.0")))
    made.add_module(module)
    return made


@pytest.fixture
def told(registry: Registry, monkeypatch: pytest.MonkeyPatch):
    """What `butler tools` prints of the tool."""
    monkeypatch.setattr(tool_envelope, "example_modules", lambda _sections: [])
    monkeypatch.setattr(tool_envelope, "Registry", lambda: registry)

    def print_(op: str, *, as_json: bool = False) -> str:
        return asyncio.run(tool_envelope.describe_tool(Path("none.toml"), TOOL, op, as_json=as_json))

    return print_


def test_the_command_line_warns_of_it_in_help_and_among_the_methods(told):
    assert WARNING in told("help")
    assert json.loads(told("help", as_json=True))["deprecated"] == WARNING
    assert f"deprecated: use {NEWER}" in told("list_methods")
    (method,) = json.loads(told("list_methods", as_json=True))["methods"]
    assert (method["deprecated"], method["replacement_method_id"]) == (True, NEWER)


async def test_doctor_warns_of_it_and_is_content(
    module: AlmanacModule, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    (line,) = doctor.check_deprecated([AlmanacModule(), module])
    assert (line.ok, line.detail) == (True, WARNING)
    assert line.todo
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(doctor, "configured_modules", lambda *_: [module])
    config = tmp_path / "butler.toml"
    config.write_text("[owner]\ntelegram_user_id = 42\n[web]\nport = 0\n")
    monkeypatch.setattr(doctor, "check_clock", _no_clock)
    assert WARNING in {found.detail async for found in doctor.examine(config)}


async def _no_clock(*_: object) -> doctor.CheckResult:
    return doctor.CheckResult("Clock", ok=True, detail="")


async def test_a_call_works_and_its_result_warns_as_a_dry_run_does(
    registry: Registry,
):
    with capture_logs() as logged:
        for dry_run in (False, True, False):
            call = ToolCall(TOOL, FindArgs(words="Easter"), call_id="1", trace_id="1", dry_run=dry_run)
            result = await registry.invoke(call)
            assert result.ok
            assert result.meta.deprecation == WARNING
    warned = [line for line in logged if line["event"] == "method_deprecated"]
    assert [(line["method"], line["instead"]) for line in warned] == [(FIND, NEWER)]
    fresh = AlmanacModule().almanac
    result = await fresh.call(IntegrationCall(trace_id="1", method_id=FIND, args={"words": "Easter"}))
    assert (result.ok, result.meta.deprecation) == (True, "")


def test_whoever_plans_reads_the_warning_in_the_tools_description(registry: Registry):
    asked = request("hello", tools=tuple(registry.specs()))
    told = tools_text(asked, asked.tools)
    assert f"Find days by what they are called. (Deprecated: {WARNING}.)" in told
    assert told.count("Deprecated") == 1


def test_one_that_nothing_replaces_says_so():
    spec = AlmanacModule("").bot_inputs()[0]
    assert spec.deprecation == f"{FIND} is deprecated"


@pytest.mark.parametrize("wrong", [{"deprecated": False}, {"deprecated": True, "method_id": NEWER}])
def test_a_replacement_is_another_method_of_a_deprecated_one(wrong: dict[str, object]):
    known = AlmanacModule(NEWER).almanac.describe_methods()[0].model_dump()
    with pytest.raises(ValidationError, match=r"replace"):
        MethodSpec.model_validate(known | wrong)
