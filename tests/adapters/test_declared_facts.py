"""The facts that the tools of remote adapters declare are in what they yield, from the same servers."""

from typing import Any

import pytest

from butler.contract.integration import IntegrationResult
from butler.contract.tools import ToolCall
from tests.adapters.test_conformance import SUBJECTS, opened, registered
from tests.support.declared_facts import assert_facts, tools_with_facts

OWN_ARGS: dict[str, list[dict[str, Any]]] = {
    "bot_grafana_query_dashboard": [{"uid": "web"}, {}],
    "bot_r2_get_object": [{"key": "letters/anna.txt"}, {"key": "letters/anna.txt", "link_only": True}],
}
"""Arguments of tools that yield some facts in one case only; other tools take those of the conformance suite."""


@pytest.mark.parametrize("name", SUBJECTS)
async def test_declared_facts_are_in_what_each_tool_yields(name: str) -> None:
    async with opened(name) as subject:
        registry = registered(subject)
        results: dict[str, list[IntegrationResult]] = {}
        for drive in subject.drives:
            tool = f"bot_{subject.module.channel}_{drive.operation}"
            model = registry.spec(tool).args
            for args in OWN_ARGS.get(tool, [drive.args]):
                call = ToolCall(tool, model.model_validate(args), call_id="call-1", trace_id="trace-1", token="1")
                results.setdefault(tool, []).append(await registry.invoke(call))
        assert tools_with_facts(spec for spec in registry.specs() if spec.adapter_id) == set(results)
        for tool, found in results.items():
            assert_facts(registry.spec(tool), *found)
