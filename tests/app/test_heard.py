"""When Telegram counts as heard of: while nothing fails, now; else when it last answered."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, cast

import pytest

from butler.composition.channels import heard_by, own_source
from butler.contract.module import Health

NOW = datetime(2026, 3, 5, 12, tzinfo=UTC)
BEFORE = NOW - timedelta(hours=1)


def heard(healths: dict[str, Health]) -> datetime | None:
    channel = cast("Any", object())
    modules = [
        SimpleNamespace(channel="email", owner_channel=lambda: None),
        SimpleNamespace(channel="telegram", owner_channel=lambda: channel),
    ]
    supervisor = SimpleNamespace(health=lambda: healths)
    clock = SimpleNamespace(now=lambda: NOW)
    return heard_by(own_source(channel, cast("Any", modules)), cast("Any", supervisor), cast("Any", clock))()


@pytest.mark.parametrize(
    ("health", "at"),
    [
        (Health(BEFORE, 90), NOW),
        (Health(None, 90), NOW),
        (Health(BEFORE, 90, "3 updates of others turned away"), NOW),
        (Health(BEFORE, 90, "no connection", failing=True), BEFORE),
        (Health(BEFORE, 90, "the token is wrong", stopped=True), BEFORE),
        (Health(None, 90, "no connection", failing=True), None),
    ],
)
def test_a_failing_source_was_heard_of_when_it_last_answered(health: Health, at: datetime | None) -> None:
    assert heard({"email.bot": Health(None, 60, failing=True), "telegram.bot": health}) == at


def test_a_source_that_is_not_there_was_never_heard_of() -> None:
    assert heard({"telegram.user": Health(NOW, 60)}) is None
