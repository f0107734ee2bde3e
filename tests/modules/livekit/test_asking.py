"""Rooms and links are for the owner alone, so they pass; where the settings always ask for them, they ask."""

from collections.abc import Mapping
from typing import Any

import pytest

from approvals.policy import Decision, PolicyQuery, judge
from approvals.policy_rules import RULES
from butler.contract.provenance import Origin
from config.approvals import ApprovalsSettings
from tests.modules.livekit.server import Calls
from tests.support.context import FixedOwner

OWNER = frozenset({Origin.owner("telegram:42")})
TOOLS: Mapping[str, dict[str, Any]] = {
    "bot_livekit_create_room": {"name": "Call with Anna"},
    "bot_livekit_join_room": {"room": "call-with-anna", "name": "Anna"},
}


def decided(on: Calls, tool: str, settings: ApprovalsSettings) -> Decision:
    spec, args = on.registry.spec(tool), TOOLS[tool]
    assert spec.preview is not None
    question = PolicyQuery(
        spec=spec,
        metadata=on.registry.metadata(tool),
        preview=spec.preview(spec.args.model_validate(args)),
        origins=dict.fromkeys(args, OWNER),
        owner=FixedOwner(),
        contact=lambda _address: None,
        same_person=lambda _address: (),
        settings=settings,
        paused=None,
        over_limit=None,
        standing=None,
    )
    return judge(question, RULES).decision


@pytest.mark.parametrize("tool", TOOLS)
async def test_what_only_the_owner_sees_passes(on_server: Calls, tool: str) -> None:
    assert decided(on_server, tool, ApprovalsSettings()) is Decision.ALLOW


@pytest.mark.parametrize("tool", TOOLS)
async def test_a_line_of_the_policy_makes_each_of_them_ask(on_server: Calls, tool: str) -> None:
    policy = [{"tool": "bot_livekit_*", "approval": "always"}]
    assert decided(on_server, tool, ApprovalsSettings.model_validate({"policy": policy})) is Decision.ASK
