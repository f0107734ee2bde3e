"""Gmail's search language: a table of what finds what, and how `messages.list` pages and hides."""

from datetime import UTC, datetime, timedelta, timezone
from email.message import EmailMessage

import pytest
from googleapiclient.errors import HttpError

from butler_demo.gmail.mailbox import Mailbox, message_ids
from butler_demo.gmail.records import Alias
from butler_demo.gmail.search import parse_query
from butler_demo.google.errors import GoogleError

ME = "me@home.example"
NOW = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)


def _raw(body, file="", **headers):
    message = EmailMessage()
    for name, value in headers.items():
        message[name.rstrip("_").replace("_", "-")] = value
    message.set_content(body)
    if file:
        message.add_attachment(b"%PDF-" + b"x" * 9000, maintype="application", subtype="pdf", filename=file)
    return message.as_bytes()


@pytest.fixture(scope="module")
def box():
    """A mailbox of nine mails, each called by one word of the table's right side."""
    mailbox = Mailbox(ME, "Max Home", message_ids(), lambda: NOW, lambda _: None)
    mailbox.aliases["max@work.example"] = Alias("max@work.example", "Max")
    to_pay = mailbox.labels.create("To pay").id
    nested = mailbox.labels.create("Projects/Butler").id
    shop = _raw(
        "Please pay the invoices by Friday.",
        file="invoice-17.pdf",
        From="Shop <billing@shop.example>",
        To="team@work.example",
        Cc=ME,
        Subject="Invoice 17",
        Message_ID="<inv17@shop.example>",
        Delivered_To="max@work.example",
    )
    listed = _raw(
        "Release 2.0 is out: https://docs.google.com/document/d/1 tells more.",
        From="bot@lists.example",
        To="dev@lists.example",
        Subject="[dev] Release",
        List_ID="<dev.lists.example>",
    )
    mails = {
        "rent": (_raw("The rent.", From="Landlord <rent@house.example>", To=ME, Subject="Rent due"), "2024-01-05", []),
        "dinner": (
            _raw("See you at eight.", From="Anna <anna@friends.example>", To=ME, Subject="Dinner"),
            "2026-01-01",
            ["UNREAD", "STARRED"],
        ),
        "invoice": (shop, "2026-03-01", ["UNREAD", "IMPORTANT", to_pay]),
        "plans": (
            _raw("Any news?", From="Bob <bob@friends.example>", To=ME, Subject="Re: Dinner plans"),
            "2026-03-09",
            [nested],
        ),
        "list": (listed, "2026-03-08", ["CATEGORY_FORUMS"]),
        "sent": (
            _raw("I shall be late.", From=ME, To="anna@friends.example", Bcc="bob@friends.example", Subject="Late"),
            "2026-03-02",
            ["SENT"],
        ),
        "junk": (_raw("Win a dinner!", From="x@spam.example", To=ME, Subject="Prize"), "2026-03-03", ["SPAM"]),
        "gone": (_raw("An old dinner.", From="old@friends.example", To=ME, Subject="Old"), "2026-03-04", ["TRASH"]),
        "kept": (
            _raw("Café at 12:30, secret of the birthday.", From="Eve <eve@else.example>", To=ME, Subject="Notes"),
            "2025-12-31",
            [],
        ),
    }
    names = {}
    elsewhere = {"SENT", "SPAM", "TRASH"}
    for name, (raw, day, labels) in mails.items():
        inbox = [] if name == "kept" or elsewhere & set(labels) else ["INBOX"]
        received = datetime.fromisoformat(f"{day}T12:00:00+00:00")
        names[mailbox.add(raw, [*inbox, *labels], received).id] = name
    return mailbox, names


def found(box, query, now=NOW):
    mailbox, names = box
    parsed = parse_query(query, mailbox, now)
    hidden = {"TRASH"} - ({"TRASH"} if parsed.reaches_trash else set())
    hidden |= {"SPAM"} - ({"SPAM"} if parsed.reaches_spam else set())
    return {
        names[message.id]
        for message in mailbox.newest_first()
        if hidden.isdisjoint(message.label_ids) and parsed.matches(message)
    }


ALL = "rent dinner invoice plans list sent kept"


@pytest.mark.parametrize(
    ("query", "names"),
    [
        # words
        ("", ALL),
        ("dinner", "dinner plans"),
        ("DINNER", "dinner plans"),
        ("din", ""),
        ("dinner plans", "plans"),
        ("plans dinner", "plans"),
        ("invoice", "invoice"),
        ("invoices", "invoice"),
        ("+invoices", "invoice"),
        ("plan", "plans"),
        ("+plan", ""),
        ('"plan"', ""),
        ('+"dinner plans"', "plans"),
        ("12:30", "kept"),
        ("café", "kept"),
        ("https://docs.google.com", "list"),
        ("anna@friends.example", "dinner sent"),
        ("invoice-17.pdf", "invoice"),
        # phrases and nearness
        ('"the invoices by"', "invoice"),
        ('"invoices the by"', ""),
        ('"Dinner Anna"', ""),
        ("secret AROUND 3 birthday", "kept"),
        ("birthday AROUND 3 secret", "kept"),
        ("secret AROUND 1 birthday", ""),
        ('"secret AROUND 5 birthday"', "kept"),
        ('"birthday AROUND 5 secret"', ""),
        ('"pay the" AROUND 2 friday', "invoice"),
        # people
        ("from:anna", "dinner"),
        ("from:ann", ""),
        ("from:anna@friends.example", "dinner"),
        ("from:friends.example", "dinner plans"),
        ('from:"Eve"', "kept"),
        ("from:me", "sent"),
        ("to:me", "rent dinner invoice plans kept"),
        ("to:team@work.example", "invoice"),
        ("to:bob", "sent"),
        ("cc:me", "invoice"),
        ("cc:team", ""),
        ("bcc:bob", "sent"),
        ("deliveredto:max@work.example", "invoice"),
        ("deliveredto:me@home.example", "rent dinner plans list kept"),
        ("list:dev@lists.example", "list"),
        ("list:dev.lists.example", "list"),
        ("From:anna", "dinner"),
        # or, groups, negation
        ("from:anna OR from:bob", "dinner plans"),
        ("from:(anna OR bob)", "dinner plans"),
        ("from:{anna bob}", "dinner plans"),
        ("{from:anna subject:rent}", "rent dinner"),
        ("{anna rent} eight", "dinner"),
        ("in:inbox rent OR invoice", "rent invoice"),
        ("rent or invoice", ""),
        ("rent AND due", "rent"),
        ("-dinner", "rent invoice list sent kept"),
        ("-(dinner OR rent)", "invoice list sent kept"),
        ("-{dinner rent}", "invoice list sent kept"),
        ("-from:anna to:me", "rent invoice plans kept"),
        ('-"any news" subject:dinner', "dinner"),
        ("(dinner -plans) OR rent", "rent dinner"),
        ("subject:(dinner plans)", "plans"),
        ("subject:(dinner -plans)", "dinner"),
        ("subject:(dinner OR late)", "dinner plans sent"),
        ("((dinner))", "dinner plans"),
        ("dinner)", "dinner plans"),
        ("(dinner", "dinner plans"),
        ('dinner"', "dinner plans"),
        # subject
        ("subject:dinner", "dinner plans"),
        ('subject:"re: dinner"', "plans"),
        ("subject:late", "sent"),
        ("subject:eight", ""),
        # states, places, labels
        ("is:unread", "dinner invoice"),
        ("is:read", "rent plans list sent kept"),
        ("is:starred", "dinner"),
        ("is:important", "invoice"),
        ("-is:unread dinner", "plans"),
        ("in:inbox", "rent dinner invoice plans list"),
        ("in:sent", "sent"),
        ("in:archive", "kept"),
        ("in:drafts", ""),
        ("in:trash", "gone"),
        ("in:spam", "junk"),
        ("in:anywhere dinner", "dinner plans junk gone"),
        ("in:anywhere -in:trash dinner", "dinner plans junk"),
        ("label:to-pay", "invoice"),
        ('label:"To pay"', "invoice"),
        ("label:projects-butler", "plans"),
        ("label:projects/butler", "plans"),
        ("label:projects", ""),
        ("label:nowhere", ""),
        ("label:inbox eight", "dinner"),
        ("label:unread", "dinner invoice"),
        ("label:trash", "gone"),
        ("in:to-pay", "invoice"),
        ("category:forums", "list"),
        ("category:primary", ""),
        ("has:userlabels", "invoice plans"),
        ("has:nouserlabels in:inbox", "rent dinner list"),
        # files and sizes
        ("has:attachment", "invoice"),
        ("has:document", "list"),
        ("has:drive", "list"),
        ("has:youtube", ""),
        ("filename:pdf", "invoice"),
        ("filename:invoice-17.pdf", "invoice"),
        ("filename:txt", ""),
        ("larger:9K", "invoice"),
        ("larger:5000", "invoice"),
        ("size:5000", "invoice"),
        ("larger:1M", ""),
        ("smaller:9K has:attachment", ""),
        ("smaller:1m has:attachment", "invoice"),
        # times
        ("after:2026/03/05", "plans list"),
        ("after:2026-03-05", "plans list"),
        ("after:3/5/2026", "plans list"),
        ("newer:2026/03/05", "plans list"),
        ("before:2026-01-01", "rent kept"),
        ("older:2025/12/31", "rent"),
        ("after:1767268800 before:1767268801", "dinner"),
        ("newer_than:1d", "plans"),
        ("newer_than:2d", "plans list"),
        ("newer_than:25h", "plans"),
        ("older_than:1y", "rent"),
        ("older_than:2m", "rent dinner kept"),
        # one message
        ("rfc822msgid:inv17@shop.example", "invoice"),
        ("rfc822msgid:<inv17@shop.example>", "invoice"),
        ("rfc822msgid:inv1@shop.example", ""),
        ("in:sent rfc822msgid:inv17@shop.example", ""),
    ],
)
def test_a_query_finds_what_gmail_would_find(box, query, names):
    assert found(box, query) == set(names.split())


@pytest.mark.parametrize(
    ("zone", "names"), [(timezone(timedelta(hours=-8)), set()), (timezone(timedelta(hours=14)), {"rent"})]
)
def test_bare_dates_are_midnights_of_the_accounts_zone(box, zone, names, monkeypatch):
    monkeypatch.setattr(box[0], "zone", zone)
    assert found(box, "after:2024/01/06 before:2024/01/07") == names


@pytest.mark.parametrize(
    "query", ["is:snoozed", "in:snoozed", "newer_than:soon", "after:yesterday", "after:2026/13/01", "has:yellow-star"]
)
def test_what_the_stand_in_cannot_search_is_refused_not_guessed(box, query):
    with pytest.raises(GoogleError, match="stand-in does not implement") as refused:
        found(box, query)
    assert refused.value.status == 501


@pytest.fixture
def seeded(server, mail):
    """Deliver four mails of different days, oldest first, and return their subjects by id."""
    delivered = [
        server.deliver(ME, mail(To=ME, Subject=subject), received=datetime(2026, 1, day, tzinfo=UTC))
        for day, subject in enumerate(["Rent due", "Dinner", "Invoice 17", "Dinner plans"], start=1)
    ]
    return {message.id: message.content.subject for message in delivered}


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
    await me(lambda users: users.labels().patch(userId="me", id=label.id, body={"name": "Paid"}))
    assert (await count("label:bills"), await count("label:paid")) == (0, 1)
    server.relabel(ME, message_id, remove=[label.id])
    assert await count("label:paid") == 0


async def test_a_page_token_belongs_to_the_list_that_gave_it(me, seeded):
    token = (await me(lambda users: users.messages().list(userId="me", maxResults=1)))["nextPageToken"]
    with pytest.raises(HttpError, match="Invalid pageToken"):
        await me(lambda users: users.messages().list(userId="me", q="dinner", pageToken=token))


async def test_a_query_too_long_for_an_address_is_answered_all_the_same(me, seeded):
    """The client sends it as a POST that says it is a GET."""
    query = "dinner " + " ".join(f"-word{number}" for number in range(400))
    found = await me(lambda users: users.messages().list(userId="me", q=query))
    assert len(found["messages"]) == 2
