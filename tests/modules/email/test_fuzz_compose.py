"""Whatever is put into a mail comes back as it was, in lines that every relay takes, and nothing else comes with it.

Only a hostile parent decides any of the rest, so what it says is arbitrary, too.
"""

import re
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTPUTF8, default
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from butler.contract.errors import IntegrationFault
from butler.contract.tools import Attachment, Recipient
from modules.email.parsing.parser import parse_mail
from modules.email.smtp.compose import Draft, Outgoing, Parent, compose, reply_subject
from modules.email.smtp.headers import CONTROL
from tests.support.nightly import examples

OURS = {
    "from", "to", "cc", "subject", "date", "message-id", "references", "in-reply-to", "auto-submitted", "reply-to",
    "x-butler", "x-butler-call", "mime-version", "content-type", "content-transfer-encoding",
}  # fmt: skip
ANYTHING = st.text(max_size=80)
WORDS = st.text(st.characters(exclude_categories=("C", "Zl", "Zp")), max_size=200)
LOCAL = st.from_regex(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,20}(\.[a-z0-9]{1,9}){0,2}", fullmatch=True)
ADDRESS = st.builds("mail:{}@{}".format, LOCAL, st.sampled_from(["x.example", "bücher.example", "a.b.example"]))
PEOPLE = st.lists(st.builds(Recipient, address=ADDRESS, name=WORDS), min_size=1, max_size=4)
NAME = st.text(st.characters(exclude_categories=("C", "Zl", "Zp")), min_size=1, max_size=150)
IDS = st.one_of(ANYTHING, st.from_regex(r"<[a-z]{1,400}@[a-z]{1,400}>", fullmatch=True))
PARENTS = st.builds(
    Parent, message_id=IDS, in_reply_to=IDS, references=st.lists(IDS, max_size=50).map(tuple), subject=ANYTHING
)
FAST = settings(deadline=None, max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow])


def built(**fields: Any) -> Outgoing:
    values: dict[str, Any] = {
        "sender": "butler@home.example",
        "token": "4611686018427387904",
        "date": datetime(2026, 11, 27, 10, tzinfo=UTC),
        "to": (Recipient(address="mail:anna@friends.example", name="Anna"),),
        "subject": "Lunch",
        "body": "At one.",
    }
    return compose(Draft(**values | fields))


def read(outgoing: Outgoing) -> EmailMessage:
    """The mail as it was read again, once its form is one that may travel."""
    wire = outgoing.wire
    assert not re.search(rb"\r(?!\n)|(?<!\r)\n|\x00", wire)
    assert max(map(len, wire.split(b"\r\n"))) <= 998
    mail = message_from_bytes(wire, policy=default)
    names = [name.lower() for name in mail]
    assert set(names) <= OURS
    assert len(set(names)) == len(names)
    assert not mail.defects
    return mail


def folded(text: str) -> str:
    return " ".join(text.split())


@FAST
@given(to=PEOPLE, cc=st.lists(st.builds(Recipient, address=ADDRESS, name=WORDS), max_size=2), subject=WORDS)
@example(to=[Recipient(address="mail:a@x.example", name="w " * 600)], cc=[], subject="")
@example(to=[Recipient(address="mail:a@x.example", name=' "a\\')], cc=[], subject="=?utf-8?q?x?=")
def test_headers_come_back_as_they_were_given(to: list[Recipient], cc: list[Recipient], subject: str) -> None:
    wire = built(to=tuple(to), cc=tuple(cc), subject=subject, html=True)
    assert folded(read(wire)["Subject"]) == folded(subject)
    mail, _ = parse_mail(wire.wire)
    for given_, came in ((to, mail.to), (cc, mail.cc)):
        assert [person.address for person in came] == [
            person.address.removeprefix("mail:").replace("bücher", "xn--bcher-kva").lower() for person in given_
        ]
        assert [folded(person.name) for person in came] == [folded(person.name) for person in given_]


@FAST
@given(subject=ANYTHING, name=ANYTHING, file=ANYTHING, sender_name=ANYTHING)
@example(subject="a\r\nBcc: x@evil.example", name="", file="f", sender_name="")
@example(subject="", name="a\x85b", file="f", sender_name="")
@example(subject="", name="", file='"\r\nX: y', sender_name="")
def test_what_cannot_be_in_a_header_is_refused_and_all_else_adds_none(
    subject: str, name: str, file: str, sender_name: str
) -> None:
    person = Recipient(address="mail:a@x.example", name=name)
    attachment = Attachment(name=file, size=1, sha256="0" * 64, media_type="text/x-y")
    fields = {"subject": subject, "to": (person,), "attachments": ((attachment, b"x"),), "sender_name": sender_name}
    if any(CONTROL.search(text) for text in (subject, name, file, sender_name)):
        with pytest.raises(IntegrationFault, match="one line"):
            built(**fields)
        return
    wire = built(**fields)
    assert wire.recipients == ("a@x.example",)
    assert read(wire)["To"].addresses[0].addr_spec == "a@x.example"


@FAST
@given(parent=PARENTS)
@example(parent=Parent("<hi3\r\nX: y@friends.example>"))
@example(parent=Parent("<a@b>", references=tuple(f"<{n:0300}@b>" for n in range(60))))
@example(parent=Parent(f"<{'a' * 990}@x.example>", subject="x" * 5000))
@example(parent=Parent("<a@b>\r\n X", subject="a\r\nBcc: x@evil.example"))
def test_a_hostile_parent_injects_nothing(parent: Parent) -> None:
    mail = read(built(parent=parent, subject="", automatic=True))
    assert folded(mail["Subject"]) == folded(reply_subject(parent.subject))
    ids = str(mail["References"] or "").split()
    assert len(ids) <= 30
    assert all(re.fullmatch(r"<[^<>@\s]+@[^<>@\s]+>", known) for known in ids)
    assert mail["In-Reply-To"] in {None, parent.message_id}


@FAST
@given(body=st.text(max_size=400), html=st.booleans())
@example(body="\x00\x0c\x1b[0m\ud7ff", html=True)
@example(body=".\r\n..\r\n.", html=True)
@example(body="x" * 5000, html=True)
@example(body=">" * 3000 + "\n" + "> " * 3000, html=True)
def test_a_body_comes_back_as_it_was(body: str, html: bool) -> None:
    mail = read(built(body=body, html=html))
    plain = mail.get_body(("plain",))
    assert plain is not None
    given_ = body.replace("\r\n", "\n").replace("\r", "\n")
    assert plain.get_content().replace("\r\n", "\n") == (given_ if given_.endswith("\n") else given_ + "\n")
    assert (mail.get_body(("html",)) is not None) is html


@FAST
@given(name=NAME, data=st.binary(max_size=200), media_type=st.sampled_from(["application/pdf", "text/csv", "x", "é/y"]))
@example(name="a" * 150, data=b"", media_type="image/png")
@example(name="<>", data=b"", media_type="application/pdf")
@example(name='q"u\\o;te.pdf', data=b"\r\n.\r\n", media_type="application/pdf")
def test_a_file_comes_back_as_it_was(name: str, data: bytes, media_type: str) -> None:
    attachment = Attachment(name=name, size=len(data), sha256="0" * 64, media_type=media_type)
    (part,) = read(built(attachments=((attachment, data),))).iter_attachments()
    assert part.get_payload(decode=True) == data
    # Not `get_filename`, which takes quotes and angle brackets away.
    assert part["Content-Disposition"].params["filename"].strip() == name.strip()


@FAST
@given(local=st.text(st.characters(categories=("L", "M", "N")), min_size=1, max_size=15))
def test_letters_beyond_ascii_stand_in_an_address_as_they_are(local: str) -> None:
    outgoing = built(to=(Recipient(address=f"mail:{local}@bücher.example", name="Jörg"),), subject="Grüße")
    (recipient,) = outgoing.recipients
    assert recipient.endswith("@xn--bcher-kva.example")
    mail = message_from_bytes(outgoing.wire, policy=SMTPUTF8)
    assert f"<{recipient}>".encode() in outgoing.wire
    assert mail["Subject"] == "Grüße"
