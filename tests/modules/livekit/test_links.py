"""A link lets one person into one room, until it ends; whoever has it is that person."""

from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import aiohttp
import pytest
import structlog
from pydantic import ValidationError

from butler.contract.errors import Effect, IntegrationErrorCode
from butler.contract.tools import Settled
from modules.livekit.config import LiveKitSettings
from tests.modules.livekit.server import Calls, calls


async def opened_in_a_browser(link: str) -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.get(link) as answer:
        return answer.status, await answer.text()


async def link_for(on: Calls, room: str, name: str, call_id: str = "join-1", **more: object) -> str:
    result = await on.invoke("join_room", {"room": room, "name": name, **more}, call_id)
    assert result.data is not None, result.error
    return str(result.data["link"])


async def test_a_link_opens_the_room_for_the_person_it_is_for(on_server: Calls) -> None:
    room = await on_server.room()
    result = await on_server.invoke("join_room", {"room": room, "name": "Anna"})
    assert result.data is not None, result.error
    assert set(result.data) == {"room", "identity", "name", "link", "expires_at", "invitation"}
    status, page = await opened_in_a_browser(result.data["link"])
    assert status == 200
    assert room in page
    assert "Anna" in page
    assert on_server.server.people(room) == {result.data["identity"]: "Anna"}


async def test_a_token_grants_one_room_and_nothing_else(on_server: Calls) -> None:
    room = await on_server.room()
    claims = on_server.claims(await link_for(on_server, room, "Anna"))
    assert claims["video"] == {
        "roomJoin": True,
        "room": room,
        "canPublish": True,
        "canSubscribe": True,
        "canPublishData": True,
    }
    assert claims["iss"] == on_server.server.api_key
    assert set(claims) == {"iss", "sub", "name", "nbf", "exp", "video"}


async def test_who_only_listens_cannot_speak(on_server: Calls) -> None:
    room = await on_server.room()
    video = on_server.claims(await link_for(on_server, room, "Anna", listen_only=True))["video"]
    assert (video["canPublish"], video["canPublishData"], video["canSubscribe"]) == (False, False, True)


async def test_a_link_ends_when_the_butlers_clock_says_so(on_server: Calls) -> None:
    on_server.clock.offset = timedelta(days=3)
    room = await on_server.room()
    result = await on_server.invoke("join_room", {"room": room, "name": "Anna", "minutes": 30})
    assert result.data is not None, result.error
    claims = on_server.claims(result.data["link"])
    assert claims["exp"] - claims["nbf"] == 30 * 60
    assert datetime.fromisoformat(result.data["expires_at"]) == datetime.fromtimestamp(claims["exp"], UTC)
    assert abs(claims["nbf"] - on_server.clock.now().timestamp()) < 60
    on_server.clock.offset += timedelta(minutes=32)
    status, page = await opened_in_a_browser(result.data["link"])
    assert status == 401
    assert "The token has expired" in page


async def test_the_usual_time_is_the_settings() -> None:
    async with calls(link_minutes=45) as on:
        claims = on.claims(await link_for(on, await on.room(), "Anna"))
        assert claims["exp"] - claims["nbf"] == 45 * 60


async def test_two_links_for_one_person_are_two_in_the_room_and_one_link_is_one(on_server: Calls) -> None:
    room = await on_server.room()
    first, second = [await link_for(on_server, room, "Anna", f"join-{number}") for number in (1, 2)]
    await opened_in_a_browser(first)
    await opened_in_a_browser(second)
    _, page = await opened_in_a_browser(second)
    assert "the other window has lost its place" in page
    assert sorted(on_server.server.people(room).values()) == ["Anna", "Anna"]


async def test_nobody_is_let_into_a_room_that_is_not_open(on_server: Calls) -> None:
    result = await on_server.invoke("join_room", {"room": "call-with-nobody", "name": "Anna"})
    assert result.error is not None
    assert result.error.code is IntegrationErrorCode.NOT_FOUND
    assert result.error.effect is Effect.NONE
    assert result.error.message == "there is no open room call-with-nobody on the server; open one first"


async def test_a_link_that_was_lost_is_made_again(on_server: Calls) -> None:
    call = on_server.call("join_room", {"room": await on_server.room(), "name": "Anna"})
    assert (await on_server.registry.reconcile(call)).settled is Settled.REPEAT


async def test_a_link_carries_server_and_token_quoted_to_the_page_of_the_settings() -> None:
    page = "https://meet.home.example/custom?liveKitUrl={url}&token={token}"
    async with calls(join_url=page) as on:
        parts = urlsplit(await link_for(on, await on.room(), "Anna"))
        assert parts.netloc == "meet.home.example"
        fields = parse_qs(parts.query, strict_parsing=True)
        assert fields["liveKitUrl"] == [on.url.replace("http", "ws", 1)]
        assert on.claims(f"token={fields['token'][0]}")["name"] == "Anna"


async def test_no_link_stands_in_a_log(on_server: Calls) -> None:
    with structlog.testing.capture_logs() as logged:
        link = await link_for(on_server, await on_server.room(), "Anna")
    token = link.partition("token=")[2]
    assert logged
    assert token not in repr(logged)
    assert on_server.server.api_secret not in repr(logged)


async def test_a_link_for_more_than_a_day_is_refused(on_server: Calls) -> None:
    with pytest.raises(ValidationError):
        on_server.call("join_room", {"room": "r", "name": "Anna", "minutes": 24 * 60 + 1})


def test_a_page_without_a_place_for_the_token_is_refused() -> None:
    with pytest.raises(ValidationError, match=r"write \{token\} where the token belongs"):
        LiveKitSettings(url="wss://calls.home.example", join_url="https://meet.home.example/")
