"""What `butler doctor` learns about the bot."""

import asyncio
from contextlib import suppress

import aiohttp
import pytest
from telegram.error import TelegramError

from modules.telegram.checks import bot_checks
from tests.modules.telegram.conftest import OWNER, TOKEN, Harness, MakeHouse
from tests.support.waiting import until


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("modules.telegram.checks.LISTEN_S", 1)


async def test_a_bot_in_order_passes(harness: Harness) -> None:
    checks = await harness.module.checks()

    assert [(check.name, check.ok, check.detail) for check in checks] == [
        ("Telegram bot", True, "@jeeves_bot"),
        ("Telegram polling", True, "no webhook is set, and nobody else polls"),
    ]


async def test_a_wrong_token_says_what_to_do(make_harness: MakeHouse) -> None:
    (check,) = await make_harness(secrets={"BUTLER_TELEGRAM_TOKEN": "700124:wrong"}).module.checks()

    assert (check.ok, check.todo) == (False, "Set BUTLER_TELEGRAM_TOKEN.")
    assert "does not accept the bot's token" in check.detail


async def test_a_text_that_is_no_token_is_said_to_be_none(make_harness: MakeHouse) -> None:
    (check,) = await make_harness(secrets={"BUTLER_TELEGRAM_TOKEN": "hunter2"}).module.checks()

    assert "holds no bot token" in check.detail
    assert "hunter2" not in check.detail


async def test_a_server_that_is_away_is_no_wrong_token(harness: Harness) -> None:
    await harness.server.go_offline()

    (check,) = await harness.module.checks()

    assert (check.ok, check.todo) == (False, "Check the network.")


async def test_a_webhook_of_another_program_is_found(harness: Harness) -> None:
    await set_webhook(harness)

    assert [check.ok for check in await harness.module.checks()] == [True, False]


async def test_a_webhook_is_why_polls_are_refused(harness: Harness) -> None:
    await set_webhook(harness)
    async with harness.polling() as source:
        await until(lambda: "webhook" in source.health().detail)


async def set_webhook(harness: Harness) -> None:
    async with aiohttp.ClientSession() as session:
        url = f"{harness.server.url}/bot{TOKEN}/setWebhook"
        async with session.post(url, json={"url": "https://hook.example/x"}) as response:
            assert response.status == 200


async def test_another_program_that_polls_the_bot_is_found(make_harness: MakeHouse) -> None:
    harness, other = make_harness(), make_harness()

    async def poll_for_ever() -> None:
        while True:
            with suppress(TelegramError):
                await other.bot.api.poll_updates(None, 20)

    program = asyncio.create_task(poll_for_ever())
    try:
        line, polling = await bot_checks(harness.bot.api, beside_daemon=False)
    finally:
        program.cancel()
        await asyncio.wait([program])
    assert line.ok
    assert (polling.ok, polling.detail) == (False, "another program polls this bot")
    assert "Telegram gives each update to one program only" in polling.todo


async def test_a_bot_that_nobody_else_polls_passes_and_no_update_is_lost(harness: Harness) -> None:
    _line, polling = await bot_checks(harness.bot.api, beside_daemon=False)
    assert (polling.ok, polling.detail) == (True, "no webhook is set, and nobody else polls")
    harness.server.say(TOKEN, OWNER, "hello")
    await bot_checks(harness.bot.api, beside_daemon=False)
    assert [update["message"]["text"] for update in await harness.bot.api.poll_updates(None, 0)] == ["/start", "hello"]


async def test_beside_a_running_daemon_the_bot_is_not_polled(harness: Harness) -> None:
    async with harness.polling() as source:
        await until(lambda: source.health().last_ok)
        _line, polling = await bot_checks(harness.bot.api, beside_daemon=True)
        assert (polling.ok, polling.detail) == (True, "no webhook is set; the daemon polls")
        assert not source.health().failing
