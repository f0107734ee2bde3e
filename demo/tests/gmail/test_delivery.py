"""What the demo itself puts into the stand-in and reads from it."""

import pytest

from butler_demo.gmail.records import EventKind
from butler_demo.gmail.server import GmailServer
from butler_demo.google.service import UnknownAccountError

ME = "me@home.example"


def test_mail_for_an_address_without_account_is_refused(server, mail):
    with pytest.raises(UnknownAccountError, match="no account has the address nobody"):
        server.deliver("nobody@home.example", mail())


def test_an_address_has_one_account(server):
    with pytest.raises(ValueError, match="has an account already"):
        server.add_account(ME.upper(), "Somebody else")


def test_credentials_need_a_running_server():
    server = GmailServer()
    server.add_account(ME, "Max Home")
    with pytest.raises(RuntimeError, match="start it first"):
        server.credentials_json(ME)


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


def test_listeners_hear_of_changes_until_they_leave(server, mail):
    heard = []
    leave = server.subscribe(lambda event: heard.append((event.kind, event.address, event.message.content.subject)))
    server.deliver(ME, mail(To=ME, Subject="One"))
    leave()
    server.deliver(ME, mail(To=ME, Subject="Two"))
    assert heard == [(EventKind.ADDED, ME, "One")]
