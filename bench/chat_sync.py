"""What it costs to take in a long chat: the daemon with the person's Telegram account, on an MTProto data centre.

Twice the same number of messages, each stored durably in SQLite: a private chat that is read back page by page, and a
supergroup whose difference since the last look is asked for. The daemon is a process of its own; the data centre shares
the machine with it.
"""

import argparse
import asyncio
import json
import sqlite3
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from bench.chatter import OWNER
from bench.idle import COMMAND, TOKEN, polling
from bench.machine import report, table
from bench.processes import Program, program
from bench.reply import write_config
from butler_demo.botapi.server import BotApiServer
from butler_demo.mtproto.datacentre import DataCentre

FRIEND = 5
SETTLED_AFTER_S = 5.0
WITHIN_S = 900.0
TEXT = "This is what somebody writes in a chat: a sentence of some length, now and then two of them. Number {}."


@dataclass(frozen=True, slots=True)
class Sync:
    """One chat taken in."""

    seconds: float
    cpu_s: float
    over_idle_mb: float
    """The most memory it took beyond what the daemon holds while nothing happens."""


def settings(centre: DataCentre, folder: Path, api_url: str, messages: int) -> Path:
    """A configuration of the bot, which has nothing to do, and of the person's account."""
    config = write_config(folder, api_url, TOKEN)
    key_file = folder / "centre.pem"
    key_file.write_text(centre.public_key_pem, encoding="ascii")
    with (folder / "secrets.env").open("a", encoding="ascii") as secrets:
        secrets.write(f"USER_TELEGRAM_SESSION={centre.session_string(OWNER)}\nUSER_TELEGRAM_API_HASH={'a' * 32}\n")
    dc = json.dumps(f"{centre.dc_id} {centre.host}:{centre.port} {key_file}")
    with config.open("a", encoding="ascii") as file:
        file.write(f"[modules.telegram.user]\napi_id = 1\nhistory = {messages}\ndc = {dc}\n")
    return config


def database_in(folder: Path) -> Path:
    """Where the daemon keeps its rows."""
    (found,) = folder.rglob("butler.db")
    return found


def kept(database: Path, chat: int) -> int:
    """How many messages of a chat are stored."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        query = "select count(*) from seen_messages where chat = ?"
        return int(connection.execute(query, (f"telegram:{chat}",)).fetchone()[0])


async def take_in(daemon: Program, database: Path, chat: int, messages: int) -> Sync:
    """Wait until so many messages of a chat are stored; raises RuntimeError with the log when that takes too long."""
    idle, cpu, began = daemon.rss_mb(), daemon.cpu_s(), time.monotonic()
    highest = idle
    while kept(database, chat) < messages:
        highest = max(highest, daemon.rss_mb())
        if daemon.has_ended or time.monotonic() - began > WITHIN_S:
            raise RuntimeError(f"the chat was not taken in:\n{daemon.log_tail()}")
        await asyncio.sleep(0.1)
    return Sync(time.monotonic() - began, daemon.cpu_s() - cpu, highest - idle)


async def measure(messages: int) -> dict[str, Sync]:
    """Both ways, one after the other, by one daemon."""
    server, centre = BotApiServer(validate=False), DataCentre()
    await server.start()
    await centre.start()
    server.add_person(OWNER, "Owner")
    server.add_bot(TOKEN, "butler_bot", "Butler")
    centre.add_account(OWNER, "+15550042", "Owner")
    centre.add_account(FRIEND, "+15550005", "Friend")
    group = centre.add_channel(1001, "Club", FRIEND, OWNER)
    found: dict[str, Sync] = {}
    with tempfile.TemporaryDirectory() as folder:
        config = settings(centre, Path(folder), server.url, messages)
        with program(COMMAND, "run", "--config", str(config), log=Path(folder) / "log") as daemon:
            await polling(server, TOKEN, daemon)
            await asyncio.sleep(SETTLED_AFTER_S)
            database = database_in(Path(folder))
            for chat, name in ((FRIEND, "read back"), (group.peer_id, "difference")):
                centre.lose_updates(OWNER)
                for number in range(messages):
                    centre.inject(FRIEND, OWNER if chat == FRIEND else chat, TEXT.format(number))
                centre.lose_updates(OWNER, lost=False)
                if chat == FRIEND:
                    centre.set_horizon(OWNER, 0)
                centre.hint_too_long(OWNER, None if chat == FRIEND else group)
                found[name] = await take_in(daemon, database, chat, messages)
                await asyncio.sleep(SETTLED_AFTER_S)
    await centre.stop()
    await server.stop()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.chat_sync", description=__doc__)
    parser.add_argument("--messages", type=int, default=50_000)
    options = parser.parse_args()
    found = asyncio.run(measure(options.messages))
    rows = [
        [
            name,
            round(one.seconds, 1),
            round(options.messages / one.seconds),
            round(one.cpu_s, 1),
            round(one.over_idle_mb, 1),
        ]
        for name, one in found.items()
    ]
    table([f"{options.messages} messages", "seconds", "messages/s", "CPU s", "MB over idle"], rows)
    figures: dict[str, float] = {}
    for name, one in found.items():
        key = name.replace(" ", "_")
        figures[f"{key}_messages_per_s"] = round(options.messages / one.seconds, 1)
        figures[f"{key}_cpu_s"] = round(one.cpu_s, 2)
        figures[f"{key}_rss_over_idle_mb"] = round(one.over_idle_mb, 1)
    report("chat_sync", {}, figures)


if __name__ == "__main__":
    main()
