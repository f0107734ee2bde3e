"""What a Google client leaves open when it is closed."""

import asyncio
import threading
from datetime import UTC, datetime
from typing import Any

import pytest

from modules._accounts.google_client import Api, GoogleClient
from modules._accounts.google_errors import Product, SignIn


class Connection:
    def __init__(self) -> None:
        self.closed = False

    def close(self) -> None:
        self.closed = True


class Slow:
    """A request that ends after its client was closed, over a connection that it opens before or meanwhile."""

    def __init__(self, *, opens_first: bool) -> None:
        self.began, self.may_end, self.opened = threading.Event(), threading.Event(), Connection()
        self._opens_first = opens_first

    def execute(self, http: Any, **_: Any) -> dict[str, Any]:
        if self._opens_first:
            http.http.connections["http:stand-in"] = self.opened
        self.began.set()
        self.may_end.wait(10)
        if not self._opens_first:
            http.http.connections["http:stand-in"] = self.opened
        self.opened.closed = False  # httplib2 opens a closed connection again, without listing it anew.
        return {}


def sign_in() -> SignIn:
    return SignIn(Product("Google Drive", "file", "guide"), "butler login drive", datetime.now(UTC))


def client() -> GoogleClient:
    return GoogleClient(Api("drive", "v3", lambda service: service), "http://127.0.0.1:9/")


@pytest.mark.parametrize("opens_first", [True, False])
async def test_a_request_under_way_leaves_no_connection_behind_its_closed_client(*, opens_first: bool) -> None:
    google, slow = client(), Slow(opens_first=opens_first)
    running = asyncio.create_task(google.run(lambda _: slow, "token", sign_in()))
    await asyncio.to_thread(slow.began.wait, 10)
    google.close()
    slow.may_end.set()
    await running
    assert slow.opened.closed


async def test_a_connection_that_nobody_uses_is_closed_with_its_client() -> None:
    google, quick = client(), Slow(opens_first=True)
    quick.may_end.set()
    await google.run(lambda _: quick, "token", sign_in())
    assert not quick.opened.closed
    google.close()
    assert quick.opened.closed
