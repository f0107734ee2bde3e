"""From Telegram's own objects to what is kept: every kind of message, as data."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from telethon import types

from butler.contract.mirror import ChatKind, SeenFile, SeenMessage
from modules.telegram.feed_filter import FeedFilter
from modules.telegram.feed_records import Deleted, Move, Muting, Read
from modules.telegram.integration_client_feed_messages import Participants, seen, with_links
from modules.telegram.integration_client_feed_news import Hint, Reader, hint_of
from modules.telegram.user_scope import Scope

SAM, ANNA, BOT = 42, 5, 900
GROUP, CLUB = 9, 1001
CLUB_PEER = -1_000_000_001_001
AT = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)

USERS = [
    types.User(SAM, is_self=True, first_name="Sam"),
    types.User(ANNA, access_hash=77, first_name="Anna", last_name="Berg", username="Anna_B"),
    types.User(BOT, access_hash=78, first_name="Helper", bot=True),
    types.User(6, access_hash=79, first_name="Min", min=True),
]
CHATS = [
    types.Chat(GROUP, "Family", types.ChatPhotoEmpty(), 2, AT, 1),
    types.Channel(CLUB, "Club", types.ChatPhotoEmpty(), AT, access_hash=80, megagroup=True),
    types.Channel(1002, "News", types.ChatPhotoEmpty(), AT, access_hash=81, broadcast=True),
]
CAST = Participants(USERS, CHATS, SAM)


def message(peer: Any = None, text: str = "", **more: Any) -> Any:
    return types.Message(id=7, peer_id=peer or types.PeerUser(ANNA), date=AT, message=text, **more)


def service(action: Any, peer: Any = None, sender: int = ANNA) -> Any:
    return types.MessageService(
        id=7, peer_id=peer or types.PeerChat(GROUP), date=AT, action=action, from_id=types.PeerUser(sender)
    )


def document(*attributes: Any, mime: str = "application/pdf") -> Any:
    held = types.Document(1, 1, b"", AT, mime, 1234, 2, list(attributes))
    return types.MessageMediaDocument(document=held)


def photo(*sizes: Any, **more: Any) -> Any:
    return types.MessageMediaPhoto(photo=types.Photo(1, 1, b"", AT, list(sizes), 2), **more)


def kept(raw: Any) -> SeenMessage:
    return seen(raw, "main", CAST)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (
            message(text="hi"),
            {"chat": "telegram:5", "sender": "telegram:5", "sender_name": "Anna Berg", "unread": True},
        ),
        (message(text="hi", out=True), {"sender": "telegram:42", "outgoing": True, "unread": False}),
        (message(types.PeerUser(SAM), "a note"), {"chat": "telegram:42", "outgoing": True, "unread": False}),
        (
            message(types.PeerChat(GROUP), "hi", from_id=types.PeerUser(ANNA)),
            {"chat": "telegram:-9", "sender": "telegram:5"},
        ),
        (
            message(types.PeerChannel(1002), "post", post=True, post_author="Eve"),
            {"chat": "telegram:-1000000001002", "sender": "telegram:-1000000001002", "sender_name": "News (Eve)"},
        ),
        (message(types.PeerChannel(1002), "mine", post=True, out=True), {"outgoing": True, "unread": False}),
        (message(text="hi", edit_date=AT), {"edited_at": AT}),
        (message(text="liked", edit_date=AT, edit_hide=True), {"edited_at": None}),
        (message(text="one of three", grouped_id=99), {"album": "99"}),
        (message(text="@sam_home look", mentioned=True), {"labels": ("mentioned",)}),
        (
            message(text="an answer", reply_to=types.MessageReplyHeader(reply_to_msg_id=3)),
            {"reply_to": "3", "topic": ""},
        ),
        (
            message(
                text="to elsewhere",
                reply_to=types.MessageReplyHeader(reply_to_msg_id=3, reply_to_peer_id=types.PeerUser(BOT)),
            ),
            {"reply_to": ""},
        ),
        (
            message(text="in a topic", reply_to=types.MessageReplyHeader(reply_to_msg_id=3, forum_topic=True)),
            {"reply_to": "", "topic": "3"},
        ),
        (
            message(
                text="an answer there",
                reply_to=types.MessageReplyHeader(reply_to_msg_id=8, reply_to_top_id=3, forum_topic=True),
            ),
            {"reply_to": "8", "topic": "3"},
        ),
        (message(text="to a story", reply_to=types.MessageReplyStoryHeader(types.PeerUser(ANNA), 1)), {"reply_to": ""}),
        (
            message(text="fwd", fwd_from=types.MessageFwdHeader(AT, from_id=types.PeerUser(BOT))),
            {"forwarded_from": "Helper"},
        ),
        (
            message(text="fwd", fwd_from=types.MessageFwdHeader(AT, from_id=types.PeerUser(123))),
            {"forwarded_from": "telegram:123"},
        ),
        (
            message(text="fwd", fwd_from=types.MessageFwdHeader(AT, from_name="A. Nonymous")),
            {"forwarded_from": "A. Nonymous"},
        ),
        (
            message(text="fwd", fwd_from=types.MessageFwdHeader(AT)),
            {"forwarded_from": "somebody who does not show their name"},
        ),
    ],
)
def test_a_message_is_kept_as_what_it_is(raw: Any, expected: dict[str, Any]) -> None:
    found = kept(raw)

    assert {name: getattr(found, name) for name in expected} == expected
    assert (found.ref, found.order, found.at) == ("7", 7, AT)


@pytest.mark.parametrize(
    ("media", "expected"),
    [
        (
            photo(types.PhotoSize("x", 10, 10, 500), types.PhotoSizeProgressive("y", 10, 10, [100, 900])),
            SeenFile(name="photo.jpg", media_type="image/jpeg", size=900, kind="photo"),
        ),
        (
            document(types.DocumentAttributeFilename("offer.pdf")),
            SeenFile(name="offer.pdf", media_type="application/pdf", size=1234),
        ),
        (document(), SeenFile(name="file", media_type="application/pdf", size=1234)),
        (
            document(types.DocumentAttributeAudio(3, voice=True), mime="audio/ogg"),
            SeenFile(name="voice.ogg", media_type="audio/ogg", size=1234, kind="voice"),
        ),
        (
            document(types.DocumentAttributeVideo(3, 10, 10), mime="video/mp4"),
            SeenFile(name="video.mp4", media_type="video/mp4", size=1234, kind="video"),
        ),
        (
            document(
                types.DocumentAttributeSticker("👍", types.InputStickerSetEmpty()),
                types.DocumentAttributeFilename("sticker.webp"),
                mime="image/webp",
            ),
            SeenFile(name="sticker 👍", media_type="image/webp", size=1234, kind="sticker"),
        ),
    ],
)
def test_a_file_is_named_and_not_fetched(media: Any, expected: SeenFile) -> None:
    assert kept(message(media=media)).files == (expected,)


@pytest.mark.parametrize(
    ("media", "text", "problems"),
    [
        (types.MessageMediaContact("1555", "Eve", "Black", "", 666), "Contact: Eve Black, 1555", ()),
        (types.MessageMediaGeo(types.GeoPoint(13.4, 52.5, 0)), "Location: 52.50000, 13.40000", ()),
        (types.MessageMediaVenue(types.GeoPointEmpty(), "Cafe", "Main St", "", "", ""), "Place: Cafe, Main St", ()),
        (types.MessageMediaDice(6, "🎲"), "🎲 6", ()),
        (types.MessageMediaUnsupported(), "", ("something newer than this version reads",)),
        (types.MessageMediaGame(SimpleNamespace()), "", ("a game, which is not read",)),
        (photo(ttl_seconds=5), "", ("a photo that disappears once it was seen",)),
        (types.MessageMediaPhoto(), "", ("a photo that is no longer there",)),
        (types.MessageMediaWebPage(types.WebPageEmpty(1)), "", ()),
    ],
)
def test_what_is_neither_text_nor_file_is_said_in_words(media: Any, text: str, problems: tuple[str, ...]) -> None:
    found = kept(message(media=media))

    assert (found.text, found.problems, found.files) == (text, problems, ())


def test_a_poll_is_its_question_and_answers() -> None:
    def words(text: str) -> Any:
        return types.TextWithEntities(text, [])

    answers = [types.PollAnswer(words(answer), b"") for answer in ("Yes", "No")]
    poll = types.MessageMediaPoll(types.Poll(1, words("Pizza?"), answers, 0), types.PollResults())

    assert kept(message(text="", media=poll)).text == "Poll: Pizza? (Yes / No)"


@pytest.mark.parametrize(
    ("action", "sender", "text"),
    [
        (types.MessageActionChatCreate("Family", [ANNA]), ANNA, "created the group “Family”"),
        (types.MessageActionChatEditTitle("Berg"), ANNA, "renamed the chat to “Berg”"),
        (types.MessageActionChatAddUser([ANNA]), ANNA, "joined"),
        (types.MessageActionChatAddUser([BOT, 123]), ANNA, "added Helper, telegram:123"),
        (types.MessageActionChatDeleteUser(ANNA), ANNA, "left"),
        (types.MessageActionChatDeleteUser(BOT), ANNA, "removed Helper"),
        (types.MessageActionPinMessage(), ANNA, "pinned a message"),
        (types.MessageActionPhoneCall(1, duration=65), ANNA, "a call of 0:01:05"),
        (
            types.MessageActionPhoneCall(1, video=True, reason=types.PhoneCallDiscardReasonMissed()),
            ANNA,
            "a video call that was not answered",
        ),
        (types.MessageActionGroupCall(types.InputGroupCall(1, 1)), ANNA, "started a call"),
        (types.MessageActionSetMessagesTTL(86400), ANNA, "set messages to disappear after 1 day, 0:00:00"),
        (types.MessageActionSetMessagesTTL(0), ANNA, "set messages not to disappear"),
        (types.MessageActionTopicEdit(closed=True), ANNA, "closed the topic"),
        (types.MessageActionChatMigrateTo(CLUB), ANNA, "made the group a supergroup, in which it goes on"),
        (types.MessageActionBoostApply(3), ANNA, "did something that has no words here (BoostApply)"),
    ],
)
def test_a_service_message_is_told_as_one(action: Any, sender: int, text: str) -> None:
    found = kept(service(action, sender=sender))

    assert (found.text, found.labels) == (text, ("service",))


def test_the_message_that_opens_a_topic_belongs_to_it() -> None:
    assert kept(service(types.MessageActionTopicCreate("Plans", 0), types.PeerChannel(CLUB))).topic == "7"


@pytest.mark.parametrize(
    ("text", "links", "expected"),
    [
        ("look here", [(5, 4, "https://a.example")], "look here (https://a.example)"),
        # A custom emoji is two UTF-16 units before the link.
        ("🦊 see this now", [(3, 8, "https://a.example")], "🦊 see this (https://a.example) now"),
        ("https://a.example", [(0, 17, "https://a.example")], "https://a.example"),
        ("https://bank.example", [(0, 20, "https://evil.example")], "https://bank.example (https://evil.example)"),
        ("a b", [(0, 1, "u"), (2, 1, "v")], "a (u) b (v)"),
        ("plain", [], "plain"),
    ],
)
def test_tl_12_a_link_is_the_entitys_own_address_beside_the_words_it_stands_behind(
    text: str, links: list[tuple[int, int, str]], expected: str
) -> None:
    entities = [types.MessageEntityCustomEmoji(0, 2, 1), *(types.MessageEntityTextUrl(*link) for link in links)]

    assert with_links(text, entities) == expected


@pytest.mark.parametrize(
    ("chat", "kind", "title", "names", "access_hash"),
    [
        (SAM, ChatKind.SELF, "Saved Messages", (), 0),
        (ANNA, ChatKind.PERSON, "Anna Berg", ("anna_b",), 77),
        (BOT, ChatKind.BOT, "Helper", (), 78),
        (6, ChatKind.PERSON, "Min", (), 0),
        (-GROUP, ChatKind.GROUP, "Family", (), 0),
        (CLUB_PEER, ChatKind.GROUP, "Club", (), 80),
        (-1_000_000_001_002, ChatKind.CHANNEL, "News", (), 81),
        (404, ChatKind.PERSON, "", (), 0),
    ],
)
def test_a_chat_is_what_the_answer_shows(
    chat: int, kind: ChatKind, title: str, names: tuple[str, ...], access_hash: int
) -> None:
    glimpse = CAST.glimpse(chat)

    assert (glimpse.kind, glimpse.title, glimpse.names, glimpse.access_hash) == (kind, title, names, access_hash)


def reader(
    *, excluded: tuple[str, ...] = (), chats: list[Any] | None = None, messages: list[Any] | None = None
) -> Reader:
    answer = SimpleNamespace(users=USERS, chats=CHATS if chats is None else chats, new_messages=messages or [])
    return Reader(answer, "main", SAM, FeedFilter(Scope(excluded=frozenset(excluded))))


def test_a_difference_is_sorted_by_what_it_changes() -> None:
    until = AT.replace(year=2030)
    updates = [
        types.UpdateEditMessage(message(text="edited"), 1, 1),
        types.UpdateDeleteMessages([1, 2], 2, 2),
        types.UpdateReadHistoryInbox(types.PeerUser(ANNA), 7, 3, 3, 1),
        types.UpdateNotifySettings(types.NotifyPeer(types.PeerChat(GROUP)), types.PeerNotifySettings(mute_until=until)),
        types.UpdateNotifySettings(types.NotifyUsers(), types.PeerNotifySettings(mute_until=until)),
        types.UpdateChannelTooLong(CLUB),
        types.UpdateNewChannelMessage(message(types.PeerChannel(1002), "post"), 4, 1),
        types.UpdateUserStatus(ANNA, types.UserStatusRecently()),
    ]

    news = reader().news([message(text="new")], updates)

    assert [one.text for one in news.messages] == ["new", "edited"]
    assert news.deleted == (Deleted(refs=(1, 2)),)
    assert news.reads == (Read(chat=ANNA, upto=7, unread=3),)
    assert news.mutings == (Muting(chat=-GROUP, until=until),)
    assert news.channels == (-1_000_000_001_002, CLUB_PEER)
    assert [glimpse.chat for glimpse in news.glimpses] == [-GROUP, ANNA]


def test_secret_chats_are_never_read() -> None:
    secret = types.EncryptedMessage(1, 1, AT, b"secret", types.EncryptedFileEmpty())
    updates = [types.UpdateNewEncryptedMessage(secret, 1), types.UpdateEncryption(types.EncryptedChatEmpty(1), AT)]

    assert reader().news([], updates).model_dump() == reader().news([], []).model_dump()
    assert hint_of(types.Updates(updates, [], [], AT, 0)) is None


def test_login_codes_and_excluded_chats_are_in_no_answer() -> None:
    written = [
        message(types.PeerUser(777000), "Login code: 1"),
        message(text="secret"),
        message(types.PeerUser(6), "in"),
    ]
    updates = [types.UpdateReadHistoryInbox(types.PeerUser(ANNA), 7, 3, 3, 1)]

    news = reader(excluded=("telegram:@anna_b",)).news(written, updates)

    assert [one.text for one in news.messages] == ["in"]
    assert news.reads == ()
    assert [glimpse.chat for glimpse in news.glimpses] == [6]


def test_a_group_that_is_left_out_stays_so_when_it_becomes_a_supergroup() -> None:
    moving = service(types.MessageActionChatMigrateTo(CLUB))
    feed_filter = FeedFilter(Scope(excluded=frozenset({f"telegram:-{GROUP}"})))
    answer = SimpleNamespace(users=USERS, chats=CHATS, new_messages=[moving])

    moves = Reader(answer, "main", SAM, feed_filter).moves

    assert moves == (Move(old=-GROUP, new=CLUB_PEER),)
    assert feed_filter.leaves_out(CLUB_PEER)
    again = FeedFilter(Scope(excluded=frozenset({f"telegram:-{GROUP}"})))
    again.recall(feed_filter.moved)
    assert again.leaves_out(CLUB_PEER)


def test_a_group_that_is_muted_stays_so_when_it_becomes_a_supergroup() -> None:
    feed_filter = FeedFilter(Scope(muted=frozenset({f"telegram:-{GROUP}"})))
    feed_filter.note_move(-GROUP, CLUB_PEER)

    assert feed_filter.is_muted(CLUB_PEER, in_telegram=False)
    assert not feed_filter.leaves_out(CLUB_PEER)


@pytest.mark.parametrize(
    "moved",
    [
        {"messages": [service(types.MessageActionChannelMigrateFrom("Family", GROUP), types.PeerChannel(CLUB))]},
        {
            "chats": [
                types.Chat(GROUP, "Family", types.ChatPhotoEmpty(), 2, AT, 1, migrated_to=types.InputChannel(CLUB, 80))
            ]
        },
    ],
)
def test_a_move_is_seen_from_either_side(moved: dict[str, Any]) -> None:
    assert reader(**moved).moves == (Move(old=-GROUP, new=CLUB_PEER),)


def test_one_message_that_cannot_be_read_stops_no_other() -> None:
    broken = message(text="broken")
    broken.entities = [types.MessageEntityTextUrl("first", 3, "https://a.example")]

    found = reader().messages([broken, message(text="fine")])

    assert [(one.text, one.problems) for one in found] == [("", ("this message could not be read",)), ("fine", ())]


@pytest.mark.parametrize(
    ("pushed", "hint"),
    [
        (types.UpdatesTooLong(), Hint()),
        (types.UpdateShortMessage(1, ANNA, "hi", 1, 1, AT), Hint()),
        (types.UpdateShort(types.UpdateUserStatus(ANNA, types.UserStatusRecently()), AT), None),
        (types.UpdateShort(types.UpdateUserTyping(ANNA, types.SendMessageTypingAction()), AT), None),
        (types.UpdateShort(types.UpdateDeleteMessages([1], 1, 1), AT), Hint()),
        (types.UpdateShort(types.UpdateChannelTooLong(CLUB), AT), Hint(frozenset({CLUB_PEER}))),
        (types.UpdateShort(types.UpdateChannel(CLUB), AT), Hint(frozenset({CLUB_PEER}))),
        (
            types.Updates([types.UpdateNewChannelMessage(message(types.PeerChannel(CLUB), "hi"), 1, 1)], [], [], AT, 0),
            Hint(frozenset({CLUB_PEER})),
        ),
        (
            types.UpdateShort(types.UpdateReadChannelInbox(CLUB, 1, 0, 1), AT),
            Hint(read=frozenset({CLUB_PEER})),
        ),
        (types.UpdateShort(types.UpdateChannelMessageViews(CLUB, 1, 5), AT), None),
    ],
)
def test_a_push_is_a_reason_to_look_only_where_something_is_kept(pushed: Any, hint: Hint | None) -> None:
    assert hint_of(pushed) == hint
