"""What the page shows of a mail."""

import pytest

ME = "me@home.example"


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"Content-Type: text/html\n\n<style>p {}</style><p>Five &euro;</p>", "Five €"),
        (b"Content-Type: text/plain; charset=klingon\n\nCaf\xc3\xa9", "Café"),
        (b"Content-Type: text/plain; charset=iso-8859-1\n\nCaf\xe9", "Café"),
    ],
)
def test_the_page_gets_readable_text(server, raw, text):
    assert server.deliver(ME, raw).content.text.strip() == text


@pytest.mark.parametrize(
    ("header", "subject"),
    [
        (b"=?utf-8?q?Gr=C3=BC=C3=9Fe?=", "Grüße"),
        (b"Gr\xc3\xbc\xc3\x9fe", "Grüße"),
        (b"=?klingon?q?Qapla?=", "=?klingon?q?Qapla?="),
        (b"one\n two", "one two"),
    ],
)
def test_the_page_gets_a_readable_subject(server, header, subject):
    assert server.deliver(ME, b"Subject: " + header + b"\n\nHi").content.subject == subject
