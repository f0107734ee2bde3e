"""A mail that leaves says what was approved, to whom it was approved, in a form that every relay takes."""

from datetime import UTC, datetime
from email import message_from_bytes
from email.policy import default
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from butler.contract.errors import IntegrationErrorCode, IntegrationFault
from butler.contract.tools import Recipient
from modules.email.compose import Draft, Outgoing, Parent, compose
from modules.email.parse import parse_mail

ANNA = Recipient(address="mail:anna@friends.example", name="Anna")


def built(**fields: Any) -> Outgoing:
    values = {
        "sender": "butler@home.example",
        "token": "4611686018427387904",
        "date": datetime(2026, 11, 27, 10, tzinfo=UTC),
        "to": (ANNA,),
        "subject": "Lunch",
        "body": "At one.",
    }
    return compose(Draft(**values | fields))


def longest_line(wire: bytes) -> int:
    return max(len(line) for line in wire.split(b"\r\n"))


def test_sm_08_references_are_the_parents_and_then_the_parent() -> None:
    parent = Parent("<p@x.example>", "<g@x.example>", ("<r@x.example>", "<g@x.example>"), "Lunch")
    read = message_from_bytes(built(parent=parent, subject="").wire, policy=default)
    assert read["References"] == "<r@x.example> <g@x.example> <p@x.example>"
    assert read["In-Reply-To"] == "<p@x.example>"


def test_sm_08_a_parent_with_in_reply_to_alone_keeps_the_thread() -> None:
    read = message_from_bytes(built(parent=Parent("<p@x.example>", "<g@x.example>"), subject="").wire, policy=default)
    assert read["References"] == "<g@x.example> <p@x.example>"


@pytest.mark.parametrize(("before", "after"), [("Lunch", "Re: Lunch"), ("Re: Lunch", "Re: Lunch"), ("AW: x", "AW: x")])
def test_gm_15_an_answer_keeps_subject_and_threads_by_headers(before: str, after: str) -> None:
    wire = built(parent=Parent("<p@x.example>", subject=before), subject="").wire
    read = message_from_bytes(wire, policy=default)
    assert read["Subject"] == after
    assert read["In-Reply-To"] == "<p@x.example>"


def test_long_ids_stay_ids() -> None:
    long_id = f"<{'a' * 300}@friends.example>"
    wire = built(parent=Parent(long_id, references=(f"<{'b' * 200}@x.example>",))).wire
    assert f"In-Reply-To: {long_id}\r\n".encode() in wire
    assert b"=?" not in wire


@pytest.mark.parametrize("body", ["x" * 3000, "ü" * 3000, "<p>" + "y " * 2500 + "</p>", "a\r\nb\rc\n.\n..\nFrom me"])
def test_sm_16_17_no_line_is_longer_than_a_relay_takes_and_nothing_is_lost(body: str) -> None:
    wire = built(body=body).wire
    assert longest_line(wire) <= 998
    assert wire.isascii()
    read = message_from_bytes(wire, policy=default).get_content().replace("\r\n", "\n")
    assert read == body.replace("\r\n", "\n").replace("\r", "\n") + "\n"


def test_sm_07_bcc_is_in_the_envelope_and_in_our_copy_only() -> None:
    outgoing = built(bcc=(Recipient(address="mail:secret@x.example"),))
    assert outgoing.recipients == ("anna@friends.example", "secret@x.example")
    assert b"secret" not in outgoing.wire
    assert b"Bcc: secret@x.example" in outgoing.copy


@pytest.mark.parametrize("text", ["a\r\nBcc: x@evil.example", "a\nb", "a\rb", "a\x00b", "a\u2028b"])
def test_nothing_is_smuggled_into_headers(text: str) -> None:
    for fields in ({"subject": text}, {"to": (Recipient(address="mail:a@x.example", name=text),)}):
        with pytest.raises(IntegrationFault, match="one line") as caught:
            built(**fields)
        assert caught.value.code is IntegrationErrorCode.INVALID_INPUT


@pytest.mark.parametrize(
    "address",
    [
        "mail:a@x.example, b@evil.example",
        "mail:a",
        "mail:@x.example",
        "mail:a b@x.example",
        "mail:<a@x.example>",
        "mail:a@x.example>\r\nRCPT TO:<b@evil.example",
        'mail:"a b"@x.example',
        "mail:a@",
        "mail:ä@x.example",
    ],
)
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(IntegrationFault, match="not a mail address"):
        built(to=(Recipient(address=address),))


def test_a_domain_beyond_ascii_travels_as_punycode() -> None:
    assert built(to=(Recipient(address="mail:a@bücher.example"),)).recipients == ("a@xn--bcher-kva.example",)


@pytest.mark.parametrize(
    "name", ['Anna "the" Lee, PhD', "Müller, A.", "安娜", "=?utf-8?q?Boss?=", "x" * 300, "a@b.example"]
)
def test_a_name_changes_nobody_else(name: str) -> None:
    wire = built(to=(Recipient(address="mail:a@x.example", name=name), ANNA)).wire
    read, _ = parse_mail(wire)
    assert [(person.name, person.address) for person in read.to] == [
        (name, "a@x.example"),
        ("Anna", "anna@friends.example"),
    ]


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=("C", "Zl", "Zp")), max_size=300))
def test_a_subject_is_read_as_it_was_shown(subject: str) -> None:
    wire = built(subject=subject).wire
    assert longest_line(wire) <= 998
    read = str(message_from_bytes(wire, policy=default)["Subject"])
    assert " ".join(read.split()) == " ".join(subject.split())


def test_an_automatic_answer_is_marked_and_a_mail_by_hand_is_not() -> None:
    assert b"Auto-Submitted: auto-replied\r\n" in built(automatic=True).wire
    assert b"Auto-Submitted" not in built().wire
    assert b"X-Butler: bot\r\n" in built().wire


def test_the_message_id_is_the_calls_token() -> None:
    assert built().message_id == "<4611686018427387904@home.example>"
    assert b"Message-ID: <4611686018427387904@home.example>\r\n" in built().wire


def test_a_calendar_part_is_an_alternative_that_tells_its_method() -> None:
    calendar = b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nMETHOD:REPLY\r\nSUMMARY:Gr\xc3\xbc\xc3\x9fe\r\nEND:VCALENDAR\r\n"
    read = message_from_bytes(built(calendar=calendar, body="Anna accepts.").wire, policy=default)
    assert read.get_content_type() == "multipart/alternative"
    plain, part = read.iter_parts()
    assert plain.get_content() == "Anna accepts.\r\n"
    assert (part.get_content_type(), part.get_param("method"), part.get_content_charset()) == (
        "text/calendar",
        "REPLY",
        "utf-8",
    )
    assert part.get_payload(decode=True) == calendar
    with pytest.raises(IntegrationFault, match="METHOD"):
        built(calendar=b"BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n")
