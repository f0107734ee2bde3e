"""`butler mail inspect`: what the butler makes of a mail and why, with nothing set up and nobody asked."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Butler
from tests.support.corpora import MAILS, SIGNED_MAILS

FORWARD = b"""From: Robin <me@home.example>\r
To: butler@home.example\r
Subject: Fwd: Dinner\r
Date: Fri, 06 Nov 2026 10:00:00 +0000\r
Message-ID: <one@home.example>\r
Content-Type: text/plain; charset=utf-8\r
\r
When is the dinner?\r
\r
---------- Forwarded message ---------\r
From: Anna <anna@friends.example>\r
Date: Thu, 26 Nov 2026 at 10:00\r
Subject: Dinner\r
To: <me@home.example>\r
\r
At eight, at Rosa's.\r
"""
SHAPE = {
    "file",
    "from",
    "subject",
    "date",
    "text",
    "words",
    "forwarded",
    "attachments",
    "category",
    "answerable",
    "command_authority",
    "reason",
    "problems",
}
NO_DNS = '{"txt": {}}'


@pytest.fixture
def dns(tmp_path: Path) -> Path:
    """Records of nobody, so that no name server is asked."""
    path = tmp_path / "dns.json"
    path.write_text(NO_DNS)
    return path


@pytest.fixture
def mail(tmp_path: Path) -> Path:
    path = tmp_path / "forward.eml"
    path.write_bytes(FORWARD)
    return path


def lines(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


def index(folder: Path) -> Mapping[str, dict[str, Any]]:
    rows = (json.loads(line) for line in (folder / "index.jsonl").read_text(encoding="utf-8").splitlines())
    return {str(folder / row["file"]): row for row in rows}


async def test_each_file_is_one_object_of_a_fixed_shape(butler: Butler, mail: Path, dns: Path):
    result = await butler("mail", "inspect", mail, mail, "--json", "--dns", dns)
    assert result.exit_code == 0, result.output
    told, _ = lines(result.stdout)
    assert set(told) >= SHAPE
    assert told["file"] == str(mail)
    assert told["from"] == "me@home.example"
    assert told["words"] == "When is the dinner?"
    assert told["forwarded"]["from"] == "anna@friends.example"
    assert told["forwarded"]["subject"] == "Dinner"
    assert "At eight" in told["forwarded"]["text"]
    assert told["category"] == "forward"
    assert told["attachments"] == []


async def test_without_an_address_of_the_owners_it_says_what_is_missing(butler: Butler, mail: Path, dns: Path):
    (told,) = lines((await butler("mail", "inspect", mail, "--json", "--dns", dns)).stdout)
    assert told["command_authority"] is False
    assert "--owner" in told["reason"]
    options = ("--owner", "me@home.example", "--butler", "butler@home.example", "--now", "2026-11-06T10:05")
    (told,) = lines((await butler("mail", "inspect", mail, "--json", "--dns", dns, *options)).stdout)
    assert told["command_authority"] is False
    assert told["reason"] == "it has no signature of home.example"


async def test_owner_and_butler_are_those_of_the_settings(butler: Butler, mail: Path, dns: Path, tmp_path: Path):
    (tmp_path / "butler.toml").write_text(
        '[owner]\nemails = ["Me@home.example"]\n'
        '[modules.email.bot]\nimap = "imaps://mail.home.example"\nsmtp = "smtps://mail.home.example"\n'
    )
    told = lines((await butler("mail", "inspect", mail, "--json", "--dns", dns)).stdout)[0]
    assert "the butler's address is not known" in told["reason"]
    secret = {"BUTLER_EMAIL_ADDRESS": "butler@home.example"}
    told = lines((await butler("mail", "inspect", mail, "--json", "--dns", dns, **secret)).stdout)[0]
    assert told["reason"] == "it was not written within the last two days"


async def test_a_person_is_shown_who_what_whose_words_and_why(butler: Butler, mail: Path, dns: Path):
    owner = ("--owner", "me@home.example", "--butler", "butler@home.example", "--now", "2026-11-06T10:05")
    shown = (await butler("mail", "inspect", mail, "--dns", dns, *owner)).stdout
    for said in ("Robin <me@home.example>", "Their words", "When is the dinner?", "Anna <anna@friends.example>"):
        assert said in shown
    assert "no: it has no signature of home.example" in shown
    assert "What I would do" in shown


async def test_what_a_mail_says_cannot_steer_the_terminal(butler: Butler, dns: Path, tmp_path: Path):
    path = tmp_path / "rude.eml"
    path.write_bytes(FORWARD.replace(b"When is the dinner?", b"\x1b[2Jnothing [bold]here[/bold] \xe2\x80\xae"))
    shown = (await butler("mail", "inspect", path, "--dns", dns)).stdout
    assert "\x1b" not in shown
    assert "[bold]here[/bold]" in shown
    assert "[U+202E]" in shown


@pytest.mark.parametrize(
    ("dns_text", "said"), [("[]", "no JSON object"), ("{", "no JSON object"), (None, "cannot be read")]
)
async def test_records_that_are_none_are_told_in_one_sentence(
    butler: Butler, mail: Path, tmp_path: Path, dns_text: str | None, said: str
):
    path = tmp_path / "records.json"
    if dns_text is not None:
        path.write_text(dns_text)
    result = await butler("mail", "inspect", mail, "--dns", path)
    assert result.exit_code == 1
    assert said in result.stderr
    assert result.stderr.count("\n") == 1


async def test_a_file_that_is_not_there_is_told(butler: Butler, dns: Path):
    result = await butler("mail", "inspect", "nothing.eml", "--dns", dns)
    assert result.exit_code == 1
    assert "nothing.eml cannot be read" in result.stderr


async def test_a_name_server_that_does_not_answer_proves_nothing(butler: Butler, monkeypatch: pytest.MonkeyPatch):
    from modules.email.authentication.dns_txt import DnsUnavailableError  # noqa: PLC0415

    def silent(name: str) -> bytes | None:
        raise DnsUnavailableError(name)

    monkeypatch.setattr("modules.email.authentication.dns_txt.lookup_txt", silent)
    signed = SIGNED_MAILS / "msg" / "ok_ed25519_only.eml"
    options = ("--owner", "owner@home.example", "--butler", "butler@inbox.example", "--now", "2025-06-06T12:05:00Z")
    (told,) = lines((await butler("mail", "inspect", signed, "--json", *options)).stdout)
    assert told["command_authority"] is False


async def test_every_vector_of_the_corpus_commands_only_where_it_may(butler: Butler):
    expected = index(SIGNED_MAILS)
    result = await butler("mail", "inspect", *map(Path, expected), "--json", "--dns", SIGNED_MAILS / "dns.json")
    found = {told["file"]: told for told in lines(result.stdout)}
    settled = {file: row for file, row in expected.items() if row["command_authority"] is not None}
    wrong = [
        (file, found[file]["reason"])
        for file, row in settled.items()
        if found[file]["command_authority"] is not row["command_authority"]
    ]
    assert len(found) == len(expected) == 17
    assert wrong == []


async def test_every_mail_of_the_corpus_is_told_of(butler: Butler, dns: Path):
    expected = index(MAILS)
    result = await butler("mail", "inspect", *map(Path, expected), "--json", "--dns", dns)
    assert result.exit_code == 0, result.output
    found = {told["file"]: told for told in lines(result.stdout)}
    assert set(found) == set(expected)
    assert all(set(told) >= SHAPE for told in found.values())


async def test_what_the_butler_would_offer_is_told(butler: Butler, dns: Path, tmp_path: Path):
    path = tmp_path / "invoice.eml"
    owner = ("--owner", "me@home.example", "--butler", "butler@home.example", "--now", "2026-11-06T10:05")
    bill = FORWARD.replace(b"When is the dinner?\r\n", b"").replace(
        b"At eight, at Rosa's.", b"Invoice 2291 over 84.20 EUR is payable by 20 November 2026."
    )
    path.write_bytes(bill.replace(b"Subject: Dinner", b"Subject: Your invoice 2291"))
    shown = (await butler("mail", "inspect", path, "--dns", dns, *owner)).stdout
    assert "about invoice" in shown
    assert "[Remind me" in shown
