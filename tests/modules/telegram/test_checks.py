"""What `butler doctor` learns about the bot."""

import aiohttp

from tests.modules.telegram.conftest import TOKEN, House, MakeHouse
from tests.support.waiting import until


async def test_a_bot_in_order_passes(house: House) -> None:
    checks = await house.module.checks()

    assert [(check.name, check.ok, check.detail) for check in checks] == [
        ("Telegram bot", True, "@jeeves_bot"),
        ("Telegram polling", True, "no webhook is set"),
    ]


async def test_a_wrong_token_says_what_to_do(make_house: MakeHouse) -> None:
    (check,) = await make_house(secrets={"BUTLER_TELEGRAM_TOKEN": "700124:wrong"}).module.checks()

    assert (check.ok, check.todo) == (False, "Set BUTLER_TELEGRAM_TOKEN.")
    assert "does not accept the bot's token" in check.detail


async def test_a_text_that_is_no_token_is_said_to_be_none(make_house: MakeHouse) -> None:
    (check,) = await make_house(secrets={"BUTLER_TELEGRAM_TOKEN": "hunter2"}).module.checks()

    assert "holds no bot token" in check.detail
    assert "hunter2" not in check.detail


async def test_a_server_that_is_away_is_no_wrong_token(house: House) -> None:
    await house.server.go_offline()

    (check,) = await house.module.checks()

    assert (check.ok, check.todo) == (False, "Check the network.")


async def test_a_webhook_of_another_program_is_found(house: House) -> None:
    await set_webhook(house)

    assert [check.ok for check in await house.module.checks()] == [True, False]


async def test_a_webhook_is_why_polls_are_refused(house: House) -> None:
    await set_webhook(house)
    async with house.polling() as source:
        await until(lambda: "webhook" in source.health().detail)


async def set_webhook(house: House) -> None:
    async with aiohttp.ClientSession() as session:
        url = f"{house.server.url}/bot{TOKEN}/setWebhook"
        async with session.post(url, json={"url": "https://hook.example/x"}) as response:
            assert response.status == 200
