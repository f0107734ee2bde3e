"""LiveKit's own client: requests to a server, the errors of its refusals, and tokens for guests."""

import asyncio
import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

import aiohttp

from butler.contract.call_notes import note_headers
from butler.contract.errors import IntegrationErrorCode, IntegrationFault
from butler.contract.ports import Vault
from modules._remote import http
from modules._remote.http import SENTENCES, as_code, code_of, fault_of, trusting, unreachable, with_reason
from modules.livekit.config import LiveKitSettings
from modules.livekit.records import CreateRoomArgs

if TYPE_CHECKING:
    from livekit.api import LiveKitAPI, ServerError
    from livekit.protocol.models import Room

_CODES = {
    "unauthenticated": IntegrationErrorCode.AUTH_REQUIRED,
    "permission_denied": IntegrationErrorCode.FORBIDDEN,
    "not_found": IntegrationErrorCode.NOT_FOUND,
    "bad_route": IntegrationErrorCode.NOT_FOUND,
    "resource_exhausted": IntegrationErrorCode.RATE_LIMITED,
    "invalid_argument": IntegrationErrorCode.INVALID_INPUT,
    "malformed": IntegrationErrorCode.INVALID_INPUT,
    "out_of_range": IntegrationErrorCode.INVALID_INPUT,
    "already_exists": IntegrationErrorCode.CONFLICT,
    "unavailable": IntegrationErrorCode.UNAVAILABLE,
    "deadline_exceeded": IntegrationErrorCode.TIMEOUT,
}
"""Meanings of Twirp's codes; for all others, the HTTP status decides."""


@dataclass(frozen=True, slots=True)
class Guest:
    """Somebody who may join a room."""

    identity: str
    name: str
    listen_only: bool = False


class LiveKitClient:
    """One server. Connects with the first request, until `close()`."""

    def __init__(self, settings: LiveKitSettings, vault: Vault) -> None:
        self._settings = settings
        self._vault = vault
        self._session: aiohttp.ClientSession | None = None
        self._used = ("", "")
        self._api: LiveKitAPI | None = None

    @property
    def host(self) -> str:
        """Return the server's host name, for people."""
        return urlsplit(self._settings.url).netloc

    @property
    def secret(self) -> str:
        """Return the API secret; empty if none is set."""
        return self._vault.get(self._settings.secret_env)

    async def create(self, args: CreateRoomArgs) -> "Room":
        """Open a room, or return the one that is open already. Raise `IntegrationFault`."""
        from livekit.protocol.room import CreateRoomRequest  # noqa: PLC0415 - the client is loaded when it is used

        api = await self._opened()
        request = CreateRoomRequest(
            name=args.name, empty_timeout=args.empty_timeout_s, max_participants=args.max_participants
        )
        return await self._answer(api.room.create_room(request))

    async def rooms(self, names: "tuple[str, ...]") -> "list[Room]":
        """Return those of the rooms that are open. Raise `IntegrationFault`."""
        from livekit.protocol.room import ListRoomsRequest  # noqa: PLC0415 - as above

        api = await self._opened()
        answer = await self._answer(api.room.list_rooms(ListRoomsRequest(names=list(names))))
        return list(answer.rooms)

    def link(self, room: str, guest: Guest, now: datetime, expires_at: datetime) -> str:
        """Return the address by which a guest may join until `expires_at`."""
        url = self._settings.url
        public = "ws" + url.removeprefix("http") if url.startswith("http") else url
        token = self._token(room, guest, now, expires_at)
        join = self._settings.join_url
        return join.replace("{url}", quote(public, safe="")).replace("{token}", quote(token, safe=""))

    def _token(self, room: str, guest: Guest, now: datetime, expires_at: datetime) -> str:
        """Return a token with LiveKit's own claims; signed here, since `to_jwt` uses the machine's clock."""
        import jwt  # noqa: PLC0415 - as above

        api, (key, secret) = _livekit(), self._credentials()
        speaks = not guest.listen_only
        grants = api.VideoGrants(
            room_join=True, room=room, can_publish=speaks, can_publish_data=speaks, can_subscribe=True
        )
        made = api.AccessToken(key, secret).with_name(guest.name).with_grants(grants)
        times = {"nbf": int(now.timestamp()), "exp": int(expires_at.timestamp())}
        return jwt.encode(made.claims.asdict() | {"iss": key, "sub": guest.identity} | times, secret, "HS256")

    async def close(self) -> None:
        """Close the connection."""
        self._api = None
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _credentials(self) -> tuple[str, str]:
        for name in (self._settings.key_env, self._settings.secret_env):
            if not self._vault.get(name):
                raise IntegrationFault(IntegrationErrorCode.AUTH_REQUIRED, f"{name} is not set")
        return self._vault.get(self._settings.key_env), self.secret

    async def _opened(self) -> "LiveKitAPI":
        api, credentials = _livekit(), self._credentials()
        if self._api is None or self._used != credentials:
            await self.close()
            ca = self._settings.tls_ca
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(ssl=trusting(ca) if ca else True),
                middlewares=(_heeded,),
                response_class=_Bounded,
                trust_env=False,
            )
            # Retries and failover are up to `call()`, so the client's own failover is off.
            made: LiveKitAPI = api.LiveKitAPI(self._settings.url, *credentials, session=self._session, failover=False)
            self._api, self._used = made, credentials
        return self._api

    async def _answer(self, asked: Any) -> Any:
        """Return the server's answer. Raise `IntegrationFault`."""
        from google.protobuf.message import DecodeError  # noqa: PLC0415 - as above

        try:
            # LiveKit's client sets no time-out on its requests, whatever that of its session is.
            async with asyncio.timeout(self._settings.timeout_s):
                return await asked
        except _livekit().ServerError as error:
            raise self._fault(error) from None
        except TimeoutError:
            text = f"no answer within {self._settings.timeout_s:g} s"
            raise IntegrationFault(IntegrationErrorCode.TIMEOUT, text) from None
        except (DecodeError, AttributeError, RecursionError) as error:
            # The client raises AttributeError for a refusal whose JSON is no object.
            raise unreadable() from error
        except (aiohttp.ClientError, OSError) as error:
            raise unreachable(error) from None

    def _fault(self, error: "ServerError") -> IntegrationFault:
        name, text = _words(error.code), _words(error.message)
        code = _CODES.get(name) or code_of(error.status)
        sentence = SENTENCES.get(code, SENTENCES[IntegrationErrorCode.UNAVAILABLE])
        secrets = (self.secret, self._vault.get(self._settings.key_env))
        return IntegrationFault(
            code,
            with_reason(sentence, text, secrets),
            provider_code=as_code(name, secrets),
            http_status=error.status,
        )


def _words(value: object) -> str:
    """Return the text of a refusal, which may be any JSON."""
    return value if isinstance(value, str) else ""


def unreadable() -> IntegrationFault:
    """Return the fault of an answer that does not follow the protocol."""
    return IntegrationFault(IntegrationErrorCode.INVALID_OUTPUT, "the server's answer cannot be read")


def until(now: datetime, minutes: int) -> datetime:
    """Return the end of a link: a whole second, the smallest unit in tokens."""
    return now.replace(microsecond=0) + timedelta(minutes=minutes)


class _Bounded(aiohttp.ClientResponse):
    """A response with a body of limited length: LiveKit's client would read all of it."""

    async def read(self) -> bytes:
        raw = bytearray()
        async for piece in self.content.iter_any():
            raw += piece
            if len(raw) > http.MOST_BYTES:
                self.close()
                raise http.too_long()
        return bytes(raw)

    async def json(self, **_: Any) -> Any:
        """Parse a refusal, which Twirp writes as JSON whatever content type it states. Raise `ValueError`."""
        return json.loads(await self.read())


async def _heeded(request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType) -> aiohttp.ClientResponse:
    """Raise for a rate limit, whose `Retry-After` LiveKit's client drops, and for redirects, which are not followed."""
    response = await handler(request)
    note_headers(response.headers)
    if response.status == 429 or 300 <= response.status < 400:  # noqa: PLR2004 - HTTP's own numbers
        response.close()
        raise fault_of(response.status, retry_after=response.headers.get("Retry-After", ""))
    return response


def _livekit() -> Any:
    from livekit import api  # noqa: PLC0415 - as above

    return api
