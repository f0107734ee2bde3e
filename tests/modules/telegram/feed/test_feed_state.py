"""From answers to rows: mutes of whole kinds, counts, and the same answer once more."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from butler.contract.mirror import ChatKind, MirrorUpdate, SeenMessage
from modules.telegram.feed_filter import FeedFilter
from modules.telegram.feed_position import AccountPosition, ChatPosition, MessageGap
from modules.telegram.feed_records import DialogSeen, DialogsPage, Glimpse, HistoryPage, Mutes, News, Read
from modules.telegram.feed_state import FeedState
from modules.telegram.user_scope import Scope
from tests.support.context import MemoryCursors, MemoryMirror, TurnedClock

ANNA, GROUP, NEWS = 5, -9, -1_000_000_001_002
AT = datetime(2026, 3, 1, tzinfo=UTC)


class StateHarness:
    """A book and the rows that it reads; what it makes is kept."""

    def __init__(self, history: int = 50, **scope: Any) -> None:
        self.mirror = MemoryMirror(MemoryCursors())
        self.book = FeedState(self.mirror, "main", FeedFilter(Scope(**scope)), history, TurnedClock())

    async def keep(self, batch: MirrorUpdate) -> None:
        await self.mirror.keep(batch)

    async def rows(self) -> dict[str, Any]:
        return {seen.chat: seen for seen in await self.mirror.chats("telegram", "main")}

    async def row(self, chat: int) -> Any:
        return (await self.rows())[f"telegram:{chat}"]


def wrote(chat: int, order: int, *, outgoing: bool = False) -> SeenMessage:
    address, ref = f"telegram:{chat}", str(order)
    return SeenMessage(
        channel="telegram", account="main", chat=address, ref=ref, order=order, at=AT, text=ref, outgoing=outgoing
    )


def shown(chat: int) -> Glimpse:
    kinds = {ANNA: ChatKind.PERSON, GROUP: ChatKind.GROUP, NEWS: ChatKind.CHANNEL}
    return Glimpse(chat=chat, kind=kinds[chat], title=str(chat), access_hash=1)


def dialog(chat: int, top: int, **more: Any) -> DialogSeen:
    return DialogSeen(**{"glimpse": shown(chat), "top": top, "read_upto": 0, "unread": 0, **more})


def page(*dialogs: DialogSeen) -> DialogsPage:
    tops = tuple(wrote(one.glimpse.chat, one.top) for one in dialogs if one.top)
    return DialogsPage(user_id=42, dialogs=dialogs, messages=tops)


@pytest.mark.parametrize(
    ("mutes", "muted"),
    [
        ({}, [False, False, False]),
        ({"people": 1}, [True, False, False]),
        ({"groups": 1}, [False, True, False]),
        ({"channels": 1}, [False, False, True]),
        ({"channels": -1}, [False, False, False]),
    ],
)
async def test_a_kind_of_chats_that_is_muted_as_a_whole_is_muted(mutes: dict[str, int], muted: list[bool]) -> None:
    desk = StateHarness()
    now = datetime.now(UTC)
    desk.book.mutes = Mutes(user_id=42, **{kind: now + timedelta(days=days) for kind, days in mutes.items()})

    await desk.keep((await desk.book.listed(page(*(dialog(chat, 7) for chat in (ANNA, GROUP, NEWS))))).batch)

    assert [(await desk.row(chat)).muted for chat in (ANNA, GROUP, NEWS)] == muted


async def test_a_chat_with_a_setting_of_its_own_is_not_muted_with_its_kind() -> None:
    desk = StateHarness()
    desk.book.mutes = Mutes(user_id=42, people=datetime.now(UTC) + timedelta(days=1))
    unmuted = datetime.fromtimestamp(0, UTC)

    await desk.keep((await desk.book.listed(page(dialog(ANNA, 7, muted_until=unmuted)))).batch)

    assert not (await desk.row(ANNA)).muted


async def test_the_same_answer_once_more_changes_nothing() -> None:
    desk = StateHarness()
    news = News(
        glimpses=(shown(ANNA),),
        messages=tuple(wrote(ANNA, order) for order in (11, 12, 13)),
        reads=(Read(chat=ANNA, upto=11, unread=2),),
    )
    for _ in range(3):
        await desk.keep(await desk.book.news(news))

    row = await desk.row(ANNA)
    assert (row.unread, row.read_order, row.last_order) == (2, 11, 13)
    assert ChatPosition.parse(row.cursor).holes == (MessageGap(0, 11, 47),)


async def test_what_stays_unread_is_counted_where_telegrams_own_count_is_older() -> None:
    desk = StateHarness(history=0)
    first = News(glimpses=(shown(ANNA),), messages=tuple(wrote(ANNA, order) for order in (11, 12, 13)))
    await desk.keep(await desk.book.news(first))

    # Read up to the second one when the fourth had not come yet.
    second = News(
        glimpses=(shown(ANNA),),
        messages=(wrote(ANNA, 14), wrote(ANNA, 15, outgoing=True)),
        reads=(Read(chat=ANNA, upto=12, unread=1),),
    )
    await desk.keep(await desk.book.news(second))

    assert (await desk.row(ANNA)).unread == 2


async def test_what_is_read_or_muted_in_a_chat_of_which_nothing_is_kept_leaves_no_row() -> None:
    desk = StateHarness()

    await desk.keep(await desk.book.news(News(glimpses=(shown(ANNA),), reads=(Read(chat=ANNA, upto=3, unread=0),))))

    assert await desk.rows() == {}


async def test_a_hole_is_read_downwards_and_closed_at_its_limit() -> None:
    desk = StateHarness(history=4)
    await desk.keep((await desk.book.listed(page(dialog(ANNA, 100)))).batch)
    assert ChatPosition.parse((await desk.row(ANNA)).cursor).holes == (MessageGap(0, 100, 3),)

    for orders, holes in (((99, 97), (MessageGap(0, 97, 1),)), ((90,), ())):
        messages = tuple(wrote(ANNA, order) for order in orders)
        read = HistoryPage(user_id=42, messages=messages, lowest=min(orders), finished=False)
        await desk.keep(desk.book.page(await desk.row(ANNA), read))
        assert ChatPosition.parse((await desk.row(ANNA)).cursor).holes == holes

    assert (await desk.row(ANNA)).last_order == 100


async def test_news_above_a_hole_leave_it_as_it_is_and_a_second_gap_is_a_second_hole() -> None:
    desk = StateHarness(history=4)
    await desk.keep((await desk.book.listed(page(dialog(ANNA, 100)))).batch)
    await desk.keep(await desk.book.news(News(glimpses=(shown(ANNA),), messages=(wrote(ANNA, 101),))))
    await desk.keep((await desk.book.listed(page(dialog(ANNA, 200)))).batch)

    assert ChatPosition.parse((await desk.row(ANNA)).cursor).holes == (MessageGap(0, 100, 3), MessageGap(101, 200))


async def test_a_channel_that_moved_on_is_asked_and_a_new_one_is_not() -> None:
    desk = StateHarness()
    first = await desk.book.listed(page(dialog(NEWS, 7, pts=10)))
    await desk.keep(first.batch)
    second = await desk.book.listed(page(dialog(NEWS, 9, pts=12)))

    assert (first.channels, second.channels) == (set(), {NEWS})
    assert second.batch.messages == []


def test_what_a_cursor_holds_is_read_as_it_was_written() -> None:
    account = AccountPosition(42, 7, 1, 1_700_000_000, unlisted=True, moved={NEWS: GROUP})
    chat = ChatPosition(-5, ("club",), 9, (MessageGap(1, 5), MessageGap(0, 1, 3)))

    assert AccountPosition.parse(str(account)) == account
    assert ChatPosition.parse(str(chat)) == chat
    assert (AccountPosition.parse(None), ChatPosition.parse("")) == (None, ChatPosition())
