"""What was taken where the owner named no hour, or no latest time, is told as that."""

from typing import Any
from zoneinfo import ZoneInfo

import pytest

from butler.contract.agents import PlanStep
from butler.contract.card import rich_text
from butler.orchestrator.replies.reminder_lines import told_of_reminders

STEP = PlanStep(step_id=1, description="Remind", tool_call="bot_reminders_create", args={})


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"answer_from": "Anna", "assumed": True}, "You named no hour for Friday 6 March 2026, so I took 09:00."),
        ({"answer_from": "Anna", "latest_assumed": True}, "You named no latest time, so I took this one."),
        ({"assumed": True}, "You named no hour, so I took 09:00."),
    ],
    ids=["no hour of the latest day", "no latest time", "no hour"],
)
def test_what_nobody_named_is_told(more: dict[str, Any], said: str) -> None:
    one = {"reminder_id": "r1", "text": "send the form", "due_at": "2026-03-06T08:00:00+00:00"}
    told = told_of_reminders(STEP, {"reminder": one | more}, ZoneInfo("Europe/Berlin"))
    assert told is not None
    assert rich_text(told.text).splitlines()[-1] == said
