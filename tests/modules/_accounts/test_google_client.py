"""What a Google client leaves open when it is closed."""

import asyncio
import threading
from datetime import UTC, datetime
from typing import Any

from modules._accounts.google_client import Api, GoogleClient
from modules._accounts.google_errors import Product, SignIn


class Connection:
    def __init__(self) -> None:
        self.closed = False

    def close(self) -> None:
        self.closed = True


class Slow:
    """A request that ends after its client was closed, over a connection that it opened meanwhile."""

    def __init__(self) -> None:
        self.began, self.may_end, self.opened = threading.Event(), threading.Event(), Connection()

    def execute(self, http: Any, **_: Any) -> dict[str, Any]:
        self.began.set()
        self.may_end.wait(10)
        http.http.connections["http:stand-in"] = self.opened
        return {}


async def test_a_request_under_way_leaves_no_connection_behind_its_closed_client() -> None:
    client, slow = GoogleClient(Api("drive", "v3", lambda service: service), "http://127.0.0.1:9/"), Slow()
    sign_in = SignIn(Product("Google Drive", "file", "guide"), "butler login drive", datetime.now(UTC))
    running = asyncio.create_task(client.run(lambda _: slow, "token", sign_in))
    await asyncio.to_thread(slow.began.wait, 10)
    client.close()
    slow.may_end.set()
    await running
    assert slow.opened.closed
