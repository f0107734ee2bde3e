"""The command line as a person or a script uses it, over real stand-in servers on loopback."""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog
from click.testing import Result
from typer.testing import CliRunner

from butler.cli.main import app
from butler_demo.botapi.server import BotApiServer
from butler_demo.mailbox.server import MailServer

TOKEN = "700123:a-token-that-nobody-may-see"
ADDRESS = "butler@home.example"
PASSWORD = "a password that nobody may see"
Butler = Callable[..., Coroutine[Any, Any, Result]]


@pytest.fixture(autouse=True)
def an_empty_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An empty working directory, no settings from outside, and logs as they were afterwards."""
    monkeypatch.setattr("modules.telegram.checks.LISTEN_S", 0)
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith(("BUTLER_", "USER_"))]:
        monkeypatch.delenv(name)
    root, handlers = logging.getLogger(), logging.getLogger().handlers[:]
    yield
    root.handlers = handlers
    structlog.reset_defaults()


@pytest.fixture
def butler() -> Butler:
    """`await butler("doctor", "--json", typed="...")`, in a thread, so that the stand-ins go on."""

    async def run(*args: str | Path, typed: str = "", **environment: str) -> Result:
        runner = CliRunner(env={"COLUMNS": "200", **environment})
        return await asyncio.to_thread(runner.invoke, app, [str(arg) for arg in args], input=typed)

    return run


@pytest.fixture
async def telegram() -> AsyncIterator[BotApiServer]:
    server = BotApiServer()
    server.add_bot(TOKEN, "jeeves_bot", "Jeeves")
    await server.start()
    yield server
    await server.stop()


@pytest.fixture
async def mail() -> AsyncIterator[MailServer]:
    server = MailServer()
    server.add_mailbox(ADDRESS, PASSWORD)
    await server.start()
    yield server
    await server.stop()
