"""Alerts by webhook: their sender sends each again until it is answered 200, and the owner reads each once."""

import asyncio
import json

import aiohttp

from tests.crash.scenarios import Scenario

SECTION = '[modules.alertmanager.bot]\ntoken_env = "BUTLER_TELEGRAM_TOKEN"\n\n'
"""A variable that is there anyway."""
SENT_AGAIN_AFTER_S = 0.1


def notification(*alerts):
    told = [
        {
            "status": status,
            "labels": {"alertname": name, "severity": "critical"},
            "annotations": {"summary": f"{name} is the matter"},
            "startsAt": "2026-03-02T08:58:45Z",
            "fingerprint": name,
        }
        for name, status in alerts
    ]
    return json.dumps({"version": "4", "groupKey": "{}:{}", "alerts": told})


async def send(home, body):
    """As Alertmanager does: again and again, until it is answered 200."""
    url = f"http://127.0.0.1:{home.web_port}/hooks/alertmanager"
    async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {home.world.bot_token}"}) as session:
        while True:
            try:
                async with session.post(url, data=body) as answer:
                    if answer.status == 200:
                        return
                    assert answer.status == 503, await answer.text()
            except (aiohttp.ClientError, ConnectionError):
                pass
            await asyncio.sleep(SENT_AGAIN_AFTER_S)


async def alerts(home):
    """Two fire, one ends: three events, and one message that says so in the end."""
    home.world.say("/start")
    await home.until(home.bot_messages, "a greeting")
    fires, ends = notification(("Disk", "firing"), ("Load", "firing")), notification(("Disk", "resolved"))
    for body in (fires, ends, fires):  # the last one is late, and known
        await asyncio.wait_for(send(home, body), 60)
    await home.until(lambda: _told(home, "1 alert by alertmanager"), "one alert")
    await home.settled()
    assert home.rows("select state from hooks") == [("done",)] * 2
    facts = [json.loads(row[0]) if isinstance(row[0], str) else row[0] for row in home.rows("select facts from events")]
    told = sorted((one["name"], one["state"]) for one in facts if "severity" in one)
    assert told == [("Disk", "firing"), ("Disk", "resolved"), ("Load", "firing")]
    (message,) = home.rows("select message_id from outbox where dedup_key like 'alerts:%'")
    assert message
    assert 1 <= len(_told(home, "by alertmanager")) <= 1 + home.deaths


def _told(home, words):
    return [message for message in home.bot_messages() if words in message.get("text", "")]


ALERTS_SCENARIO = Scenario("alerts", alerts, {"[modules.telegram.bot]\n": f"{SECTION}[modules.telegram.bot]\n"})
