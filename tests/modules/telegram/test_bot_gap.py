"""A silence that Telegram does not bridge is told as what it was: the daemon was down, or Telegram away."""

from datetime import timedelta

import pytest

from modules.telegram.bot_gap import Gap
from tests.support.context import TurnedClock, make_context


@pytest.mark.parametrize(
    ("down", "unreached", "begins"),
    [
        (timedelta(hours=25), timedelta(0), "I was not running from"),
        (timedelta(0), timedelta(hours=25), "I could not reach Telegram from"),
        (timedelta(hours=13), timedelta(hours=13), "I could not reach Telegram from"),
        (timedelta(hours=23), timedelta(0), None),
    ],
    ids=["down", "unreached", "first the one and then the other", "bridged"],
)
async def test_a_downtime_is_not_told_as_telegrams(down: timedelta, unreached: timedelta, begins: str | None) -> None:
    clock, told = TurnedClock(), list[str]()
    context = make_context(clock=clock)
    await context.storage.cursors.set("telegram.bot.7.polled_at", clock.now().isoformat())

    async def tell(text: str) -> None:
        told.append(text)

    clock.offset += down
    gap = Gap(context, tell)
    clock.offset += unreached
    await gap.load(7)
    assert await gap.bridged(clock.now())
    assert [text.startswith(begins or "") for text in told] == ([True] if begins else [])
