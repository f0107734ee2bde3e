"""Every mail of the corpus of odd mails is read, within its limits, and gives what its index expects."""

import json
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from modules.email.parsing.parsed import ParsedMail
from modules.email.parsing.parser import parse_mail
from modules.email.parsing.reader import MailReader
from tests.support.corpora import MAILS, rows

INDEX = rows(MAILS / "index.jsonl")
LONGEST_S, LARGEST_MB = 5, 400


def of(*categories: str) -> list[Any]:
    return [pytest.param(entry, id=Path(entry["file"]).stem) for entry in INDEX if entry["category"] in categories]


def read(entry: Mapping[str, Any]) -> ParsedMail:
    return parse_mail((MAILS / entry["file"]).read_bytes())[0]


async def test_each_of_them_is_read_in_the_child_in_time_and_memory() -> None:
    reader = MailReader()
    for entry in INDEX:
        began = time.monotonic()
        found = await reader.read((MAILS / entry["file"]).read_bytes())
        assert time.monotonic() - began < LONGEST_S, entry["file"]
        assert not found.unreadable, entry["file"]
        assert not any("could not be read (" in problem for problem in found.mail.problems), entry["file"]
        json.dumps([found.mail.text, found.mail.subject], ensure_ascii=False).encode()
    processes = [child._process for child in reader._children if child._process is not None]
    peaks = [peak_mb(process.pid) for process in processes]
    await reader.stop()
    assert peaks
    assert max(peaks) < LARGEST_MB


def peak_mb(pid: int | str) -> int:
    """The most memory that a process had, without what it had of its parent's before it became what it is."""
    return int(re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())[1]) // 1024


@pytest.mark.parametrize("entry", of("charset", "malformed"))
def test_text_and_subject_are_as_they_were_written(entry: Mapping[str, Any]) -> None:
    mail, expected = read(entry), entry["expect"]
    if "subject" in expected:
        assert (mail.subject, mail.text) == (expected["subject"], expected["body"])
    assert mail.text or mail.attachments or mail.problems


def test_utf_8_that_is_called_latin_1_is_read_as_what_it_is() -> None:
    mail, _ = parse_mail((MAILS / "msg" / "cs_mislabelled_latin1_is_utf8.eml").read_bytes())
    assert (mail.subject, mail.text) == ("Grüße", "Grüße aus Köln")


@pytest.mark.parametrize("entry", of("attachment_name"))
def test_a_files_name_is_harmless_and_says_what_the_file_is(entry: Mapping[str, Any]) -> None:
    (file,) = read(entry).attachments
    assert file.name.isprintable()
    assert not re.search(r"[/\\\r\n\u202a-\u202e\u2066-\u2069]|^\.|^CON\b", file.name)
    if true_extension := entry["expect"].get("true_ext"):
        assert file.name == f"reportfdp.{true_extension}"
    if entry["expect"].get("path_traversal"):
        assert file.name in {"ssh_authorized_keys", "secrets.db"}


@pytest.mark.parametrize("entry", of("html"))
def test_what_is_shown_is_told_from_where_it_leads(entry: Mapping[str, Any]) -> None:
    mail = read(entry)
    if entry["expect"].get("alternatives_differ"):
        assert "its plain and its rich form say different things; the plain one is shown" in mail.problems
    if entry["expect"].get("link_spoof"):
        assert "https://www.bank.example/login <https://evil.example/login>" in mail.text
        assert {link.target for link in mail.links} >= {"https://evil.example/login", "javascript:alert(1)"}


@pytest.mark.parametrize("entry", of("spoof"))
def test_nobody_else_is_taken_for_the_owner_by_how_an_address_is_written(entry: Mapping[str, Any]) -> None:
    sender = read(entry).sender
    assert sender is not None
    assert sender.address != "owner@home.example"


@pytest.mark.parametrize("entry", of("hostile"))
def test_a_bomb_is_read_in_time_and_says_what_was_left_out(entry: Mapping[str, Any]) -> None:
    began = time.process_time()
    mail = read(entry)
    assert time.process_time() - began < entry["expect"].get("must_finish_ms", LONGEST_S * 1000) / 1000
    assert any("left out" in problem or "was cut" in problem for problem in mail.problems)


@pytest.mark.parametrize(
    ("name", "file"),
    [("tnef_one-file", "AUTHORS"), ("tnef_unicode-mapi-attr", "example.dat"), ("tnef_garbage-at-end", "winmail.dat")],
)
def test_im_29_what_is_packed_in_winmail_dat_is_unpacked_or_named(name: str, file: str) -> None:
    mail, files = parse_mail((MAILS / "msg" / f"{name}.eml").read_bytes())
    assert [one.name for one in mail.attachments] == [file]
    assert files[0]
    assert (file == "winmail.dat") == any("winmail.dat" in problem for problem in mail.problems)


@pytest.mark.parametrize("entry", of("dsn"))
def test_a_report_names_who_was_not_reached_and_the_mail_at_issue(entry: Mapping[str, Any]) -> None:
    mail = read(entry)
    raw = (MAILS / entry["file"]).read_text("latin-1")
    if re.search(r"^Final-Recipient:.*@", raw, re.MULTILINE | re.IGNORECASE):
        assert mail.reports, mail
        assert all("@" in report.recipient and report.action in {"failed", "delayed"} for report in mail.reports)
        assert all(report.message_id or "mimekit_delivery-status2" in entry["file"] for report in mail.reports)
    assert mail.forwarded is None or not mail.forwarded.attached


@pytest.mark.parametrize("entry", of("invite"))
def test_an_invite_is_read(entry: Mapping[str, Any]) -> None:
    event = read(entry).event
    assert event is not None
    assert event.method == entry["expect"]["ical_method"]
    assert event.uid


@pytest.mark.parametrize("entry", of("mime"))
def test_a_mail_of_any_form_gives_something_or_says_why_not(entry: Mapping[str, Any]) -> None:
    mail = read(entry)
    assert mail.text or mail.attachments or mail.problems


@pytest.mark.nightly
def test_a_large_mail_is_read_within_the_memory_of_the_child() -> None:
    program = (
        "import base64, os, re, sys\n"
        "from modules.email.parsing.parser import bound, parse_mail\n"
        "bound()\n"
        "file = base64.encodebytes(os.urandom(21_000_000)).replace(b'\\n', b'\\r\\n')\n"
        "head = b'From: a@b.example\\r\\nSubject: x\\r\\nContent-Type: multipart/mixed; boundary=b\\r\\n\\r\\n'\n"
        "part = b'--b\\r\\nContent-Type: a/pdf; name=x.pdf\\r\\nContent-Transfer-Encoding: base64%s\\r\\n\\r\\n'\n"
        "raw = head + part % sys.argv[1].encode() + file + b'--b--\\r\\n'\n"
        "del file\n"
        "mail, files = parse_mail(raw)\n"
        "assert len(files[0]) == 21_000_000, mail.problems\n"
        "print(int(re.search(r'VmHWM:\\s+(\\d+) kB', open('/proc/self/status').read())[1]) // 1024)\n"
    )
    for kind in ("", ";"):  # regular, and one for the standard library
        done = subprocess.run([sys.executable, "-c", program, kind], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert int(done.stdout) < LARGEST_MB
