"""A stand-in for the daemon, for tests of the demo itself: a bot that echoes, and asks before it "sends".

It polls and answers over the Bot API with nothing but aiohttp, keeps its offset in a file, and writes approvals
into a database of the daemon's shape, so that the demo's own parts can be tested without the daemon.
"""

import argparse
import asyncio
import itertools
import signal
import sqlite3
import tomllib
from pathlib import Path
from typing import Any

import aiohttp

from butler_demo.clock import TurnedClock


class Echo:
    def __init__(self, config: Path, clock: Path) -> None:
        settings = tomllib.loads(config.read_text("utf-8"))
        secrets = dict(line.split("=", 1) for line in (config.parent / "secrets.env").read_text("utf-8").splitlines())
        self.root = f"{settings['modules']['telegram']['bot']['api_base_url']}/bot{secrets['BUTLER_TELEGRAM_TOKEN']}"
        self.offset_file = config.parent / "offset"
        self.clock = TurnedClock(clock)
        self.numbers = itertools.count(1)
        (config.parent / "data").mkdir(exist_ok=True)
        self.rows = sqlite3.connect(config.parent / "data" / "butler.db", isolation_level=None)
        self.rows.execute("CREATE TABLE IF NOT EXISTS approvals (state TEXT)")

    async def call(self, session: aiohttp.ClientSession, method: str, **params: Any) -> Any:
        async with session.post(f"{self.root}/{method}", json=params) as answer:
            return (await answer.json())["result"]

    async def run(self) -> None:
        offset = int(self.offset_file.read_text()) if self.offset_file.exists() else 0
        async with aiohttp.ClientSession() as session:
            while True:
                for update in await self.call(session, "getUpdates", offset=offset, timeout=30):
                    await self.handle(session, update)
                    offset = update["update_id"] + 1
                    self.offset_file.write_text(str(offset))

    async def handle(self, session: aiohttp.ClientSession, update: dict[str, Any]) -> None:
        if "callback_query" in update:
            await self.tapped(session, update["callback_query"])
            return
        message = update["message"]
        chat, text = message["chat"]["id"], message.get("text") or message.get("caption", "")
        if text.startswith("ask "):
            self.rows.execute("INSERT INTO approvals VALUES ('pending')")
            keys = [[{"text": "✅ Approve", "callback_data": f"yes:{next(self.numbers)}"}]]
            await self.call(session, "sendMessage", chat_id=chat, text=text, reply_markup={"inline_keyboard": keys})
        elif text == "time":
            await self.call(session, "sendMessage", chat_id=chat, text=self.clock.now().isoformat())
        elif text == "twice":
            await self.call(session, "sendMessage", chat_id=chat, text="one")
            await self.call(session, "sendMessage", chat_id=chat, text="two")
        elif text != "silence":
            replied = message.get("reply_to_message", {}).get("text", "")
            await self.call(session, "sendMessage", chat_id=chat, text=f"echo: {text}{' | ' * bool(replied)}{replied}")

    async def tapped(self, session: aiohttp.ClientSession, query: dict[str, Any]) -> None:
        message = query["message"]
        is_known = "reply_markup" in message and query["from"]["id"] == 42
        answer = "Done." if is_known else "That button does nothing."
        await self.call(session, "answerCallbackQuery", callback_query_id=query["id"], text=answer)
        if is_known:
            self.rows.execute("DELETE FROM approvals")
            text = f"{message['text']}: approved"
            await self.call(session, "editMessageText", chat_id=42, message_id=message["message_id"], text=text)


async def serve(config: Path, clock: Path) -> None:
    running = asyncio.create_task(Echo(config, clock).run())
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, running.cancel)
    await asyncio.wait({running})


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", type=Path)
    parser.add_argument("--clock", type=Path)
    options = parser.parse_args()
    asyncio.run(serve(options.config, options.clock))
