"""Fixtures of the real servers: started by the first test that asks, stopped at the end of the run.

Without the programs, or without root where a server needs it, the tests skip with the reason; with
`BUTLER_REQUIRE_SERVICES=1` they fail.
"""

from collections.abc import Iterator

import pytest

from tests.services.dovecot import Dovecot
from tests.services.postfix import Postfix
from tests.services.postgres import Postgres


@pytest.fixture(scope="session")
def dovecot() -> Iterator[Dovecot]:
    """An IMAP server."""
    server = Dovecot()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def postfix_server(dovecot: Dovecot) -> Iterator[Postfix]:
    """The one Postfix of a run."""
    server = Postfix(dovecot)
    yield server
    server.stop()


@pytest.fixture
def postfix(postfix_server: Postfix) -> Postfix:
    """A whole mail host: Postfix for SMTP, Dovecot for IMAP."""
    postfix_server.keep_running()
    return postfix_server


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A database server."""
    server = Postgres()
    yield server
    server.stop()
