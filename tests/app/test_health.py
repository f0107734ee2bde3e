"""`/healthz` tells whether each channel has completed a round trip a short while ago, `/metrics` counts."""

import json
from datetime import timedelta

from tests.app.words import answers, asked, logged, shows

CHANNELS = {"telegram.bot", "telegram.user", "email.bot", "email.user"}


async def alive(home):
    """The status of the page, and the channels that are alive."""
    status, text = await home.page("/healthz")
    channels = json.loads(text)["channels"] if text else {}
    return status, {name for name, channel in channels.items() if channel["alive"]}


async def becomes(home, status, channels):
    async def so():
        return await alive(home) == (status, channels)

    await home.until(so, f"{status} with {channels}")


async def test_the_page_is_well_while_every_channel_completes_round_trips(home):
    await becomes(home, 200, CHANNELS)
    status, text = await home.page("/healthz")
    assert json.loads(text)["channels"].keys() == CHANNELS
    assert status == 200


async def test_a_bot_that_is_deaf_is_named_although_its_process_lives(home):
    await becomes(home, 200, CHANNELS)
    home.world.bot_api.slow("getUpdates", 3600, times=1000)
    await answers(home)  # by the last poll that is answered
    home.world.advance(timedelta(seconds=150))
    await becomes(home, 503, CHANNELS - {"telegram.bot"})

    home.world.bot_api.clear_faults()
    home.world.bot_api.drop_connections()
    await becomes(home, 200, CHANNELS)


async def test_a_mailbox_that_is_away_is_named(home):
    await becomes(home, 200, CHANNELS)
    await home.world.mail.go_offline()
    await logged(home, "poll_failed")
    home.world.advance(timedelta(seconds=100))
    await becomes(home, 503, CHANNELS - {"email.bot"})
    await home.world.mail.come_back()
    await becomes(home, 200, CHANNELS)


async def test_the_metrics_count_what_came_in_and_what_was_done(home):
    approve, _ = await asked(home, "tell Anna on Telegram that dinner is on")
    home.world.press(*approve)
    await shows(home, "dinner is on", "Sent at")
    await home.settled()
    status, text = await home.page("/metrics")
    assert status == 200
    counted = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    figures = {name: float(value) for name, value in counted.items()}
    assert figures['butler_updates_total{channel="telegram",identity="bot",kind="chat"}'] == 1
    assert figures['butler_updates_total{channel="telegram",identity="bot",kind="button"}'] == 1
    assert figures["butler_turns_total"] == 1
    assert figures['butler_approvals{state="done"}'] == 1
    assert figures["butler_work_failed"] == 0
    sends = [name for name in figures if name.startswith("butler_provider_calls_total") and ".send" in name]
    assert sends
    assert all('outcome="OK"' in name for name in sends)
    assert figures["butler_commits_total"] > 5
    assert figures["process_resident_memory_bytes"] > 0
    assert "anna" not in text.lower()
