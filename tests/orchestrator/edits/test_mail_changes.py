"""What is said further of many mails changes exactly that, and what could be about anything else is left alone."""
# names: made up here

from typing import Any

import pytest

from butler.orchestrator.edits.mail_changes import MailChange
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.planning.plan_types import Unclear
from tests.orchestrator.edits.bulk_words import read
from tests.orchestrator.embedded.scene import TWO_ACCOUNTS

BASE: dict[str, Any] = {"category": "promotions", "senders": ["hostinger"]}
ROWS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("also those from Amazon", BASE, {"senders": ["hostinger", "Amazon"]}),
    ("and the ones from Bob too", BASE, {"senders": ["hostinger", "Bob"]}),
    ("those from Deutsche Bahn as well, please", BASE, {"senders": ["hostinger", "Deutsche Bahn"]}),
    ("also the ones from Amazon, but not the unread ones", BASE,
     {"senders": ["hostinger", "Amazon"], "unread": False}),
    ("not the unread ones", BASE, {"unread": False}),
    ("but not the unread ones", BASE, {"unread": False}),
    ("only the unread ones", BASE, {"unread": True}),
    ("only the unread ones, please", BASE | {"unread": True}, {}),
    ("but keep those from Mum", BASE, {"keep": ["Mum"]}),
    ("not those from hostinger", {"senders": ["hostinger", "Amazon"]}, {"senders": ["Amazon"]}),
    ("not those from Carol", {"senders": ["carol@work.example", "Amazon"]}, {"senders": ["Amazon"]}),
    ("only those older than a month", BASE, {"before": "2026-02-04"}),
    ("only those from this year", BASE, {"since": "2026-01-01"}),
    ("not the ones older than a year", BASE, {"since": "2025-03-04"}),
    ("not the ones with attachments", BASE, {"attachment": False}),
    ("only the ones with attachments", BASE, {"attachment": True}),
    ("also the unread ones", BASE | {"unread": False}, {"unread": None}),
    ("also the ones from Amazon", BASE | {"senders": [], "keep": ["Amazon", "Mum"]}, {"keep": ["Mum"]}),
    ("only those from Amazon", BASE | {"senders": ["hostinger", "Amazon"]}, {"senders": ["Amazon"]}),
    ("only those from Carol", BASE | {"senders": ["Carol"]}, {"senders": ["carol@work.example"]}),
    ("only those from hostinger", BASE | {"senders": ["billing@hostinger.example"]}, {}),
    ("only those older than a month", BASE | {"before": "2025-03-04"}, {}),
    ("only those since Monday", BASE | {"since": "2026-03-03"}, {}),
    ("only those larger than 1 MB", BASE | {"larger_kb": 10240}, {}),
    ("only those larger than 20 MB", BASE | {"larger_kb": 10240}, {"larger_kb": 20000}),
    ("only those about the trip", BASE | {"words": "our trip"}, {}),
    ("only those from Wednesday", BASE | {"since": "2026-02-16", "before": "2026-02-23"},
     {"since": "2026-02-18", "before": "2026-02-19"}),
    ("not those since Thursday", BASE | {"since": "2026-02-16", "before": "2026-02-23"}, {"before": "2026-02-19"}),
    ("not the ones older than a year", BASE | {"since": "2026-01-01"}, {}),
    ("not those from Amazon", {"keep": ["Amazon"]}, {}),
    ("only the newsletters", {"senders": ["hostinger"]}, {"category": "promotions"}),
    ("only the ones in my inbox", BASE, {"inbox": True}),
    ("only those about the trip", BASE, {"words": "trip"}),
    ("nur noch die von hostinger", {"senders": ["hostinger", "Amazon"]}, {"senders": ["hostinger"]}),
    ("all but Amazon", BASE, {"keep": ["Amazon"]}),
    ("only those newer than a month", BASE, {"since": "2026-02-04"}),
    ("not those newer than a month", BASE, {"before": "2026-02-04"}),
    ("nimm die ungelesenen aus", BASE, {"unread": False}),
]  # fmt: skip


@pytest.mark.parametrize(("words", "args", "changed"), ROWS, ids=[row[0] for row in ROWS])
def test_what_is_said_further_changes_that_and_nothing_else(
    words: str, args: dict[str, Any], changed: dict[str, Any]
) -> None:
    more = read(words)
    assert isinstance(more, MailChange)
    assert more.act is None
    assert more.changed(args, "archive") == changed


@pytest.mark.parametrize(
    ("words", "action", "name"),
    [
        ("trash them instead", "trash", ""),
        ("no, label them as Shops instead", "label", "Shops"),
        ("mark them as read instead", "mark_read", ""),
        ("rather archive them", "archive", ""),
        ("move them to Old Things instead", "move", "Old Things"),
        ("mark them as spam instead", "spam", ""),
    ],
)
def test_something_else_may_be_done_to_them_instead(words: str, action: str, name: str) -> None:
    more = read(words)
    assert isinstance(more, MailChange)
    assert more.act is not None
    assert (more.act.action, more.act.name, more.certain) == (action, name, True)


@pytest.mark.parametrize("words", ["as Shops instead", "call it Shops", "no, label them as Shops instead"])
def test_another_label_is_another_name(words: str) -> None:
    more = read(words, "user_email_label")
    assert isinstance(more, MailChange)
    assert more.changed(BASE | {"name": "Family"}, "label") == {"name": "Shops"}
    assert more.changed(BASE | {"name": "Shops"}, "label") == {}


@pytest.mark.parametrize(
    "words",
    [
        "also tell Anna that I'm late",
        "and remind me tomorrow at 9",
        "also archive all mails from Bob",
        "only joking",
        "keep me posted",
        "also those from Amazon that are nice",
        "what about those from Amazon",
        "unread mails",
        "older than a month",
        "also",
        "archive all mails from Anna",
        "show me those from Amazon",
        "and Anna's birthday",
        "those from Amazon",
    ],
)
def test_words_that_could_be_about_anything_else_change_nothing(words: str) -> None:
    assert read(words) is None


@pytest.mark.parametrize(
    ("words", "changed"),
    [
        ("unread ones", {"unread": True}),
        ("older than a month", {"before": "2026-02-04"}),
        ("not older than a month", {"since": "2026-02-04"}),
        ("also Amazon", {"senders": ["hostinger", "Amazon"]}),
        ("and Carol too", {"senders": ["hostinger", "carol@work.example"]}),
        ("not Mum", {"keep": ["Mum"]}),
        ("without attachments", {"attachment": False}),
    ],
)
def test_to_the_card_itself_fewer_words_are_enough(words: str, changed: dict[str, Any]) -> None:
    more = read(words, replied=True)
    assert isinstance(more, MailChange)
    assert more.changed(BASE, "archive") == changed


@pytest.mark.parametrize(
    ("words", "args", "told"),
    [
        ("only those from Anna", BASE, "none from anna@friends.example among them: it is about those from hostinger"),
        ("only those from Amazon", {"category": "promotions", "keep": ["Amazon"]}, "are left out of it"),
        ("only the unread ones", BASE | {"unread": False}, "nothing would be left"),
        ("not the ones with attachments", BASE | {"attachment": True}, "nothing would be left"),
        ("only those from this week", BASE | {"before": "2026-01-01"}, "it is about … – 31 December 2025"),
        ("only those from 2023", BASE | {"since": "2025-02-01", "before": "2025-02-02"}, "about 1 February 2025. Say"),
        ("only those labelled Shops", BASE | {"label": "Family"}, "about “Family” already, and “Shops” cannot"),
        ("only the newsletters", {"category": "social"}, "about “social” already"),
        ("also those from Amazon", {"category": "promotions"}, "mails from anybody already"),
        ("not those from hostinger", BASE, "nothing would be left"),
        ("also the unread ones", BASE, "among them already"),
        ("not the unread ones", {"mails": ["18c0"]}, "the very mails"),
        ("also those from Amazon older than a month", BASE, "I can add only"),
    ],
)
def test_what_cannot_be_is_said(words: str, args: dict[str, Any], told: str) -> None:
    more = read(words)
    assert isinstance(more, MailChange)
    with pytest.raises(Asking, match=told):
        more.changed(args, "archive")


def test_another_mailbox_is_not_among_them() -> None:
    words = "only those in my work mailbox"
    more = read(words, tools=TWO_ACCOUNTS)
    assert isinstance(more, MailChange)
    assert more.changed(BASE | {"account": "work"}, "archive") == {}
    with pytest.raises(Asking, match="more than it is about"):
        more.changed(BASE, "archive")


def test_a_card_does_one_thing() -> None:
    asked = read("mark them read as well", replied=True)
    assert isinstance(asked, Unclear)
    assert "A card does one thing" in asked.question


@pytest.mark.parametrize(
    "words", ["could you take mum's mails along too, same folder", "ungelesene behalten und die mit Stern auch"]
)
def test_words_for_more_mails_are_no_other_act_or_folder(words: str) -> None:
    changed = read(words, "user_email_move", replied=True)
    assert not isinstance(changed, MailChange) or (changed.act is None and not changed.name)
