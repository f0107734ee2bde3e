"""A mail that leaves says what was approved, to whom it was approved, in a form that every relay takes."""

import re
from datetime import UTC, datetime
from email import message_from_bytes
from email.policy import default
from html import unescape
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from butler.contract.errors import IntegrationErrorCode, IntegrationFault
from butler.contract.tools import Attachment, Recipient
from modules.email.parsing.parser import parse_mail
from modules.email.replying import parent_of
from modules.email.smtp.compose import Draft, Outgoing, Parent, compose
from tests.support.corpora import MAILS

ANNA = Recipient(address="mail:anna@friends.example", name="Anna")


def built(**fields: Any) -> Outgoing:
    values: dict[str, Any] = {
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
        "mail:a..b@x.example",
        "mail:.a@x.example",
        "mail:a\u202eb@x.example",
        "mail:a\u3000b@x.example",
        f"mail:{'ü' * 33}@x.example",
        "mail:a@x..example",
    ],
)
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(IntegrationFault, match="not a mail address"):
        built(to=(Recipient(address=address),))


def test_letters_beyond_ascii_before_the_at_travel_as_they_are() -> None:
    outgoing = built(to=(Recipient(address="mail:jo\u0308rg@bücher.example", name="Jörg"),))
    assert outgoing.recipients == ("jörg@xn--bcher-kva.example",)
    assert "To: =?utf-8?b?SsO2cmc=?= <jörg@xn--bcher-kva.example>\r\n".encode() in outgoing.wire


def test_a_domain_beyond_ascii_travels_as_punycode() -> None:
    assert built(to=(Recipient(address="mail:a@bücher.example"),)).recipients == ("a@xn--bcher-kva.example",)


@pytest.mark.parametrize(
    "name",
    [
        *('Anna "the" Lee, PhD', "Müller, A.", "安娜", "=?utf-8?q?Boss?=", "x" * 300, "a@b.example"),
        *("Group: a, b <x@y.example>;" * 20, f"An{'Content-Type: ' * 50}na"),
    ],
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


TALK = """\
Hi Anna,
  two  spaces & <b>tags</b>

see (https://home.example/a?b=1&c=2).

On Fri, 3 Jul 2026 at 10:05, anna@friends.example wrote:
> At one?
>
> > Or two?
> https://x.example/_(y)
"""


def test_the_html_form_says_the_same_and_fetches_nothing() -> None:
    mail = message_from_bytes(built(body=TALK, html=True).wire, policy=default)
    assert mail.get_content_type() == "multipart/alternative"
    plain, html = mail.iter_parts()
    assert (plain.get_content_type(), html.get_content_type()) == ("text/plain", "text/html")
    assert plain.get_content().replace("\r\n", "\n") == TALK
    page = html.get_content()
    assert '<p dir="auto">Hi Anna,<br>\n' in page.replace("\r\n", "\n")
    assert "&nbsp; two&nbsp; spaces &amp; &lt;b&gt;tags&lt;/b&gt;" in page.replace("&nbsp;&nbsp;", "&nbsp; ")
    assert '(<a href="https://home.example/a?b=1&amp;c=2">https://home.example/a?b=1&amp;c=2</a>).' in page
    assert '<a href="https://x.example/_(y)">' in page
    assert page.count("<blockquote") == page.count("</blockquote>") == 2
    shown = " ".join(re.sub(r"<[^>]+>", " ", page.partition("<body>")[2]).split())
    said = " ".join(re.sub(r"^[> ]+", "", line) for line in TALK.splitlines())
    words = unescape(shown).replace("\xa0", " ").replace("( https", "(https").replace("c=2 ).", "c=2).")
    assert " ".join(words.split()) == " ".join(said.split())
    assert not re.search(r"(?i)<(img|script|style|link|iframe)|src=|url\(", page)


def test_a_mail_of_all_forms_nests_them_as_mail_programs_expect() -> None:
    file = (Attachment(name="a.txt", size=1, sha256="0" * 64, media_type="text/plain"), b"x")
    calendar = b"BEGIN:VCALENDAR\r\nMETHOD:REPLY\r\nEND:VCALENDAR\r\n"
    mail = message_from_bytes(built(html=True, calendar=calendar, attachments=(file,)).wire, policy=default)
    assert [part.get_content_type() for part in mail.walk()] == [
        "multipart/mixed",
        "multipart/alternative",
        "text/plain",
        "text/html",
        "text/calendar",
        "text/plain",
    ]


def test_what_no_line_may_hold_travels_encoded_in_a_body() -> None:
    wire = built(body="a\x00b").wire
    assert b"\x00" not in wire
    assert message_from_bytes(wire, policy=default).get_content() == "a\x00b\r\n"
    with pytest.raises(IntegrationFault, match="half of a character"):
        built(body="\ud83d")


def test_an_answer_to_a_subject_of_several_lines_injects_nothing() -> None:
    wire = built(parent=Parent("<p@x.example>", subject="a\r\nBcc: x@evil.example"), subject="").wire
    assert b"Subject: Re: a  Bcc: x@evil.example\r\n" in wire


def test_hdrinj_an_answer_to_an_id_with_a_line_break_injects_nothing() -> None:
    parsed, _ = parse_mail((MAILS / "msg" / "hdrinj_messageid_crlf.eml").read_bytes())
    outgoing = built(parent=parent_of(parsed), subject="", automatic=True)
    read = message_from_bytes(outgoing.wire, policy=default)
    assert (read["X"], read["References"], read["In-Reply-To"]) == (None, None, None)
    assert read["Subject"] == "Re: hi"
