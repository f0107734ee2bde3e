"""`butler login gmail` gets Google's consent in a browser or over a pasted address, and keeps it sealed."""
# ruff: noqa: ASYNC240 - a test may wait for a small file

import json
import threading
import webbrowser
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import requests

from butler.cli.login import browser as login_browser
from butler.vault import open_vault
from butler_demo.gmail.oauth import CLIENT_SECRET
from butler_demo.gmail.server import GmailServer
from config.load import load

ME, WORK, ANNA = "me@home.example", "me@work.example", "anna@friends.example"
MODIFY = "https://www.googleapis.com/auth/gmail.modify"
NAME = "USER_EMAIL_OAUTH_JSON"


@pytest.fixture
async def google(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[GmailServer]:
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")  # the stand-in speaks HTTP, on loopback
    server = GmailServer()
    for address in (ME, WORK, ANNA):
        server.add_account(address, address.partition("@")[0])
    await server.start()
    Path("client.json").write_text(server.client_json())
    yield server
    await server.stop()


@pytest.fixture
def config(google: GmailServer) -> Path:
    config = Path("butler.toml")
    config.write_text(f'[owner]\nemails = ["{ME}"]\n[modules.email.user]\napi_root = "{google.url}"\n')
    return config


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A browser with a window, whose pages are visited by somebody who allows what the stand-in was told."""
    visited: list[str] = []

    def visit(page: str) -> bool:
        visited.append(page)
        threading.Thread(target=requests.get, args=(page,), kwargs={"timeout": 10}).start()
        return True

    for name in ("SSH_CONNECTION", "SSH_TTY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(webbrowser, "get", lambda: None)
    monkeypatch.setattr(webbrowser, "open", visit)
    return visited


@pytest.fixture
def pasted(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """A browser elsewhere: what the person copies out of its address bar, changed as a test says."""

    def elsewhere(*changes: Callable[[str], str]) -> list[str]:
        shown: list[str] = []
        turns = iter(changes or (lambda address: address,))

        def visit(self: login_browser.Pasted, page: str) -> None:
            shown.append(page)
            ended = requests.get(page, timeout=60, allow_redirects=False).headers.get("Location", "")
            self.dialogue.say(f"page at {urlsplit(page).netloc}")
            shown.append(ended)

        monkeypatch.setattr(login_browser.Pasted, "visit", visit)
        monkeypatch.setattr(login_browser.Pasted, "answer", lambda _self: next(turns)(shown[1]))
        return shown

    return elsewhere


def sealed(name: str = NAME) -> dict:
    return json.loads(open_vault(load(Path("butler.toml"))).get(name) or "{}")


async def test_a_browser_on_this_machine_comes_back_by_itself(butler, google, config, pages):
    google.decide(ME)
    result = await butler("login", "gmail", "--client", "client.json")
    assert result.exit_code == 0, result.output
    assert f"Signed in to Gmail as {ME}." in result.stdout
    kept = sealed()
    assert (kept["account"], kept["scopes"], kept["type"]) == (ME, [MODIFY], "authorized_user")
    assert datetime.now(UTC) - datetime.fromisoformat(kept["consented_at"]) < timedelta(minutes=1)
    for secret in (kept["refresh_token"], CLIENT_SECRET):
        assert secret not in result.output


async def test_the_page_is_asked_for_with_pkce_a_state_and_the_one_scope_that_is_needed(butler, google, config, pages):
    google.decide(ME)
    await butler("login", "gmail", "--client", "client.json")
    query = {key: found[0] for key, found in parse_qs(urlsplit(pages[0]).query).items()}
    assert query["scope"] == MODIFY
    assert (query["code_challenge_method"], len(query["code_challenge"])) == ("S256", 43)
    assert len(query["state"]) >= 16
    assert (query["access_type"], query["prompt"], query["login_hint"]) == ("offline", "consent", ME)
    assert query["redirect_uri"].startswith("http://127.0.0.1:")


async def test_without_a_browser_the_address_is_shown_and_where_it_ended_up_is_pasted(butler, google, config):
    google.decide(ME)
    result = await butler(
        "login", "gmail", "--client", "client.json", "--no-browser", typed="nothing like an address\n"
    )
    assert f"  {google.url}o/oauth2/v2/auth?" in result.stdout
    assert "nothing listens at http://127.0.0.1:1/" in result.stdout
    assert "Not yet: this is neither an address nor a code." in result.stdout


@pytest.mark.parametrize("only_code", [False, True])
async def test_a_pasted_address_or_its_code_signs_in(butler, google, config, pasted, only_code):
    google.decide(ME)
    pasted((lambda address: parse_qs(urlsplit(address).query)["code"][0]) if only_code else str)
    result = await butler("login", "gmail", "--client", "client.json", "--no-browser")
    assert result.exit_code == 0, result.output
    assert sealed()["account"] == ME


async def test_an_address_of_another_sign_in_is_not_taken(butler, google, config, pasted):
    google.decide(ME)
    pasted(lambda address: address.replace("state=", "state=x"), str)
    result = await butler("login", "gmail", "--client", "client.json", "--no-browser")
    assert "Not yet: this address belongs to another sign-in" in result.stdout
    assert result.exit_code == 0, result.output


async def test_a_code_that_was_used_already_is_told(butler, google, config, pasted):
    def use(address: str) -> str:
        found = parse_qs(urlsplit(address).query)["code"][0]
        requests.post(f"{google.url}token", data={"grant_type": "authorization_code", "code": found}, timeout=60)
        google.authority._codes.clear()
        return address

    google.decide(ME)
    pasted(use)
    result = await butler("login", "gmail", "--client", "client.json", "--no-browser")
    assert result.exit_code == 1
    assert "the code was used already, or is too old; nothing is changed" in result.stderr


async def test_somebody_who_does_not_allow_it_changes_nothing(butler, google, config, pages):
    google.decide(ME, refuses=True)
    result = await butler("login", "gmail", "--client", "client.json")
    assert (result.exit_code, result.stderr) == (1, "butler: you did not allow it; nothing is changed\n")
    assert sealed() == {}


async def test_a_scope_that_was_not_ticked_is_noticed_and_the_rest_is_given_back(butler, google, config, pages):
    google.decide(ME, [])
    result = await butler("login", "gmail", "--client", "client.json")
    assert result.exit_code == 1
    assert f"you left out {MODIFY}" in result.stderr
    assert (sealed(), google.authority._grants) == ({}, {})


async def test_a_mailbox_that_the_settings_do_not_know_is_asked_about(butler, google, config, pages):
    google.decide(WORK)
    result = await butler("login", "gmail", "--client", "client.json", typed="n\n")
    assert result.exit_code == 1
    assert f"{WORK} is not your mailbox, so nothing is kept" in result.stderr
    assert (sealed(), google.authority._grants) == ({}, {}), "and the consent was given back"
    google.decide(WORK)
    result = await butler("login", "gmail", "--client", "client.json", typed="y\n")
    assert result.exit_code == 0, result.output
    assert f"Add {WORK} to [owner] emails" in result.stdout
    assert sealed()["account"] == WORK


async def test_a_project_in_testing_mode_is_told_with_the_day_on_which_it_ends(butler, google, config, pages):
    google.authority.testing = True
    google.decide(ME)
    result = await butler("login", "gmail", "--client", "client.json")
    ends = datetime.now().astimezone() + timedelta(days=7)
    assert f"this consent ends on {ends:%A, %d %B}" in result.stdout
    assert datetime.fromisoformat(sealed()["ends_at"]) - datetime.now(UTC) > timedelta(days=6.9)


async def test_signing_in_again_needs_no_client_file(butler, google, config, pages):
    google.decide(ME)
    await butler("login", "gmail", "--client", "client.json")
    Path("client.json").unlink()
    first = sealed()["refresh_token"]
    google.decide(ME)
    result = await butler("login", "gmail")
    assert result.exit_code == 0, result.output
    assert sealed()["refresh_token"] != first


async def test_without_a_client_it_says_how_to_get_one(butler, google, config):
    result = await butler("login", "gmail")
    assert result.exit_code == 1
    assert "make an OAuth client of the kind “Desktop app”" in result.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"web": {}}', "of the kind “Web application”; make one of the kind “Desktop app”"),
        ("{}", "is no OAuth client"),
        ("[]", "is no OAuth client"),
        ("not JSON", "cannot be read as JSON"),
    ],
)
async def test_a_file_that_is_no_client_is_told(butler, config, text, said):
    Path("client.json").write_text(text)
    result = await butler("login", "gmail", "--client", "client.json")
    assert result.exit_code == 1
    assert said in result.stderr


async def test_a_wrong_client_secret_is_told_without_being_shown(butler, google, config, pages):
    Path("client.json").write_text(google.client_json().replace(CLIENT_SECRET, "GOCSPX-of-another"))
    google.decide(ME)
    result = await butler("login", "gmail", "--client", "client.json")
    assert result.exit_code == 1
    assert "does not know this client, or its secret" in result.stderr
    assert "GOCSPX" not in result.output


async def test_google_that_cannot_be_reached_is_one_sentence(butler, google, config, pasted):
    def gone(address: str) -> str:
        google.go_offline()
        return address

    google.decide(ME)
    pasted(gone)
    result = await butler("login", "gmail", "--client", "client.json", "--no-browser")
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert "cannot be completed now" in result.stderr


async def test_a_second_account_has_a_consent_of_its_own(butler, google, config, pages):
    config.write_text(f'{config.read_text()}[modules.email.user.accounts.work]\napi_root = "{google.url}"\n')
    for address, option in ((ME, []), (WORK, ["--account", "work"])):
        google.decide(address)
        result = await butler("login", "gmail", "--client", "client.json", *option, typed="y\n")
        assert result.exit_code == 0, result.output
    assert (sealed(f"{NAME}_WORK")["account"], sealed()["account"]) == (WORK, ME)


@pytest.mark.parametrize(
    ("options", "typed", "title"), [([], "", ""), (["--account", "work"], "y\n", ".accounts.work")]
)
async def test_a_sign_in_writes_the_section_that_is_missing(
    butler, google, config, pages, monkeypatch, options, typed, title
):
    monkeypatch.setattr(
        "butler.cli.login.gmail._mailbox_address", lambda *_: ME
    )  # the API's own address is not the stand-in's
    if not title:
        config.write_text(f'[owner]\nemails = ["{ME}"]\n')
    google.decide(ME)
    result = await butler("login", "gmail", "--client", "client.json", *options, typed=typed)
    assert result.exit_code == 0, result.output
    assert config.read_text().endswith(f'\n\n[modules.email.user{title}]\nprovider = "gmail_oauth"\n')
    assert load(config).settings.modules["email"]["user"]
    assert sealed(NAME + ("_WORK" if title else ""))["account"] == ME


async def test_another_program_that_asks_the_port_does_not_end_the_wait(butler, google, config, pages, monkeypatch):
    def visit(page: str) -> bool:
        back = parse_qs(urlsplit(page).query)["redirect_uri"][0]

        def both() -> None:
            assert requests.get(f"{back}?code=4/0somebody-elses", timeout=60).status_code == 400
            requests.get(page, timeout=60)

        threading.Thread(target=both).start()
        return True

    monkeypatch.setattr(webbrowser, "open", visit)
    google.decide(ME)
    result = await butler("login", "gmail", "--client", "client.json")
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize("environment", [{"SSH_CONNECTION": "10.0.0.2 1 10.0.0.1 22"}, {"DISPLAY": ""}])
async def test_over_ssh_and_without_a_screen_no_browser_is_opened(butler, google, config, pages, environment):
    result = await butler("login", "gmail", "--client", "client.json", typed="\n", WAYLAND_DISPLAY="", **environment)
    assert "Open this page in a browser, on any device" in result.stdout
    assert pages == []


async def test_an_account_on_a_mail_server_is_told_its_own_command(butler, config):
    config.write_text(
        '[modules.email.user]\nprovider = "smtp_imap"\nimap = "imaps://imap.home.example"\nsmtp = "smtps://smtp.home.example"\n'
    )
    result = await butler("login", "gmail")
    assert result.exit_code == 1
    assert "run `butler login mail`" in result.stderr
