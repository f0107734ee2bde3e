"""Keeps the mirror of one account up to date: differences, the list of conversations, and pages of what was before.

Each answer is stored in one transaction with where the feed stands after it, and nothing is held over from one answer
to the next. So it may be interrupted anywhere, and goes on from the rows.
"""

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeVar

import structlog
from pydantic import BaseModel

from butler.contract.errors import IntegrationErrorCode
from butler.contract.integration import BaseIntegration, IntegrationCall, IntegrationError
from butler.contract.mirror import SeenBatch, SeenChat
from butler.contract.module import ModuleContext
from modules.telegram.address import Address
from modules.telegram.feed_book import Book, marked, place_of
from modules.telegram.feed_records import (
    FEED_CHANNEL,
    FEED_DIALOGS,
    FEED_DIALOGS_OF,
    FEED_DIFFERENCE,
    FEED_HISTORY,
    FEED_MUTES,
    FEED_STATE,
    PAGE,
    AskChannel,
    AskDialogs,
    AskDialogsOf,
    AskDifference,
    AskHistory,
    ChannelDifference,
    DialogsOffset,
    DialogsPage,
    Difference,
    HistoryPage,
    Move,
    Mutes,
    State,
)
from modules.telegram.feed_sieve import Sieve
from modules.telegram.feed_standing import AccountStanding, ChatStanding
from modules.telegram.normalise import CHANNEL

log = structlog.get_logger(__name__)
Answer = TypeVar("Answer", State, Mutes, Difference, ChannelDifference, DialogsPage, HistoryPage)

CALL_TIMEOUT_MS = 30_000
TELL_EVERY = 25
"""Chats between two lines of the log, while they are read back."""

_UNKNOWN_STANDING = frozenset({"PERSISTENT_TIMESTAMP_INVALID", "PERSISTENT_TIMESTAMP_EMPTY", "DATE_EMPTY"})
_SHUT_OUT = frozenset({"CHANNEL_PRIVATE", "CHANNEL_INVALID", "CHANNEL_BANNED", "CHAT_FORBIDDEN"})
_MAY_PASS = frozenset(
    {
        IntegrationErrorCode.AUTH_REQUIRED,
        IntegrationErrorCode.RATE_LIMITED,
        IntegrationErrorCode.TIMEOUT,
        IntegrationErrorCode.UNAVAILABLE,
    }
)


class CallFailedError(Exception):
    """A call of the feed did not work."""

    def __init__(self, error: IntegrationError) -> None:
        super().__init__(error.message)
        self.error = error


class _AnotherAccountError(Exception):
    """The session belongs to another Telegram account than what is kept."""


class FeedReader:
    """One account. `look` catches up, `fill` reads a page of what was before; `completed` hears of each round trip."""

    def __init__(
        self,
        api: BaseIntegration,
        context: ModuleContext,
        sieve: Sieve,
        *,
        account: str,
        name: str,
        history: int,
        completed: Callable[[], None],
    ) -> None:
        self._api = api
        self._mirror, self._cursors = context.mirror, context.cursors
        self._sieve = sieve
        self._account, self._name = account, name
        self._cursor = f"{name}.state"
        self._completed = completed
        self._book = Book(context.mirror, account, sieve, history, context.clock)
        self._due: set[int] = set()
        self._read: set[int] = set()
        self._last_in_line: int | None = None
        self._open: deque[str] = deque()
        self._opened = 0

    @property
    def progress(self) -> str:
        """How far reading back has come; empty when there is nothing to read."""
        return f"reading {self._opened - len(self._open)} of {self._opened} chats" if self._open else ""

    @property
    def has_open_chats(self) -> bool:
        """Whether something that was before is still to be read."""
        return bool(self._open)

    def note(self, channels: Iterable[int], read: Iterable[int] = ()) -> None:
        """Channels that have news of their own, and channels that the person has read."""
        self._due.update(channels)
        self._read.update(read)

    async def start(self) -> None:
        """Take up what the rows say: chats that the settings leave out by now go, half-read ones are read on."""
        standing = AccountStanding.parse(await self._cursors.get(self._cursor))
        self._sieve.recall(standing.moved if standing else {})
        self._open.clear()
        self._opened = 0
        for seen in await self._mirror.chats(CHANNEL, self._account):
            held = ChatStanding.parse(seen.cursor)
            if self._sieve.leaves_out(marked(seen.chat), held.names):
                await self._forget(seen.chat)
            elif held.holes:
                self._open_up(seen.chat)

    async def look(self, *, listed: bool, whole: bool, muted: bool) -> None:
        """Ask what happened since; raises `CallFailedError`, and the store's errors.

        `listed` goes through the conversations as well, as far as something is new or, if `whole`, to the end; `muted`
        asks muted channels, too.
        """
        try:
            await self._look(listed=listed, whole=whole, muted=muted)
        except _AnotherAccountError:
            await self._begin_anew()
            await self._look(listed=False, whole=False, muted=True)

    async def fill(self) -> None:
        """Read one page of a chat that has something left to read, taking the chats in turns."""
        chat = self._open[0]
        seen = await self._mirror.chat(CHANNEL, self._account, chat)
        holes = ChatStanding.parse(seen.cursor).holes if seen else ()
        if seen is None or not holes:
            self._close()
            return
        hole = holes[0]
        limit = PAGE if hole.left is None else min(PAGE, hole.left)
        ask = AskHistory(place=place_of(seen), after=hole.after, before=hole.before, limit=limit)
        try:
            page = await self._call(FEED_HISTORY, ask, HistoryPage)
        except CallFailedError as failed:
            if failed.error.code in _MAY_PASS:
                raise
            log.warning("chat_not_readable", source=self._name, code=failed.error.code)
            batch = self._book.closed(seen)
        else:
            batch = self._book.page(seen, page)
        await self._mirror.keep(batch)
        if batch.chats and ChatStanding.parse(batch.chats[0].cursor).holes:
            self._open.rotate(-1)
        else:
            self._close()

    async def _look(self, *, listed: bool, whole: bool, muted: bool) -> None:
        standing = AccountStanding.parse(await self._cursors.get(self._cursor)) or await self._begin()
        if standing.unlisted:
            standing = await self._list_all(standing)
            listed = False
        standing = await self._difference(standing)
        if listed:
            await self._list(standing, whole=whole)
        await self._channels(standing, muted=muted)
        await self._read_elsewhere(standing)

    # The account as a whole

    async def _begin(self) -> AccountStanding:
        """Note where Telegram stands before anything is read: what happens meanwhile is told from there on."""
        state = await self._call(FEED_STATE, None, State)
        return await self._stand(
            AccountStanding(state.user_id, state.pts, state.qts, state.date, unlisted=True, moved=self._sieve.moved)
        )

    async def _begin_anew(self) -> None:
        """The account's name belongs to another Telegram account now: nothing of the former is kept."""
        log.warning("another_account", source=self._name)
        for seen in await self._mirror.chats(CHANNEL, self._account):
            await self._forget(seen.chat)
        self._due.clear()
        self._read.clear()
        await self._begin()

    async def _difference(self, standing: AccountStanding) -> AccountStanding:
        while True:
            ask = AskDifference(pts=standing.pts, qts=standing.qts, date=standing.date)
            try:
                answer = await self._call(FEED_DIFFERENCE, ask, Difference, of=standing)
            except CallFailedError as failed:
                if failed.error.provider_code not in _UNKNOWN_STANDING:
                    raise
                log.warning("standing_unknown", source=self._name, why=failed.error.provider_code)
                standing = await self._list_all(await self._begin())
                continue
            self._completed()
            if answer.outcome == "nothing":
                return standing
            after = replace(standing, pts=answer.pts, qts=answer.qts, date=answer.date, moved=self._sieve.moved)
            if answer.outcome == "too_long":
                log.info("difference_too_long", source=self._name)
                standing = await self._list_all(await self._stand(replace(after, unlisted=True)))
                continue
            await self._keep(await self._book.news(answer.news), cursor=(self._cursor, str(after)))
            await self._leave_out_moved(answer.news.moves)
            self._due.update(answer.news.channels)
            standing = after
            if answer.outcome == "all":
                return standing

    async def _stand(self, standing: AccountStanding) -> AccountStanding:
        await self._cursors.set(self._cursor, str(standing))
        return standing

    # Conversations

    async def _list_all(self, standing: AccountStanding) -> AccountStanding:
        await self._list(standing, whole=True)
        return await self._stand(replace(standing, unlisted=False, moved=self._sieve.moved))

    async def _list(self, standing: AccountStanding, *, whole: bool) -> None:
        self._book.mutes = await self._call(FEED_MUTES, None, Mutes, of=standing)
        after: DialogsOffset | None = None
        while True:
            page = await self._call(FEED_DIALOGS, AskDialogs(after=after), DialogsPage, of=standing)
            self._completed()
            has_news = await self._take_list(page)
            # The newest come first: after a page without news there are none.
            if page.after is None or not (whole or has_news):
                return
            after = page.after

    async def _take_list(self, page: DialogsPage) -> bool:
        listed = await self._book.listed(page)
        if listed.batch.chats or listed.batch.messages:
            await self._keep(listed.batch)
        for chat in page.left_out:
            await self._forget_if_kept(chat)
        await self._leave_out_moved(page.moves)
        self._due.update(listed.channels)
        return bool(listed.batch.messages or listed.channels)

    async def _read_elsewhere(self, standing: AccountStanding) -> None:
        """Ask how far the person has read the channels that were read."""
        found = [await self._mirror.chat(CHANNEL, self._account, str(Address(chat))) for chat in sorted(self._read)]
        places = [place_of(seen) for seen in found if seen is not None][:PAGE]
        if places:
            ask = AskDialogsOf(places=tuple(places))
            await self._take_list(await self._call(FEED_DIALOGS_OF, ask, DialogsPage, of=standing))
        self._read.clear()

    # Channels

    async def _channels(self, standing: AccountStanding, *, muted: bool) -> None:
        unknown: set[int] = set()
        # One that Telegram has trouble with does not stop the others.
        for chat in sorted(self._due, key=lambda one: (one == self._last_in_line, one)):
            seen = await self._mirror.chat(CHANNEL, self._account, str(Address(chat)))
            if self._sieve.leaves_out(chat):
                self._due.discard(chat)
            elif seen is None or not ChatStanding.parse(seen.cursor).pts:
                unknown.add(chat)
            elif muted or not seen.muted:
                if not await self._channel(standing, seen):
                    unknown.add(chat)
                self._due.discard(chat)
        if unknown:
            # The list shows where the account stands in them; those it does not show are not the account's.
            await self._list(standing, whole=False)
            self._due -= unknown

    async def _channel(self, standing: AccountStanding, seen: SeenChat) -> bool:
        """Ask what happened in a channel; false when Telegram does not know where the account stood."""
        while True:
            held = ChatStanding.parse(seen.cursor)
            ask = AskChannel(place=place_of(seen), pts=held.pts)
            try:
                answer = await self._call(FEED_CHANNEL, ask, ChannelDifference, of=standing)
            except CallFailedError as failed:
                return await self._channel_failed(seen, failed)
            if answer.outcome == "too_long" and answer.dialog is not None:
                await self._keep(await self._book.too_long(seen, answer, answer.dialog))
            elif answer.pts != held.pts:
                await self._keep(await self._book.channel(seen, answer))
            if answer.final:
                return True
            seen = await self._mirror.chat(CHANNEL, self._account, seen.chat) or seen

    async def _channel_failed(self, seen: SeenChat, failed: CallFailedError) -> bool:
        if failed.error.code in _MAY_PASS:
            self._last_in_line = marked(seen.chat)
            raise failed
        why = failed.error.provider_code or failed.error.code
        log.warning("channel_not_readable", source=self._name, why=why)
        if why in _UNKNOWN_STANDING or why in _SHUT_OUT:
            await self._keep(self._book.unknown(seen))
        # Another refusal may be one message's: the next news are asked for again.
        return why not in _UNKNOWN_STANDING

    # What is stored

    async def _keep(self, batch: SeenBatch, *, cursor: tuple[str, str] | None = None) -> None:
        await self._mirror.keep(batch, cursor=cursor)
        for seen in batch.chats:
            if ChatStanding.parse(seen.cursor).holes:
                self._open_up(seen.chat)

    async def _leave_out_moved(self, moves: Iterable[Move]) -> None:
        for move in moves:
            if self._sieve.leaves_out(move.new):
                await self._forget_if_kept(move.new)

    async def _forget_if_kept(self, chat: int) -> None:
        address = str(Address(chat))
        if await self._mirror.chat(CHANNEL, self._account, address) is not None:
            await self._forget(address)

    async def _forget(self, chat: str) -> None:
        count = await self._mirror.forget(CHANNEL, self._account, chat)
        log.info("chat_forgotten", source=self._name, messages=count)

    def _open_up(self, chat: str) -> None:
        if chat not in self._open:
            self._open.append(chat)
            self._opened += 1

    def _close(self) -> None:
        self._open.popleft()
        done = self._opened - len(self._open)
        if not self._open:
            log.info("chats_read", source=self._name, chats=self._opened)
            self._opened = 0
        elif done % TELL_EVERY == 0:
            log.info("reading_chats", source=self._name, done=done, of=self._opened)

    async def _call(
        self, method_id: str, args: BaseModel | None, answer: type[Answer], of: AccountStanding | None = None
    ) -> Answer:
        call = IntegrationCall(
            trace_id=self._name,
            method_id=method_id,
            args=args.model_dump() if args else {},
            timeout_ms=CALL_TIMEOUT_MS,
        )
        result = await self._api.call(call)
        if result.error is not None:
            raise CallFailedError(result.error)
        read = answer.model_validate(result.data)
        if of is not None and read.user_id != of.user_id:
            raise _AnotherAccountError
        return read
