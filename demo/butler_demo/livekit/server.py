"""A LiveKit stand-in on a loopback socket: RoomService over Twirp, in protobuf, and a page that joins.

Requests are parsed with LiveKit's own messages, and refused where they hold anything those do not know.
"""

import secrets
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from aiohttp import web
from google.protobuf import unknown_fields
from google.protobuf.message import DecodeError, Message
from livekit.protocol.models import Room
from livekit.protocol.room import (
    CreateRoomRequest,
    DeleteRoomRequest,
    DeleteRoomResponse,
    ListRoomsRequest,
    ListRoomsResponse,
)

from butler_demo.livekit import page
from butler_demo.livekit.errors import TwirpError, on_the_wire
from butler_demo.livekit.rooms import Rooms
from butler_demo.livekit.tokens import Token, verified
from butler_demo.serving import HttpServer, utc_now

SERVICE = "/twirp/livekit.RoomService/"
PROTOBUF = "application/protobuf"


@dataclass(frozen=True, slots=True)
class Method:
    """One method of RoomService: what it takes, the grant it needs, and what is done."""

    takes: type[Message]
    grant: str
    run: Callable[[Any], Message]


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One call of RoomService that was in order."""

    at: datetime
    method: str
    request: Message


class LiveKitServer(HttpServer):
    """The stand-in. Its methods are called on the event loop that serves it."""

    def __init__(self, *, now: Callable[[], datetime] = utc_now) -> None:
        """`now` is the time of rooms and links; calls are signed by the vendor's client with the machine's time."""
        super().__init__()
        self.api_key, self.api_secret = f"API{secrets.token_hex(6)}", secrets.token_urlsafe(48)
        self.calls: deque[CallRecord] = deque(maxlen=1_000)
        """Calls whose tokens and requests were in order, oldest first."""
        self._now = now
        self._rooms = Rooms(now)
        self._methods = {
            "CreateRoom": Method(CreateRoomRequest, "roomCreate", self._rooms.create),
            "ListRooms": Method(ListRoomsRequest, "roomList", self._list),
            "DeleteRoom": Method(DeleteRoomRequest, "roomCreate", self._delete),
        }

    def routes(self) -> list[web.RouteDef]:
        """RoomService and the page that joins."""
        return [web.post(SERVICE + "{method}", self._call), web.get("/join", self._join)]

    @property
    def join_url(self) -> str:
        """The address of the page that joins, with the places of server and token."""
        return f"{self.url}/join?liveKitUrl={{url}}&token={{token}}"

    def open_room(self, name: str) -> Room:
        """Open a room, as some other program of the person's does."""
        return self._rooms.create(CreateRoomRequest(name=name))

    def rooms(self, names: Sequence[str] = ()) -> list[Room]:
        """The rooms that are open."""
        return self._rooms.listed(names)

    def people(self, room: str) -> dict[str, str]:
        """Who has come into a room: names by identity."""
        return self._rooms.people(room)

    def _list(self, request: ListRoomsRequest) -> ListRoomsResponse:
        return ListRoomsResponse(rooms=self._rooms.listed(request.names))

    def _delete(self, request: DeleteRoomRequest) -> DeleteRoomResponse:
        self._rooms.delete(request.room)
        return DeleteRoomResponse()

    async def _call(self, request: web.Request) -> web.Response:
        body = await request.read()
        try:
            token = self._token(request)
        except TwirpError:
            # The server itself says no more to a token that is not good.
            return web.Response(status=401)
        try:
            answer = self._answer(request, token, body)
        except TwirpError as error:
            return on_the_wire(error)
        return web.Response(body=answer.SerializeToString(), content_type=PROTOBUF)

    def _token(self, request: web.Request) -> Token | None:
        """None where there is none. Raises `TwirpError` for one that is not good."""
        authorization = request.headers.get("Authorization", "")
        if not authorization:
            return None
        if not authorization.startswith("Bearer "):
            raise TwirpError("unauthenticated", "the header does not start with Bearer")
        return verified(authorization.removeprefix("Bearer "), {self.api_key: self.api_secret}, utc_now())

    def _answer(self, request: web.Request, token: Token | None, body: bytes) -> Message:
        name = request.match_info["method"]
        method = self._methods.get(name)
        if method is None:
            raise TwirpError("bad_route", f"no handler for the method {name}")
        if token is None or not token.grants.get(method.grant):
            raise TwirpError("unauthenticated", "permissions denied")
        asked = _read(method.takes, request.content_type, body)
        self.calls.append(CallRecord(self._now(), name, asked))
        return method.run(asked)

    async def _join(self, request: web.Request) -> web.Response:
        try:
            token = verified(request.query.get("token", ""), {self.api_key: self.api_secret}, self._now())
            room = token.room_to_join()
            again = self._rooms.join(room, token.identity, token.name)
        except TwirpError as error:
            return page.turned_away(error)
        return page.joined(room, token, self._rooms.people(room), again=again)


def _read(kind: type[Message], content_type: str, body: bytes) -> Message:
    """The request in LiveKit's own message. Raises `TwirpError`."""
    if content_type != PROTOBUF:
        raise TwirpError("bad_route", f"unexpected Content-Type: {content_type}")
    message = kind()
    try:
        message.ParseFromString(body)
    except DecodeError as error:
        raise TwirpError("malformed", "the request cannot be read") from error
    if len(unknown_fields.UnknownFieldSet(message)):
        raise TwirpError("malformed", "the request has fields that there are not")
    return message
