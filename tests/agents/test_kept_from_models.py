"""What is kept from a model stays kept when its own words are told to it again."""

from dataclasses import replace
from typing import Any

from butler.guardrails.redaction import redact
from butler.orchestrator.planning.model_planner import ModelPlanner
from tests.agents.tailor.builders import Model
from tests.agents.test_fallbacks import request
from tests.support.registered import registered

WORDS = "write to Eve at eve@friends.example, she is at +44 20 7946 0958"


async def test_a_model_that_asks_for_tools_by_a_placeholder_is_not_told_what_it_stands_for() -> None:
    def answer(prompt: str) -> dict[str, Any]:
        asked_before = "You asked for tools" in prompt
        return {"question": "Who?"} if asked_before else {"find_tools": "[EMAIL_1] and [PHONE_1]"}

    model = Model(answer)
    await ModelPlanner(model, redact).plan(replace(request(WORDS), tools=tuple(registered().specs())))
    assert "You asked for tools that can: [EMAIL_1] and [PHONE_1]." in model.asked[1][1]
    assert not [prompt for _, prompt in model.asked if "eve@" in prompt or "7946" in prompt]
