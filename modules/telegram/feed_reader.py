"""Keeps the mirror of one account up to date: differences, the list of dialogs, and channels with their own `pts`.

Each answer is stored in one transaction with the feed's new position, and no state is carried from one answer to the
next. So the feed can be interrupted anywhere, and continues from the rows.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

import structlog

from butler.contract.base_integration import BaseIntegration
from butler.contract.mirror import MirrorUpdate, SeenChat
from butler.contract.module import ModuleContext
from butler.contract.speech import phrase
from modules.telegram.address import Address
from modules.telegram.feed_backfill import Backfill
from modules.telegram.feed_calls import AnotherAccountError, CallFailedError, FeedCalls
from modules.telegram.feed_filter import FeedFilter
from modules.telegram.feed_position import AccountPosition, ChatPosition
from modules.telegram.feed_records import (
    PAGE,
    AskChannel,
    AskDialogs,
    AskDialogsOf,
    AskDifference,
    DialogsOffset,
    DialogsPage,
    Move,
)
from modules.telegram.feed_state import FeedState, marked, place_of
from modules.telegram.feed_waits import Waits
from modules.telegram.normalise import CHANNEL

log = structlog.get_logger(__name__)

THE_LIST, THE_CHANNELS, WHAT_WAS_READ = (
    phrase("the list of your chats"),
    phrase("channels"),
    phrase("what you have read elsewhere"),
)


class FeedReader:
    """The feed of one account. `look` catches up, `backfill` reads older messages; `completed` runs per round trip."""

    def __init__(
        self,
        api: BaseIntegration,
        context: ModuleContext,
        feed_filter: FeedFilter,
        *,
        account: str,
        name: str,
        history: int,
        completed: Callable[[], None],
    ) -> None:
        self._calls = FeedCalls(api, name)
        self._mirror, self._cursors = context.storage.mirror, context.storage.cursors
        self._filter = feed_filter
        self._account, self._name = account, name
        self._cursor = f"{name}.state"
        self._completed = completed
        self._state = FeedState(context.storage.mirror, account, feed_filter, history, context.clock)
        self.backfill = Backfill(self._calls, context.storage.mirror, self._state, account=account, name=name)
        self.waits = Waits()
        self._due: set[int] = set()
        self._read: set[int] = set()
        self._last_in_line: int | None = None

    def note(self, channels: Iterable[int], read: Iterable[int] = ()) -> None:
        """Note channels with news of their own, and channels that the owner has read."""
        self._due.update(channels)
        self._read.update(read)

    async def start(self) -> None:
        """Resume from the rows: forget chats that the settings now leave out, and go on with holes."""
        standing = AccountPosition.parse(await self._cursors.get(self._cursor))
        self._filter.recall(standing.moved if standing else {})
        self.backfill.clear()
        for seen in await self._mirror.chats(CHANNEL, self._account):
            held = ChatPosition.parse(seen.cursor)
            if self._filter.leaves_out(marked(seen.chat), held.names):
                await self._forget(seen.chat)
            elif held.holes:
                self.backfill.add(seen.chat)

    async def look(self, *, listed: bool, whole: bool, muted: bool) -> bool:
        """Fetch what happened since the last look; raise `CallFailedError` and the store's errors.

        `listed` also pages through the dialogs, as far as there is news or, if `whole`, to the end; `muted` includes
        muted channels. Return False if the dialogs have to be listed later because Telegram asks to wait.
        """
        try:
            return await self._look(listed=listed, whole=whole, muted=muted)
        except AnotherAccountError:
            await self._restart()
            return await self._look(listed=False, whole=False, muted=True)

    async def _look(self, *, listed: bool, whole: bool, muted: bool) -> bool:
        standing = AccountPosition.parse(await self._cursors.get(self._cursor)) or await self._begin()
        self._calls.user_id = standing.user_id
        if standing.unlisted:
            standing = await self._list_all(standing)
            listed = False
        standing = await self._difference(standing)
        done = not listed or await self._list_if_it_may(whole=whole)
        await self.waits.unless(THE_CHANNELS, partial(self._channels, muted=muted))
        await self.waits.unless(WHAT_WAS_READ, self._read_elsewhere)
        if self._filter.moved != standing.moved:
            await self._position(replace(standing, moved=self._filter.moved))
        return done

    # The account as a whole

    async def _begin(self) -> AccountPosition:
        """Store Telegram's state before anything is read, so that later changes are reported from there on."""
        state = await self._calls.state()
        return await self._position(
            AccountPosition(state.user_id, state.pts, state.qts, state.date, unlisted=True, moved=self._filter.moved)
        )

    async def _restart(self) -> None:
        """Forget everything stored: the name now belongs to another Telegram account."""
        log.warning("another_account", source=self._name)
        for seen in await self._mirror.chats(CHANNEL, self._account):
            await self._forget(seen.chat)
        self._due.clear()
        self._read.clear()
        self._calls.user_id = None
        await self._begin()

    async def _difference(self, standing: AccountPosition) -> AccountPosition:
        """Apply the difference part by part; return the new position."""
        try:
            done = False
            while not done:
                before = standing
                done, standing = await self._next_difference(standing)
                # Telegram has to move on; otherwise this loop would never end.
                done = done or standing == before
        except CallFailedError as failed:
            if not failed.standing_unknown:
                raise
            log.warning("standing_unknown", source=self._name, why=failed.error.provider_code)
            standing = await self._list_all(await self._begin())
        return standing

    async def _next_difference(self, standing: AccountPosition) -> tuple[bool, AccountPosition]:
        """Apply one answer; return whether it was the last, and the new position."""
        answer = await self._calls.difference(AskDifference(pts=standing.pts, qts=standing.qts, date=standing.date))
        self._completed()
        if answer.outcome == "nothing":
            return True, standing
        after = replace(standing, pts=answer.pts, qts=answer.qts, date=answer.date, moved=self._filter.moved)
        if answer.outcome == "too_long":
            log.info("difference_too_long", source=self._name)
            return False, await self._list_all(await self._position(replace(after, unlisted=True)))
        await self._keep(await self._state.news(answer.news), cursor=(self._cursor, str(after)))
        await self._leave_out_moved(answer.news.moves)
        self._due.update(answer.news.channels)
        return answer.outcome == "all", after

    async def _position(self, standing: AccountPosition) -> AccountPosition:
        await self._cursors.set(self._cursor, str(standing))
        return standing

    # Conversations

    async def _list_if_it_may(self, *, whole: bool) -> bool:
        return await self.waits.unless(THE_LIST, partial(self._list, whole=whole))

    async def _list_all(self, standing: AccountPosition) -> AccountPosition:
        # Nothing can be applied until the chats' positions are known, so this listing is waited for.
        await self._list(whole=True)
        return await self._position(replace(standing, unlisted=False, moved=self._filter.moved))

    async def _list(self, *, whole: bool) -> None:
        self._state.mutes = await self._calls.mutes()
        after: DialogsOffset | None = None
        while True:
            page = await self._calls.dialogs(AskDialogs(after=after))
            self._completed()
            has_news = await self._take_list(page)
            # The newest come first: after a page without news, no later page has any.
            if page.after is None or page.after == after or not (whole or has_news):
                return
            after = page.after

    async def _take_list(self, page: DialogsPage) -> bool:
        listed = await self._state.listed(page)
        if listed.batch.chats or listed.batch.messages:
            await self._keep(listed.batch)
        for chat in page.left_out:
            await self._forget_if_kept(chat)
        await self._leave_out_moved(page.moves)
        self._due.update(listed.channels)
        return bool(listed.batch.messages or listed.channels)

    async def _read_elsewhere(self) -> None:
        """Fetch how far the owner has read in the channels noted as read."""
        found = [await self._mirror.chat(CHANNEL, self._account, str(Address(chat))) for chat in sorted(self._read)]
        places = [place_of(seen) for seen in found if seen is not None][:PAGE]
        if places:
            await self._take_list(await self._calls.dialogs_of(AskDialogsOf(places=tuple(places))))
        self._read.clear()

    # Channels

    async def _channels(self, *, muted: bool) -> None:
        unknown: set[int] = set()
        # A channel with which Telegram has trouble does not stop the others.
        for chat in sorted(self._due, key=lambda one: (one == self._last_in_line, one)):
            seen = await self._mirror.chat(CHANNEL, self._account, str(Address(chat)))
            if self._filter.leaves_out(chat):
                self._due.discard(chat)
            elif seen is None or not ChatPosition.parse(seen.cursor).pts:
                unknown.add(chat)
            elif muted or not seen.muted:
                if not await self._channel(seen):
                    unknown.add(chat)
                self._due.discard(chat)
        # The list shows the account's position in them; a channel that it does not show is not the account's.
        if unknown and await self._list_if_it_may(whole=False):
            self._due -= unknown

    async def _channel(self, seen: SeenChat) -> bool:
        """Fetch what happened in a channel; return False if Telegram does not know the account's position."""
        while True:
            pts = ChatPosition.parse(seen.cursor).pts
            try:
                answer = await self._calls.channel(AskChannel(place=place_of(seen), pts=pts))
            except CallFailedError as failed:
                return await self._channel_failed(seen, failed)
            if answer.outcome == "too_long" and answer.dialog is not None:
                await self._keep(await self._state.too_long(seen, answer, answer.dialog))
            elif answer.pts != pts:
                await self._keep(await self._state.channel(seen, answer))
            if answer.final or answer.pts == pts:
                return True
            seen = await self._mirror.chat(CHANNEL, self._account, seen.chat) or seen

    async def _channel_failed(self, seen: SeenChat, failed: CallFailedError) -> bool:
        if not failed.concerns_the_chat:
            self._last_in_line = marked(seen.chat)
            raise failed
        log.warning("channel_not_readable", source=self._name, why=failed.error.provider_code or failed.error.code)
        if failed.standing_unknown or failed.shut_out:
            await self._keep(self._state.unknown(seen))
        # Another refusal may concern a single message: the channel's next news are fetched again.
        return not failed.standing_unknown

    # What is stored

    async def _keep(self, batch: MirrorUpdate, *, cursor: tuple[str, str] | None = None) -> None:
        await self._mirror.keep(batch, cursor=cursor)
        for seen in batch.chats:
            if ChatPosition.parse(seen.cursor).holes:
                self.backfill.add(seen.chat)

    async def _leave_out_moved(self, moves: Iterable[Move]) -> None:
        for move in moves:
            if self._filter.leaves_out(move.new):
                await self._forget_if_kept(move.new)

    async def _forget_if_kept(self, chat: int) -> None:
        address = str(Address(chat))
        if await self._mirror.chat(CHANNEL, self._account, address) is not None:
            await self._forget(address)

    async def _forget(self, chat: str) -> None:
        count = await self._mirror.forget(CHANNEL, self._account, chat)
        log.info("chat_forgotten", source=self._name, messages=count)
