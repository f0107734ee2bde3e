"""The mail hosts and the module on them."""

from collections.abc import AsyncIterator

import pytest

from butler_demo.mailbox.server import MailServer
from tests.modules.email.mailhost import BotUnderTest, Host, UserUnderTest, mail_context
from tests.support.context import TurnedClock


@pytest.fixture
def server_clock() -> TurnedClock:
    """By which the demo's mail server dates what arrives."""
    return TurnedClock()


@pytest.fixture
async def server(server_clock: TurnedClock) -> AsyncIterator[MailServer]:
    """The demo's mail server, for what only it can be told to do."""
    server = MailServer(now=server_clock.now, authserv_id="mx.home.example")
    await server.start()
    yield server
    await server.stop()


@pytest.fixture(params=["demo", pytest.param("real", marks=pytest.mark.services)])
def host(request: pytest.FixtureRequest) -> Host:
    """Either mail host: both have to give the same behaviour."""
    return request.getfixturevalue("server" if request.param == "demo" else "postfix")


@pytest.fixture
async def bot(host: Host) -> AsyncIterator[BotUnderTest]:
    under_test = BotUnderTest(host, mail_context(host))
    yield under_test
    await under_test.module.stop()


@pytest.fixture
async def demo_bot(server: MailServer) -> AsyncIterator[BotUnderTest]:
    """The module on the demo's server."""
    under_test = BotUnderTest(server, mail_context(server))
    yield under_test
    await under_test.module.stop()


@pytest.fixture
async def user(host: Host) -> AsyncIterator[UserUnderTest]:
    """The person's side on either host."""
    under_test = UserUnderTest(host, mail_context(host, "me"))
    yield under_test
    await under_test.stop()


@pytest.fixture
async def demo_user(server: MailServer) -> AsyncIterator[UserUnderTest]:
    """The person's side on the demo's server."""
    under_test = UserUnderTest(server, mail_context(server, "me"))
    yield under_test
    await under_test.stop()
