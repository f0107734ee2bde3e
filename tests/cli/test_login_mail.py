"""`butler login mail` tries a password or a consent on both servers before it is sealed."""
# ruff: noqa: ASYNC240 - a test may wait for a small file

import json
import threading
import webbrowser
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import requests

from butler.vault import open_vault
from butler_demo.gmail.oauth import PUBLIC_CLIENT_ID
from butler_demo.gmail.server import GmailServer
from config.load import load
from tests.cli.conftest import ADDRESS, PASSWORD

SCOPES = ["https://outlook.office.com/IMAP.AccessAsUser.All", "https://outlook.office.com/SMTP.Send", "offline_access"]


def write(mail, lines: str = "", emails: str = ADDRESS) -> Path:
    config = Path("butler.toml")
    config.write_text(
        f"""[owner]
emails = ["{emails}"]
[modules.email.user]
provider = "smtp_imap"
imap = "{mail.imaps_url}"
smtp = "{mail.smtp_starttls_url}"
tls_ca = "{mail.ca_file}"
{lines}
"""
    )
    return config


def sealed(name: str) -> str:
    return open_vault(load(Path("butler.toml"))).get(name)


def typed(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)


async def test_a_password_that_both_servers_take_is_sealed(butler, mail):
    write(mail)
    result = await butler("login", "mail", typed=typed(ADDRESS, PASSWORD))
    assert result.exit_code == 0, result.output
    assert (sealed("USER_EMAIL_ADDRESS"), sealed("USER_EMAIL_PASSWORD")) == (ADDRESS, PASSWORD)
    assert PASSWORD not in result.output


async def test_a_wrong_password_is_asked_for_again_and_after_three_nothing_is_kept(butler, mail):
    write(mail)
    result = await butler("login", "mail", typed=typed(ADDRESS, "wrong", PASSWORD))
    assert result.exit_code == 0, result.output
    assert "Not yet: " in result.stdout
    result = await butler("login", "mail", typed=typed("one", "two", "three"))
    assert result.exit_code == 1
    assert sealed("USER_EMAIL_PASSWORD") == PASSWORD


async def test_an_address_that_is_set_elsewhere_is_not_asked_for_and_stays_there(butler, mail):
    write(mail)
    result = await butler("login", "mail", typed=typed(PASSWORD), USER_EMAIL_ADDRESS=ADDRESS)
    assert result.exit_code == 0, result.output
    assert (sealed("USER_EMAIL_ADDRESS"), sealed("USER_EMAIL_PASSWORD")) == ("", PASSWORD)


async def test_somebody_elses_mailbox_is_not_signed_in_to(butler, mail):
    write(mail, emails="me@home.example")
    result = await butler("login", "mail", typed=typed(ADDRESS, "n"))
    assert result.exit_code == 1
    assert sealed("USER_EMAIL_PASSWORD") == ""


async def test_the_butlers_own_mailbox_is_never_taken_for_the_persons(butler, mail):
    write(mail, emails=ADDRESS)
    result = await butler("login", "mail", typed=typed(ADDRESS), BUTLER_EMAIL_ADDRESS=ADDRESS.upper())
    assert result.exit_code == 1
    assert "is the butler's own mailbox, and the two are never mixed" in result.stderr
    assert sealed("USER_EMAIL_PASSWORD") == ""


async def test_without_its_section_it_says_what_to_write(butler):
    Path("butler.toml").write_text("")
    result = await butler("login", "mail")
    assert result.exit_code == 1
    assert 'write [modules.email.user] with provider = "smtp_imap"' in result.stderr


async def test_gmail_is_told_its_own_command(butler):
    Path("butler.toml").write_text("[modules.email.user]\n")
    result = await butler("login", "mail")
    assert (result.exit_code, "run `butler login gmail`" in result.stderr) == (1, True)


@pytest.fixture
async def authority(monkeypatch: pytest.MonkeyPatch, mail) -> AsyncIterator[GmailServer]:
    """An authority for the mail server, which takes its access tokens, and a browser that visits it."""
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")
    server = GmailServer()
    await server.start()

    def takes(address: str, token: str):
        access = server.authority.check(token, server._now())
        return mail._store.account(address) if access and access.address == address else None

    monkeypatch.setattr(mail._store, "check_token", takes)
    for name in ("SSH_CONNECTION", "SSH_TTY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(webbrowser, "get", lambda: None)
    yield server
    await server.stop()


@pytest.fixture
def outlook(authority: GmailServer, mail, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Settings for a server that wants a consent; the pages that the browser was sent to."""
    write(
        mail,
        f"""auth = "xoauth2"
client_id = "{PUBLIC_CLIENT_ID}"
authorize_url = "{authority.url}o/oauth2/v2/auth"
token_url = "{authority.url}token"
""",
    )
    pages: list[str] = []

    def visit(page: str) -> bool:
        pages.append(page)
        threading.Thread(target=requests.get, args=(page,), kwargs={"timeout": 10}).start()
        return True

    monkeypatch.setattr(webbrowser, "open", visit)
    return pages


async def test_a_consent_is_tried_on_both_servers_and_sealed(butler, authority, outlook):
    authority.decide(ADDRESS)
    result = await butler("login", "mail", typed=typed(ADDRESS))
    assert result.exit_code == 0, result.output
    kept = json.loads(sealed("USER_EMAIL_PASSWORD"))
    assert (kept["account"], set(kept["scopes"])) == (ADDRESS, set(SCOPES))
    query = parse_qs(urlsplit(outlook[0]).query)
    assert query["redirect_uri"][0].startswith("http://localhost:"), "as Microsoft wants it"
    assert set(query["scope"][0].split()) == set(SCOPES)


async def test_a_refresh_token_that_is_replaced_while_it_is_tried_is_the_one_that_is_kept(butler, authority, outlook):
    authority.authority.rotates = True
    authority.decide(ADDRESS)
    result = await butler("login", "mail", typed=typed(ADDRESS))
    assert result.exit_code == 0, result.output
    assert json.loads(sealed("USER_EMAIL_PASSWORD"))["refresh_token"] in authority.authority._grants


async def test_a_consent_of_another_account_than_the_mailbox_is_not_kept(butler, authority, outlook):
    authority.decide("somebody@else.example")
    result = await butler("login", "mail", typed=typed(ADDRESS))
    assert result.exit_code == 1
    assert sealed("USER_EMAIL_PASSWORD") == ""


async def test_a_right_that_was_left_out_is_noticed(butler, authority, outlook):
    authority.decide(ADDRESS, SCOPES[:1] + SCOPES[2:])
    result = await butler("login", "mail", typed=typed(ADDRESS))
    assert result.exit_code == 1
    assert "you left out https://outlook.office.com/SMTP.Send" in result.stderr
