"""The stand-in refuses what LiveKit refuses, so that what passes here is worth something."""

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import aiohttp
import jwt
import pytest
from livekit.protocol.models import Room
from livekit.protocol.room import CreateRoomRequest

from butler_demo.livekit.server import LiveKitServer
from tests.adapters.servers.livekit.twirp import TWIRP, Called
from tests.adapters.servers.wire import Answer

SOON = datetime.now(UTC) + timedelta(hours=1)
CREATE = {"roomCreate": True, "roomList": True}


@pytest.fixture
async def server() -> AsyncIterator[LiveKitServer]:
    server = LiveKitServer()
    await server.start()
    yield server
    await server.stop()


def token(server: LiveKitServer, video: dict[str, Any], algorithm: str = "HS256", **claims: Any) -> str:
    said = {"iss": server.api_key, "exp": SOON, "video": video} | claims
    return jwt.encode({name: value for name, value in said.items() if value}, server.api_secret, algorithm)


async def post(
    server: LiveKitServer, method: str, body: Any, bearer: str, content_type: str = "application/protobuf"
) -> tuple[int, Any]:
    headers = {"Authorization": f"Bearer {bearer}", "Content-Type": content_type}
    data = body if isinstance(body, bytes) else body.SerializeToString()
    url = f"{server.url}/twirp/livekit.RoomService/{method}"
    async with aiohttp.ClientSession() as session, session.post(url, data=data, headers=headers) as answer:
        told = {name.lower(): value for name, value in answer.headers.items()}
        raw = await answer.read()
        TWIRP.answer(Called(method, Room, content_type, granted=True), Answer(answer.status, told, raw))
        return answer.status, json.loads(raw) if raw.startswith(b"{") else None


@pytest.mark.parametrize(
    ("claims", "said"),
    [
        ({"iss": "APIother"}, None),
        ({"exp": None}, None),
        ({"exp": datetime.now(UTC) - timedelta(minutes=2)}, None),
        ({"nbf": SOON}, None),
        ({"algorithm": "HS512"}, None),
        ({"video": {"roomJoin": True, "room": "call"}}, {"code": "unauthenticated", "msg": "permissions denied"}),
    ],
    ids=["a key that is not known", "no end", "too late", "too early", "another algorithm", "no grant"],
)
async def test_a_token_that_is_not_good_is_refused(server: LiveKitServer, claims: dict[str, Any], said: Any) -> None:
    bearer = token(server, **({"video": CREATE} | claims))
    assert await post(server, "CreateRoom", CreateRoomRequest(name="call"), bearer) == (401, said)
    assert not server.rooms()


@pytest.mark.parametrize(
    ("method", "body", "content_type", "code"),
    [
        ("CreateRoom", b"", "application/protobuf", "invalid_argument"),
        ("CreateRoom", b"\xff\xff", "application/protobuf", "malformed"),
        ("CreateRoom", b"\xfa\x3f\x01x", "application/protobuf", "malformed"),
        ("CreateRoom", b"name=call", "text/plain", "bad_route"),
        ("NoSuchMethod", b"", "application/protobuf", "bad_route"),
    ],
)
async def test_a_request_that_is_not_as_described_is_refused(
    server: LiveKitServer, method: str, body: Any, content_type: str, code: str
) -> None:
    _status, error = await post(server, method, body, token(server, CREATE), content_type)
    assert error["code"] == code


async def test_a_room_takes_as_many_as_it_was_made_for(server: LiveKitServer) -> None:
    await post(server, "CreateRoom", CreateRoomRequest(name="call", max_participants=1), token(server, CREATE))
    seen: list[int] = []
    async with aiohttp.ClientSession() as session:
        for person in ("anna", "bob", "anna"):
            joining = token(server, {"roomJoin": True, "room": "call"}, sub=person, name=person)
            async with session.get(f"{server.url}/join", params={"token": joining}) as answer:
                seen.append(answer.status)
    assert seen == [200, 403, 200]
    assert server.people("call") == {"anna": "anna"}


async def test_what_people_are_called_is_no_markup(server: LiveKitServer) -> None:
    joining = token(server, {"roomJoin": True, "room": "call"}, sub="x", name="<script>alert(1)</script>")
    url = f"{server.url}/join"
    async with aiohttp.ClientSession() as session, session.get(url, params={"token": joining}) as answer:
        page = await answer.text()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
