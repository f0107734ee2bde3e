"""What a step found, as things with an id, and whose words they are."""

from typing import Any

import pytest

from butler.contract.attachment import Attachment
from butler.contract.found_items import items
from butler.contract.provenance import SourceKind, SourceName, Trust
from butler.orchestrator.results.facts import NoSuchFactError, fact, labels_of
from butler.provenance import Labels, dump, is_tainted
from tests.orchestrator.builders import BILL, NOON, mail_row, read_mail
from tests.support.registered import registered

TOOLS = registered()


def test_a_search_finds_its_mails_in_order() -> None:
    found = items({"messages": [mail_row("Bill", "<1@x>"), mail_row("Lunch", "<2@x>")], "count": 2, "complete": True})
    assert [(one.key, one.data["subject"], one.at, one.sender) for one in found] == [
        ("<1@x>", "Bill", NOON, "mail:eve@evil.example"),
        ("<2@x>", "Lunch", NOON, "mail:eve@evil.example"),
    ]


def test_a_read_finds_one_mail_whatever_lists_it_holds() -> None:
    (found,) = items(read_mail())
    assert (found.key, found.data["text"]) == ("<bill@work.example>", "Please pay.")


@pytest.mark.parametrize(
    "data",
    [{}, {"messages": []}, {"count": 0, "items": [], "empty_because": "x"}, {"new": 2, "known": 1}, {"ok": True}],
)
def test_an_empty_answer_finds_nothing(data: dict[str, Any]) -> None:
    assert items(data) == []


def test_a_tap_without_a_message_id_is_still_found() -> None:
    (found,) = items({"items": [{"inbound_id": "in-1", "message_id": "", "sender": "telegram:42", "text": ""}]})
    assert (found.key, found.sender) == ("in-1", "telegram:42")


def test_what_was_found_in_a_mailbox_is_untrusted_and_names_its_senders() -> None:
    data = {"messages": [mail_row("Bill", "<1@x>"), mail_row("Lunch", "<2@x>")]}
    labels = labels_of(TOOLS.spec("user_email_search_inbox"), data)
    assert {o.trust for o in labels} == {Trust.UNTRUSTED}
    assert {o.source for o in labels} == {"email:<1@x>", "email:<2@x>"}
    assert {o.shown_as for o in labels} == {SourceName(kind=SourceKind.MAIL, who="eve@evil.example")}


def test_an_answer_without_things_is_untrusted_too() -> None:
    labels = labels_of(TOOLS.spec("bot_email_search_inbox"), {"words": "from somebody"})
    assert is_tainted(labels)
    assert [one.shown_as for one in labels] == ["your mails"]


def test_notes_are_the_owners_own_words() -> None:
    labels = labels_of(TOOLS.spec("bot_notes_search"), {"notes": [{"note_id": "1", "text": "milk"}]})
    assert [o.trust for o in labels] == [Trust.OWNER]


def test_a_subject_is_marked_as_passed_on_only_once() -> None:
    for subject, passed_on in (("Bill", "Fwd: Bill"), ("FW: Bill", "FW: Bill"), ("Fwd: Bill", "Fwd: Bill")):
        spec, data = TOOLS.spec("bot_email_read_message"), read_mail(subject=subject)
        value, labels = fact({"ok": True, "data": data, "origins": dump(labels_of(spec, data))}, "forward.subject")
        assert value == passed_on
        assert is_tainted(labels)


def passed_on(part: str, files: tuple[Attachment, ...] = ()) -> tuple[Any, Labels]:
    spec, data = TOOLS.spec("bot_email_read_message"), read_mail(files=files)
    return fact({"ok": True, "data": data, "origins": dump(labels_of(spec, data))}, f"forward.{part}")


def test_a_mail_is_passed_on_with_its_sender_and_its_day_as_people_write_them() -> None:
    body, _ = passed_on("body")
    assert body.splitlines()[:3] == [
        "---------- Forwarded message ----------",
        "From: Anna <eve@evil.example>",
        "Date: Thu, 05 Mar 2026 12:00 +0000",
    ]


def test_a_mail_without_a_sender_name_or_a_date_that_can_be_read_is_passed_on_as_it_is() -> None:
    data = {"message": read_mail()["message"] | {"from_name": " ", "date": "someday"}}
    body, _ = fact({"ok": True, "data": data}, "forward.body")
    assert body.splitlines()[1:3] == ["From: eve@evil.example", "Date: someday"]


def test_files_that_a_mail_does_not_have_are_from_nobody() -> None:
    none, labels = passed_on("attachments")
    assert (none, is_tainted(labels)) == ([], False)
    some, labels = passed_on("attachments", (BILL,))
    assert (len(some), is_tainted(labels)) == (1, True)


def test_a_path_may_name_a_place_in_a_list() -> None:
    outcome = {"ok": True, "data": {"messages": [mail_row("Bill", "<1@x>"), mail_row("Lunch", "<2@x>")]}}
    assert fact(outcome, "messages.0.message_id")[0] == "<1@x>"
    assert fact(outcome, "messages.1.subject")[0] == "Lunch"
    for path in ("messages.2.subject", "messages.-1.subject", "messages.first", "messages.0.message_id.0"):
        with pytest.raises(NoSuchFactError):
            fact(outcome, path)


async def test_the_telegram_history_names_its_senders_by_address() -> None:
    data = {"count": 1, "items": [{"message_id": 5, "sender": "telegram:1002", "outgoing": False, "text": "hi"}]}
    labels = labels_of(TOOLS.spec("user_telegram_get_message_history"), data)
    assert [(o.source, o.shown_as) for o in labels] == [
        ("telegram:5", SourceName(kind=SourceKind.MESSAGE, who="telegram:1002"))
    ]


def test_a_fact_without_recorded_origins_is_nobodys() -> None:
    _, labels = fact({"ok": True, "data": read_mail()}, "message.text")
    assert is_tainted(labels)
