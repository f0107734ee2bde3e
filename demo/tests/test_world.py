"""The world: what lies in it at the beginning, and the mail between its servers."""

import base64
import ssl
from datetime import timedelta
from email.message import EmailMessage

import aiohttp
import aiosmtplib
from livekit.api import LiveKitAPI
from livekit.protocol.room import CreateRoomRequest

from butler_demo.effects import SentMail
from butler_demo.events import Box, Called, Door, Event, MailChanged, Stream, TelegramChanged
from butler_demo.mails import compose, enclosures_of
from butler_demo.people import ANNA, BOB, BUTLER_ADDRESS, FAMILY, MUM, OWNER, OWNER_ID, STRANGER
from butler_demo.world import World


def mail_to(to: str, sender: str) -> bytes:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = sender, to, "Ten minutes"
    mail.set_content("I am late.")
    return mail.as_bytes()


async def send_by_gmail(world: World, to: str) -> None:
    raw = base64.urlsafe_b64encode(mail_to(to, OWNER.email)).decode()
    headers = {"Authorization": f"Bearer {world.gmail.token_for(OWNER.email)}"}
    drafts = f"{world.gmail.url}gmail/v1/users/me/drafts"
    async with aiohttp.ClientSession(headers=headers) as session:
        async with session.post(drafts, json={"message": {"raw": raw}}) as answer:
            assert answer.status == 200, await answer.text()
            draft = await answer.json()
        async with session.post(f"{drafts}/send", json={"id": draft["id"]}) as answer:
            assert answer.status == 200, await answer.text()


async def send_as_butler(world: World, to: str) -> None:
    host, port = world.mail.smtp_starttls_url.removeprefix("smtp+starttls://").split(":")
    await aiosmtplib.send(
        mail_to(to, BUTLER_ADDRESS),
        sender=BUTLER_ADDRESS,
        recipients=[to],
        hostname=host,
        port=int(port),
        start_tls=True,
        tls_context=ssl.create_default_context(cafile=world.mail.ca_file),
        username=BUTLER_ADDRESS,
        password=world.mail_password,
    )


async def test_the_first_minute_is_full_of_people_chats_and_mails(world: World) -> None:
    everything = list(world.tidings.everything())
    telegrams = [event for event in everything if isinstance(event, TelegramChanged)]
    mails = [event for event in everything if isinstance(event, MailChanged)]
    assert {event.peer for event in telegrams} == {"Anna", "Bob", "Mum", "Lucky", "Family"}
    assert all(event.seeded for event in telegrams)
    assert [event.at for event in telegrams] == sorted(event.at for event in telegrams)
    assert len([event for event in mails if event.box is Box.YOURS]) == 21
    assert all(event.at < world.clock.now() for event in mails)
    assert any(event.attachments == ("invoice-2291.pdf",) for event in mails)


async def test_what_the_owner_answered_counts_as_read_and_what_came_after_does_not(world: World) -> None:
    unread = world.centre._state.reading.unread
    assert {one.name: unread(OWNER_ID, one.telegram_id or 0) for one in (ANNA, BOB, MUM, STRANGER)} == {
        ANNA.name: 1,
        BOB.name: 1,
        MUM.name: 1,
        STRANGER.name: 1,
    }
    assert unread(OWNER_ID, -FAMILY.number) == 3


async def test_nothing_has_left_the_house_at_the_beginning(world: World) -> None:
    assert world.sent_telegrams() == []
    assert world.sent_mails() == []


async def test_a_mail_of_the_owner_reaches_the_butler_with_passed_authentication(world: World) -> None:
    await send_by_gmail(world, BUTLER_ADDRESS)
    arrived = world.mail.mailbox(BUTLER_ADDRESS)[-1]
    assert arrived.field("Subject") == "Ten minutes"
    assert "dmarc=pass header.from=home.example" in arrived.field("Authentication-Results")


async def test_a_mail_of_the_butler_reaches_the_owners_gmail(world: World) -> None:
    await send_as_butler(world, OWNER.email)
    assert world.gmail.mailbox(OWNER.email)[0].content.subject == "Ten minutes"


async def test_mails_to_others_are_recorded_with_the_box_that_they_left(world: World) -> None:
    await send_by_gmail(world, "anna@friends.example")
    await send_as_butler(world, "bob@work.example")
    sent = world.sent_mails()
    assert [(mail.box, mail.recipients) for mail in sent] == [
        (Box.YOURS, ("anna@friends.example",)),
        (Box.BUTLER, ("bob@work.example",)),
    ]
    assert isinstance(sent[0], SentMail)
    assert sent[0].is_for("ANNA@friends.example")
    assert sent[0].holds(("ten   MINUTES", "late"))
    assert not sent[0].holds(("Ten minutes", "early"))


async def test_a_forwarded_mail_carries_the_words_above_the_quoted_part(world: World) -> None:
    invoice = next(mail for mail in world.gmail.mailbox(OWNER.email) if "Invoice" in mail.content.subject)
    world.forward_to_butler(invoice.id, "when is this due?")
    raw = world.mail.mailbox(BUTLER_ADDRESS)[-1].raw.decode()
    assert raw.index("when is this due?") < raw.index("Forwarded message") < raw.index("84.20")


async def test_what_is_forwarded_by_its_subject_is_by_others_and_not_an_answer_of_ones_own(world: World) -> None:
    lunch = world.own_mail("Lunch next week?")
    own = compose("Robin <me@home.example>", "me@home.example", "Re: Lunch next week?", "Tuesday", world.clock.now())
    world.gmail.deliver("me@home.example", own)
    assert lunch is not None
    assert world.own_mail("Lunch next week?") == lunch


async def test_a_forwarded_mail_carries_its_files(world: World) -> None:
    invoice = next(mail for mail in world.gmail.mailbox(OWNER.email) if "Invoice" in mail.content.subject)
    world.forward_to_butler(invoice.id, "when is this due?")
    [file] = enclosures_of(world.mail.mailbox(BUTLER_ADDRESS)[-1].raw)
    assert (file.name, file.content[:5]) == ("invoice-2291.pdf", b"%PDF-")
    assert [file] == list(enclosures_of(invoice.raw))


async def test_polling_pushes_no_other_call_out_of_what_is_kept(world: World) -> None:
    at = world.clock.now()
    kept = Stream()
    kept.publish(Called(at, Door.GMAIL, "messages.send", "hello"))
    for _ in range(1000):
        kept.publish(Called(at, Door.IMAP, "SEARCH", "found nothing"))
        kept.publish(Called(at, Door.IMAP, "IDLE", "waits for news"))
    assert [call.call for call in kept.calls] == ["messages.send", "SEARCH", "IDLE"]


async def test_nobody_vouches_for_a_raw_mail(world: World) -> None:
    world.mail_butler_raw(compose(OWNER.email, BUTLER_ADDRESS, "Urgent", "pay", world.clock.now()))
    arrived = world.mail.mailbox(BUTLER_ADDRESS)[-1]
    assert arrived.field("Authentication-Results") == "mx.home.example; dkim=none"


async def test_calls_are_told_once_and_without_secrets(world: World) -> None:
    heard: list[Event] = []
    world.stream.subscribe(heard.append)
    world.say("hello")
    async with aiohttp.ClientSession() as session:
        keys = {"inline_keyboard": [[{"text": "Approve", "callback_data": "nonce-nobody-may-see"}]]}
        message = {"chat_id": OWNER_ID, "text": "a card " * 20, "reply_markup": keys}
        await (await session.post(f"{world.bot_api.url}/bot{world.bot_token}/sendMessage", json=message)).read()
        token = world.drive.token_for(OWNER.email)
        asking = {"q": "name contains 'rent'", "corpora": "user"}
        authorized = {"Authorization": f"Bearer {token}"}
        await (await session.get(f"{world.drive.url}drive/v3/files", params=asking, headers=authorized)).read()
    await send_by_gmail(world, "anna@friends.example")
    await send_as_butler(world, "bob@work.example")
    world.calls.look()
    world.calls.look()
    calls = [event for event in heard if isinstance(event, Called)]
    assert sorted((call.door, call.call) for call in calls) == [
        (Door.BOT_API, "sendMessage"),
        (Door.DRIVE, "files.list"),
        (Door.GMAIL, "drafts.create"),
        (Door.GMAIL, "drafts.send"),
        (Door.SMTP, "DATA"),
    ]
    told = " ".join(call.detail for call in calls)
    assert "text=a card a card" in told
    assert "…" in told
    assert "q=name contains 'rent' corpora=user" in told
    assert token not in told
    assert "nonce" not in told
    assert world.bot_token not in told
    assert world.mail_password not in told


async def test_the_calendar_holds_an_ordinary_fortnight(world: World) -> None:
    events = world.calendar.events(OWNER.email)
    titles = {str(event["summary"]) for event in events}
    assert {"Team standup", "Dentist", "Dinner with Anna", "Residents' meeting"} <= titles
    dinner = next(event for event in events if event["summary"] == "Dinner with Anna")
    assert [guest["email"] for guest in dinner["attendees"]] == [ANNA.email]
    starts = [event["start"].get("dateTime", "9")[:10] for event in events if not event.get("recurrence")]
    assert all(start >= world.clock.now().date().isoformat() for start in starts)


async def test_two_boards_hold_cards_that_are_due_and_overdue(world: World) -> None:
    assert list(world.boards) == ["Home", "Work"]
    home = world.trello.cards(world.boards["Home"])
    assert {"Buy paint", "Fix the dripping tap"} <= {card["name"] for card in home}
    now = world.clock.now().isoformat()
    assert any(card["due"] and card["due"] < now and not card["dueComplete"] for card in home)


async def test_there_are_newsletters_older_than_a_month_and_newer_ones(world: World) -> None:
    promotions = [mail for mail in world.gmail.mailbox(OWNER.email) if "CATEGORY_PROMOTIONS" in mail.label_ids]
    old = [mail for mail in promotions if mail.received < world.clock.now() - timedelta(days=31)]
    assert (len(promotions), len(old)) == (8, 6)


async def test_calls_of_the_calendar_and_of_trello_are_told(world: World) -> None:
    told: list[Called] = []
    world.stream.subscribe(lambda event: told.append(event) if isinstance(event, Called) else None)
    key = world.trello.credentials(OWNER.username)
    authorized = {"Authorization": f"Bearer {world.calendar.token_for(OWNER.email)}"}
    async with aiohttp.ClientSession() as session:
        address = f"{world.calendar.url}calendar/v3/calendars/primary/events"
        await (await session.get(address, headers=authorized)).read()
        header = {"Authorization": f'OAuth oauth_consumer_key="{key.key}", oauth_token="{key.token}"'}
        await (await session.get(f"{world.trello.url}members/me/boards", headers=header)).read()
    world.calls.look()
    doors = {call.door for call in told}
    assert {Door.CALENDAR, Door.TRELLO} <= doors
    assert not any(key.token in call.detail for call in told)


async def test_calls_of_the_servers_at_home_are_told_and_no_token_is(world: World) -> None:
    told: list[Called] = []
    world.stream.subscribe(lambda event: told.append(event) if isinstance(event, Called) else None)
    livekit = world.livekit
    async with LiveKitAPI(livekit.url, livekit.api_key, livekit.api_secret) as rooms:
        await rooms.room.create_room(CreateRoomRequest(name="tea"))
    now = world.clock.now().timestamp()
    span = {"start": f"{now - 60:.0f}000000000", "end": f"{now:.0f}000000000", "limit": "5", "direction": "forward"}
    async with aiohttp.ClientSession() as session:
        for query in ("up", "up +"):
            await (await session.post(f"{world.prometheus.url}/api/v1/query", data={"query": query})).read()
        for query in ('{host="nuc"}', "{"):
            lines = {"query": query, **span}
            await (await session.get(f"{world.loki.url}/loki/api/v1/query_range", params=lines)).read()
    world.calls.look()
    world.calls.look()
    assert [(call.door, call.call, call.detail, bool(call.error)) for call in told] == [
        (Door.LIVEKIT, "CreateRoom", "name=tea", False),
        (Door.PROMETHEUS, "query", "query=up", False),
        (Door.PROMETHEUS, "query", "query=up +", True),
        (Door.LOKI, "query_range", 'query={host="nuc"} limit=5', False),
        (Door.LOKI, "query_range", "query={ limit=5", True),
    ]


async def test_events_and_cards_are_told_in_lines_a_script_can_compare(world: World) -> None:
    assert sum("Dinner with Anna" in line and "anna@friends.example" in line for line in world.events()) == 1
    assert any(line.startswith("Home | To Do | Buy paint | ") and line.endswith("| Flat") for line in world.cards())
