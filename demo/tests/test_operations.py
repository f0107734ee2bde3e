"""The demo's home server and calls, asked for in chat: a diagnosis with a chart, links that only their people get."""

import re

import aiohttp
import pytest

from butler_demo.daemon import Daemon
from butler_demo.people import OWNER_ID
from butler_demo.world import World
from demo.tests.playing import play

TOKEN = re.compile(r"eyJ[\w-]+\.[\w-]+\.[\w-]+")


async def test_why_the_server_is_slow_is_told_from_its_metrics_and_logs_with_a_chart(
    world: World, daemon: Daemon
) -> None:
    await play(
        world,
        daemon,
        'say "Why is the server slow?"\n'
        'expect bot "CPU has been at" "usually 14 %" "As always: Memory in use" "backup" "stands out" within 60\n'
        "expect photo\n"
        'say "wie voll ist die Festplatte?"\nexpect bot "83 %" within 30\nexpect photo\nexpect pending 0',
    )
    photos = [one for one in world.bot_api.messages(world.bot_token, OWNER_ID) if "photo" in one]
    assert len(photos) >= 2
    picture = world.bot_api.picture(photos[0]["photo"][-1]["file_id"])
    assert picture is not None
    assert picture.startswith(b"\x89PNG")


@pytest.mark.nightly
async def test_the_logs_are_still_told_where_the_metrics_cannot_be_reached(world: World, daemon: Daemon) -> None:
    await world.prometheus.stop()
    await play(
        world,
        daemon,
        'say "Why is the server slow?"\nexpect bot "I could not read the metrics" "stands out" within 90\n',
    )


@pytest.mark.nightly
async def test_somebody_is_called_and_gets_a_link_only_after_a_yes(world: World, daemon: Daemon) -> None:
    await play(
        world,
        daemon,
        'say "Call Anna"\nexpect bot "The room is open" "Join the call" "Link for Anna" "[Send Anna the link]"\n'
        "expect nothing within 1\nexpect pending 0\n"
        'tap "Send Anna the link"\nexpect bot "Join me in a call" "[Approve]"\nexpect pending 1\n'
        'tap "Approve"\nexpect sent telegram "Anna" "Join me in a call" "token=" within 30\nexpect pending 0',
    )
    (sent,) = world.sent_telegrams()
    link = sent.text.removeprefix("Join me in a call: ")
    async with aiohttp.ClientSession() as session, session.get(link) as answer:
        assert answer.status == 200
        assert "Anna" in await answer.text()


@pytest.mark.nightly
async def test_a_calls_links_stand_in_no_log_and_in_no_text_of_the_answer(world: World, daemon: Daemon) -> None:
    await play(
        world, daemon, 'say "Call Anna"\nexpect bot "Link for Anna"\ntap "Send Anna the link"\nexpect bot "[Approve]"\n'
    )
    answer = next(
        one for one in world.bot_api.messages(world.bot_token, OWNER_ID) if "Link for Anna" in one.get("text", "")
    )
    assert not TOKEN.search(answer["text"])
    links = [one["url"] for one in answer["entities"] if one["type"] == "text_link"]
    assert len(set(links)) == 2
    assert all(TOKEN.search(link) for link in links)
    assert not TOKEN.search(daemon.log_path.read_text("utf-8"))
