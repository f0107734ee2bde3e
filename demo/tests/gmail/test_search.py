"""Gmail's search language, and lists of what is found."""

from datetime import UTC, datetime

import pytest
from googleapiclient.errors import HttpError

from butler_demo.gmail.search import found_messages
from butler_demo.google.errors import GoogleError

ME = "me@home.example"
NOW = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)


@pytest.fixture
def box(server, mail):
    """A mailbox with four mails."""

    def put(day, *labels, unread=True, **mail_options):
        received = datetime(2026, 3, day, tzinfo=UTC)
        server.deliver(ME, mail(To=ME, **mail_options), received=received, labels=labels, unread=unread)

    label = server.add_label(ME, "To/pay now")
    put(1, "INBOX", "CATEGORY_UPDATES", From="Shop <no@shop.example>", Subject="Invoice 17", List_ID="<shop.example>")
    invoice = {"Subject": "Big invoice", "Message_ID": "<inv17@shop.example>", "attachment": b"x" * 9000}
    put(5, label.id, "STARRED", unread=False, From="Anna <anna@friends.example>", **invoice)
    put(8, "TRASH", From="Anna <anna@friends.example>", Subject="Gone dinner")
    put(9, "SENT", From=ME, Subject="Dinner plans")
    return server._post_office.account(ME)


ALL = "Invoice 17,Big invoice,Dinner plans"


@pytest.mark.parametrize(
    ("query", "subjects"),
    [
        ("", ALL),
        ("invoice", "Invoice 17,Big invoice"),
        ('"invoice 17"', "Invoice 17"),
        ('"17 invoice"', ""),
        ('-"invoice"', "Dinner plans"),
        ('from:"anna@friends.example"', "Big invoice"),
        ('{from:"anna" from:"shop.example"}', "Invoice 17,Big invoice"),
        ('subject:"dinner"', "Dinner plans"),
        ('list:"shop.example"', "Invoice 17"),
        ("is:unread -in:sent", "Invoice 17"),
        ("is:read", "Big invoice"),
        ("is:starred", "Big invoice"),
        ("{in:inbox -in:sent} -in:drafts", "Invoice 17,Big invoice"),
        ("in:trash", "Gone dinner"),
        ('label:"to-pay-now"', "Big invoice"),
        ('label:"nowhere"', ""),
        ("category:updates", "Invoice 17"),
        ("has:attachment", "Big invoice"),
        ("larger:9k", "Big invoice"),
        ("after:1772668800", "Big invoice,Dinner plans"),
        ("before:1772668800", "Invoice 17"),
        ("newer_than:2d", "Dinner plans"),
        ("rfc822msgid:inv17@shop.example", "Big invoice"),
    ],
)
def test_a_query_finds_what_gmail_would_find(box, query, subjects):
    found = {message.content.subject for message in found_messages(box, query, (), NOW)}
    assert found == set(filter(None, subjects.split(",")))


@pytest.mark.parametrize(
    "query", ["is:snoozed", "newer_than:soon", "after:yesterday", "a OR b", "(a b)", "{a", "to:me"]
)
def test_what_the_stand_in_cannot_search_is_refused_not_guessed(box, query):
    with pytest.raises(GoogleError, match="stand-in does not implement") as refused:
        found_messages(box, query, (), NOW)
    assert refused.value.status == 501


@pytest.fixture
def seeded(server, mail):
    """Deliver four mails of different days, oldest first, and return their subjects by id."""
    delivered = [
        server.deliver(ME, mail(To=ME, Subject=subject), received=datetime(2026, 1, day, tzinfo=UTC))
        for day, subject in enumerate(["Rent due", "Dinner", "Invoice 17", "Dinner plans"], start=1)
    ]
    return {message.id: message.content.subject for message in delivered}


async def test_trash_is_searched_only_where_asked(server, me, seeded):
    rent = next(key for key, subject in seeded.items() if subject == "Rent due")
    server.relabel(ME, rent, add=["TRASH"], remove=["INBOX"])
    assert "messages" not in await me(lambda users: users.messages().list(userId="me", q="rent"))
    found = await me(lambda users: users.messages().list(userId="me", q="in:trash rent"))
    assert [message["id"] for message in found["messages"]] == [rent]


async def test_pages_hold_every_message_once_and_the_estimate_is_no_count(me, seeded):
    """GM-06."""
    first = await me(lambda users: users.messages().list(userId="me", maxResults=3))
    assert first["resultSizeEstimate"] == 201
    token = first["nextPageToken"]
    second = await me(lambda users: users.messages().list(userId="me", maxResults=3, pageToken=token))
    assert second["resultSizeEstimate"] == 201
    assert "nextPageToken" not in second
    listed = [seeded[message["id"]] for page in (first, second) for message in page["messages"]]
    assert listed == ["Dinner plans", "Invoice 17", "Dinner", "Rent due"]


async def test_a_search_asked_again_sees_what_changed_meanwhile(server, me, seeded):
    async def count(query):
        return len((await me(lambda users: users.messages().list(userId="me", q=query))).get("messages", []))

    label = server.add_label(ME, "Bills")
    message_id = next(iter(seeded))
    server.relabel(ME, message_id, add=[label.id])
    assert await count("label:bills") == 1
    server.rename_label(ME, label, "Paid")
    assert (await count("label:bills"), await count("label:paid")) == (0, 1)
    server.relabel(ME, message_id, remove=[label.id])
    assert await count("label:paid") == 0


async def test_a_page_token_belongs_to_the_list_that_gave_it(me, seeded):
    token = (await me(lambda users: users.messages().list(userId="me", maxResults=1)))["nextPageToken"]
    with pytest.raises(HttpError, match="Invalid pageToken"):
        await me(lambda users: users.messages().list(userId="me", q="dinner", pageToken=token))
