"""A dry run of any tool that changes something calls nobody, whatever its handler knows of dry runs."""

from dataclasses import replace

import pytest

from butler.contract.integration import IntegrationResult
from butler.contract.names import Direction
from butler.contract.tools import ExecutionMode, Preview, ToolCall
from butler.offline import example_modules
from butler.registry import Registry


def registry() -> Registry:
    made = Registry()
    for module in example_modules():
        made.add_module(module)
    return made


EVERY = registry()
LOCAL = [
    spec.tool_name
    for spec in EVERY.specs()
    if spec.direction is Direction.OUTPUT and spec.execution_mode is ExecutionMode.LOCAL
]


@pytest.mark.parametrize("name", LOCAL)
async def test_no_handler_is_called(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[ToolCall] = []

    async def act(call: ToolCall) -> IntegrationResult:
        called.append(call)
        return IntegrationResult(ok=True, data={})

    spec = EVERY.spec(name)
    tried = replace(spec, handler=act, preview=lambda _args: Preview("Does it"))
    monkeypatch.setitem(EVERY._tools, name, tried)
    args = spec.args.model_construct()
    monkeypatch.setattr(spec.args, "model_validate", classmethod(lambda cls, _given: args))
    result = await EVERY.invoke(ToolCall(name, args, call_id="1", trace_id="1", dry_run=True))
    assert (result.ok, called) == (True, [])
    assert (result.data or {})["would"] == "Does it"
    assert (await EVERY.invoke(ToolCall(name, args, call_id="1", trace_id="1"))).ok
    assert len(called) == 1
