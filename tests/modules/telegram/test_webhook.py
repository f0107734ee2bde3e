"""Updates by webhook: only Telegram's are let through, none is lost between the two modes, and deafness is noticed."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from butler.contract.errors import ConfigError, Reconfigure
from butler.contract.inbound import InboundKind
from butler_demo.botapi.server import BotApiServer
from modules.telegram.hook_bot import SECRET_HEADER
from modules.telegram.source_bot_hook import DEAF_AFTER, LOOK_AGAIN
from tests.hooks.harness import Served, serving
from tests.modules.telegram.conftest import EVE, OFFSET, OWNER, TOKEN, TOKEN_VARIABLE, Harness, MakeHouse
from tests.support.waiting import until

PUBLIC = "https://butler.example"
URL = f"{PUBLIC}/hooks/telegram"
SECRET_VARIABLE = "BUTLER_TELEGRAM_WEBHOOK_SECRET"
SECRET = "a-secret_of-the-owner"
SECRETS = {TOKEN_VARIABLE: TOKEN, SECRET_VARIABLE: SECRET}


@pytest.fixture
def hooked(make_harness: MakeHouse, server: BotApiServer) -> Harness:
    """A module in webhook mode, and an owner whose chat with the bot is open."""
    server.webhooks.first_pause_s = 0.01
    server.say(TOKEN, OWNER, "/start")
    return make_harness(secrets=SECRETS, public_url=PUBLIC, mode="webhook")


@asynccontextmanager
async def served(harness: Harness, folder: Path) -> AsyncGenerator[Served]:
    """The web port, which the public address leads to."""
    async with serving(folder, *harness.module.hooks()) as port:
        harness.server.reach(PUBLIC, f"http://127.0.0.1:{port.port}")
        yield port
        harness.server.reach(PUBLIC, "")


async def delivered(harness: Harness, port: Served) -> None:
    """All that Telegram has is taken, and acted on."""
    await harness.server.wait_for(lambda: harness.server.pending_updates(TOKEN) == 0)
    await port.act()


async def test_what_telegram_sends_is_stored_before_the_answer_and_acted_on_in_order(
    hooked: Harness, tmp_path: Path
) -> None:
    async with served(hooked, tmp_path) as port, hooked.polling() as source:
        for number in range(20):
            hooked.server.say(TOKEN, OWNER, str(number))
        await hooked.server.wait_for(lambda: hooked.server.pending_updates(TOKEN) == 0)
        assert len(await port.rows()) == 21
        assert hooked.sink.items == []
        await port.act()

        assert [item.text for item in hooked.sink.items] == ["/start", *map(str, range(20))]
        assert source.health().last_ok is not None
        assert source.health().detail == ""
    assert hooked.calls("getUpdates") == []
    (setting,) = hooked.calls("setWebhook")
    assert setting.params["url"] == URL
    assert setting.params["secret_token"] == SECRET
    assert setting.params["max_connections"] == 10
    assert setting.params["allowed_updates"] == ["message", "edited_message", "callback_query"]
    assert "drop_pending_updates" not in setting.params


async def test_tb_34_a_forged_update_is_refused_whatever_it_shows(hooked: Harness, tmp_path: Path) -> None:
    forged = hooked.server.updates(TOKEN)[0]
    async with serving(tmp_path, *hooked.module.hooks()) as port:
        for headers in ({}, {SECRET_HEADER: ""}, {SECRET_HEADER: SECRET[:-1]}, {SECRET_HEADER: "é"}):
            shown = {name.replace("-", "_"): value for name, value in headers.items()}
            assert await port.post("/hooks/telegram", json.dumps(forged).encode(), **shown) == (403, b"Forbidden")
        assert await port.rows() == []
    assert hooked.sink.items == []


async def test_tb_34_where_no_secret_is_set_one_is_made_and_sealed(
    make_harness: MakeHouse, server: BotApiServer
) -> None:
    harness = make_harness(public_url=PUBLIC, mode="webhook")
    async with harness.polling():
        await server.wait_for(lambda: server.webhook(TOKEN))
    made = harness.context.vault.get(SECRET_VARIABLE)
    assert len(made) >= 40
    async with harness.restarted().polling():
        await server.wait_for(lambda: len(harness.calls("setWebhook")) == 2)
    assert [call.params["secret_token"] for call in harness.calls("setWebhook")] == [made, made]
    assert made not in json.dumps([call.args for call in harness.probe.calls])
    assert made not in json.dumps(harness.cursors.values)


async def test_a_secret_that_telegram_does_not_take_is_named(make_harness: MakeHouse) -> None:
    harness = make_harness(secrets=SECRETS | {SECRET_VARIABLE: "no good!"}, public_url=PUBLIC, mode="webhook")
    with pytest.raises(ConfigError, match=SECRET_VARIABLE) as refused:
        await harness.bot.source.run()
    assert "no good" not in str(refused.value)


@pytest.mark.parametrize("public_url", ["", "http://butler.example"])
async def test_without_a_public_address_there_is_no_webhook(make_harness: MakeHouse, public_url: str) -> None:
    with pytest.raises(ConfigError, match="needs public_url"):
        make_harness(public_url=public_url, mode="webhook")


@pytest.mark.parametrize(
    "body", ["", "nothing", "[]", "{}", '{"update_id": "1"}', '{"update_id": true}', '{"update_id": -1}', "[" * 10_000]
)
async def test_what_is_no_update_is_refused(hooked: Harness, tmp_path: Path, body: str) -> None:
    async with serving(tmp_path, *hooked.module.hooks()) as port:
        shown = {SECRET_HEADER.replace("-", "_"): SECRET}
        assert (await port.post("/hooks/telegram", body.encode(), **shown))[0] == 400
        assert await port.rows() == []


async def test_an_update_that_comes_again_is_acted_on_once(hooked: Harness, tmp_path: Path) -> None:
    async with served(hooked, tmp_path) as port, hooked.polling():
        await delivered(hooked, port)
        hooked.server.replay(hooked.server.updates(TOKEN)[0]["update_id"])
        await hooked.server.wait_for(lambda: len(hooked.server.webhooks.answers) == 2)
        await port.act()
        (row,) = await port.rows()
        (hook,) = hooked.module.hooks()
        await hook.act(row.hook)
    assert [status for _, status in hooked.server.webhooks.answers] == [200, 200]
    assert len(hooked.sink.items) == 1


async def test_a_tap_does_not_wait_behind_somebodys_file(hooked: Harness, tmp_path: Path) -> None:
    async with served(hooked, tmp_path) as port, hooked.polling():
        hooked.server.send_file(TOKEN, OWNER, "slow.pdf", b"%PDF")
        hooked.server.press(TOKEN, EVE, 1, "a:yes")
        await hooked.server.wait_for(lambda: hooked.server.pending_updates(TOKEN) == 0)
        assert [item.kind for item in hooked.sink.items] == [InboundKind.BUTTON]
        await port.act()
    assert sorted(item.kind for item in hooked.sink.items) == ["button", "chat", "command"]
    (held,) = [file for item in hooked.sink.items for file in item.attachments]
    assert hooked.blobs.data[held.sha256] == b"%PDF"


async def test_what_came_by_polls_and_was_not_confirmed_does_not_count_twice(
    make_harness: MakeHouse, hooked: Harness, tmp_path: Path
) -> None:
    polling = make_harness(secrets=SECRETS, public_url=PUBLIC)
    update = hooked.server.updates(TOKEN)[0]
    await polling.bot.intake.begin()
    await polling.bot.intake.take([update], (OFFSET, str(update["update_id"] + 1)))
    harness = polling.restarted(mode="webhook")
    async with served(harness, tmp_path) as port, harness.polling():
        await delivered(harness, port)
    assert [item.text for item in harness.sink.items] == ["/start"]
    assert harness.cursors.values[OFFSET] == "", "Telegram counts anew after a quiet week"


async def test_back_to_polling_the_webhook_is_taken_back_and_nothing_that_waits_is_lost(hooked: Harness) -> None:
    async with hooked.polling():
        await hooked.server.wait_for(lambda: hooked.server.webhook(TOKEN) == URL)
    hooked.server.say(TOKEN, OWNER, "while nobody listened")
    polling = hooked.restarted(mode="polling")
    async with polling.polling():
        items = await polling.sink.wait_for(2)
    assert [item.text for item in items] == ["/start", "while nobody listened"]
    assert hooked.server.webhook(TOKEN) == ""
    (taken_back,) = hooked.calls("deleteWebhook")
    assert "drop_pending_updates" not in taken_back.params


async def test_an_address_that_somebody_else_set_is_set_right(hooked: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("modules.telegram.source_bot_hook.LOOK_EVERY", timedelta(milliseconds=10))
    async with hooked.polling():
        await hooked.server.wait_for(lambda: hooked.server.webhook(TOKEN) == URL)
        hooked.server.state.known_bot(TOKEN).webhook["url"] = "https://elsewhere.example/x"
        await hooked.server.wait_for(lambda: hooked.server.webhook(TOKEN) == URL)


async def test_a_deaf_webhook_is_told_in_the_health_and_heals(
    hooked: Harness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("modules.telegram.source_bot_hook.LOOK_AGAIN", timedelta(milliseconds=10))
    monkeypatch.setattr("modules.telegram.source_bot_hook.LOOK_EVERY", timedelta(milliseconds=10))
    async with hooked.polling() as source:
        await until(lambda: source.health().failing)
        assert source.health().detail == (
            f"Telegram does not get through to {URL}: Failed to resolve host: Name or service not known"
        )
        async with served(hooked, tmp_path) as port:
            await delivered(hooked, port)
            await until(lambda: not source.health().failing)
    assert len(hooked.sink.items) == 1


async def test_after_ten_deaf_minutes_it_polls_and_says_so_once(
    hooked: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("modules.telegram.source_bot_hook.LOOK_AGAIN", timedelta(milliseconds=10))
    monkeypatch.setattr("modules.telegram.source_bot_hook.LOOK_EVERY", timedelta(milliseconds=10))
    async with hooked.polling() as source:
        await until(lambda: source.health().failing)
        assert hooked.calls("getUpdates") == []
        hooked.clock.offset += DEAF_AFTER
        await hooked.sink.wait_for(1)
        await until(lambda: source.health().last_ok is not None)
        assert source.health().detail == f"polled, since Telegram did not get through to {URL}"
        await until(lambda: len(hooked.sent()) == 1)
    (told,) = hooked.sent()
    assert told["text"].startswith(f"Telegram does not get through to {URL}")
    assert "So I fetch your messages from Telegram myself" in told["text"]
    assert hooked.server.webhook(TOKEN) == ""


async def test_it_stays_with_the_webhook_where_that_is_wanted(
    make_harness: MakeHouse, hooked: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("modules.telegram.source_bot_hook.LOOK_AGAIN", timedelta(milliseconds=10))
    harness = make_harness(secrets=SECRETS, public_url=PUBLIC, mode="webhook", webhook_fallback=False)
    async with harness.polling() as source:
        await until(lambda: source.health().failing)
        harness.clock.offset += DEAF_AFTER + LOOK_AGAIN
        looks = len(harness.calls("getWebhookInfo"))
        await harness.server.wait_for(lambda: len(harness.calls("getWebhookInfo")) > looks + 2)
        assert source.health().failing
    assert harness.calls("getUpdates") == []


async def test_telegram_away_at_the_start_is_no_failure(hooked: Harness) -> None:
    await hooked.server.go_offline()
    async with hooked.polling() as source:
        await until(lambda: source.health().failing)
        await hooked.server.come_back()
        await hooked.server.wait_for(lambda: hooked.server.webhook(TOKEN) == URL)


async def test_an_address_that_telegram_refuses_stops_the_source_with_its_reason(hooked: Harness) -> None:
    hooked.server.fail("setWebhook", 400, "Bad Request: bad webhook: IP address 10.0.0.1 is reserved")
    with pytest.raises(Reconfigure, match="is reserved"):
        await hooked.bot.source.run()
    assert hooked.bot.source.health().stopped


async def test_doctor_tells_how_the_webhook_is(hooked: Harness) -> None:
    async def line() -> tuple[bool, str]:
        check = (await hooked.module.checks())[-1]
        assert check.name == "Telegram webhook"
        return check.ok, check.detail

    assert await line() == (False, "none is set")
    async with hooked.polling():
        await hooked.server.wait_for(lambda: hooked.server.state.known_bot(TOKEN).webhook_failure)
    assert await line() == (False, "1 updates wait: Failed to resolve host: Name or service not known")
    hooked.server.state.known_bot(TOKEN).feed.clear()
    assert await line() == (True, f"{URL} is set, 0 updates wait")
    hooked.server.state.known_bot(TOKEN).webhook["url"] = "https://elsewhere.example/x"
    assert await line() == (False, "another address is set")
