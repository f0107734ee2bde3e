"""Turns the bot's updates, polled or pushed, into inbox items."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import structlog

from butler.contract.inbound import ALBUM, Inbound, InboundKind
from butler.contract.integration import READS
from butler.contract.module import ModuleContext
from butler.contract.speech import say
from butler.contract.tools import Attachment
from modules.telegram.admission import Admission
from modules.telegram.integration_telegram_bot_api import TelegramBotApi
from modules.telegram.method_ids import BOT_DOWNLOAD, BOT_ME
from modules.telegram.normalise import Normalised, Receiver, WantedFile, normalise

log = structlog.get_logger(__name__)

TRACE = "telegram.bot"
LARGEST_FILE = 20_000_000
DOWNLOAD_TIMEOUT_MS = 60_000
DOWNLOADS_AT_ONCE = 4


class BotIntake:
    """Stores each update of an admitted sender once, with its files."""

    def __init__(self, api: TelegramBotApi, context: ModuleContext, admission: Admission) -> None:
        self._api = api
        self._context = context
        self._admission = admission
        self._downloads = asyncio.Semaphore(DOWNLOADS_AT_ONCE)
        self._receiver = Receiver(0, None)

    @property
    def turned_away(self) -> str:
        """Return a text with the number of rejected updates; empty if there are none."""
        count = self._admission.from_strangers + self._admission.from_other_groups
        return say("{count} updates of others turned away", count=count) if count else ""

    async def begin(self) -> None:
        """Load the bot's id and admission state, once. Raise `ConfigError` if there is no token."""
        if not self._receiver.bot_id:
            bot_id = self._api.bot_id()
            await self._admission.load(bot_id)
            self._receiver = Receiver(bot_id, None)

    async def take(self, updates: Sequence[dict[str, Any]], cursor: tuple[str, str] | None = None) -> None:
        """Store the updates, and optionally a cursor, in one transaction. Raise `Retryable`."""
        self._receiver = await self._fresh_receiver(updates)
        admitted = await self._admitted(updates)
        items = [item.inbound for item in admitted]
        if any(item.files for item in admitted):
            # Whoever tapped a button waits for the answer, so taps are stored before any file is fetched.
            if taps := [item for item in items if item.kind is InboundKind.BUTTON]:
                await self._context.inbox.sink.put_many(taps)
            await self._context.inbox.sink.hold([item for item in items if item.payload.get(ALBUM)])
            items = await asyncio.gather(*(self._with_files(item) for item in admitted))
        await self._context.inbox.sink.put_many(items, cursor=cursor)

    async def _admitted(self, updates: Sequence[dict[str, Any]]) -> list[Normalised]:
        now = self._context.clock.now()
        admitted: list[Normalised] = []
        for update in updates:
            item = self._read(update, now)
            if item is None or not self._admission.admits(item):
                continue
            if item.moved_from is not None:
                await self._admission.moved(item.moved_from, item.chat_id)
            admitted.append(item)
        return admitted

    def _read(self, update: dict[str, Any], now: datetime) -> Normalised | None:
        try:
            return normalise(update, self._receiver, now)
        except (KeyError, IndexError, AttributeError, TypeError, ValueError) as error:
            # An update of an unknown shape must not stop those that follow.
            log.warning("unreadable_update", update_id=update.get("update_id"), kind=type(error).__name__)
            return None

    async def _fresh_receiver(self, updates: Sequence[dict[str, Any]]) -> Receiver:
        """Return the receiver with the current owner; look up the bot's user name once an update needs it."""
        username = self._receiver.username
        if not username and any(_names_a_bot(update) for update in updates):
            me = await self._api.request(TRACE, BOT_ME, timeout_ms=10_000)
            username = me.data["username"] if me.data else ""
        return Receiver(self._receiver.bot_id, self._context.owner.telegram_user_id, username)

    async def _with_files(self, item: Normalised) -> Inbound:
        if not item.files:
            return item.inbound
        fetched = [await self._fetch(file) for file in item.files]
        kept = tuple(found for found in fetched if isinstance(found, Attachment))
        missing = [
            {"name": file.name, "size": file.size, "reason": reason}
            for file, reason in zip(item.files, fetched, strict=True)
            if isinstance(reason, str)
        ]
        payload = {**item.inbound.payload, "missing_files": missing} if missing else item.inbound.payload
        return item.inbound.model_copy(update={"attachments": kept, "payload": payload})

    async def _fetch(self, file: WantedFile) -> Attachment | str:
        """Return the stored file, or the reason why it was not stored."""
        if file.size > LARGEST_FILE:
            return say("it is larger than the 20 MB that Telegram lets a bot fetch")
        async with self._downloads:
            result = await self._api.request(
                TRACE, BOT_DOWNLOAD, {"file_id": file.file_id}, timeout_ms=DOWNLOAD_TIMEOUT_MS, retry_policy=READS
            )
        if result.data is None:
            assert result.error is not None
            return result.error.message
        return Attachment(
            name=file.name, size=result.data["size"], sha256=result.data["sha256"], media_type=file.media_type
        )


def _names_a_bot(update: dict[str, Any]) -> bool:
    match update:
        case {"message": {"text": str(text)} | {"caption": str(text)}} | {"edited_message": {"text": str(text)}}:
            return text.startswith(("/", "@")) and "@" in text
        case _:
            return False
