"""`butler login calendar` gets a consent to events alone, for the person's own account and nobody else's."""
# ruff: noqa: ASYNC240 - a test may wait for a small file

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import requests

from butler.cli import login_browser
from butler.demo.calendar.server import CalendarServer
from butler.vault import open_vault
from config.load import load

ME, ANNA = "me@home.example", "anna@friends.example"
SCOPES = [
    "https://www.googleapis.com/auth/calendar.calendarlist.readonly",
    "https://www.googleapis.com/auth/calendar.events",
]
NAME = "USER_CALENDAR_OAUTH_JSON"


@pytest.fixture
async def google(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[CalendarServer]:
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")  # the stand-in speaks HTTP, on loopback
    server = CalendarServer()
    for address in (ME, ANNA):
        server.add_account(address, address.partition("@")[0])
    await server.start()
    Path("client.json").write_text(server.client_json())
    config = f'[owner]\nemails = ["{ME}"]\n[modules.calendar.user]\napi_root = "{server.url}"\n'
    Path("butler.toml").write_text(config)
    yield server
    await server.stop()


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """A browser on another machine, whose address bar is pasted."""
    ended: list[str] = []

    def visit(self: login_browser.Pasted, page: str) -> None:
        ended.append(requests.get(page, timeout=10, allow_redirects=False).headers.get("Location", ""))

    monkeypatch.setattr(login_browser.Pasted, "visit", visit)
    monkeypatch.setattr(login_browser.Pasted, "answer", lambda _self: ended[-1])


def sealed(name: str = NAME) -> dict:
    return json.loads(open_vault(load(Path("butler.toml"))).get(name) or "{}")


async def sign_in(butler, *more: str, typed: str = ""):
    return await butler("login", "calendar", "--client", "client.json", "--no-browser", *more, typed=typed)


async def test_the_consent_is_for_events_and_names_alone_and_is_kept_sealed(butler, google):
    google.decide(ME)
    result = await sign_in(butler)
    assert result.exit_code == 0, result.output
    assert f"Signed in to Google Calendar as {ME}." in result.stdout
    kept = sealed()
    assert (kept["account"], sorted(kept["scopes"])) == (ME, SCOPES)
    assert kept["refresh_token"] not in result.output


async def test_a_permission_that_was_left_out_or_an_account_of_somebody_else_keeps_nothing(butler, google):
    google.decide(ME, [SCOPES[0]])
    result = await sign_in(butler)
    assert (result.exit_code, "can do nothing in your" in result.stderr) == (1, True)
    google.decide(ANNA)
    result = await sign_in(butler, typed="n\n")
    assert (result.exit_code, f"{ANNA} is not your account" in result.stderr) == (1, True)
    assert sealed() == {}


async def test_a_further_account_is_added_to_the_settings(butler, google):
    google.decide(ME)
    assert (await sign_in(butler)).exit_code == 0
    Path("butler.toml").write_text(
        Path("butler.toml").read_text() + f'\n[modules.calendar.user.accounts.work]\napi_root = "{google.url}"\n'
    )
    google.decide(ME)
    result = await sign_in(butler, "--account", "work")
    assert result.exit_code == 0, result.output
    assert sealed(f"{NAME}_WORK")["account"] == ME
    missing = await sign_in(butler, "--account", "Wo rk")
    assert (missing.exit_code, "there is no account" in missing.stderr) == (1, True)


async def test_the_first_sign_in_writes_the_section_that_is_missing_and_an_account_may_be_declined(butler, google):
    Path("butler.toml").write_text(f'[owner]\nemails = ["{ME}"]\n')
    refused = await sign_in(butler, "--account", "work")
    assert "sign in to your first account without --account" in refused.stderr
    google.decide(ME, refuses=True)
    assert "you did not allow it" in (await sign_in(butler)).stderr
    Path("butler.toml").write_text(f'[modules.calendar.user]\napi_root = "{google.url}"\n')
    assert "nothing is changed" in (await sign_in(butler, "--account", "work", typed="n\n")).stderr


async def test_without_a_client_it_is_said_how_to_get_one(butler, google):
    result = await butler("login", "calendar", "--no-browser")
    assert "docs/how-to/connect-calendar.md" in result.stderr
