"""From nothing to a paired bot, as the quickstart says: the commands themselves, one after the other."""
# ruff: noqa: ASYNC230, ASYNC240 - a test may wait for a small file

import asyncio
import re
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from butler_demo.botapi.server import BotApiServer
from tests.cli.conftest import TOKEN

OWNER, STRANGER = 42, 666


@asynccontextmanager
async def running() -> AsyncIterator[asyncio.subprocess.Process]:
    """`butler run` in the working directory."""
    with Path("butler.log").open("wb") as log:
        daemon = await asyncio.create_subprocess_exec(
            sys.executable, "-c", "from butler.cli.main import app; app()", "run", stdout=log, stderr=log
        )
        try:
            yield daemon
        finally:
            if daemon.returncode is None:
                daemon.send_signal(signal.SIGTERM)
            await asyncio.wait_for(daemon.wait(), 60)


def said(telegram: BotApiServer, user: int) -> list[str]:
    """What the bot wrote to somebody."""
    messages = telegram.messages(TOKEN, user)
    return [message.get("text", "") for message in messages if message["from"]["is_bot"]]


async def test_a_newcomer_gets_from_nothing_to_a_paired_bot(butler, telegram):
    telegram.add_person(OWNER, "Robin", "robin")
    telegram.add_person(STRANGER, "Lucky", "lucky")
    made = await butler(
        "init",
        *("--no-input", "--timezone", "UTC", "--api-base-url", telegram.url),
        BUTLER_TELEGRAM_TOKEN=TOKEN,
    )
    assert made.exit_code == 0, made.output
    code = re.search(r"/start ([A-Z2-9]{8})\n", made.stdout)
    assert code is not None
    config = Path("butler.toml")
    config.write_text(config.read_text() + "\n[web]\nport = 0\n")
    async with running() as daemon:
        telegram.say(TOKEN, STRANGER, "/start AAAAAAAA")
        telegram.say(TOKEN, OWNER, code[0].strip())
        await telegram.wait_for(lambda: said(telegram, OWNER))
        assert said(telegram, STRANGER) == []
    assert daemon.returncode == 0
    for secret in (TOKEN, TOKEN.partition(":")[2]):
        assert secret not in Path("butler.log").read_text()
    again = await butler("pair")
    assert again.exit_code == 1
    assert "paired with Telegram user 42" in again.stderr
