"""What is told of the person's conversations: live, and out of what was kept where Telegram cannot be reached."""

import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import ValidationError
from telethon.tl import types

from butler.contract.errors import IntegrationErrorCode
from butler.contract.mirror import ChatKind, MirrorUpdate, SeenChat, SeenMessage
from butler.contract.module import Health
from butler_demo.mtproto.datacentre import DataCentre
from butler_demo.mtproto.store import Draft
from tests.modules.telegram.user.conftest import ANNA, BOB, EVE, FAMILY, LOGIN_CODES, SAM, Harness, MakeHouse

HISTORY = "get_message_history"
THEN = datetime(2026, 3, 4, 9, 30, tzinfo=UTC)


def texts(data: dict[str, Any]) -> list[str]:
    return [item["text"] for item in data["items"]]


async def keep(harness: Harness, *texts: str, chat: int = ANNA, title: str = "Anna Berg", **of_chat: Any) -> None:
    """What the feed keeps of a chat."""
    address = f"telegram:{chat}"
    messages = [
        SeenMessage(
            channel="telegram",
            account="main",
            chat=address,
            ref=str(number),
            order=number,
            at=THEN + timedelta(minutes=number),
            sender=f"telegram:{ANNA}",
            sender_name="Anna Berg",
            unread=True,
            text=text,
        )
        for number, text in enumerate(texts, 1)
    ]
    seen = SeenChat(channel="telegram", account="main", chat=address, title=title, **of_chat)
    await harness.mirror.keep(MirrorUpdate("telegram", "main", chats=[seen], messages=messages))


async def test_conversations_are_listed_beyond_the_first_hundred(harness: Harness, centre: DataCentre) -> None:
    for number in range(130):
        centre.add_account(1000 + number, f"+1666{number:04}", f"Person {number}")
        centre.inject(1000 + number, SAM, "hello")

    data = await harness.get("list_dialogs", limit=125)

    assert data["count"] == len({item["id"] for item in data["items"]}) == 125


async def test_conversations_say_what_they_are(harness: Harness, centre: DataCentre) -> None:
    news = centre.add_channel(1, "News", ANNA, SAM, broadcast=True)
    centre.inject(ANNA, news.peer_id, "a post")
    centre.inject(ANNA, -FAMILY, "dinner?")
    centre.inject(ANNA, SAM, "hi")
    centre.inject(SAM, SAM, "a note")

    items = (await harness.get("list_dialogs"))["items"]

    assert {(item["name"], item["kind"], item["unread"]) for item in items} == {
        ("News", "channel", 1),
        ("Family", "group", 1),
        ("Anna Berg", "person", 1),
        ("Saved Messages", "self", 0),
    }


async def test_muted_conversations_are_counted_and_listed_only_when_asked_for(
    make_harness: MakeHouse, centre: DataCentre
) -> None:
    harness = make_harness(muted=[f"telegram:-{FAMILY}"])
    centre.inject(ANNA, -FAMILY, "dinner?")
    centre.inject(ANNA, SAM, "hi")
    centre.inject(BOB, SAM, "hey")
    centre.mute(SAM, BOB)

    news = await harness.get("list_dialogs", unread=True)
    everything = await harness.get("list_dialogs", unread=True, muted=True)

    assert ([item["name"] for item in news["items"]], news["muted_left_out"]) == (["Anna Berg"], 2)
    assert {item["name"]: item["muted"] for item in everything["items"]} == {
        "Anna Berg": False,
        "Bob": True,
        "Family": True,
    }


async def test_nothing_unread_has_a_reason(harness: Harness, centre: DataCentre) -> None:
    centre.inject(SAM, ANNA, "hi")

    assert (await harness.get("list_dialogs", unread=True))["empty_because"] == "nothing is unread"
    centre.inject(BOB, SAM, "hey")
    centre.mute(SAM, BOB)
    assert "muted" in (await harness.get("list_dialogs", unread=True))["empty_because"]


async def test_a_history_is_read_page_by_page_newest_first(harness: Harness, centre: DataCentre) -> None:
    for number in range(150):
        centre.inject(ANNA, SAM, f"message {number}")

    data = await harness.get(HISTORY, chat=f"telegram:{ANNA}", limit=120)

    assert texts(data) == [f"message {number}" for number in range(149, 29, -1)]
    assert (data["count"], data["chat"], data["name"]) == (120, f"telegram:{ANNA}", "Anna Berg")


async def test_only_what_the_person_has_not_read_is_listed_and_stays_unread(
    harness: Harness, centre: DataCentre
) -> None:
    read = centre.inject(ANNA, SAM, "read")
    centre.read(SAM, ANNA, centre.messages(SAM, ANNA)[-1].id)
    centre.inject(ANNA, SAM, "new", reply_to=read)
    centre.inject(SAM, ANNA, "my own")

    data = await harness.get(HISTORY, chat=f"telegram:{ANNA}", unread=True)

    assert texts(data) == ["new"]
    assert (await harness.get("list_dialogs", unread=True))["count"] == 1


async def test_messages_are_found_by_words_and_by_time(make_harness: MakeHouse, tmp_path: Any) -> None:
    now = [THEN]
    centre = DataCentre(now=lambda: now[0])
    centre.add_account(SAM, "1", "Sam")
    centre.add_account(ANNA, "2", "Anna")
    await centre.start()
    key = tmp_path / "other.pem"
    key.write_text(centre.public_key_pem)
    harness = make_harness(
        sessions={"USER_TELEGRAM_SESSION": centre.session_string(SAM)},
        dc=f"{centre.dc_id} {centre.host}:{centre.port} {key}",
    )
    for text in ("the boat is red", "hello", "a boat again"):
        centre.inject(ANNA, SAM, text)
        now[0] += timedelta(days=1)
    chat = f"telegram:{ANNA}"
    since = (THEN + timedelta(hours=12)).isoformat()

    assert texts(await harness.get(HISTORY, chat=chat, words="boat")) == ["a boat again", "the boat is red"]
    assert texts(await harness.get(HISTORY, chat=chat, words="boat", since=since)) == ["a boat again"]
    assert texts(await harness.get(HISTORY, chat=chat, since=since)) == ["a boat again", "hello"]
    await harness.module.stop()
    await centre.stop()


async def test_a_topic_is_a_conversation_of_its_own(harness: Harness, centre: DataCentre) -> None:
    club = centre.add_channel(9, "Club", ANNA, SAM, forum=True)
    boats = centre.add_topic(club, "Boats")
    centre.inject(ANNA, club.peer_id, "in general")
    first = centre.inject(ANNA, club.peer_id, "about boats", topic=boats)
    centre.inject(ANNA, club.peer_id, "the red boat", first, topic=boats)
    chat = f"telegram:{club.peer_id}:{boats.id}"

    assert texts(await harness.get(HISTORY, chat=chat, limit=2)) == ["the red boat", "about boats"]
    assert texts(await harness.get(HISTORY, chat=chat, words="red")) == ["the red boat"]
    assert texts(await harness.get(HISTORY, chat=chat, words="general")) == []
    centre.read(SAM, club.peer_id)
    assert (await harness.get(HISTORY, chat=chat, unread=True))["empty_because"] == "nothing in this topic is unread"


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        ({}, "this conversation has no messages"),
        ({"words": "boat"}, "no message of this conversation holds these words"),
        ({"unread": True}, "nothing in this conversation is unread"),
        ({"since": THEN.isoformat()}, "nothing was written in this conversation since then"),
    ],
)
async def test_an_empty_history_has_a_reason(harness: Harness, wanted: dict[str, Any], reason: str) -> None:
    data = await harness.get(HISTORY, chat=f"telegram:{ANNA}", **wanted)

    assert (data["count"], data["empty_because"]) == (0, reason)


async def test_tl_12_a_link_behind_a_custom_emoji_is_the_entitys_own(harness: Harness, centre: DataCentre) -> None:
    text = "👨‍👩‍👧 look here, or https://b.example/x"
    entities = (
        types.MessageEntityCustomEmoji(0, 8, document_id=1),
        types.MessageEntityTextUrl(9, 9, "https://a.example/real"),
        types.MessageEntityUrl(23, 19),
    )
    post(centre, text, entities)

    (item,) = (await harness.get(HISTORY, chat=f"telegram:{ANNA}"))["items"]

    assert item["links"] == [
        {"text": "look here", "url": "https://a.example/real"},
        {"text": "https://b.example/x", "url": "https://b.example/x"},
    ]
    assert item["exact_text"] == text


def post(centre: DataCentre, text: str, entities: tuple[Any, ...]) -> None:
    centre._state.store.post(Draft(ANNA, SAM, text, entities=entities))


@pytest.mark.parametrize("words", ["family", "the Family chat", "our fam group"])
async def test_a_conversation_is_found_by_what_the_owner_calls_it(
    harness: Harness, centre: DataCentre, words: str
) -> None:
    centre.inject(ANNA, -FAMILY, "dinner?")
    centre.inject(ANNA, SAM, "hi")

    data = await harness.get(HISTORY, called=words)

    assert (texts(data)[0], data["name"]) == ("dinner?", "Family")


async def test_words_that_fit_several_conversations_read_none(harness: Harness) -> None:
    await keep(harness, "one", chat=-1, title="Family dinner", kind=ChatKind.GROUP)
    await keep(harness, "two", chat=-2, title="Old family", kind=ChatKind.GROUP)

    data = await harness.get(HISTORY, called="family")

    assert (data["count"], data["items"]) == (0, [])
    assert data["empty_because"] == "2 conversations are called “family”"
    assert [choice["name"] for choice in data["choices"]] == ["Family dinner", "Old family"]
    assert harness.centre.calls == []


async def test_a_title_that_is_just_that_wins(harness: Harness, centre: DataCentre) -> None:
    await keep(harness, "one", chat=-FAMILY, title="Family", kind=ChatKind.GROUP)
    await keep(harness, "two", chat=-2, title="Family dinner", kind=ChatKind.GROUP)
    centre.inject(ANNA, -FAMILY, "dinner?")

    assert (await harness.get(HISTORY, called="the family chat"))["name"] == "Family"


async def test_a_name_that_nothing_has_says_so(harness: Harness) -> None:
    data = await harness.get(HISTORY, called="sailing club")

    assert data["empty_because"] == "no conversation is called “sailing club”"


async def test_a_name_that_nothing_has_is_said_before_anybody_is_asked(harness: Harness, centre: DataCentre) -> None:
    await keep(harness, "one", chat=-2, title="Book club", kind=ChatKind.GROUP)
    await keep(harness, "two", chat=-3, title="Chess club", kind=ChatKind.GROUP)

    refused = await harness.complete(HISTORY, called="sailing club")
    assert refused.error is not None
    assert (refused.error.code, refused.error.message) == (
        IntegrationErrorCode.NOT_FOUND,
        "no conversation is called “sailing club”",
    )
    for args in ({"called": "book club"}, {"called": "club"}, {"chat": f"telegram:{ANNA}"}):
        found = await harness.complete(HISTORY, **args)
        assert (found.ok, found.data) == (True, {}), "what is asked stays as it was asked"
    await centre.go_offline()
    assert (await harness.complete(HISTORY, called="sailing club")).ok, "nobody can tell"


async def test_what_was_kept_is_told_where_telegram_cannot_be_reached(harness: Harness, centre: DataCentre) -> None:
    await keep(harness, "first", "about the boat", title="Anna Berg")
    await centre.go_offline()

    data = await harness.get(HISTORY, chat=f"telegram:{ANNA}", words="boat")

    assert (texts(data), data["name"], data["complete"]) == (["about the boat"], "Anna Berg", False)
    assert "Telegram cannot be reached" in data["reason"]


async def test_a_chat_that_was_not_kept_is_out_of_reach_with_telegram(harness: Harness, centre: DataCentre) -> None:
    await centre.go_offline()

    result = await harness.use(HISTORY, chat=f"telegram:{BOB}")

    assert result.error is not None
    assert result.error.code is IntegrationErrorCode.UNAVAILABLE


@pytest.mark.parametrize(
    ("name", "method", "args"),
    [
        ("list_dialogs", "messages.getDialogs", {}),
        (HISTORY, "messages.getHistory", {"chat": f"telegram:{ANNA}"}),
        ("read_message", "messages.getMessages", {"chat": f"telegram:{ANNA}", "message_id": 1}),
    ],
)
async def test_tl_08_a_wait_is_told_at_once_and_nothing_old_is_told_instead(
    harness: Harness, centre: DataCentre, name: str, method: str, args: dict[str, Any]
) -> None:
    await keep(harness, "old")
    centre.fail(method, 420, "FLOOD_WAIT_21", times=None)
    started = time.monotonic()

    result = await harness.use(name, **args)

    assert result.error is not None
    assert (result.error.code, result.error.retry_after_s) == (IntegrationErrorCode.RATE_LIMITED, 21.0)
    assert time.monotonic() - started < 3
    assert harness.calls(method) == 1


async def test_updates_are_what_others_wrote_in_chats_that_are_not_muted(harness: Harness) -> None:
    await keep(harness, "hello", "are you there?")
    await keep(harness, "spam", chat=-5, title="Deals", muted=True)

    data = await harness.get("get_updates")
    muted_too = await harness.get("get_updates", muted=True)

    assert texts(data) == ["are you there?", "hello"]
    assert {item["chat_name"] for item in data["items"]} == {"Anna Berg"}
    assert len(muted_too["items"]) == 3


async def test_updates_since_a_time_and_those_not_read(harness: Harness) -> None:
    await keep(harness, "one", "two", "three", read_order=1)

    since = (THEN + timedelta(minutes=3)).isoformat()

    assert texts(await harness.get("get_updates", since=since)) == ["three"]
    assert texts(await harness.get("get_updates", unread=True)) == ["three", "two"]


@pytest.mark.parametrize(
    ("since", "found"),
    [
        ({"since": "2026-03-04T09:32"}, ["three", "two"]),
        ({"since": "2026-03-04T10:33", "in_zone": "Europe/Berlin"}, ["three"]),
        ({"since": "2026-03-04"}, ["three", "two", "one"]),
    ],
)
async def test_a_time_without_an_offset_is_the_owners(
    harness: Harness, centre: DataCentre, since: dict[str, str], found: list[str]
) -> None:
    await keep(harness, "one", "two", "three")
    assert texts(await harness.get("get_updates", **since)) == found
    await centre.stop()
    assert texts(await harness.get(HISTORY, chat=f"telegram:{ANNA}", **since)) == found


async def test_updates_say_how_many_more_there_are(harness: Harness) -> None:
    await keep(harness, *(f"message {number}" for number in range(9)))

    data = await harness.get("get_updates", limit=4)

    assert (len(data["items"]), data["count"]) == (4, 9)


async def test_updates_say_until_when_they_are_complete(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    def health(last_ok: datetime | None, detail: str = "") -> None:
        monkeypatch.setattr(type(harness.account.source), "health", lambda _: Health(last_ok, 120.0, detail))

    health(None)
    assert (await harness.get("get_updates"))["empty_because"].endswith("your Telegram was not read yet")
    now = harness.context.clock.now()
    health(now)
    fresh = await harness.get("get_updates")
    assert (fresh["complete"], fresh["complete_until"], fresh["empty_because"]) == (
        True,
        now.isoformat(),
        "nobody has written to you",
    )
    health(now, "reading 3 of 9 chats")
    behind = await harness.get("get_updates")
    assert (behind["complete"], behind["complete_until"]) == (False, now.isoformat())
    assert behind["reason"] == "what was written before is still being read (reading 3 of 9 chats)"
    health(THEN, "Telegram cannot be reached now")
    stale = await harness.get("get_updates")
    assert (stale["complete"], stale["complete_until"]) == (False, THEN.isoformat())
    assert stale["reason"] == "your Telegram was read until Wed 4 Mar 09:30 (Telegram cannot be reached now)"


async def test_a_message_is_read_whole_with_its_file(harness: Harness, centre: DataCentre) -> None:
    file = centre.add_file(b"%PDF-1.7 ...", "plan.pdf", mime_type="application/pdf")
    centre.inject(ANNA, SAM, "the plan", media=file)
    (listed,) = (await harness.get(HISTORY, chat=f"telegram:{ANNA}"))["items"]

    message = (await harness.get("read_message", message_id=listed["message_id"]))["message"]

    (attachment,) = message["attachments"]
    assert (attachment["name"], attachment["media_type"], message["text"]) == (
        "plan.pdf",
        "application/pdf",
        "the plan",
    )
    assert await harness.blobs.get(attachment["sha256"]) == b"%PDF-1.7 ..."
    assert message["message_id"] == listed["message_id"] == f"telegram:{ANNA}/1"


async def test_an_album_is_read_as_one_message(harness: Harness, centre: DataCentre) -> None:
    photos = [centre.add_file(f"photo {number}".encode(), is_photo=True) for number in range(3)]
    centre.inject_album(ANNA, SAM, photos, "the garden")
    items = (await harness.get(HISTORY, chat=f"telegram:{ANNA}"))["items"]

    message = (await harness.get("read_message", message_id=items[0]["message_id"]))["message"]

    assert message["text"] == "the garden"
    assert [await harness.blobs.get(file["sha256"]) for file in message["attachments"]] == [
        b"photo 0",
        b"photo 1",
        b"photo 2",
    ]


async def test_a_file_that_is_too_large_is_named_and_not_fetched(make_harness: MakeHouse, centre: DataCentre) -> None:
    harness = make_harness(largest_file_mb=0)
    centre.inject(ANNA, SAM, "", media=centre.add_file(b"x" * 2_000_000, "film.bin"))

    message = (await harness.get("read_message", chat=f"telegram:{ANNA}", message_id=1))["message"]

    assert message["attachments"] == []
    assert message["missing_files"] == [
        {"name": "film.bin", "size": 2_000_000, "reason": "the file has 2 MB, and at most 0 MB are fetched"}
    ]
    assert harness.calls("upload.getFile") == 0


@pytest.mark.parametrize(("times", "fetched"), [(1, 1), (None, 0)])
async def test_a_file_whose_reference_has_expired_is_fetched_once_more(
    harness: Harness, centre: DataCentre, times: int | None, fetched: int
) -> None:
    centre.inject(ANNA, SAM, "the plan", media=centre.add_file(b"plan", "plan.txt"))
    centre.fail("upload.getFile", 400, "FILE_REFERENCE_EXPIRED", times=times)

    message = (await harness.get("read_message", chat=f"telegram:{ANNA}", message_id=1))["message"]

    assert len(message["attachments"]) == fetched
    if not fetched:
        (missing,) = message["missing_files"]
        assert "no longer has this file" in missing["reason"]
        assert harness.calls("upload.getFile") == 2


async def test_a_message_of_another_conversation_is_not_read(harness: Harness, centre: DataCentre) -> None:
    centre.inject(ANNA, SAM, "a secret of Anna's")
    centre.inject(BOB, SAM, "hello")

    for number in (1, 99):
        result = await harness.use("read_message", chat=f"telegram:{BOB}", message_id=number)
        assert result.error is not None
        assert result.error.code is IntegrationErrorCode.NOT_FOUND


async def test_where_login_codes_come_in_is_never_read_or_listed(harness: Harness, centre: DataCentre) -> None:
    centre.inject(LOGIN_CODES, SAM, "Login code: 12345")
    chat = f"telegram:{LOGIN_CODES}"

    assert (await harness.get("list_dialogs", muted=True))["items"] == []
    for name, args in (
        (HISTORY, {"chat": chat}),
        ("read_message", {"chat": chat, "message_id": 1}),
        ("send_message", {"to": {"address": chat}, "text": "hi"}),
        ("reply_to_message", {"to": {"address": chat}, "text": "hi", "message_id": 1}),
        ("edit_message", {"to": {"address": chat}, "text": "hi", "message_id": 1}),
        ("delete_message", {"to": {"address": chat}, "message_ids": [1]}),
    ):
        result = await harness.use(name, **args)
        assert result.error is not None, name
        assert result.error.code is IntegrationErrorCode.FORBIDDEN, name
        assert "login codes" in result.error.message
    assert (await harness.get(HISTORY, called="Telegram"))["count"] == 0


@pytest.mark.parametrize("excluded", [f"telegram:{EVE}", "@Eve_E"])
@pytest.mark.parametrize("asked", [f"telegram:{EVE}", "telegram:@eve_e"])
async def test_an_excluded_chat_is_not_there(
    make_harness: MakeHouse, centre: DataCentre, excluded: str, asked: str
) -> None:
    harness = make_harness(excluded=[excluded])
    centre.inject(EVE, SAM, "hello")

    result = await harness.use(HISTORY, chat=asked)

    assert result.error is not None
    assert (result.error.code, result.error.message) == (
        IntegrationErrorCode.FORBIDDEN,
        "your settings exclude this chat",
    )
    assert (await harness.get("list_dialogs", muted=True))["items"] == []


async def test_a_public_name_is_asked_for_once_in_a_while_for_reading(harness: Harness) -> None:
    for _ in range(3):
        await harness.use(HISTORY, chat="telegram:@anna_b")

    assert harness.calls("contacts.resolveUsername") == 1


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        ({}, "name one conversation"),
        ({"chat": "telegram:5", "called": "Anna"}, "name one conversation"),
        ({"chat": "Anna"}, "no Telegram address"),
        ({"chat": "telegram:5", "limit": 201}, "less than or equal to 200"),
    ],
)
def test_a_look_that_names_no_conversation_is_refused_in_words(
    harness: Harness, args: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(ValidationError, match=complaint):
        harness.call(HISTORY, **args)
