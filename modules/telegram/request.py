"""Connects python-telegram-bot to the Bot API: one aiohttp session with keep-alive connections, no proxies.

The token is part of every address of the Bot API, and libraries log and quote addresses. Hence only this class knows
it: the library uses addresses that start with `METHODS` or `FILES`, and they are completed here at the last moment. No
exception of aiohttp leaves this file either, for its text may hold the address.
"""

import json
import os
from typing import Any, cast

import aiohttp
from telegram.error import NetworkError, TelegramError, TimedOut
from telegram.request import BaseRequest, RequestData

# The library's own switch to timedelta durations; without it, every use warns.
os.environ.setdefault("PTB_TIMEDELTA", "true")

METHODS = "methods"
FILES = "files"
CONNECT_TIMEOUT_S = 10.0
READ_TIMEOUT_S = 20.0
LARGEST_ANSWER = 32 * 1024 * 1024
"""Bytes; the Bot API lets a bot download files of 20 MB at most."""
_QUOTED = ("reply_to_message", "external_reply", "quote")
"""Fields in which Telegram repeats another message in its answer to a sent one."""


class NotSentError(NetworkError):
    """No connection was made: the request surely did not reach Telegram."""


class AiohttpRequest(BaseRequest):
    """The only object that holds the token."""

    def __init__(self, api_base_url: str, token: str) -> None:
        self._prefixes = {METHODS: f"{api_base_url}/bot{token}/", FILES: f"{api_base_url}/file/bot{token}/"}
        self._session: aiohttp.ClientSession | None = None

    @property
    def read_timeout(self) -> float | None:
        return READ_TIMEOUT_S

    async def initialize(self) -> None:
        """Do nothing: the session opens with the first request, inside the running loop."""

    async def shutdown(self) -> None:
        """Close the connections; a later request opens new ones."""
        if self._session is not None:
            session, self._session = self._session, None
            await session.close()

    @staticmethod
    def parse_json_payload(payload: bytes) -> dict[str, Any]:
        """Parse an answer; one that is not JSON (a proxy's error page) is neither logged nor quoted.

        Drop the message that a sent one replies to: the library may be unable to parse it, and a message whose answer
        cannot be parsed would be sent again.
        """
        try:
            answer = json.loads(payload)
        except ValueError:
            answer = None
        # Raised here and not above, so that it does not chain the answer's text.
        if not isinstance(answer, dict):
            raise TelegramError("Telegram's answer is no JSON")
        parsed = cast("dict[str, Any]", answer)
        if isinstance(result := parsed.get("result"), dict):
            for name in _QUOTED:
                cast("dict[str, Any]", result).pop(name, None)
        return parsed

    async def do_request(
        self,
        url: str,
        method: str,
        request_data: RequestData | None = None,
        read_timeout: Any = BaseRequest.DEFAULT_NONE,
        write_timeout: Any = BaseRequest.DEFAULT_NONE,  # noqa: ARG002 - the library's signature
        connect_timeout: Any = BaseRequest.DEFAULT_NONE,  # noqa: ARG002 - the library's signature
        pool_timeout: Any = BaseRequest.DEFAULT_NONE,  # noqa: ARG002 - the library's signature
    ) -> tuple[int, bytes]:
        """Make one request; return status and body. Raise `NotSentError`, `TimedOut` or `NetworkError`."""
        seconds = float(read_timeout) if isinstance(read_timeout, int | float) else READ_TIMEOUT_S
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_TIMEOUT_S, sock_read=seconds)
        area, _, rest = url.partition("/")
        try:
            async with self._opened().request(
                method, self._prefixes[area] + rest, timeout=timeout, allow_redirects=False, **_body(request_data)
            ) as response:
                return response.status, await _read(response)
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            failure: TelegramError = NotSentError(f"no connection to Telegram ({type(error).__name__})")
        except TimeoutError:
            failure = TimedOut("Telegram did not answer in time")
        except (aiohttp.ClientError, OSError) as error:
            failure = NetworkError(f"the connection to Telegram broke ({type(error).__name__})")
        # Raised here and not above, so that it does not chain the other exception.
        raise failure

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=20), headers={"User-Agent": self.USER_AGENT}, trust_env=False
            )
        return self._session


def _body(request_data: RequestData | None) -> dict[str, Any]:
    if request_data is None:
        return {}
    if not request_data.contains_files:
        return {
            "data": json.dumps(request_data.parameters, separators=(",", ":")).encode(),
            "headers": {"Content-Type": "application/json"},
        }
    form = aiohttp.FormData(quote_fields=False)
    for name, value in request_data.json_parameters.items():
        form.add_field(name, value)
    for name, (filename, content, media_type) in request_data.multipart_data.items():
        form.add_field(name, content, filename=filename, content_type=media_type)
    return {"data": form}


async def _read(response: aiohttp.ClientResponse) -> bytes:
    body = bytearray()
    async for chunk in response.content.iter_any():
        body += chunk
        if len(body) > LARGEST_ANSWER:
            break
    else:
        return bytes(body)
    raise NetworkError(f"Telegram's answer is longer than {LARGEST_ANSWER} bytes")
