"""Maps Telegram's answers to what is stored: messages, and the rows of the chats that they change.

Each result depends on the rows and the answer only, so that applying the same answer again changes nothing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Self

from butler.contract.mirror import ChatKind, Mirror, MirrorUpdate, Removal, SeenChat, SeenMessage, SeenQuery
from butler.contract.ports import Clock
from modules.telegram.address import Address
from modules.telegram.feed_filter import FeedFilter
from modules.telegram.feed_position import ChatPosition, MessageGap
from modules.telegram.feed_records import (
    ChannelDifference,
    DialogSeen,
    DialogsPage,
    Glimpse,
    HistoryPage,
    Mutes,
    News,
    Place,
    Read,
)
from modules.telegram.normalise import CHANNEL

CHANNELS = "telegram:-100"
"""The prefix of the addresses of channels and supergroups, whose messages are numbered separately."""
_FIRST_CHANNEL = -1_000_000_000_000


def is_channel(chat: int) -> bool:
    """Return whether a marked id is that of a channel or supergroup."""
    return chat < _FIRST_CHANNEL


def place_of(seen: SeenChat) -> Place:
    """Return the chat as a request names it."""
    return Place(chat=marked(seen.chat), access_hash=ChatPosition.parse(seen.cursor).access_hash)


def marked(chat: str) -> int:
    """Return the marked id of one of our addresses."""
    return int(chat.partition(":")[2])


@dataclass(slots=True)
class Listed:
    """The changes of a page of dialogs, and the channels with news of their own."""

    batch: MirrorUpdate
    channels: set[int] = field(default_factory=set[int])


@dataclass(slots=True)
class _Draft:
    """A chat's row while an answer is applied. `before` is the stored row, if any."""

    seen: SeenChat
    standing: ChatPosition
    before: SeenChat | None

    @classmethod
    def of(cls, before: SeenChat | None, fresh: SeenChat) -> Self:
        seen = before or fresh
        return cls(seen, ChatPosition.parse(seen.cursor), before)

    def row(self) -> SeenChat | None:
        """Return the row to store, or None if nothing changed."""
        row = self.seen.model_copy(update={"cursor": str(self.standing)})
        return None if row == self.before else row

    def set(self, **values: object) -> None:
        self.seen = self.seen.model_copy(update=values)

    def open(self, hole: MessageGap) -> None:
        self.standing = replace(self.standing, holes=(*self.standing.holes, hole))


class FeedState:
    """Reads rows and builds batches for one account. Writes nothing."""

    def __init__(self, mirror: Mirror, account: str, feed_filter: FeedFilter, history: int, clock: Clock) -> None:
        self._mirror, self._account, self._filter = mirror, account, feed_filter
        self._history = history
        self._clock = clock
        self.mutes: Mutes | None = None
        """Mute settings for whole kinds of chats; None until Telegram was asked."""

    async def news(self, news: News) -> MirrorUpdate:
        """Return the changes in the common box: private chats and basic groups."""
        drafts = {glimpse.chat: await self._draft(glimpse) for glimpse in news.glimpses}
        for chat, draft in drafts.items():
            messages = [one for one in news.messages if one.chat == draft.seen.chat]
            if draft.before is not None or messages:
                await self._take(draft, messages, [read for read in news.reads if read.chat == chat])
        for muting in news.mutings:
            self._mute(drafts[muting.chat], muting.until)
        # A chat without stored messages has nothing to read or mute.
        kept = [draft for draft in drafts.values() if draft.before is not None or draft.seen.last_order]
        return self._batch(kept, news.messages, await self._removed(news))

    async def channel(self, seen: SeenChat, answer: ChannelDifference) -> MirrorUpdate:
        """Return the changes in a channel, with its new position."""
        draft = _Draft.of(seen, seen)
        for glimpse in answer.news.glimpses:
            self._show(draft, glimpse)
        await self._take(draft, answer.news.messages, answer.news.reads)
        draft.standing = replace(draft.standing, pts=answer.pts)
        return self._batch([draft], answer.news.messages, await self._removed(answer.news))

    async def too_long(self, seen: SeenChat, answer: ChannelDifference, dialog: DialogSeen) -> MirrorUpdate:
        """Return the changes of a channel whose difference is too long: the messages between are read page by page."""
        draft = _Draft.of(seen, seen)
        self._show(draft, dialog.glimpse)
        self._adopt_position(draft, dialog, has_top=any(one.order == dialog.top for one in answer.news.messages))
        return self._batch([draft], answer.news.messages, ())

    async def listed(self, page: DialogsPage) -> Listed:
        """Return the changes of a page of dialogs: new chats, chats with unseen messages, and changed settings."""
        drafts: list[_Draft] = []
        channels: set[int] = set()
        newest = {(one.chat, one.order): one for one in page.messages}
        kept: list[SeenMessage] = []
        for dialog in page.dialogs:
            draft = await self._draft(dialog.glimpse)
            drafts.append(draft)
            self._mute(draft, dialog.muted_until)
            if dialog.pts and draft.standing.pts and dialog.pts != draft.standing.pts:
                # The channel's own difference holds all changes, edits too; the list's position would skip them.
                channels.add(dialog.glimpse.chat)
                await self._read(draft, dialog.read_upto)
                continue
            top = newest.get((draft.seen.chat, dialog.top))
            if top and dialog.top > draft.seen.last_order and (draft.before or self._history):
                kept.append(top)
            self._adopt_position(draft, dialog, has_top=top is not None)
        return Listed(self._batch(drafts, kept, ()), channels)

    def page(self, seen: SeenChat, page: HistoryPage) -> MirrorUpdate:
        """Return the messages of a page of a chat's first hole, and the rest of the hole."""
        draft = _Draft.of(seen, seen)
        hole, *others = draft.standing.holes
        left = None if hole.left is None else hole.left - len(page.messages)
        closed = page.finished or (left is not None and left <= 0)
        rest = () if closed else (MessageGap(hole.after, page.lowest, left),)
        draft.standing = replace(draft.standing, holes=(*rest, *others))
        return self._batch([draft], page.messages, ())

    def closed(self, seen: SeenChat) -> MirrorUpdate:
        """Return the chat without holes: it cannot be read further, for now or for good."""
        draft = _Draft.of(seen, seen)
        draft.standing = replace(draft.standing, holes=())
        return self._batch([draft], (), ())

    def unknown(self, seen: SeenChat) -> MirrorUpdate:
        """Return the channel without a position: the list of dialogs will give one."""
        draft = _Draft.of(seen, seen)
        draft.standing = replace(draft.standing, pts=0)
        return self._batch([draft], (), ())

    async def _draft(self, glimpse: Glimpse) -> _Draft:
        address = str(Address(glimpse.chat))
        before = await self._mirror.chat(CHANNEL, self._account, address)
        fresh = SeenChat(channel=CHANNEL, account=self._account, chat=address, kind=glimpse.kind)
        draft = _Draft.of(before, fresh)
        self._show(draft, glimpse)
        if before is None:
            self._mute(draft, None)
        return draft

    def _show(self, draft: _Draft, glimpse: Glimpse) -> None:
        """Update title, names and access hash as far as the answer shows them."""
        standing = draft.standing
        draft.standing = replace(
            standing,
            access_hash=glimpse.access_hash or standing.access_hash,
            names=glimpse.names or standing.names,
        )
        muted = draft.seen.muted or self._filter.is_muted(glimpse.chat, draft.standing.names, in_telegram=False)
        title = glimpse.title or draft.seen.title
        kind = glimpse.kind if glimpse.title else draft.seen.kind
        draft.set(title=title, kind=kind, muted=muted)

    def _mute(self, draft: _Draft, until: datetime | None) -> None:
        until = until or self._muted_as_a_kind(draft.seen.kind)
        in_telegram = until is not None and until > self._clock.now()
        muted = self._filter.is_muted(marked(draft.seen.chat), draft.standing.names, in_telegram=in_telegram)
        draft.set(muted=muted)

    def _muted_as_a_kind(self, kind: ChatKind) -> datetime | None:
        if self.mutes is None:
            return None
        match kind:
            case ChatKind.GROUP:
                return self.mutes.groups
            case ChatKind.CHANNEL:
                return self.mutes.channels
            case _:
                return self.mutes.people

    def _adopt_position(self, draft: _Draft, dialog: DialogSeen, *, has_top: bool) -> None:
        """Adopt a dialog's position, and open a hole for messages missing up to its newest."""
        last = draft.seen.last_order
        if dialog.top > last and dialog.glimpse.readable:
            before = dialog.top if has_top else dialog.top + 1
            if last:
                draft.open(MessageGap(last, before))
            elif self._history > has_top:
                draft.open(MessageGap(0, before, self._history - has_top))
        draft.standing = replace(draft.standing, pts=dialog.pts)
        draft.set(last_order=max(last, dialog.top), read_order=dialog.read_upto, unread=dialog.unread)

    async def _take(self, draft: _Draft, messages: Sequence[SeenMessage], reads: Sequence[Read]) -> None:
        """Count new and unread messages; a new chat is read back."""
        seen = draft.seen
        fresh = [one for one in messages if one.order > seen.last_order]
        if draft.before is None and self._history > len(messages):
            draft.open(MessageGap(0, min(one.order for one in messages), self._history - len(messages)))
        read_upto = max([seen.read_order, *(read.upto for read in reads)])
        unread = sum(not one.outgoing and one.order > read_upto for one in fresh)
        if not reads:
            unread += seen.unread
        else:
            if read_upto < seen.last_order:
                unread += await self._incoming_after(draft.seen.chat, read_upto)
            # Where the chat is not stored completely, Telegram knows of more unread messages.
            unread = max([unread, *(read.unread for read in reads if read.upto == read_upto)])
        last = max([seen.last_order, *(one.order for one in fresh)])
        draft.set(last_order=last, read_order=read_upto, unread=unread)

    async def _read(self, draft: _Draft, upto: int) -> None:
        """Mark messages as read up to an id; messages not stored yet are counted when they arrive."""
        if upto > draft.seen.read_order:
            unread = await self._incoming_after(draft.seen.chat, upto) if upto < draft.seen.last_order else 0
            draft.set(read_order=upto, unread=unread)

    async def _incoming_after(self, chat: str, order: int) -> int:
        return await self._mirror.count(
            SeenQuery(CHANNEL, self._account, chat, after_order=order, incoming=True, muted=True)
        )

    async def _removed(self, news: News) -> list[Removal]:
        removed: list[Removal] = []
        odd: list[str] | None = None
        for deleted in news.deleted:
            chat = "" if deleted.chat is None else str(Address(deleted.chat))
            if chat:
                removed += [Removal(ref=str(ref), chat=chat) for ref in deleted.refs]
                continue
            odd = await self._mistakable() if odd is None else odd
            removed += [Removal(ref=str(ref), apart_from=CHANNELS) for ref in deleted.refs]
            removed += [Removal(ref=str(ref), chat=group) for ref in deleted.refs for group in odd]
        return removed

    async def _mistakable(self) -> list[str]:
        """Return the basic groups whose address begins like a channel's."""
        chats = [seen.chat for seen in await self._mirror.chats(CHANNEL, self._account)]
        return [chat for chat in chats if chat.startswith(CHANNELS) and not is_channel(marked(chat))]

    def _batch(
        self, drafts: Iterable[_Draft], messages: Sequence[SeenMessage], removed: Sequence[Removal]
    ) -> MirrorUpdate:
        rows = [row for draft in drafts if (row := draft.row())]
        return MirrorUpdate(CHANNEL, self._account, rows, messages, removed)
