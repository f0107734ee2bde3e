"""What was taken where the owner named no hour, or no latest time, is told as that."""

from typing import Any

import pytest

from butler.contract.card import rich_text
from tests.support.rendering import of


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
    told = of("bot_reminders_create", {"reminder": one | more})
    assert rich_text(told.text).splitlines()[-1] == said
