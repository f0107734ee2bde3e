"""How the butler says how it is."""

from datetime import timedelta
from typing import Any, cast

import pytest

from butler.contract.module import Health
from butler.orchestrator.planning.plan_types import Command
from butler.source_names import in_words
from butler.status import StatusAnswers
from tests.support.context import TurnedClock


class NotPaused:
    async def paused(self) -> str:
        return ""


async def test_status_calls_what_comes_in_by_words_for_people() -> None:
    clock = TurnedClock()
    at = clock.now() - timedelta(seconds=3)
    health = {"telegram.bot": Health(at, 60), "telegram.user:work": Health(at, 60), "email.user": Health(None, 60)}
    harness = StatusAnswers(cast("Any", NotPaused()), clock, lambda: health, "Jeeves")

    (text,) = [span.text for span in await harness.answer(Command.STATUS)]

    assert text.splitlines() == [
        "🟢 The butler's Telegram: last round trip 3 s ago",
        "🟢 Your Telegram, work: last round trip 3 s ago",
        "🔴 Your mail: no round trip yet",
    ]


@pytest.mark.parametrize(
    ("source", "words"),
    [("email.bot", "the butler's mail"), ("email.user:work", "your mail, work"), ("signal.user", "your Signal"),
     ("reminders", "reminders")],
)  # fmt: skip
def test_each_source_has_a_name_in_words(source: str, words: str) -> None:
    assert in_words(source) == words
