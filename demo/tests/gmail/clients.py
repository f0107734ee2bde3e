"""Google's own client library pointed at a stand-in."""

import asyncio
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from google.oauth2.credentials import Credentials
from google_auth_httplib2 import AuthorizedHttp, Request
from googleapiclient.discovery import build_from_document
from googleapiclient.discovery_cache import get_static_doc
from googleapiclient.http import build_http


class TurnableClock:
    """A clock that moves only when it is told to."""

    def __init__(self) -> None:
        self.time = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.time

    def advance(self, **by: float) -> None:
        self.time += timedelta(**by)


@cache
def _document(api: str, root_url: str) -> str:
    document = json.loads(get_static_doc(*api.split(":")))
    document |= {"rootUrl": root_url, "baseUrl": root_url + document["servicePath"]}
    document.pop("mtlsRootUrl", None)
    return json.dumps(document)


class Client:
    """One account's client of an API (`gmail:v1`); requests run in a thread, as the library blocks."""

    def __init__(self, api: str, root_url: str, credentials: Credentials) -> None:
        self.credentials = credentials
        self.http = AuthorizedHttp(credentials, http=build_http())
        self.service = build_from_document(_document(api, root_url), http=self.http)
        self.root = self.service.users() if api.startswith("gmail:") else self.service

    async def __call__(self, build: Callable[[Any], Any]) -> Any:
        """Execute the request that `build` makes of the API, of `users()` in Gmail's case."""
        return await self.in_thread(build(self.root).execute)

    async def apart(self, build: Callable[[Any], Any]) -> Any:
        """Execute over a connection of its own, so that several requests are under way at the same time."""
        http = AuthorizedHttp(self.credentials, http=build_http())
        try:
            return await self.in_thread(lambda: build(self.root).execute(http=http))
        finally:
            http.close()

    def refresh(self) -> None:
        """Fetch a token over the client's own connection; the library's batches leave one of theirs open."""
        self.credentials.refresh(Request(self.http.http))

    async def in_thread(self, execute: Callable[[], Any]) -> Any:
        return await asyncio.to_thread(execute)


def read_credentials(text: str) -> Credentials:
    """Read what `credentials_json` gives."""
    info = json.loads(text)
    return Credentials.from_authorized_user_info(info).with_token_uri(info["token_uri"])


async def send(client: Client, message: dict[str, str]) -> Any:
    """Send a mail as Butler does: by a draft."""
    draft = await client(lambda users: users.drafts().create(userId="me", body={"message": message}))
    return await client(lambda users: users.drafts().send(userId="me", body={"id": draft["id"]}))
