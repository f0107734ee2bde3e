"""What is not set up is said in plain words, whatever tool it is."""

import pytest

from butler.orchestrator.embedded.scene import missing, scene_of
from tests.orchestrator.embedded.scene import request


@pytest.mark.parametrize(
    ("tool", "told"),
    [
        ("user_trello_move_card", "Trello is not set up"),
        ("bot_automations_create", "Automations are switched off"),
        ("bot_qdrant_search", "What is needed for that is not set up"),
    ],
)
def test_a_tool_that_there_is_not_is_told(tool: str, told: str) -> None:
    assert missing(tool, scene_of(request("x"))).startswith(told)


def test_a_tool_that_was_refused_says_why() -> None:
    refused = request("x", refused={"bot_loki_query_logs": "its contract was changed"})
    assert missing("bot_loki_query_logs", scene_of(refused)).endswith("is refused: its contract was changed.")
