"""Sends updates to the webhooks that bots have set, as Telegram does.

A 2xx takes an update off the queue. Anything else is an error that `getWebhookInfo` tells, and the update comes again,
later each time. A chat's updates go one after another; `max_connections` chats at once.
"""

import asyncio
import contextlib
from dataclasses import dataclass, field
from typing import cast

import aiohttp

from .chats import Bot
from .feed import QueuedUpdate
from .records import Json
from .state import State

SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105 - a header's name
LONGEST_ANSWER_S = 60.0
LONGEST_PAUSE_S = 60.0
FIRST_PAUSE_S = 1.0


@dataclass(slots=True)
class _Way:
    """What is under way to one bot's webhook."""

    chats: dict[int, asyncio.Task[None]] = field(default_factory=dict[int, "asyncio.Task[None]"])
    failures: dict[int, int] = field(default_factory=dict[int, int])
    """By chat, in a row."""


class Webhooks:
    """All bots' webhooks. `reach` says where a public address leads, since nothing here asks a name server."""

    def __init__(self, state: State) -> None:
        self.first_pause_s = FIRST_PAUSE_S
        self.answers: list[tuple[int, int]] = []
        """The update and the status of every delivery that was answered, in order."""
        self._state = state
        self._reach: dict[str, str] = {}
        self._ways: dict[str, _Way] = {}
        self._session: aiohttp.ClientSession | None = None
        self._loop: asyncio.Task[None] | None = None

    def reach(self, public: str, address: str) -> None:
        """Let everything that begins with `public` lead to `address`, as a proxy does; empty closes the way."""
        self._reach[public.rstrip("/")] = address.rstrip("/")
        self._state.changes.touch()

    def start(self) -> None:
        """Deliver from now on."""
        self._loop = self._loop or asyncio.create_task(self._run(), name="webhooks")

    async def stop(self) -> None:
        """End deliveries under way; nothing of them is confirmed."""
        tasks = [task for way in self._ways.values() for task in way.chats.values()]
        tasks += [self._loop] if self._loop else []
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._ways, self._loop = {}, None
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _run(self) -> None:
        while True:
            with contextlib.suppress(TimeoutError):
                await self._state.changes.until(self._send_what_waits, LONGEST_PAUSE_S)

    def _send_what_waits(self) -> None:
        """Start what can be started; never true, so that it is called after every change."""
        for bot in self._state.bots.values():
            if not bot.webhook:
                continue
            way = self._ways.setdefault(bot.token, _Way())
            for queued in bot.feed.to_send():
                if len(way.chats) >= int(str(bot.webhook["max_connections"])):
                    break
                chat = _chat_of(queued.update)
                if chat not in way.chats:
                    task = asyncio.create_task(self._deliver(bot, way, chat, queued), name=f"webhook:{chat}")
                    way.chats[chat] = task
                    task.add_done_callback(lambda _, chats=way.chats, chat=chat: self._done(chats, chat))

    def _done(self, chats: dict[int, asyncio.Task[None]], chat: int) -> None:
        chats.pop(chat, None)
        self._state.changes.touch()

    async def _deliver(self, bot: Bot, way: _Way, chat: int, queued: QueuedUpdate) -> None:
        url = str(bot.webhook["url"])
        trouble = await self._post(url, bot.webhook_secret, queued)
        if not trouble:
            bot.feed.sent(queued)
            way.failures.pop(chat, None)
            return
        bot.webhook_failure = {"last_error_date": int(self._state.now()), "last_error_message": trouble}
        self._state.changes.touch()
        way.failures[chat] = failed = way.failures.get(chat, 0) + 1
        await asyncio.sleep(min(self.first_pause_s * 2 ** (failed - 1), LONGEST_PAUSE_S))

    async def _post(self, url: str, secret: str, queued: QueuedUpdate) -> str:
        """Why it was not delivered, in Telegram's words; empty when it was."""
        public = next((one for one in self._reach if url == one or url.startswith(f"{one}/")), "")
        if not self._reach.get(public):
            return "Failed to resolve host: Name or service not known"
        headers = {"Content-Type": "application/json"} | ({SECRET_HEADER: secret} if secret else {})
        self._session = self._session or aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=LONGEST_ANSWER_S))
        try:
            async with self._session.post(
                self._reach[public] + url[len(public) :], data=queued.wire, headers=headers
            ) as answer:
                self.answers.append((queued.update_id, answer.status))
                if answer.ok:
                    return ""
                return f"Wrong response from the webhook: {answer.status} {answer.reason}"
        except TimeoutError:
            return "Read timeout expired"
        except (aiohttp.ClientError, OSError):
            return "Connection refused"


def _chat_of(update: Json) -> int:
    """The chat whose order an update keeps; 0 for those without one."""
    for kind, held in update.items():
        if kind != "update_id":
            thing = cast("Json", held)
            chat = cast("Json", thing.get("message", thing)).get("chat", {"id": 0})
            return int(cast("Json", chat)["id"])
    return 0
