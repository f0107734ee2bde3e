"""What happened while nobody listened: differences, channels by their own count, gaps that are read page by page."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from butler.contract.mirror import ChatKind
from butler_demo.mtproto.datacentre import DataCentre
from butler_demo.mtproto.methods import updates
from modules.telegram import feed_backfill, integration_client_feed
from tests.modules.telegram.feed.conftest import MakeHouse
from tests.modules.telegram.feed.feed_support import ANNA, CARL, EVE, SAM, FeedHarness, Killed


async def test_the_first_sight_keeps_what_is_there_up_to_the_limit(harness: FeedHarness, centre: DataCentre) -> None:
    group = centre.add_group(9, "Family", SAM, ANNA, EVE)
    for i in range(130):
        centre.inject(ANNA, SAM, f"a{i}")
    centre.inject(EVE, -group.id, "hello all")

    await harness.catch_up(history=120)

    assert await harness.texts(ANNA) == [f"a{i}" for i in range(10, 130)]
    chat = await harness.chat(-group.id)
    assert chat is not None
    assert (chat.title, chat.kind, chat.unread) == ("Family", ChatKind.GROUP, 1)
    (message,) = await harness.messages(-group.id)
    assert (message.sender, message.sender_name, message.outgoing) == (f"telegram:{EVE}", "Eve", False)
    assert harness.kept_twice() == []


async def test_without_history_only_news_are_kept(harness: FeedHarness, centre: DataCentre) -> None:
    centre.inject(ANNA, SAM, "old")
    await harness.catch_up(history=0)
    centre.inject(ANNA, SAM, "new")
    await harness.catch_up(history=0)

    assert await harness.texts(ANNA) == ["new"]


async def test_tl_06_what_came_while_offline_is_kept_without_gap_or_double(
    harness: FeedHarness, centre: DataCentre
) -> None:
    channel = centre.add_channel(1001, "News", EVE, SAM, broadcast=True)
    centre.inject(EVE, channel.peer_id, "p0")
    centre.inject(ANNA, SAM, "a0")
    await harness.catch_up()
    for i in range(1, 151):
        centre.inject(EVE, channel.peer_id, f"p{i}")
        centre.inject(ANNA, SAM, f"a{i}")

    await harness.catch_up()

    posts = [message.text for message in await harness.messages(channel.peer_id) if not message.labels]
    assert posts == [f"p{i}" for i in range(151)]
    assert await harness.texts(ANNA) == [f"a{i}" for i in range(151)]
    assert harness.kept_twice() == []
    seen = await harness.chat(channel.peer_id)
    assert seen is not None
    assert seen.kind is ChatKind.CHANNEL


async def test_tl_06_a_channel_that_the_difference_does_not_name_is_found_by_its_own_count(
    harness: FeedHarness, centre: DataCentre
) -> None:
    centre.name_changed_channels(named=False)
    channel = centre.add_channel(1001, "News", EVE, SAM, broadcast=True)
    await harness.catch_up()
    post = centre.inject(EVE, channel.peer_id, "post")
    centre.edit(post, "post, edited")

    await harness.catch_up()

    assert (await harness.texts(channel.peer_id))[-1] == "post, edited"


@pytest.mark.parametrize("horizon", [0, 3])
async def test_tl_07_a_difference_that_is_too_long_is_read_on_from_the_last_kept_message(
    harness: FeedHarness, centre: DataCentre, horizon: int
) -> None:
    channel = centre.add_channel(1001, "Club", EVE, SAM)
    for i in range(5):
        centre.inject(EVE, channel.peer_id, f"c{i}")
        centre.inject(ANNA, SAM, f"a{i}")
    await harness.catch_up(history=2)
    for i in range(5, 240):
        centre.inject(EVE, channel.peer_id, f"c{i}")
        centre.inject(ANNA, SAM, f"a{i}")
    centre.set_horizon(SAM, horizon)
    centre.set_horizon(channel.peer_id, horizon)

    await harness.catch_up(history=2)

    assert await harness.texts(ANNA) == [f"a{i}" for i in range(3, 240)]
    assert await harness.texts(channel.peer_id) == [f"c{i}" for i in range(3, 240)]


async def test_tl_07_a_standing_that_telegram_does_not_know_is_no_loss(
    harness: FeedHarness, centre: DataCentre
) -> None:
    channel = centre.add_channel(1001, "Club", EVE, SAM)
    centre.inject(ANNA, SAM, "a0")
    await harness.catch_up()
    centre.inject(ANNA, SAM, "a1")
    centre.inject(EVE, channel.peer_id, "c1")
    centre.fail("updates.getDifference", 400, "PERSISTENT_TIMESTAMP_INVALID")
    centre.fail("updates.getChannelDifference", 400, "PERSISTENT_TIMESTAMP_INVALID")

    await harness.catch_up()

    assert await harness.texts(ANNA) == ["a0", "a1"]
    assert (await harness.texts(channel.peer_id))[-1] == "c1"


async def test_what_was_edited_or_deleted_while_offline_is_so_in_the_mirror(
    harness: FeedHarness, centre: DataCentre
) -> None:
    channel = centre.add_channel(1001, "Club", EVE, SAM)
    group = centre.add_group(9, "Family", SAM, ANNA)
    # A basic group whose address begins as a channel's does.
    mistakable = centre.add_group(1001, "Old friends", SAM, ANNA)
    spoken: dict[int, list[Any]] = {}
    for peer in (SAM, -group.id, -mistakable.id, channel.peer_id):
        author = EVE if peer == channel.peer_id else ANNA
        spoken[peer] = [centre.inject(author, peer, word) for word in ("keep", "edit", "delete")]
    await harness.catch_up()
    for _, edited, deleted in spoken.values():
        centre.edit(edited, "edited")
        centre.delete(deleted)

    await harness.catch_up()

    for chat in (ANNA, -group.id, -mistakable.id, channel.peer_id):
        kept = [message for message in await harness.messages(chat) if not message.labels]
        assert [message.text for message in kept] == ["keep", "edited"], chat
        assert [message.edited_at is not None for message in kept] == [False, True]


async def test_a_message_of_a_channel_outlives_one_with_its_number_elsewhere(
    harness: FeedHarness, centre: DataCentre
) -> None:
    channel = centre.add_channel(1001, "Club", EVE, SAM)
    posts = [centre.inject(EVE, channel.peer_id, f"c{i}") for i in range(3)]
    private = [centre.inject(ANNA, SAM, f"a{i}") for i in range(3)]
    await harness.catch_up()
    copies = centre.messages(SAM, ANNA)
    assert {copy.id for copy in copies} & {post.id for post in posts}
    centre.delete(*private)

    await harness.catch_up()

    assert await harness.texts(ANNA) == []
    assert (await harness.texts(channel.peer_id))[-3:] == ["c0", "c1", "c2"]


async def test_read_state_and_counts_follow_telegram(harness: FeedHarness, centre: DataCentre) -> None:
    channel = centre.add_channel(1001, "Club", EVE, SAM)
    for i in range(4):
        centre.inject(ANNA, SAM, f"a{i}")
        centre.inject(EVE, channel.peer_id, f"c{i}")
    await harness.catch_up()
    before = [await harness.chat(ANNA), await harness.chat(channel.peer_id)]
    assert [seen and seen.unread for seen in before] == [4, 4]

    copies = centre.messages(SAM, ANNA)
    centre.inject(ANNA, SAM, "a4")
    centre.read(SAM, ANNA, copies[1].id)
    centre.inject(EVE, channel.peer_id, "c4")
    centre.read(SAM, channel.peer_id)
    centre.inject(EVE, channel.peer_id, "c5")
    await harness.catch_up()

    private, club = await harness.chat(ANNA), await harness.chat(channel.peer_id)
    assert private
    assert club
    assert (private.unread, private.read_order) == (3, copies[1].id)
    assert club.unread == 1


async def test_mutes_of_telegram_and_of_the_settings_are_followed(harness: FeedHarness, centre: DataCentre) -> None:
    for person in (ANNA, EVE, CARL):
        centre.inject(person, SAM, "hello")
    centre.mute(SAM, ANNA)
    await harness.catch_up(muted=["@eve_e"])

    assert [seen.muted for seen in [await harness.chat(p) for p in (ANNA, EVE, CARL)] if seen] == [True, True, False]

    centre.unmute(SAM, ANNA)
    centre.mute(SAM, CARL)
    await harness.catch_up(muted=[])

    assert [seen.muted for seen in [await harness.chat(p) for p in (ANNA, EVE, CARL)] if seen] == [False, False, True]
    await harness.catch_up(follow_mutes=False)
    carl = await harness.chat(CARL)
    assert carl is not None
    assert not carl.muted


async def test_an_excluded_chat_is_never_stored_and_forgotten_once_it_is_excluded(
    harness: FeedHarness, centre: DataCentre
) -> None:
    channel = centre.add_channel(1001, "Club", EVE, SAM, username="the_club")
    centre.inject(EVE, channel.peer_id, "secret")
    centre.inject(EVE, SAM, "secret")
    centre.inject(ANNA, SAM, "hello")
    await harness.catch_up(excluded=["@the_club"])
    assert await harness.chat(channel.peer_id) is None
    assert await harness.texts(EVE) == ["secret"]

    await harness.catch_up(excluded=["@the_club", f"telegram:{EVE}"])
    centre.inject(EVE, SAM, "more secrets")
    centre.inject(EVE, channel.peer_id, "more secrets")
    await harness.catch_up()

    assert list(await harness.rows()) == [f"telegram:{ANNA}"]


async def test_login_codes_and_secret_chats_are_never_kept(harness: FeedHarness, centre: DataCentre) -> None:
    for _ in range(2):
        centre.inject_login_code(SAM)
        centre.inject_encrypted(SAM)
        await harness.catch_up()

    assert await harness.rows() == {}


@pytest.mark.parametrize("while_away", [False, True])
async def test_topics_albums_files_forwards_and_answers_are_kept_as_what_they_are(
    harness: FeedHarness, centre: DataCentre, *, while_away: bool
) -> None:
    forum = centre.add_channel(1001, "House", EVE, SAM, ANNA, forum=True)
    if while_away:
        await harness.catch_up()
    topic = centre.add_topic(forum, "Garden")
    question = centre.inject(ANNA, forum.peer_id, "who waters?", topic=topic)
    centre.inject(EVE, forum.peer_id, "I do", reply_to=question)
    photos = [centre.add_file(b"jpeg", is_photo=True) for _ in range(2)]
    centre.inject_album(ANNA, SAM, photos, "roses")
    word = centre.inject(CARL, EVE, "from Carl")
    centre.forward(EVE, SAM, word)

    await harness.catch_up()

    spoken = {message.text: message for message in await harness.messages(forum.peer_id)}
    assert spoken["opened the topic “Garden”"].labels == ("service",)
    assert (spoken["who waters?"].topic, spoken["who waters?"].reply_to) == (str(topic.id), "")
    assert (spoken["I do"].topic, spoken["I do"].reply_to) == (str(topic.id), str(question.id))
    roses = await harness.messages(ANNA)
    assert [len(message.files) for message in roses] == [1, 1]
    assert roses[0].album == roses[1].album != ""
    (forwarded,) = await harness.messages(EVE)
    assert (forwarded.text, forwarded.sender_name, forwarded.forwarded_from) == ("from Carl", "Eve", "Carl")


async def test_a_chat_that_begins_later_is_read_back(harness: FeedHarness, centre: DataCentre) -> None:
    await harness.catch_up()
    centre.inject(ANNA, SAM, "who is this?")
    centre.inject(SAM, ANNA, "Sam")
    await harness.catch_up()

    assert [(m.text, m.outgoing, m.sender) for m in await harness.messages(ANNA)] == [
        ("who is this?", False, f"telegram:{ANNA}"),
        ("Sam", True, f"telegram:{SAM}"),
    ]


async def test_a_channel_that_the_account_joins_or_is_taken_out_of(harness: FeedHarness, centre: DataCentre) -> None:
    club = centre.add_channel(1001, "Club", EVE, SAM)
    other = centre.add_channel(1002, "Other", EVE)
    centre.inject(EVE, club.peer_id, "c1")
    centre.inject(EVE, other.peer_id, "o1")
    await harness.catch_up()
    assert await harness.chat(other.peer_id) is None

    centre.join(SAM, other)
    centre.inject(EVE, other.peer_id, "o2")
    centre.inject(EVE, club.peer_id, "c2")
    centre.ban(SAM, club)
    feed = await harness.catch_up()

    assert (await harness.texts(other.peer_id))[-2:] == ["o1", "o2"]
    assert (await harness.texts(club.peer_id))[-1] == "c1"
    assert not feed.health().stopped


async def test_another_account_under_the_same_name_finds_nothing_of_the_former(
    make_harness: MakeHouse, centre: DataCentre
) -> None:
    harness = make_harness()
    centre.inject(ANNA, SAM, "for Sam")
    await harness.catch_up()
    harness.context.vault.put("USER_TELEGRAM_SESSION", centre.session_string(CARL))
    centre.inject(EVE, CARL, "for Carl")

    await harness.catch_up()

    assert list(await harness.rows()) == [f"telegram:{EVE}"]
    assert harness.stands().user_id == CARL


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten in the place of a hundred, on both sides: as many pages for a tenth of the messages."""
    monkeypatch.setattr(feed_backfill, "PAGE", 10)
    monkeypatch.setattr(integration_client_feed, "PAGE", 10)
    monkeypatch.setattr(updates, "_LARGEST_DIFFERENCE", 10)


def stage(centre: DataCentre) -> int:
    """A little of everything that is there at first; returns the channel's peer."""
    channel = centre.add_channel(1001, "Club", EVE, SAM)
    group = centre.add_group(9, "Family", SAM, ANNA)
    for i in range(12):
        centre.inject(ANNA, SAM, f"a{i}")
        centre.inject(EVE, channel.peer_id, f"c{i}")
    centre.inject(ANNA, -group.id, "g0")
    centre.inject(EVE, SAM, "excluded later")
    return channel.peer_id


def go_on(centre: DataCentre, channel: int) -> None:
    """What happens while the feed is away: more than one page of everything."""
    for i in range(12, 26):
        centre.inject(ANNA, SAM, f"a{i}")
        centre.inject(EVE, channel, f"c{i}")
    first, second = centre.messages(SAM, ANNA)[:2]
    centre.edit(first, "edited")
    centre.delete(second)
    centre.read(SAM, ANNA)
    centre.inject(CARL, SAM, "somebody new")


async def killed_anywhere(begin: Callable[[], FeedHarness], wanted: Any) -> int:
    """Let the process die at its first write, its second, and so on, and start it again; how many writes there were."""
    for n in itertools.count(1):
        harness = begin()
        harness.counter.fatal = harness.counter.writes + n
        try:
            await harness.catch_up(history=15)
        except Killed:
            harness.counter.fatal = None
            await harness.catch_up()
        else:
            return n - 1
        assert await harness.rows() == wanted, f"killed at write {n}"
    raise AssertionError


@pytest.mark.usefixtures("small_pages")
@pytest.mark.parametrize("too_long", [False, True])
async def test_tl_07_killed_between_any_two_writes_it_goes_on_to_exactly_the_same_rows(
    make_harness: MakeHouse, centre: DataCentre, *, too_long: bool
) -> None:
    channel = stage(centre)
    harness = make_harness()
    await harness.catch_up(history=15)
    go_on(centre, channel)
    if too_long:
        centre.set_horizon(SAM, 4)
        centre.set_horizon(channel, 4)
    harness.settings["excluded"] = [f"telegram:{EVE}"]
    whole = harness.copy()
    await whole.catch_up()

    writes = await killed_anywhere(harness.copy, await whole.rows())

    assert writes >= 6


async def test_tl_07_what_comes_right_after_a_kill_does_not_hide_the_gap(
    harness: FeedHarness, centre: DataCentre
) -> None:
    centre.inject(ANNA, SAM, "a0")
    await harness.catch_up()
    for i in range(1, 4):
        centre.inject(ANNA, SAM, f"a{i}")
    centre.set_horizon(SAM, 0)
    harness.counter.fatal = harness.counter.writes + 2
    with pytest.raises(Killed):
        await harness.catch_up()
    harness.counter.fatal = None
    assert await harness.texts(ANNA) == ["a0"]
    centre.set_horizon(SAM, 10)
    centre.inject(ANNA, SAM, "a4")

    await harness.catch_up()

    assert await harness.texts(ANNA) == [f"a{i}" for i in range(5)]


@pytest.mark.usefixtures("small_pages")
async def test_killed_between_any_two_writes_of_the_first_reading_it_goes_on_to_exactly_the_same_rows(
    make_harness: MakeHouse, centre: DataCentre
) -> None:
    stage(centre)
    whole = make_harness()
    await whole.catch_up(history=15)

    writes = await killed_anywhere(make_harness, await whole.rows())

    assert writes >= 6
