"""Every label of the Encoding Standard means what browsers know by it, in mails, pages and files alike."""

import base64
from collections.abc import Mapping, Sequence

import pytest

from butler.agents.charsets import decoded as page_text
from butler.agents.parser.blocks import Document
from butler.agents.parser.charset import decoded as file_text
from butler.contract.tables import table
from butler.mime.charsets import decode, encoding_of
from modules.email.parsing.parser import parse_mail
from tests.support.charset_samples import GIVEN_UP, NOT_READ, SAMPLES

LABELS: Mapping[str, Sequence[str]] = table("butler.mime", "charsets")["labels"]
ALL = [(label, *SAMPLES[name]) for name, labels in LABELS.items() if name in SAMPLES for label in labels]
EVERY = [*ALL, *((label, data, text) for label, (data, text) in GIVEN_UP.items())]


def mail_in(label: str, data: bytes) -> bytes:
    """A mail whose subject and whose text are in that encoding."""
    encoded = base64.b64encode(data).decode()
    return (
        f"From: Anna <anna@friends.example>\r\nSubject: =?{label}?b?{encoded}?=\r\n"
        f'Content-Type: text/plain; charset="{label}"\r\nContent-Transfer-Encoding: base64\r\n\r\n{encoded}\r\n'
    ).encode()


def test_the_table_is_that_of_the_standard() -> None:
    labels = [label for row in LABELS.values() for label in row]
    assert (len(LABELS), len(labels), len(set(labels))) == (40, 228, 228)
    assert LABELS.keys() - SAMPLES.keys() == {"replacement"}
    assert set(LABELS["replacement"]) == {*GIVEN_UP, *NOT_READ}


@pytest.mark.parametrize(("label", "data", "text"), EVERY, ids=[label for label, _, _ in EVERY])
def test_a_label_is_read_as_browsers_do_it_wherever_it_stands(label: str, data: bytes, text: str) -> None:
    mail, _ = parse_mail(mail_in(label, data))
    assert (mail.subject, mail.text) == (text, text)
    assert "the text does not hold to its charset" not in mail.problems
    for written in (label, label.upper(), f" {label}\t"):
        assert page_text(data, written) == text
    document = Document()
    assert file_text(data, document, declared=label) == text
    assert document.problems == []


@pytest.mark.parametrize("label", [label for label, data, _ in ALL if b"\x00" not in data])
def test_a_page_that_names_its_encoding_within_is_read_so(label: str) -> None:
    data, text = SAMPLES[encoding_of(label)]
    page = f'<meta charset="{label}"><p>'.encode() + data
    assert file_text(page, Document()).endswith(f"<p>{text}")


@pytest.mark.parametrize("label", [*NOT_READ, "", "x-none", "unicode_escape", "punycode", "base64", "x" * 50, "ü"])
def test_what_is_no_name_of_an_encoding_means_none(label: str) -> None:
    assert encoding_of(label) == ""
    assert page_text(b"abc", label) is None


@pytest.mark.parametrize(
    ("label", "python"),
    [("cp437", "cp437"), ("IBM852", "cp852"), ("x-johab", "johab"), ("cp-850", "cp850"), ("utf8mb4", "utf-8")],
)
def test_other_character_sets_are_read_too(label: str, python: str) -> None:
    text = {"johab": "안녕"}.get(python, "ü")
    assert decode(text.encode(python), encoding_of(label)) == text


@pytest.mark.parametrize(("data", "name"), [(b"\xff", "big5"), (b"\x8f\xa1", "euc-jp"), (b"\x81", "windows-1252")])
def test_what_is_wrong_is_marked_and_nothing_else_is_lost(data: bytes, name: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        decode(b"a" + data, name)
    assert decode(b"a" + data + b"b", name, "replace").startswith("a\ufffd")
    assert decode(b"a" + data + b"b", name, "replace").endswith("b")
