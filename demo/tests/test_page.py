"""The chat page's server: who may use it, and what it streams."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from butler_demo.daemon import Daemon
from butler_demo.page.server import PageServer, PortTakenError
from butler_demo.people import OWNER_ID
from butler_demo.world import World


@pytest.fixture
async def page(world: World, echo: Daemon) -> AsyncIterator[PageServer]:
    page = PageServer(world, echo)
    await page.start(0)
    yield page
    await page.stop()


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


async def token_of(page: PageServer, session: aiohttp.ClientSession) -> str:
    async with session.get(page.url) as answer:
        found = re.search(r'name="demo-token" content="([^"]+)"', await answer.text())
        assert found
        return found[1]


async def act(
    page: PageServer, session: aiohttp.ClientSession, name: str, fields: Any, **headers: str
) -> tuple[int, Any]:
    async with session.post(f"{page.url}do/{name}", json=fields, headers=headers) as answer:
        return answer.status, await answer.json()


async def events(page: PageServer, session: aiohttp.ClientSession) -> AsyncIterator[Any]:
    async with session.get(f"{page.url}events") as stream:
        async for line in stream.content:
            if line.startswith(b"data: "):
                yield json.loads(line[6:])


async def test_the_page_says_what_its_owner_says(
    page: PageServer, session: aiohttp.ClientSession, world: World
) -> None:
    token = await token_of(page, session)
    assert (await act(page, session, "say", {"text": "hello"}, **{"X-Demo-Token": token}))[0] == 200
    assert world.bot_api.messages(world.bot_token, OWNER_ID)[0]["text"] == "hello"


@pytest.mark.parametrize(
    "headers", [{}, {"X-Demo-Token": "guessed"}, {"Origin": "http://evil.example"}], ids=["none", "wrong", "origin"]
)
async def test_another_site_cannot_act(
    page: PageServer, session: aiohttp.ClientSession, world: World, headers: dict[str, str]
) -> None:
    if "Origin" in headers:
        headers = {**headers, "X-Demo-Token": await token_of(page, session)}
    status, answer = await act(page, session, "say", {"text": "hello"}, **headers)
    assert (status, answer["ok"]) == (403, False)
    assert world.bot_api.messages(world.bot_token, OWNER_ID) == []


async def test_another_host_name_cannot_even_look(page: PageServer, session: aiohttp.ClientSession) -> None:
    async with session.get(page.url, headers={"Host": "rebound.example"}) as answer:
        assert answer.status == 400


async def test_what_telegram_would_not_send_is_said_in_a_sentence(
    page: PageServer, session: aiohttp.ClientSession
) -> None:
    token = await token_of(page, session)
    status, answer = await act(page, session, "say", {"text": "x" * 5000}, **{"X-Demo-Token": token})
    assert status == 409
    assert answer["sentence"].startswith(
        "This message has 5,000 characters and Telegram sends at most 4,096: take out 904"
    )
    assert (await act(page, session, "say", {}, **{"X-Demo-Token": token}))[0] == 400
    for odd in ([1], "hello", 7, None, {"text": "hi", "reply_to": [1]}):
        assert (await act(page, session, "say", odd, **{"X-Demo-Token": token}))[0] == 400
    assert (await act(page, session, "sing", {}, **{"X-Demo-Token": token}))[0] == 404


async def test_the_stream_tells_everything_first_and_then_each_change(
    page: PageServer, session: aiohttp.ClientSession, world: World
) -> None:
    stream = events(page, session)
    everything = await anext(stream)
    assert {event["kind"] for event in everything} >= {"telegram", "mail", "daemon", "clock"}
    assert everything[-2]["state"] == "running"
    world.say("hello")
    async with asyncio.timeout(60):
        chat = [event async for event in _until_answer(stream)]
    assert [event["text"] for event in chat] == ["hello", "echo: hello"]
    assert isinstance(chat[0]["at"], int)


async def _until_answer(stream: AsyncIterator[Any]) -> AsyncIterator[Any]:
    async for event in stream:
        if event["kind"] == "chat":
            yield event
            if event["by_bot"]:
                return


async def test_a_taken_port_is_said_in_a_sentence(page: PageServer, world: World, echo: Daemon) -> None:
    with pytest.raises(PortTakenError, match=f"port {page.port} is taken"):
        await PageServer(world, echo).start(page.port)


PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x10\x00\x00\x00\x08"


async def test_a_photo_of_the_chat_is_shown_and_no_other_file(
    page: PageServer, session: aiohttp.ClientSession, world: World
) -> None:
    world.send_file("cpu.png", PNG)
    world.send_file("notes.html", b"<script>1</script>")
    photo, file = world.bot_api.messages(world.bot_token, OWNER_ID)
    async for event in events(page, session):
        told = [one for one in event if one["kind"] == "chat"]
        pictures = [one["picture"] for one in told if one["picture"]]
        assert pictures == [photo["photo"][-1]["file_id"]]
        break
    async with session.get(f"{page.url}picture/{photo['photo'][-1]['file_id']}") as answer:
        assert (answer.status, answer.content_type, await answer.read()) == (200, "image/png", PNG)
    async with session.get(f"{page.url}picture/{file['document']['file_id']}") as answer:
        assert answer.status == 404
