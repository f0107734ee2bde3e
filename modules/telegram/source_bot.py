"""The bot's long poll: every update is in the inbox before Telegram is told that it arrived.

Our own loop, because the library's updater confirms first and loses what it held when the process dies. Why this feed
goes beside the one door: docs/decisions/0003-bot-long-poll.md.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

import structlog
from telegram.error import Conflict, InvalidToken, RetryAfter, TelegramError

from butler.contract.errors import AuthRequiredError, Reconfigure, Refuse, Retryable
from butler.contract.inbound import Inbound, InboundKind
from butler.contract.integration import READS, IntegrationCall
from butler.contract.module import Health, ModuleContext
from butler.contract.speech import say, say_short_moment
from butler.contract.tools import Attachment
from modules.telegram.admission import Admission
from modules.telegram.backoff import Backoff
from modules.telegram.integration_bot_errors import WRONG_TOKEN, is_webhook_set, retry_after_s
from modules.telegram.integration_telegram_bot_api import TelegramBotApi
from modules.telegram.method_ids import BOT_DOWNLOAD, BOT_ME
from modules.telegram.normalise import Normalised, Receiver, WantedFile, normalise

log = structlog.get_logger(__name__)

POLL_S = 25
STALE_AFTER_S = 120.0
CONFLICTS_UNTIL_SAID = 3
KEPT_BY_TELEGRAM = timedelta(hours=24)
NOTE_EVERY = timedelta(minutes=5)
LARGEST_FILE = 20_000_000
DOWNLOAD_TIMEOUT_MS = 60_000
DOWNLOADS_AT_ONCE = 4


class BotSource:
    """Feeds the inbox from the bot's updates."""

    name = "telegram.bot"

    def __init__(
        self,
        api: TelegramBotApi,
        context: ModuleContext,
        admission: Admission,
        tell_owner: Callable[[str], Awaitable[None]],
        backoff: Backoff | None = None,
    ) -> None:
        self._api = api
        self._context = context
        self._admission = admission
        self._tell_owner = tell_owner
        self._backoff = backoff or Backoff()
        self._downloads = asyncio.Semaphore(DOWNLOADS_AT_ONCE)
        self._receiver = Receiver(0, None)
        self._last_ok: datetime | None = None
        self._noted: datetime | None = None
        self._resumed = True
        self._conflicts = 0
        self._trouble = ""
        self._stopped = False

    def health(self) -> Health:
        """Alive while polls complete. What was turned away is counted in the detail."""
        turned_away = self._admission.from_strangers + self._admission.from_other_groups
        detail = self._trouble or (
            say("{count} updates of others turned away", count=turned_away) if turned_away else ""
        )
        return Health(self._last_ok, STALE_AFTER_S, detail, self._stopped, failing=bool(self._trouble))

    async def run(self) -> None:
        """Poll until cancelled; raises `Reconfigure` when the token is missing or wrong."""
        try:
            await self._feed()
        except Reconfigure:
            self._stopped = True
            raise

    async def _feed(self) -> None:
        bot_id = self._api.bot_id()
        self._receiver = Receiver(bot_id, None)
        await self._admission.load(bot_id)
        noted = await self._context.cursors.get(self._noted_name)
        self._noted = datetime.fromisoformat(noted) if noted else None
        stored = await self._context.cursors.get(self._offset_name)
        offset = int(stored) if stored else None
        while True:
            try:
                # The first poll does not wait, so that it shows at once whether Telegram can be reached.
                updates = await self._api.poll_updates(offset, 0 if self._resumed else POLL_S)
                offset = await self._take(updates, offset)
            except InvalidToken:
                raise AuthRequiredError(WRONG_TOKEN.format(variable=self._api.token_variable)) from None
            except (TelegramError, Retryable) as error:
                await self._pause_after(error)
            else:
                await self._completed()

    @property
    def _offset_name(self) -> str:
        return f"telegram.bot.{self._receiver.bot_id}.offset"

    @property
    def _noted_name(self) -> str:
        return f"telegram.bot.{self._receiver.bot_id}.polled_at"

    async def _take(self, updates: Sequence[dict[str, Any]], offset: int | None) -> int | None:
        """Store a batch and the offset after it in one transaction; the offset for the next poll."""
        if not updates:
            return offset
        self._receiver = await self._fresh_receiver(updates)
        admitted = await self._admitted(updates)
        after = max(update["update_id"] for update in updates) + 1
        items = [item.inbound for item in admitted]
        if any(item.files for item in admitted):
            # Whoever tapped a button waits for the answer; nobody makes them wait for somebody's file.
            if taps := [item for item in items if item.kind is InboundKind.BUTTON]:
                await self._context.sink.put_many(taps)
            items = await asyncio.gather(*(self._with_files(item) for item in admitted))
        await self._context.sink.put_many(items, cursor=(self._offset_name, str(after)))
        return after

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
            # One update that Telegram built in a way we do not know must not stop all that follow.
            log.warning("unreadable_update", update_id=update.get("update_id"), kind=type(error).__name__)
            return None

    async def _fresh_receiver(self, updates: Sequence[dict[str, Any]]) -> Receiver:
        """The owner as of now, and the bot's user name once a command in a group makes it matter."""
        username = self._receiver.username
        if not username and any(_names_a_bot(update) for update in updates):
            me = await self._api.call(IntegrationCall(trace_id=self.name, method_id=BOT_ME, args={}, timeout_ms=10_000))
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
        """The file as it is kept, or why it is not."""
        if file.size > LARGEST_FILE:
            return say("it is larger than the 20 MB that Telegram lets a bot fetch")
        call = IntegrationCall(
            trace_id=self.name,
            method_id=BOT_DOWNLOAD,
            args={"file_id": file.file_id},
            timeout_ms=DOWNLOAD_TIMEOUT_MS,
            retry_policy=READS,
        )
        async with self._downloads:
            result = await self._api.call(call)
        if result.data is None:
            assert result.error is not None
            return result.error.message
        return Attachment(
            name=file.name, size=result.data["size"], sha256=result.data["sha256"], media_type=file.media_type
        )

    async def _completed(self) -> None:
        """A poll went through: only this counts as being connected."""
        now = self._context.clock.now()
        resumed, self._resumed = self._resumed, False
        # The first poll does not wait, so that it always wins over another program's, which then wins over ours.
        if not (resumed and self._conflicts):
            self._backoff.reset()
            self._conflicts = 0
            self._trouble = ""
        self._last_ok = now
        if resumed and self._noted is not None and now - self._noted > KEPT_BY_TELEGRAM:
            self._resumed = not await self._told_of_gap(self._noted, now)
        if not self._resumed and (self._noted is None or now - self._noted > NOTE_EVERY):
            self._noted = now
            await self._context.cursors.set(self._noted_name, now.isoformat())

    async def _told_of_gap(self, begin: datetime, end: datetime) -> bool:
        """Tell the owner of a time that Telegram does not bridge; False when that has to be tried again."""
        zone = self._context.zone
        try:
            await self._tell_owner(
                say(
                    "I could not reach Telegram from {begin} to {end}. Telegram keeps messages for a bot for 24 hours "
                    "only, so some of what was written to me before that may be lost.",
                    begin=say_short_moment(begin.astimezone(zone)),
                    end=say_short_moment(end.astimezone(zone)),
                )
            )
        except Retryable:
            return False
        except Refuse as error:
            log.warning("gap_not_told", reason=str(error))
        return True

    async def _pause_after(self, error: TelegramError | Retryable) -> None:
        wait = self._backoff.next_s()
        self._resumed = True
        match error:
            case Conflict():
                self._conflicts += 1
                if is_webhook_set(error):
                    self._trouble = say("a webhook is set for this bot, so that Telegram answers no polls")
                elif self._conflicts >= CONFLICTS_UNTIL_SAID:
                    self._trouble = say("another program polls with this bot's token")
            case RetryAfter():
                wait = max(wait, retry_after_s(error))
                self._trouble = say("Telegram asks to wait {seconds:.0f} s", seconds=wait)
            case Retryable():
                self._trouble = say("what came in cannot be stored: {why}", why=error)
            case _:
                self._trouble = say("Telegram cannot be reached")
        log.info("poll_failed", source=self.name, kind=type(error).__name__, again_in_s=round(wait, 1))
        await asyncio.sleep(wait)


def _names_a_bot(update: dict[str, Any]) -> bool:
    match update:
        case {"message": {"text": str(text)}}:
            return text.startswith("/") and "@" in text
        case _:
            return False
