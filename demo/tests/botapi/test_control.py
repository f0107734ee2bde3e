"""The stand-in as a process of its own, steered over HTTP, and the events a page follows."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

from butler_demo.botapi.records import Event, EventKind
from butler_demo.botapi.server import CONTROL_HEADER, BotApiServer

from .conftest import SAM, TOKEN, Raw


@asynccontextmanager
async def stand_in_process() -> AsyncIterator[tuple[str, str]]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "butler_demo.botapi", "--port", "0", stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        line = await asyncio.wait_for(process.stdout.readline(), 30)
        url, secret = line.decode().removeprefix("listening on ").strip().split(" steered by ")
        yield url, secret
        process.terminate()
        assert await asyncio.wait_for(process.wait(), 10) == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def control(session: aiohttp.ClientSession, url: str, secret: str, verb: str, **arguments: Any) -> Any:
    async with session.post(f"{url}/ctl/{verb}", json=arguments, headers={CONTROL_HEADER: secret}) as answer:
        body = await answer.json()
        return body["result"] if body["ok"] else body["description"]


async def test_a_process_of_its_own_is_steered_over_http() -> None:
    async with stand_in_process() as (url, secret), aiohttp.ClientSession() as session:
        acts = [
            ["add_bot", {"token": TOKEN, "username": "jeeves_bot", "name": "Jeeves"}],
            ["add_person", {"user_id": SAM, "first_name": "Sam"}],
            ["say", {"token": TOKEN, "user_id": SAM, "text": "hello"}],
        ]
        await control(session, url, secret, "batch", acts=acts)
        form = aiohttp.FormData()
        form.add_field("chat_id", str(SAM))
        form.add_field("document", b"hello", filename="hello.txt")
        async with session.post(f"{url}/bot{TOKEN}/sendDocument", data=form) as answer:
            assert answer.status == 200
        shown = await control(session, url, secret, "messages", token=TOKEN, chat_id=SAM)
        assert [message.get("text") for message in shown] == ["hello", None]
        (call,) = await control(session, url, secret, "calls", method="sendDocument")
        assert call["params"]["document"]["size"] == 5
        sent = await control(
            session, url, secret, "send_file", token=TOKEN, user_id=SAM, filename="a.txt", content_base64="aGk="
        )
        assert sent["document"]["file_size"] == 2
        assert "add_person first" in await control(session, url, secret, "say", token=TOKEN, user_id=7, text="hi")
        assert "no such verb" in await control(session, url, secret, "explode")


async def test_going_offline_over_http_ends_by_itself(raw: Raw) -> None:
    poll = asyncio.create_task(raw("getUpdates", offset=800_000_000, timeout=30))
    await raw.server.wait_for(lambda: raw.server.is_polling(TOKEN))
    await control(raw.session, raw.server.url, raw.server.control_secret, "go_offline", seconds=0.05)
    assert isinstance((await asyncio.gather(poll, return_exceptions=True))[0], aiohttp.ClientError)
    async with asyncio.timeout(5), aiohttp.ClientSession() as fresh:
        while True:
            try:
                async with fresh.get(f"{raw.server.url}/bot{TOKEN}/getMe") as answer:
                    assert answer.status == 200
                    break
            except aiohttp.ClientConnectionError:
                await asyncio.sleep(0.01)


async def test_a_watcher_sees_each_change_of_a_chat(raw: Raw, server: BotApiServer) -> None:
    events: list[Event] = []
    unsubscribe = server.subscribe(events.append)
    server.say(TOKEN, SAM, "hello")
    await raw.result("sendChatAction", chat_id=SAM, action="typing")
    sent = await raw.result("sendMessage", chat_id=SAM, text="hi")
    await raw.result("editMessageText", chat_id=SAM, message_id=sent["message_id"], text="hi there")
    pressed = server.press(TOKEN, SAM, sent["message_id"], "x")
    await raw.result("answerCallbackQuery", callback_query_id=pressed.query_id, text="Done")
    await raw.result("deleteMessage", chat_id=SAM, message_id=sent["message_id"])
    unsubscribe()
    server.say(TOKEN, SAM, "unseen")
    assert [event.kind for event in events] == [
        EventKind.MESSAGE_NEW,
        EventKind.CHAT_ACTION,
        EventKind.MESSAGE_NEW,
        EventKind.MESSAGE_EDITED,
        EventKind.CALLBACK_ANSWERED,
        EventKind.MESSAGE_DELETED,
    ]
    assert events[3].message is not None
    assert events[3].message["text"] == "hi there"
    assert events[4].callback is pressed


async def test_whoever_does_not_know_the_secret_steers_nothing_and_learns_nothing(raw: Raw) -> None:
    url = f"{raw.server.url}/ctl/calls"
    for headers in (
        {},
        {CONTROL_HEADER: ""},
        {CONTROL_HEADER: "wrong"},
        {CONTROL_HEADER: "ü"},
        {CONTROL_HEADER: TOKEN},
    ):
        async with raw.session.post(url, json={}, headers=headers) as answer:
            assert answer.status == 404
            assert TOKEN not in await answer.text()
