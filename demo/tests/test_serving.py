"""Closing a stand-in closes every connection, at whatever point of being accepted one is."""

import asyncio
import socket

import aiohttp
import pytest
from aiohttp import web

from butler_demo.serving import HttpServer, Port

TURNS = 6
"""Of the event loop, more than accepting a connection takes."""


def connected(port: int) -> socket.socket:
    """A client whose connection the server has yet to accept."""
    client = socket.create_connection(("127.0.0.1", port), timeout=60)
    client.setblocking(False)
    return client


async def closed(client: socket.socket) -> bool:
    """Whether the server ends the connection; a greeting may come first."""
    loop = asyncio.get_running_loop()
    with client:
        try:
            while await asyncio.wait_for(loop.sock_recv(client, 4096), 60):
                pass
        except ConnectionResetError:
            pass
    return True


@pytest.mark.parametrize("turns", range(TURNS))
async def test_a_port_leaves_no_connection_open(turns: int) -> None:
    port = Port()
    await port.open(web.Application())
    client = connected(int(port.root.rpartition(":")[2]))
    for _ in range(turns):
        await asyncio.sleep(0)
    await port.close()
    assert await closed(client)


async def test_what_a_stand_in_does_not_serve_is_not_found() -> None:
    server = HttpServer()
    await server.start()
    async with aiohttp.ClientSession() as client, client.get(f"{server.url}/elsewhere") as answer:
        assert (answer.status, await answer.text()) == (404, "GET /elsewhere is not served\n")
    await server.stop()
