"""Gmail's search language over a small mailbox, through `messages.list`."""

from datetime import UTC, datetime

import pytest
from googleapiclient.errors import HttpError

ME = "me@home.example"


@pytest.fixture
def seeded(server, mail):
    """Deliver four mails, oldest first, and return their subjects by id."""
    mails = [
        ((2024, 1, 5), False, mail("The rent.", From="Landlord <rent@house.example>", To=ME, Subject="Rent due")),
        ((2026, 1, 1), True, mail("See you at eight.", From="Anna <anna@friends.example>", To=ME, Subject="Dinner")),
        (
            (2026, 3, 1),
            True,
            mail(
                "Please pay the invoice by Friday.",
                From="Shop <billing@shop.example>",
                To="team@work.example",
                Cc=ME,
                Subject="Invoice 17",
                Message_ID="<inv17@shop.example>",
                attachment=b"%PDF-",
            ),
        ),
        ((2026, 3, 9), False, mail("Any news?", From="Bob <bob@friends.example>", To=ME, Subject="Re: Dinner plans")),
    ]
    delivered = [
        server.deliver(ME, raw, received=datetime(*day, 12, tzinfo=UTC), unread=unread) for day, unread, raw in mails
    ]
    return {message.id: message.content.subject for message in delivered}


@pytest.mark.parametrize(
    ("query", "subjects"),
    [
        ("", ["Re: Dinner plans", "Invoice 17", "Dinner", "Rent due"]),
        ("dinner", ["Re: Dinner plans", "Dinner"]),
        ("din", []),
        ("from:anna", ["Dinner"]),
        ("from:anna@friends.example", ["Dinner"]),
        ("from:friends.example", ["Re: Dinner plans", "Dinner"]),
        ("from:(anna OR bob)", ["Re: Dinner plans", "Dinner"]),
        ("from:{landlord shop}", ["Invoice 17", "Rent due"]),
        ("to:me -from:anna", ["Re: Dinner plans", "Invoice 17", "Rent due"]),
        ("to:team@work.example", ["Invoice 17"]),
        ("subject:(dinner plans)", ["Re: Dinner plans"]),
        ('"the invoice by"', ["Invoice 17"]),
        ('"invoice the by"', []),
        ("is:unread", ["Invoice 17", "Dinner"]),
        ("is:read", ["Re: Dinner plans", "Rent due"]),
        ("-is:unread dinner", ["Re: Dinner plans"]),
        ("in:inbox rent OR invoice", ["Invoice 17", "Rent due"]),
        ("in:sent", []),
        ("label:inbox eight", ["Dinner"]),
        ("label:nowhere", []),
        ("after:2026/02/28", ["Re: Dinner plans", "Invoice 17"]),
        ("before:2026-01-01", ["Rent due"]),
        ("after:1767268800 before:1767268801", ["Dinner"]),
        ("newer_than:2d", ["Re: Dinner plans"]),
        ("older_than:1y", ["Rent due"]),
        ("has:attachment", ["Invoice 17"]),
        ("invoice.pdf", ["Invoice 17"]),
        ("rfc822msgid:inv17@shop.example", ["Invoice 17"]),
        ("rfc822msgid:<inv17@shop.example>", ["Invoice 17"]),
        ("-(dinner OR rent)", ["Invoice 17"]),
    ],
)
async def test_a_query_finds_what_gmail_would_find(me, seeded, query, subjects):
    found = await me(lambda users: users.messages().list(userId="me", q=query))
    assert [seeded[message["id"]] for message in found.get("messages", [])] == subjects


@pytest.mark.parametrize("query", ["larger:1M", "is:snoozed", "newer_than:soon", "after:yesterday", "has:drive"])
async def test_what_the_stand_in_cannot_search_is_refused_not_guessed(me, seeded, query):
    with pytest.raises(HttpError, match="stand-in does not implement") as refused:
        await me(lambda users: users.messages().list(userId="me", q=query))
    assert refused.value.status_code == 501


async def test_a_users_own_label_is_searchable_by_its_name(server, me, seeded):
    label = await me(lambda users: users.labels().create(userId="me", body={"name": "To pay"}))
    invoice = next(key for key, subject in seeded.items() if subject == "Invoice 17")
    body = {"addLabelIds": [label["id"]]}
    await me(lambda users: users.messages().modify(userId="me", id=invoice, body=body))
    found = await me(lambda users: users.messages().list(userId="me", q="label:to-pay"))
    assert [message["id"] for message in found["messages"]] == [invoice]


async def test_trash_is_searched_only_where_asked(me, seeded):
    rent = next(key for key, subject in seeded.items() if subject == "Rent due")
    await me(lambda users: users.messages().trash(userId="me", id=rent))
    assert "messages" not in await me(lambda users: users.messages().list(userId="me", q="rent"))
    for options in ({"q": "in:trash rent"}, {"q": "in:anywhere rent"}, {"q": "rent", "includeSpamTrash": True}):
        found = await me(lambda users, options=options: users.messages().list(userId="me", **options))
        assert [message["id"] for message in found["messages"]] == [rent]


async def test_pages_hold_every_message_once_and_the_estimate_is_no_count(me, seeded):
    """GM-06."""
    first = await me(lambda users: users.messages().list(userId="me", maxResults=3))
    assert first["resultSizeEstimate"] == 201
    token = first["nextPageToken"]
    second = await me(lambda users: users.messages().list(userId="me", maxResults=3, pageToken=token))
    assert "nextPageToken" not in second
    listed = [message["id"] for page in (first, second) for message in page["messages"]]
    assert sorted(listed) == sorted(seeded)


async def test_a_query_too_long_for_an_address_is_answered_all_the_same(me, seeded):
    """The client sends it as a POST that says it is a GET."""
    query = "dinner " + " ".join(f"-word{number}" for number in range(400))
    found = await me(lambda users: users.messages().list(userId="me", q=query))
    assert len(found["messages"]) == 2
