"""`butler login drive` and `login calendar`: no more than is needed, for the person's own account and nobody else's."""
# ruff: noqa: ASYNC240 - a test may wait for a small file

import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import requests

from butler.cli.login import browser as login_browser
from butler.vault import open_vault
from butler_demo.calendar.server import CalendarServer
from butler_demo.drive.server import DriveServer
from config.load import load

ME, ANNA = "me@home.example", "anna@friends.example"
AUTH = "https://www.googleapis.com/auth/"


@dataclass(frozen=True)
class Service:
    """One of Google's, as it is signed in to."""

    name: str
    server: Callable[[], Any]
    scopes: tuple[str, ...]
    too_few: str
    """A permission that does not do."""
    lacks: str
    """What is said then."""

    @property
    def variable(self) -> str:
        return f"USER_{self.name.upper()}_OAUTH_JSON"


SERVICES = (
    Service("drive", DriveServer, ("drive.readonly",), "drive.metadata.readonly", "can read no file of yours"),
    Service(
        *("calendar", CalendarServer, ("calendar.calendarlist.readonly", "calendar.events")),
        too_few="calendar.calendarlist.readonly",
        lacks="can do nothing in your",
    ),
)


@pytest.fixture(params=SERVICES, ids=lambda service: service.name)
def service(request: pytest.FixtureRequest) -> Service:
    return request.param


@pytest.fixture
async def google(monkeypatch: pytest.MonkeyPatch, service: Service) -> AsyncIterator[Any]:
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")  # the stand-in speaks HTTP, on loopback
    server = service.server()
    for address in (ME, ANNA):
        server.add_account(address, address.partition("@")[0])
    await server.start()
    Path("client.json").write_text(server.client_json())
    Path("butler.toml").write_text(f'[owner]\nemails = ["{ME}"]\n{section(service, server)}')
    yield server
    await server.stop()


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """A browser on another machine, whose address bar is pasted."""
    ended: list[str] = []

    def visit(self: login_browser.Pasted, page: str) -> None:
        ended.append(requests.get(page, timeout=60, allow_redirects=False).headers.get("Location", ""))

    monkeypatch.setattr(login_browser.Pasted, "visit", visit)
    monkeypatch.setattr(login_browser.Pasted, "answer", lambda _self: ended[-1])


def section(service: Service, server, under: str = "user") -> str:
    return f'[modules.{service.name}.{under}]\napi_root = "{server.url}"\n'


def sealed(name: str) -> dict:
    return json.loads(open_vault(load(Path("butler.toml"))).get(name) or "{}")


@pytest.fixture
def sign_in(butler, service):
    async def run(*more: str, typed: str = ""):
        return await butler("login", service.name, "--client", "client.json", "--no-browser", *more, typed=typed)

    return run


async def test_the_consent_is_for_no_more_than_is_needed_and_is_kept_sealed(sign_in, google, service):
    google.decide(ME)
    result = await sign_in()
    assert result.exit_code == 0, result.output
    assert f"Signed in to Google {service.name.title()} as {ME}." in result.stdout
    kept = sealed(service.variable)
    assert (kept["account"], sorted(kept["scopes"])) == (ME, [f"{AUTH}{scope}" for scope in service.scopes])
    assert kept["refresh_token"] not in result.output


async def test_a_permission_that_was_left_out_or_an_account_of_somebody_else_keeps_nothing(sign_in, google, service):
    google.decide(ME, [f"{AUTH}{service.too_few}"])
    result = await sign_in()
    assert (result.exit_code, service.lacks in result.stderr) == (1, True)
    google.decide(ANNA)
    result = await sign_in(typed="n\n")
    assert (result.exit_code, f"{ANNA} is not your account" in result.stderr) == (1, True)
    assert sealed(service.variable) == {}


async def test_a_further_account_is_added_to_the_settings(sign_in, google, service):
    google.decide(ME)
    assert (await sign_in()).exit_code == 0
    settings = Path("butler.toml")
    settings.write_text(f"{settings.read_text()}\n{section(service, google, 'user.accounts.work')}")
    google.decide(ME)
    result = await sign_in("--account", "work")
    assert result.exit_code == 0, result.output
    assert sealed(f"{service.variable}_WORK")["account"] == ME
    missing = await sign_in("--account", "Wo rk")
    assert (missing.exit_code, "there is no account" in missing.stderr) == (1, True)


async def test_the_first_sign_in_writes_the_section_that_is_missing_and_an_account_may_be_declined(
    sign_in, google, service
):
    Path("butler.toml").write_text(f'[owner]\nemails = ["{ME}"]\n')
    refused = await sign_in("--account", "work")
    assert "sign in to your first account without --account" in refused.stderr
    google.decide(ME, refuses=True)
    assert "you did not allow it" in (await sign_in()).stderr
    Path("butler.toml").write_text(section(service, google))
    assert "nothing is changed" in (await sign_in("--account", "work", typed="n\n")).stderr


async def test_without_a_client_it_is_said_how_to_get_one(butler, google, service):
    result = await butler("login", service.name, "--no-browser")
    assert f"docs/how-to/connect-{service.name}.md" in result.stderr
