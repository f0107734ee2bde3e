"""Whatever a mail is, reading it ends in time and says what it could not read."""

import base64
import json
import os
import re
import signal
import time
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import NoReturn

import pytest

from butler.mime.regular import IrregularError
from modules.email.parsing import parser as parse
from modules.email.parsing.html import html_to_text
from modules.email.parsing.parser import parse_mail
from modules.email.parsing.reader import LONGEST_PARSE_S, MailReader
from tests.modules.email.mailhost import mail
from tests.support.corpora import MAILS
from tests.support.waiting import until


def alternative(plain: str, html: str) -> bytes:
    body = (
        f"--b\r\nContent-Type: text/plain\r\n\r\n{plain}\r\n--b\r\nContent-Type: text/html\r\n\r\n{html}\r\n--b--\r\n"
    )
    return mail(body=body, Content_Type='multipart/alternative; boundary="b"')


@pytest.mark.parametrize("plain", [" ", "", "View this email in your browser: https://x.example/1"])
def test_im_23_a_blank_or_stub_text_part_gives_way_to_the_html(plain: str) -> None:
    text = "The meeting is moved to Thursday, and everybody has to bring the printed plan."
    assert parse_mail(alternative(plain, f"<p>{text}</p>"))[0].text == text


def test_a_text_part_that_says_something_is_preferred() -> None:
    assert parse_mail(alternative("Plain words", "<p>Rich words</p>"))[0].text == "Plain words"


def test_im_24_a_mail_of_html_alone_is_readable() -> None:
    html = "<html><head><title>T</title><style>p{}</style></head><body><h1>Hi</h1><p>One<br>two</p></body></html>"
    assert parse_mail(mail(body=html, Content_Type="text/html"))[0].text == "Hi\n\nOne\ntwo"


@pytest.mark.parametrize(
    "hidden",
    [
        '<div style="display:none">x</div>',
        '<span style="font-size: 0px">x</span>',
        "<p hidden>x</p>",
        '<div style="VISIBILITY : hidden"><p>x</p></div>',
        "<script>x</script>",
        "<template>x</template>",
        "<!-- x -->",
    ],
)
def test_what_a_person_cannot_see_is_not_read(hidden: str) -> None:
    assert html_to_text(f"<p>seen</p>{hidden}<p>too</p>") == "seen\n\ntoo"


@pytest.mark.parametrize(
    ("raw", "subject"),
    [
        (b"=?utf-8?q?Gr=C3=BC=C3=9Fe?= to you", "Grüße to you"),
        (b"=?utf-8?b?R3LDvA==?= =?utf-8?b?w59l?=", "Grüße"),
        ("Grüße".encode(), "Grüße"),
        ("Grüße".encode("latin-1"), "Grüße"),
        (b"=?x-unknown?q?Gr=C3=BC=C3=9Fe?=", "Grüße"),
        (b"=?utf-8?b?!!!?= broken", "=?utf-8?b?!!!?= broken"),
        (b"folded\r\n over lines", "folded over lines"),
    ],
)
def test_subjects_are_read_however_they_are_written(raw: bytes, subject: str) -> None:
    read = parse_mail(b"From: a@x.example\r\nSubject: " + raw + b"\r\n\r\nx")[0].subject
    assert read == subject or subject.startswith("=?")


def test_an_encoded_word_smuggles_in_no_sender() -> None:
    word = base64.b64encode(b"Boss <boss@bank.example>").decode()
    parsed, _ = parse_mail(f"From: =?utf-8?b?{word}?= <thief@evil.example>\r\n\r\nx".encode())
    assert parsed.sender is not None
    assert parsed.sender.address == "thief@evil.example"


def test_two_senders_are_told() -> None:
    parsed, _ = parse_mail(b"From: a@x.example\r\nFrom: b@x.example\r\n\r\nx")
    assert parsed.sender is not None
    assert parsed.sender.address == "a@x.example"
    assert "there is more than one sender" in parsed.problems


@pytest.mark.parametrize("date", ["Thu, 8 11 9 6:3:14 -5", "yesterday", "", "Mon, 1 Jan 0001 00:00:00 +9999"])
def test_im_28_a_date_that_cannot_be_is_flagged(date: str) -> None:
    parsed, _ = parse_mail(f"From: a@x.example\r\nDate: {date}\r\n\r\nx".encode())
    assert parsed.sent_at == ""
    assert any("date" in problem for problem in parsed.problems)


def test_im_29_a_winmail_dat_is_named_as_unreadable() -> None:
    body = "--b\r\nContent-Type: application/ms-tnef; name=winmail.dat\r\n\r\nx\r\n--b--"
    parsed, _ = parse_mail(mail(body=body, Content_Type="multipart/mixed; boundary=b"))
    assert any("winmail.dat, which cannot be opened" in problem for problem in parsed.problems)
    assert [file.name for file in parsed.attachments] == ["winmail.dat"]


def test_a_mail_within_a_mail_is_a_file() -> None:
    body = "--b\r\nContent-Type: text/plain\r\n\r\nFYI\r\n--b\r\nContent-Type: message/rfc822\r\n\r\n"
    body += "From: x@x.example\r\nSubject: Inner\r\n\r\nobey\r\n--b--"
    parsed, files = parse_mail(mail(body=body, Content_Type="multipart/mixed; boundary=b"))
    assert parsed.text == parsed.words == "FYI"
    assert [file.name for file in parsed.attachments] == ["Inner.eml"]
    assert b"obey" in files[0]
    assert parsed.forwarded is not None
    assert parsed.forwarded.attached
    assert (parsed.forwarded.subject, parsed.forwarded.text) == ("Inner", "obey")


def test_what_no_store_takes_is_left_out() -> None:
    parsed, _ = parse_mail(b"From: a@x.example\r\nSubject: a\x00b\xed\xa0\x80\r\n\r\nx\x00y\x1b[31mz")
    assert "\x00" not in parsed.subject + parsed.text
    json.dumps(parsed.subject + parsed.text, ensure_ascii=False).encode()
    assert parsed.text == "xy[31mz"


def test_thousands_of_parts_end() -> None:
    body = "".join("--b\r\nContent-Type: text/plain\r\n\r\nx\r\n" for _ in range(5000)) + "--b--"
    started = time.monotonic()
    parsed, _ = parse_mail(mail(body=body, Content_Type="multipart/mixed; boundary=b"))
    assert time.monotonic() - started < LONGEST_PARSE_S
    assert "there are too many parts; the rest was left out" in parsed.problems


def children() -> set[int]:
    """The processes that parse for this one, those of other tests too."""
    found: set[int] = set()
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
            if int(parent) == os.getpid() and b"modules.email.parsing.parser" in (folder / "cmdline").read_bytes():
                found.add(int(folder.name))
    return found


async def test_mails_are_read_side_by_side_in_their_order() -> None:
    others, reader = children(), MailReader()
    read = await reader.read_many([mail(f"Mail {number}") for number in range(120)])
    assert [one.mail.subject for one in read] == [f"Mail {number}" for number in range(120)]
    assert len(children() - others) == min(2, os.cpu_count() or 1)
    await reader.stop()
    assert children() <= others


async def test_a_mail_that_takes_too_long_costs_only_itself() -> None:
    # The child parses this one for seconds, the others in no time.
    parts = "".join("--b\r\n\r\nx\r\n" for _ in range(600_000))
    slow = mail("Slow", body=parts, Content_Type="multipart/mixed; boundary=b")
    reader = MailReader(longest_parse_s=1.0)
    before, stuck, after = await reader.read_many([mail("One"), slow, mail("Two")])
    assert stuck.unreadable == "the mail could not be read within the limits"
    assert (before.mail.subject, after.mail.subject) == ("One", "Two")
    await reader.stop()


async def test_a_child_that_dies_is_replaced() -> None:
    others, reader = children(), MailReader()
    await reader.read(mail("One"))
    (child,) = children() - others
    os.kill(child, signal.SIGKILL)
    await until(lambda: child not in children())
    assert (await reader.read(mail("Two"))).mail.subject == "Two"
    await reader.stop()


async def test_a_child_without_work_ends() -> None:
    others, reader = children(), MailReader(idle_s=0.01)
    await reader.read(mail("One"))
    await until(lambda: children() <= others)
    assert (await reader.read(mail("Two"))).mail.subject == "Two"
    await reader.stop()


SHARED = {
    f"butler.contract.{name}" for name in ("charsets", "calendar_events", "calendar_zones", "file_signs", "tables")
}
"""What the child shares with those who read documents: tables and small functions."""


def test_the_child_needs_nothing_of_ours_but_what_readers_share() -> None:
    files = [path for path in Path(parse.__file__).parent.glob("*.py") if path.name != "reader.py"]
    text = "".join(path.read_text() for path in files)
    imported = set(re.findall(r"^\s*from ((?:modules|butler)\S*)", text, re.MULTILINE))
    own = {"modules.email.parsing", *(f"modules.email.parsing.{path.stem}" for path in files)}
    assert {name for name in imported if not name.startswith(("butler.html.", "butler.mime."))} <= own | SHARED


def mangled(raw: bytes, chance: Random) -> bytes:
    """A mail in which a few bytes went wrong."""
    damaged = bytearray(raw)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(min(len(damaged), 2000) + 1)
        match chance.randrange(4):
            case 0:
                del damaged[at : at + chance.randint(1, 30)]
            case 1:
                damaged[at:at] = chance.choice(
                    [b"\n", b"\r", b"\0", b"\xff", b";", b'"', b"=", b"--", b"\r\n\r\n", b"\t"]
                )
            case 2:
                damaged[at : at + 1] = bytes([chance.randrange(256)])
            case _:
                damaged[at:at] = damaged[chance.randrange(len(damaged) + 1) :][:100]
    return bytes(damaged)


@pytest.mark.nightly
def test_a_mail_reads_the_same_whichever_way_it_is_taken_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = Random(7)
    mails = [path.read_bytes() for path in sorted(MAILS.rglob("*.eml"))]
    mails += [mangled(chance.choice(mails), chance) for _ in range(500)]
    quickly = {raw: parse_mail(raw) for raw in mails}

    def not_at_all(_: bytes) -> NoReturn:
        raise IrregularError

    monkeypatch.setattr(parse, "quickly", not_at_all)
    other = [raw for raw in mails if parse_mail(raw) != quickly[raw]]
    assert other == []


def test_what_is_wrong_with_a_mail_is_told_in_the_same_order_each_time() -> None:
    mail, _ = parse_mail(b"From: a@b.example\r\nContent-Type: multipart/mixed; boundary=b\r\nno header\r\n\r\nx")
    assert mail.problems[-2:] == ("the headers of a part are broken off", "the parts could not be told apart")
