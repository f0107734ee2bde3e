"""A mail that was kept as a file is taken apart as the mailbox's reader does it."""

import pytest

from butler.agents.parser.blocks import Document
from butler.agents.parser.read_mail import read_eml
from modules.email.parsing.parser import parse_mail
from tests.agents.parser.conftest import whole
from tests.support.corpora import MAILS

HEAD = b"To: me@home.example\r\nSubject: x\r\nMIME-Version: 1.0\r\n"


def test_a_mail_has_the_same_subject_for_both_readers():
    paths = sorted(MAILS.rglob("*.eml"))
    assert len(paths) > 100
    for path in paths:
        raw, document = path.read_bytes(), Document()
        read_eml(raw, document)
        assert document.metadata["title"] == parse_mail(raw, understand=False)[0].subject[:1_000].strip(), path.name


def test_a_name_in_a_comment_does_not_hide_who_wrote(reading):
    output = reading(b"From: owner@home.example (via) <eve@evil.example>\r\n" + HEAD + b"\r\nhi", "eml")
    assert "eve@evil.example" in output.metadata["author"]


def test_letters_are_taken_as_the_mailbox_takes_them(reading):
    output = reading(b"From: a@b.example\r\nSubject: =?iso-8859-1?q?Gr=C3=BC=C3=9Fe?=\r\n\r\nhi", "eml")
    assert output.metadata["title"] == "Grüße"


def test_parts_that_cannot_be_told_apart_are_read_as_text(reading):
    output = reading(b"From: a@b.example\r\n" + HEAD + b"Content-Type: multipart/mixed\r\n\r\nread me", "eml")
    assert "read me" in whole(output)


@pytest.mark.parametrize(
    ("parts", "files"),
    [
        (b"Content-Type: text/html\r\n\r\n<p>x</p>", []),
        (b"Content-Type: image/gif\r\n\r\nx", []),
        (b'Content-Type: text/plain; name="a.txt"\r\n\r\nx', ["a.txt"]),
        (b"Content-Disposition: attachment\r\n\r\nx", ["text/plain"]),
    ],
)
def test_of_several_forms_only_files_are_named(reading, parts, files):
    body = b"--b\r\n\r\nread me\r\n--b\r\n" + parts + b"\r\n--b--\r\n"
    output = reading(HEAD + b"Content-Type: multipart/alternative; boundary=b\r\n\r\n" + body, "eml")
    assert "read me" in whole(output)
    assert output.metadata.get("embedded_files", []) == files


def test_every_part_beside_the_text_is_named(reading):
    body = b"--b\r\n\r\nread me\r\n--b\r\n\r\nmore\r\n--b\r\nContent-Type: image/gif\r\n\r\nx\r\n--b--\r\n"
    output = reading(HEAD + b"Content-Type: multipart/mixed; boundary=b\r\n\r\n" + body, "eml")
    assert output.metadata["embedded_files"] == ["text/plain", "image/gif"]
