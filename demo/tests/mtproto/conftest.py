"""A data centre with four people, and real Telethon clients that are closed when the test ends."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from telethon import TelegramClient
from telethon.crypto import rsa
from telethon.network.connection.tcpfull import ConnectionTcpFull
from telethon.sessions import MemorySession, StringSession

from butler_demo.mtproto.channels import Channel
from butler_demo.mtproto.crypto import ServerKey
from butler_demo.mtproto.datacentre import DataCentre
from demo.tests.mtproto.support import ANNA, BEN, OWNER, OWNER_PASSWORD, OWNER_PHONE, STRANGER, Connect
from tests.support.stoppable_clock import StoppableClock


@pytest.fixture(scope="session")
def server_key() -> ServerKey:
    return ServerKey()


@pytest.fixture
def centre_clock() -> StoppableClock:
    return StoppableClock()


@pytest.fixture
async def centre(server_key: ServerKey, centre_clock: StoppableClock) -> AsyncIterator[DataCentre]:
    centre = DataCentre(now=centre_clock.now, server_key=server_key)
    centre.add_account(OWNER, OWNER_PHONE, "Olivia", "Owner", username="olivia", password=OWNER_PASSWORD)
    centre.add_account(ANNA, "+15550002", "Anna", "Berg", username="anna_b")
    centre.add_account(BEN, "+15550003", "Ben")
    centre.add_account(STRANGER, "+15550004", "Sven", username="sven_s", code="54321")
    centre.befriend(OWNER, ANNA, as_first_name="Annie")
    centre.befriend(OWNER, BEN)
    centre.befriend(ANNA, OWNER)
    await centre.start()
    rsa.add_key(centre.public_key_pem, old=False)
    yield centre
    await centre.stop()


@pytest.fixture
async def connect(centre: DataCentre) -> AsyncIterator[Connect]:
    """Make a client for an account's new session, for a session given, or (None) for nobody."""
    clients: list[TelegramClient] = []

    async def connect(user: int | str | Any | None, **options: Any) -> TelegramClient:
        session = user
        if user is None:
            session = MemorySession()
            session.set_dc(centre.dc_id, centre.host, centre.port)
        elif isinstance(user, int):
            session = StringSession(centre.session_string(user))
        elif isinstance(user, str):
            session = StringSession(user)
        settings: dict[str, Any] = {
            "connection": ConnectionTcpFull,
            "request_retries": 0,  # Telethon counts repetitions
            "raise_last_call_error": True,
            "flood_sleep_threshold": 0,
            "connection_retries": 3,
            "retry_delay": 0.05,
        }
        client = TelegramClient(session, 1, "a" * 32, **{**settings, **options})
        clients.append(client)
        await client.connect()
        return client

    yield connect
    for client in clients:
        await client.disconnect()
        client.disconnected.exception()  # Retrieved, so that its finalizer logs nothing in another test.


@pytest.fixture
def family(centre: DataCentre) -> Channel:
    """A supergroup of Anna's with the owner and Ben."""
    return centre.add_channel(500, "Family", ANNA, OWNER, BEN)


@pytest.fixture
def news(centre: DataCentre) -> Channel:
    """A public broadcast channel of Ben's, which the owner reads."""
    return centre.add_channel(600, "Ben's News", BEN, OWNER, broadcast=True, username="bens_news")
