"""`butler doctor` on credentials and accounts: where they lie, whose they are, when they end, what servers can do."""
# ruff: noqa: ASYNC240 - a test may wait for a small file

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from aiohttp import web

from butler.cli.doctor.checks import check_channels
from butler.vault import open_vault
from butler_demo.gmail.oauth import CLIENT_ID, CLIENT_SECRET
from butler_demo.gmail.server import GmailServer
from butler_demo.serving import Port
from config.load import load
from config.settings import WebSettings
from modules._accounts.oauth import Consent
from modules.email.checks import abilities, scopes_check, top_stamp
from tests.cli.conftest import ADDRESS, PASSWORD, TOKEN
from tests.cli.test_doctor import lines, write_secrets

ME = "me@home.example"
MODIFY, LABELS = (f"https://www.googleapis.com/auth/gmail.{name}" for name in ("modify", "labels"))
NAME = "USER_EMAIL_OAUTH_JSON"


@pytest.fixture
async def google() -> AsyncIterator[GmailServer]:
    server = GmailServer()
    server.add_account(ME, "Me")
    await server.start()
    yield server
    await server.stop()


@pytest.fixture
def config(telegram) -> Path:
    config = Path("butler.toml")
    config.write_text(f'[web]\nport = 0\n[modules.telegram.bot]\napi_base_url = "{telegram.url}"\n')
    write_secrets(f"BUTLER_TELEGRAM_TOKEN={TOKEN}\n")
    Path("data").mkdir(mode=0o700)
    return config


@pytest.fixture
def gmail(config: Path, google: GmailServer) -> Path:
    config.write_text(f'{config.read_text()}[modules.email.user]\napi_root = "{google.url}"\n')
    return config


def seal(name: str, value: str) -> None:
    open_vault(load(Path("butler.toml"))).put(name, value)


def consent(google: GmailServer, *, days_old: float = 0, scopes: tuple[str, ...] = (MODIFY,)) -> None:
    """Seal a consent that was given some days ago."""
    at = datetime.now(UTC) - timedelta(days=days_old)
    kept = Consent(
        client_id=CLIENT_ID,
        client_secret=CLIENT_SECRET,
        refresh_token=google.authority.grant(ME, scopes, at),
        token_uri=f"{google.url}token",
        account=ME,
        consented_at=at,
        ends_at=at + timedelta(days=7) if google.authority.testing else None,
    )
    seal(NAME, kept.text())


async def test_where_each_credential_lies_is_told(butler, config):
    seal("USER_TELEGRAM_SESSION", "1BVtsOK4Bu-secret")
    config.write_text(f"{config.read_text()}[modules.telegram.user]\napi_id = 1\n")
    found = await lines(butler)
    assert found["Credentials"]["detail"] == (
        "in the secrets file: BUTLER_TELEGRAM_TOKEN; sealed: USER_TELEGRAM_SESSION"
    )
    assert found["Sealed credentials"]["detail"].startswith("USER_TELEGRAM_SESSION in ")
    assert found["Key"]["detail"].endswith("butler.key is yours only")
    assert "1BVtsOK4Bu" not in json.dumps(found)


async def test_nothing_sealed_yet_is_no_fault(butler, config):
    found = await lines(butler)
    assert found["Sealed credentials"]["detail"] == "none yet; `butler login` seals what it makes"
    assert "Key" not in found


async def test_a_credential_that_is_set_in_two_places_is_told(butler, config):
    seal("BUTLER_TELEGRAM_TOKEN", "another")
    found = await lines(butler)
    assert "BUTLER_TELEGRAM_TOKEN is sealed, and the secrets file sets it, too" in found["Credentials"]["detail"]
    assert not found["Credentials"]["ok"]


async def test_a_missing_key_and_one_that_does_not_fit_are_told(butler, config):
    seal("USER_TELEGRAM_SESSION", "a session")
    key = Path("butler.key").read_text()
    Path("butler.key").unlink()
    found = await lines(butler)
    assert "is missing" in found["Key"]["detail"]
    assert "its key is missing" in found["Sealed credentials"]["detail"]
    Path("butler.key").write_text(key.replace(key[-10:-5], "AAAAA"))
    Path("butler.key").chmod(0o600)
    assert "not the one that it was sealed with" in (await lines(butler))["Sealed credentials"]["detail"]


async def test_a_key_that_others_may_read_is_told_with_both_steps(butler, config):
    seal("USER_TELEGRAM_SESSION", "a session")
    Path("butler.key").chmod(0o644)
    found = await lines(butler)
    assert found["Key"]["todo"].endswith("butler.key`, then `butler login rekey`.")


async def test_a_consent_is_told_with_whose_it_is_and_what_it_allows(butler, gmail, google):
    consent(google, days_old=30)
    found = await lines(butler)
    assert found["your Gmail: consent"]["detail"].startswith(f"{ME}; given on ")
    assert found["your Gmail: consent"]["detail"].endswith("lasts until you take it back")
    assert found["your Gmail: scopes"]["detail"] == "gmail.modify"
    assert found["Clock, by Google"]["ok"]


async def test_a_consent_in_testing_mode_is_told_with_its_end_and_afterwards_with_the_reason(butler, gmail, google):
    google.authority.testing = True
    consent(google, days_old=2)
    ends = datetime.now(UTC) + timedelta(days=5)
    line = (await lines(butler))["your Gmail: consent"]
    assert f"to a project in testing mode; ends on {ends:%d %B %Y}" in line["detail"]
    assert "Publish the project" in line["todo"]
    consent(google, days_old=7.5)
    line = (await lines(butler))["your Gmail: consent"]
    assert (line["ok"], "of 7 days ago" in line["detail"], "testing mode" in line["detail"]) == (False, True, True)


async def test_scopes_that_are_missing_and_too_many_are_told(butler, gmail, google):
    consent(google, scopes=(LABELS,))
    line = (await lines(butler))["your Gmail: scopes"]
    assert (line["ok"], line["detail"]) == (False, "missing: gmail.modify")
    consent(google, scopes=(LABELS, MODIFY))
    line = (await lines(butler))["your Gmail: scopes"]
    assert (line["ok"], line["detail"]) == (True, "more than needed: gmail.labels")
    assert "it asks for the least" in line["todo"]


def test_a_provider_that_tells_no_scopes_is_believed():
    assert scopes_check("x", (), (MODIFY,), "butler login mail").ok


@pytest.fixture
def mailbox(config: Path, mail) -> Path:
    config.write_text(
        f"""{config.read_text()}[modules.email.bot]
imap = "{mail.imaps_url}"
smtp = "{mail.smtp_starttls_url}"
tls_ca = "{mail.ca_file}"
authserv_id = "mx.home.example"
"""
    )
    write_secrets(f"BUTLER_TELEGRAM_TOKEN={TOKEN}\nBUTLER_EMAIL_ADDRESS={ADDRESS}\nBUTLER_EMAIL_PASSWORD={PASSWORD}\n")
    return config


def stamped(by: str) -> bytes:
    return f"Authentication-Results: {by}; dkim=none\r\nSubject: x\r\n\r\nx\r\n".encode()


STAMPS = "the butler's mailbox: Authentication-Results"


async def test_a_server_that_stamps_under_the_believed_name_is_in_order(butler, mailbox, mail):
    assert (await lines(butler))[STAMPS]["detail"] == "no mail yet to look at"
    for by in ("mx.home.example", "mx.home.example", "mx.other.example"):
        mail.put(ADDRESS, stamped(by))
    assert (await lines(butler))[STAMPS]["detail"] == "mx.home.example stamps mails (2 of the newest 3 mails)"


async def test_a_server_that_stamps_under_another_name_is_told_with_the_setting(butler, mailbox, mail):
    mail.put(ADDRESS, stamped("mx.real.example"))
    line = (await lines(butler))[STAMPS]
    assert line["detail"] == "mx.home.example has stamped none of the newest mail; mx.real.example stamps them"
    assert (line["ok"], 'set authserv_id = "mx.real.example"' in line["todo"]) == (False, True)


async def test_a_server_that_stamps_nothing_is_told(butler, mailbox, mail):
    mail.put(ADDRESS, b"Subject: x\r\n\r\nx\r\n")
    line = (await lines(butler))[STAMPS]
    assert (line["ok"], 'authserv_id = ""' in line["todo"]) == (False, True)


async def test_without_a_name_nobody_is_believed_and_who_stamps_is_proposed(butler, mailbox, mail):
    mailbox.write_text(mailbox.read_text().replace('authserv_id = "mx.home.example"\n', ""))
    mail.put(ADDRESS, stamped("mx.real.example 1"))
    line = (await lines(butler))[STAMPS]
    assert (line["ok"], "signatures are checked here" in line["detail"]) == (True, True)
    assert 'set authserv_id = "mx.real.example"' in line["todo"]


@pytest.mark.parametrize(
    ("header", "stamp"),
    [
        (b"Authentication-Results: MX.Home.Example 1; none\r\n\r\n", "mx.home.example"),
        (b"Authentication-Results: one;\r\nAuthentication-Results: two;\r\n\r\n", "one"),
        (b"Authentication-Results:\r\n mx.home.example;\r\n spf=pass\r\n\r\n", "mx.home.example"),
        (b"Authentication-Results:\r\n\r\n", ""),
        (b"Subject: x\r\n\r\n", ""),
        (b"\xff\xfe\x00", ""),
    ],
)
def test_the_stamp_on_top_is_the_one_that_counts(header, stamp):
    assert top_stamp(header) == stamp


async def test_what_the_mail_server_can_do_is_listed(butler, mailbox):
    line = (await lines(butler))["the butler's mailbox: abilities"]
    assert line["detail"] == "IDLE, MOVE, UIDPLUS; without CONDSTORE every look compares all flags"


def test_a_server_that_can_do_nothing_is_no_fault():
    line = abilities("x", [])
    assert (line.ok, line.detail.startswith("without IDLE new mail")) == (True, True)


@pytest.fixture
async def daemon() -> AsyncIterator[tuple[WebSettings, dict]]:
    """A daemon's web port, and what `/healthz` says there."""
    said: dict = {"telegram.bot": {"alive": True, "detail": ""}}

    async def healthz(_request: web.Request) -> web.Response:
        return web.json_response({"channels": said})

    app = web.Application()
    app.router.add_get("/healthz", healthz)
    port = Port()
    await port.open(app)
    yield WebSettings(port=int(port.root.rpartition(":")[2])), said
    await port.close()


async def test_what_the_running_daemon_says_of_its_channels_is_told(daemon):
    settings, said = daemon
    assert (await check_channels(settings)).detail == "alive: the butler's Telegram"
    said["telegram.user"] = {"alive": False, "detail": "another program uses the session"}
    said["email.bot"] = {"alive": False, "detail": ""}
    result = await check_channels(settings)
    assert not result.ok
    assert result.detail == "your Telegram: another program uses the session; the butler's mail: no round trip of late"


async def test_a_daemon_that_does_not_answer_is_told(daemon):
    settings, said = daemon
    said["telegram.bot"] = {}
    assert (await check_channels(settings)).detail == "the daemon does not answer on its web port"
