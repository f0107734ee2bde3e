"""Questions about the tools: the service that is named, marked or not."""

from typing import Any

import pytest

from butler.orchestrator.planning.plan_types import Command
from butler.orchestrator.understanding.tool_questions import BUILDERS
from tests.understanding.marked import made, said, steps


@pytest.mark.parametrize(
    ("language", "line", "intent", "args"),
    [
        ("en", "what can [Trello](service) do?", "tools.help", {"op": "help", "about": "trello"}),
        ("en", "what can Trello do?", "tools.help", {"op": "help", "about": "trello"}),
        ("de", "was kannst du mit dem Kalender machen?", "tools.help", {"op": "help", "about": "calendar"}),
        ("fr", "que sais-tu faire avec mes rappels ?", "tools.help", {"op": "help", "about": "reminders"}),
        ("es", "¿qué puedes hacer con mi buzón?", "tools.help", {"op": "help", "about": "email"}),
        ("en", "is [Grafana](service) reachable?", "tools.check", {"op": "status", "about": "grafana"}),
    ],
)
def test_a_service_that_is_named_is_described(language: str, line: str, intent: str, args: dict[str, Any]) -> None:
    assert steps(BUILDERS, said(line, intent, language=language)) == [("bot_tools_describe", args)]


@pytest.mark.parametrize(
    ("line", "intent", "command"),
    [
        ("what can Trello and Grafana do?", "tools.help", Command.HELP),
        ("what can you do?", "tools.help", Command.HELP),
        ("help me with Trello", "command.help", Command.HELP),
        ("does everything work?", "tools.check", Command.STATUS),
    ],
)
def test_without_a_service_it_is_about_all(line: str, intent: str, command: Command) -> None:
    assert made(BUILDERS, said(line, intent)) is command
