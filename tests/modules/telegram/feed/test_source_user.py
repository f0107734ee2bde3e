"""The feed as it runs: a push wakes it, a lost connection is made good, and only the owner can mend a lost session."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from butler.contract.errors import AuthRequiredError
from butler.store.errors import StoreBusyError
from butler_demo.mtproto.datacentre import DataCentre
from butler_demo.mtproto.faults import Moment
from modules.telegram.source_user import UserFeed
from tests.modules.telegram.feed.conftest import MakeHouse
from tests.modules.telegram.feed.feed_support import ANNA, EVE, QUICK, SAM, FeedHarness
from tests.support.waiting import until

DIFFERENCE = "updates.getDifference"


def calls(centre: DataCentre, method: str) -> int:
    return len([call for call in centre.calls if call.method == method])


async def eventually(condition: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(60):
        while not await condition():  # noqa: ASYNC110 - what is waited for sets no event
            await asyncio.sleep(0.01)


async def kept(harness: FeedHarness, chat: int, *texts: str) -> None:
    """Return once these are the last messages that are kept of a chat."""

    async def there() -> bool:
        return (await harness.texts(chat))[-len(texts) :] == list(texts)

    await eventually(there)


async def looked(feed: UserFeed) -> None:
    await until(lambda: feed.health().last_ok is not None and not feed.health().detail)


async def test_a_push_wakes_the_feed(harness: FeedHarness, centre: DataCentre) -> None:
    club = centre.add_channel(1001, "Club", EVE, SAM)
    async with harness.running() as feed:
        await looked(feed)
        before = calls(centre, "messages.getDialogs")
        centre.inject(ANNA, SAM, "hello")
        await kept(harness, ANNA, "hello")
        centre.inject(EVE, club.peer_id, "hello all")
        await kept(harness, club.peer_id, "hello all")

    assert calls(centre, "messages.getDialogs") == before


async def test_what_is_read_in_a_channel_elsewhere_is_known_at_once(harness: FeedHarness, centre: DataCentre) -> None:
    club = centre.add_channel(1001, "Club", EVE, SAM)
    centre.inject(EVE, club.peer_id, "hello all")
    async with harness.running() as feed:
        await looked(feed)
        unread = await harness.chat(club.peer_id)
        assert unread
        assert unread.unread == 1
        centre.read(SAM, club.peer_id)

        async def all_read() -> bool:
            seen = await harness.chat(club.peer_id)
            return seen is not None and not seen.unread

        await eventually(all_read)


async def test_pushes_that_come_together_are_asked_for_at_once(make_harness: MakeHouse, centre: DataCentre) -> None:
    harness = make_harness(pace=replace(QUICK, gather=0.1))
    async with harness.running() as feed:
        await looked(feed)
        before = calls(centre, DIFFERENCE)
        for i in range(20):
            centre.inject(ANNA, SAM, f"a{i}")
        await kept(harness, ANNA, "a18", "a19")

    assert calls(centre, DIFFERENCE) == before + 1


async def test_a_push_that_got_lost_is_made_good_by_the_next_look(make_harness: MakeHouse, centre: DataCentre) -> None:
    club = centre.add_channel(1001, "Club", EVE, SAM)
    harness = make_harness(pace=replace(QUICK, look_every=0.1, list_every=0.1))
    centre.lose_updates(SAM)
    centre.name_changed_channels(named=False)
    async with harness.running() as feed:
        await looked(feed)
        centre.inject(ANNA, SAM, "hello")
        centre.inject(EVE, club.peer_id, "hello all")
        await kept(harness, ANNA, "hello")
        await kept(harness, club.peer_id, "hello all")


async def test_a_muted_channel_is_asked_with_the_regular_look_only(make_harness: MakeHouse, centre: DataCentre) -> None:
    club = centre.add_channel(1001, "Club", EVE, SAM)
    centre.mute(SAM, club.peer_id)
    harness = make_harness(pace=replace(QUICK, look_every=0.4))
    async with harness.running() as feed:
        await looked(feed)
        before = calls(centre, "updates.getChannelDifference")
        centre.inject(EVE, club.peer_id, "hello all")
        centre.inject(ANNA, SAM, "hello")
        await kept(harness, ANNA, "hello")
        assert calls(centre, "updates.getChannelDifference") == before
        await kept(harness, club.peer_id, "hello all")


async def test_after_a_lost_connection_nothing_is_missing(harness: FeedHarness, centre: DataCentre) -> None:
    club = centre.add_channel(1001, "Club", EVE, SAM)
    centre.name_changed_channels(named=False)
    async with harness.running() as feed:
        await looked(feed)
        await centre.go_offline()
        await until(lambda: feed.health().failing)
        centre.inject(ANNA, SAM, "while away")
        centre.inject(EVE, club.peer_id, "while away")
        await centre.come_back()
        await kept(harness, ANNA, "while away")
        await kept(harness, club.peer_id, "while away")
        assert not feed.health().failing


async def test_an_answer_that_is_lost_on_the_way_is_asked_for_again(harness: FeedHarness, centre: DataCentre) -> None:
    async with harness.running() as feed:
        await looked(feed)
        centre.drop(DIFFERENCE, Moment.AFTER_EFFECT)
        centre.inject(ANNA, SAM, "hello")
        await kept(harness, ANNA, "hello")


async def test_tl_01_a_session_that_is_used_elsewhere_stops_the_feed_with_what_to_do(
    harness: FeedHarness, centre: DataCentre
) -> None:
    feed = harness.feed()
    task = asyncio.create_task(feed.run())
    await looked(feed)
    centre.fail(DIFFERENCE, 406, "AUTH_KEY_DUPLICATED")
    centre.inject(ANNA, SAM, "hello")

    with pytest.raises(AuthRequiredError, match="butler login telegram"):
        await asyncio.wait_for(task, 60)
    asked = len(centre.calls)
    assert feed.health().stopped
    assert "butler login telegram" in feed.health().detail
    await asyncio.sleep(0.05)
    assert len(centre.calls) == asked


@pytest.mark.parametrize("tell", [True, False])
async def test_tl_11_a_session_that_was_ended_is_noticed_and_a_new_one_goes_on(
    make_harness: MakeHouse, centre: DataCentre, *, tell: bool
) -> None:
    harness = make_harness(pace=replace(QUICK, look_every=0.1))
    feed = harness.feed()
    task = asyncio.create_task(feed.run())
    await looked(feed)

    centre.revoke(SAM, tell=tell)
    with pytest.raises(AuthRequiredError, match="butler login telegram"):
        await asyncio.wait_for(task, 60)
    assert feed.health().stopped

    centre.inject(ANNA, SAM, "while signed out")
    harness.context.vault.put("USER_TELEGRAM_SESSION", centre.session_string(SAM))
    await feed._connection.changed()
    task = asyncio.create_task(feed.run())
    await kept(harness, ANNA, "while signed out")
    assert not feed.health().stopped
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await feed._connection.close()


async def test_tl_08_a_wait_that_telegram_asks_for_is_a_pause_of_the_feed(
    harness: FeedHarness, centre: DataCentre
) -> None:
    async with harness.running() as feed:
        await looked(feed)
        centre.fail(DIFFERENCE, 420, "FLOOD_WAIT_30")
        centre.inject(ANNA, SAM, "hello")
        await until(lambda: "wait 30 s" in feed.health().detail)
        asked = len(centre.calls)
        centre.inject(ANNA, SAM, "are you there?")
        await asyncio.sleep(0.1)
        assert len(centre.calls) == asked
        assert feed.health().failing


@pytest.mark.parametrize("method", ["messages.getDialogs", "account.getNotifySettings"])
async def test_tl_08_news_go_on_while_the_list_of_chats_has_to_wait(
    make_harness: MakeHouse, centre: DataCentre, method: str
) -> None:
    harness = make_harness(pace=replace(QUICK, look_every=0.05, list_every=0.1))
    async with harness.running() as feed:
        await looked(feed)
        centre.fail(method, 420, "FLOOD_WAIT_1")
        await until(lambda: "wait with the list of your chats" in feed.health().detail)
        asked = calls(centre, method)
        centre.inject(ANNA, SAM, "hello")
        await kept(harness, ANNA, "hello")
        assert calls(centre, method) == asked
        assert not feed.health().failing
        await until(lambda: calls(centre, method) > asked and not feed.health().detail)


async def test_tl_08_a_channel_that_has_to_wait_is_asked_again_and_holds_up_no_chat(
    make_harness: MakeHouse, centre: DataCentre
) -> None:
    club = centre.add_channel(1001, "Club", EVE, SAM)
    harness = make_harness(pace=replace(QUICK, look_every=0.05))
    async with harness.running() as feed:
        await looked(feed)
        centre.fail("updates.getChannelDifference", 420, "FLOOD_WAIT_1")
        centre.inject(EVE, club.peer_id, "hello all")
        await until(lambda: "wait with channels" in feed.health().detail)
        centre.inject(ANNA, SAM, "hello")
        await kept(harness, ANNA, "hello")
        assert await harness.texts(club.peer_id) == ["created “Club”"]
        await kept(harness, club.peer_id, "hello all")


async def test_tl_08_news_go_on_while_reading_back_has_to_wait(harness: FeedHarness, centre: DataCentre) -> None:
    for i in range(3):
        centre.inject(EVE, SAM, f"e{i}")
    centre.fail("messages.getHistory", 420, "FLOOD_WAIT_30", times=None)
    async with harness.running() as feed:
        await until(lambda: "reading 0 of 1 chats; Telegram asks to wait" in feed.health().detail)
        centre.inject(ANNA, SAM, "hello")
        await kept(harness, ANNA, "hello")
        assert calls(centre, "messages.getHistory") == 1
        assert not feed.health().failing


async def test_a_chat_that_cannot_be_read_back_holds_up_no_other(harness: FeedHarness, centre: DataCentre) -> None:
    for person in (ANNA, EVE):
        for i in range(3):
            centre.inject(person, SAM, f"{person}-{i}")
    centre.fail("messages.getHistory", 406, "CHANNEL_PRIVATE")
    async with harness.running() as feed:
        await looked(feed)

    counts = sorted([len(await harness.messages(ANNA)), len(await harness.messages(EVE))])
    assert counts == [1, 3]


async def test_a_store_that_is_busy_loses_nothing(harness: FeedHarness, centre: DataCentre) -> None:
    async with harness.running() as feed:
        await looked(feed)
        harness.mirror.fail_with = StoreBusyError("the database is locked")
        centre.inject(ANNA, SAM, "hello")
        await kept(harness, ANNA, "hello")
        await until(lambda: not feed.health().failing)


async def test_how_far_the_first_reading_has_come_is_said(harness: FeedHarness, centre: DataCentre) -> None:
    for person in (ANNA, EVE):
        for i in range(3):
            centre.inject(person, SAM, f"{i}")
    feed = harness.feed()
    reader = feed._reader
    await reader.start()
    await reader.look(listed=True, whole=True, muted=True)
    said = [feed.health().detail]
    while reader.backfill:
        await reader.backfill.page()
        said.append(feed.health().detail)
    await feed._connection.close()

    assert said == ["reading 0 of 2 chats", "reading 1 of 2 chats", ""]


def test_a_further_account_has_a_name_of_its_own(make_harness: MakeHouse) -> None:
    harness = make_harness()
    feed = harness.feed()
    further = UserFeed(feed._connection, feed._reader._filter, harness.context, history=0, is_first=False)

    assert (feed.name, further.name) == ("telegram.user", "telegram.user:main")
