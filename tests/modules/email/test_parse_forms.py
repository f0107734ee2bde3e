"""Mails in every form that programs give them: charsets, flowed text, mails within mails, protection, reports."""

import base64
import json

import pytest

from butler.mime.text import decode_bytes, decoded
from modules.email.parsing.flowed import unflowed
from modules.email.parsing.names import harmless_name
from modules.email.parsing.parser import parse_mail
from modules.email.parsing.tnef import unpack
from tests.modules.email.mailhost import mail


def multipart(kind: str, *parts: str) -> bytes:
    body = "".join(f"--b\r\n{part}\r\n" for part in parts) + "--b--"
    return mail(body=body, Content_Type=f"multipart/{kind}; boundary=b")


PGP_SIGNED = "-----BEGIN PGP SIGNED MESSAGE-----\r\nHash: SHA256\r\n\r\n- -hi\r\n-----BEGIN PGP SIGNATURE-----\r\n\r\nx"
INNER = (
    "From: Ina <ina@inner.example>\r\nTo: me@x.example\r\nSubject: Offer\r\nDate: Thu, 5 Jun 2025 08:00:00 +0200\r\n"
)


@pytest.mark.parametrize(
    ("data", "charset", "text", "as_named"),
    [
        ("①".encode("cp932"), "shift_jis", "①", True),
        (b"\x1b$B-!2q5D\x1b(B", "iso-2022-jp", "①会議", True),
        ("会議".encode("iso-2022-jp"), "", "会議", True),
        ("뷁".encode("cp949"), "ks_c_5601-1987", "뷁", True),
        ("㐀".encode("gb18030"), "gb2312", "㐀", True),
        (b"\x93hi\x94", "iso-8859-1", "“hi”", True),
        ("Grüße".encode(), "iso-8859-1", "Grüße", False),
        ("Grüße".encode("latin-1"), "utf-8", "Grüße", False),
        ("Grüße".encode("utf-16"), "utf-16", "Grüße", True),
        (b"x-", "punycode", "x-", False),
        (b"\xff", "hex", "ÿ", False),
    ],
)
def test_a_text_is_read_in_the_charset_that_is_meant(data: bytes, charset: str, text: str, *, as_named: bool) -> None:
    assert decode_bytes(data, charset) == (text, as_named)


def test_a_charset_that_there_is_not_is_none() -> None:
    # Found by fuzzing: Python decodes no bytes at all in a charset that it does not know.
    assert decode_bytes(b"\x8d\x1b$Bab", "=?ut3ldv") == ("\x8d\x1b$Bab", False)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("=?utf-8?q?Gr=C3?= =?utf-8?q?=BC=C3=9Fe?=", "Grüße"),
        ("=?utf-8*de?Q?a_b?= c", "a b c"),
        ("=?utf-8?b?R3LDvA?=", "Grü"),
        ("=?utf-8?b?A?= x", "x"),
        ("=?x-none?q?=E4?=", "ä"),
    ],
)
def test_an_encoded_word_is_read_however_broken(value: str, text: str) -> None:
    assert decoded(value) == text


@pytest.mark.parametrize(
    ("value", "sender"),
    [
        (b"owner@home.example (via) <thief@evil.example>", "thief@evil.example"),
        (b'"owner@home.example" <thief@evil.example>', "thief@evil.example"),
        (b"owner@home\xff.example", "owner@home\xff.example"),
        ("owner@hоme.example".encode(), "owner@hоme.example"),
        (b"owner@home\x01.example", None),
        (b"<owner@home.\x00example>", None),
        ("own\u200ber@home.example".encode(), None),
        (b"owner@home.example thief@evil.example", None),
    ],
)
def test_no_character_is_left_out_of_an_address(value: bytes, sender: str | None) -> None:
    found = parse_mail(b"From: " + value + b"\r\n\r\nx")[0].sender
    assert (found.address if found else None) == sender


def test_a_raw_header_is_read_in_the_charset_of_the_text() -> None:
    raw = b"From: a@x.example\r\nContent-Type: text/plain; charset=koi8-r\r\nSubject: " + "Счёт".encode("koi8-r")
    assert parse_mail(raw + b"\r\n\r\nx")[0].subject == "Счёт"


def test_a_folded_header_without_an_end_is_read_in_time() -> None:
    # Where each way to read it is tried, the time to tell that it has none doubles with each line.
    parsed, _ = parse_mail(b"From: a@x.example\r\nSubject: x" + b"\r\n            y" * 60)
    assert parsed.sender is not None


def test_flowed_text_is_put_together() -> None:
    raw = mail(
        body="One \r\nline.\r\n From here\r\n> quoted \r\n> line\r\n-- \r\nSam",
        Content_Type="text/plain; format=flowed",
    )
    assert parse_mail(raw)[0].text == "One line.\nFrom here\n> quoted line\n-- \nSam"
    assert unflowed("long \nword", delete_space=True) == "longword"
    assert unflowed("> a \n>> b", delete_space=False) == "> a \n>> b"


def test_a_mail_that_was_forwarded_whole_has_its_own_sender_text_and_files() -> None:
    inner = INNER + "Content-Type: multipart/mixed; boundary=i\r\n\r\n--i\r\n\r\nBuy it\r\n--i\r\n"
    inner += "Content-Type: application/pdf; name=o.pdf\r\n\r\nx\r\n--i--"
    parsed, files = parse_mail(multipart("mixed", "\r\nPlease look", f"Content-Type: message/rfc822\r\n\r\n{inner}"))
    assert parsed.words == "Please look"
    assert parsed.forwarded is not None
    assert parsed.forwarded.attached
    assert parsed.forwarded.sender is not None
    assert parsed.forwarded.sender.address == "ina@inner.example"
    assert (parsed.forwarded.subject, parsed.forwarded.text) == ("Offer", "Buy it")
    assert parsed.forwarded.sent_at == "2025-06-05T06:00:00+00:00"
    assert [(file.name, file.within) for file in parsed.attachments] == [("Offer.eml", ""), ("o.pdf", "Offer.eml")]
    assert [len(data) for data in files] == [file.size for file in parsed.attachments]


def test_a_forwarded_mail_is_read_also_where_it_is_encoded() -> None:
    inner = base64.encodebytes((INNER + "\r\nBuy it").encode()).decode()
    part = f"Content-Type: message/rfc822\r\nContent-Transfer-Encoding: base64\r\n\r\n{inner}"
    parsed, _ = parse_mail(multipart("mixed", part))
    assert parsed.forwarded is not None
    assert parsed.forwarded.text == "Buy it"


def test_each_mail_of_a_digest_is_a_file() -> None:
    parsed, _ = parse_mail(multipart("digest", f"\r\n{INNER}\r\nOne", "\r\nSubject: Second\r\n\r\nTwo"))
    assert [file.name for file in parsed.attachments] == ["Offer.eml", "Second.eml"]
    assert parsed.text == ""


@pytest.mark.parametrize(
    ("raw", "protection", "text", "why"),
    [
        (multipart("signed", "\r\nHello", "Content-Type: application/pgp-signature\r\n\r\nx"), "signed", "Hello", ""),
        (
            multipart("encrypted", "Content-Type: application/pgp-encrypted\r\n\r\nVersion: 1"),
            "encrypted",
            "",
            "no key",
        ),
        (mail(body="x", Content_Type="application/pkcs7-mime; smime-type=enveloped-data"), "encrypted", "", "no key"),
        (mail(body="x", Content_Type="application/pkcs7-mime; smime-type=signed-data"), "signed", "", "not opened"),
        (mail(body="-----BEGIN PGP MESSAGE-----\r\n\r\nx"), "encrypted", None, "no key"),
        (
            mail(body=PGP_SIGNED),
            "signed",
            "-hi",
            "",
        ),
    ],
)
def test_a_protected_mail_is_recognised(raw: bytes, protection: str, text: str | None, why: str) -> None:
    parsed, _ = parse_mail(raw)
    assert parsed.protection == protection
    assert text is None or parsed.text == text
    assert any(why in problem for problem in parsed.problems) if why else not parsed.problems


def test_a_picture_in_the_text_is_told_from_a_file() -> None:
    picture = "Content-Type: image/png; name=a.png\r\nContent-ID: <p1>\r\n\r\nx"
    parsed, _ = parse_mail(multipart("related", "Content-Type: text/html\r\n\r\n<img src=cid:p1>hi", picture))
    assert [(file.content_id, file.inline) for file in parsed.attachments] == [("p1", True)]
    parsed, _ = parse_mail(multipart("mixed", "\r\nhi", picture + "\r\nx"))
    assert parsed.text == "hi"


def test_two_texts_in_one_mail_are_told() -> None:
    raw = multipart(
        "alternative",
        "\r\nNothing to see today, bye",
        "Content-Type: text/html\r\n\r\n<p>Please approve transfer of money</p>",
    )
    assert "its plain and its rich form say different things; the plain one is shown" in parse_mail(raw)[0].problems


def test_headers_that_machines_and_lists_write_are_told() -> None:
    head = "Return-Path: <>\r\nReceived: a\r\nReceived: b\r\nX-Loop: A@b.example\r\nFrom: n@shop.example\r\n"
    head += "List-Unsubscribe: <https://shop.example/u?x=1>, <mailto:u@shop.example>, <http://10.0.0.1/>\r\n"
    head += "List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n"
    parsed, _ = parse_mail(f"{head}\r\nx".encode())
    assert (parsed.return_path, parsed.hops) == ("", 2)
    assert parsed.list_unsubscribe == ("https://shop.example/u?x=1", "mailto:u@shop.example")
    assert parsed.one_click
    assert "x-loop: a@b.example" in parsed.marks


def test_a_mark_of_utf_8_before_a_mail_hides_no_header() -> None:
    assert parse_mail(b"\xef\xbb\xbfFrom: a@x.example\r\nSubject: Hi\r\n\r\nx")[0].subject == "Hi"


def test_what_lies_elsewhere_and_what_is_only_a_piece_are_told() -> None:
    parsed, _ = parse_mail(
        multipart("mixed", "Content-Type: message/external-body; access-type=URL\r\n\r\nContent-Type: a/b\r\n")
    )
    assert "a part of the mail lies elsewhere and was not fetched" in parsed.problems


def test_a_report_in_words_names_who_was_not_reached() -> None:
    body = "Sorry.\r\n\r\n------ headers ------\r\nMessage-ID: <token@home.example>\r\n"
    parsed, _ = parse_mail(mail(body=body, X_Failed_Recipients="Anna@Friends.example"))
    assert [(one.action, one.recipient, one.message_id) for one in parsed.reports] == [
        ("failed", "anna@friends.example", "<token@home.example>")
    ]


@pytest.mark.parametrize(
    ("name", "harmless"),
    [
        ("C:\\Users\\x\\r.doc", "r.doc"),
        ("Invoice 3/2026.pdf", "Invoice 3_2026.pdf"),
        ("/etc/passwd", "passwd"),
        ("nul .txt", "_nul .txt"),
        ("a\u202ecod.exe", "acod.exe"),
        ("...", ""),
        ("日本.pdf", "日本.pdf"),
    ],
)
def test_a_name_is_made_harmless(name: str, harmless: str) -> None:
    assert harmless_name(name) == harmless
    assert len(harmless_name("ä" * 500 + ".pdf").encode()) <= 240


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no container",
        bytes.fromhex("789f3e220100") + (b"\x01\x0c\x80\x00\x00" + bytes(6)) * 5_000,
        bytes.fromhex("789f3e220100") + b"\x01\x03\x90\x06\x00" + (20).to_bytes(4, "little")
        + (1).to_bytes(4, "little") + b"\x02\x10\x01\x00" + b"\xff" * 12 + bytes(30),
    ],
    ids=["empty", "none", "thousands of objects", "a count that is not true"],
)  # fmt: skip
def test_a_container_that_is_damaged_is_refused_in_time(data: bytes) -> None:
    with pytest.raises(ValueError, match="it "):
        unpack(data)


def test_what_is_read_can_be_kept() -> None:
    for raw in (b"", b"\r\n", b"\x00" * 100, b"From: \xff\xfe\r\n\r\n\xff\x00", b":" * 1000):
        parsed, _ = parse_mail(raw)
        json.dumps([parsed.subject, parsed.text], ensure_ascii=False).encode()
        assert parsed.problems
