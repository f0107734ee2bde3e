"""`butler login trello` takes a key and a token that Trello knows, for the person's own account and nobody else's."""
# ruff: noqa: ASYNC240 - a test may wait for a small file

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from butler.vault import open_vault
from butler_demo.trello.server import TrelloServer
from config.load import load

KEY, TOKEN = "USER_TRELLO_KEY", "USER_TRELLO_TOKEN"


@pytest.fixture
async def trello() -> AsyncIterator[TrelloServer]:
    server = TrelloServer()
    server.add_member("robin", "Robin Vale")
    await server.start()
    Path("butler.toml").write_text(f'[modules.trello.user]\napi_root = "{server.url}"\n')
    yield server
    await server.stop()


def sealed(name: str) -> str:
    return open_vault(load(Path("butler.toml"))).get(name)


async def test_key_and_token_are_tried_and_sealed_and_shown_nowhere(butler, trello):
    given = trello.credentials("robin")
    result = await butler("login", "trello", typed=f"{given.key}\n{given.token}\ny\n")
    assert result.exit_code == 0, result.output
    assert (
        f"https://trello.com/1/authorize?expiration=never&scope=read%2Cwrite&response_type=token&name=Butler&key={given.key}"
        in result.stdout
    )
    assert "Signed in to Trello as Robin Vale (@robin)." in result.stdout
    assert (sealed(KEY), sealed(TOKEN)) == (given.key, given.token)
    assert given.token not in result.output


async def test_a_token_that_trello_does_not_take_is_asked_for_again_and_never_kept(butler, trello):
    given = trello.credentials("robin")
    wrong = "ATTA" + "0" * 60
    result = await butler("login", "trello", typed=f"{given.key}\n{wrong}\n{given.token}\ny\n")
    assert (result.exit_code, "Not yet" in result.stdout) == (0, True), result.output
    assert sealed(TOKEN) == given.token
    result = await butler("login", "trello", typed="y\n" + f"{wrong}\n" * 3)
    assert (result.exit_code, "run `butler login trello`" in result.stderr) == (1, True)
    assert sealed(TOKEN) == given.token


async def test_without_the_folder_of_its_module_there_is_nothing_to_sign_in_to(butler, trello, monkeypatch):
    monkeypatch.setattr("butler.cli.login.accounts.find_spec", lambda _: None)
    result = await butler("login", "trello")
    assert (result.exit_code, "there is no module 'trello'" in result.stderr) == (1, True)


async def test_somebody_elses_account_is_not_kept(butler, trello):
    given = trello.credentials("robin")
    result = await butler("login", "trello", typed=f"{given.key}\n{given.token}\nn\n")
    assert (result.exit_code, "only your own boards" in result.stderr) == (1, True)
    assert (sealed(KEY), sealed(TOKEN)) == ("", "")
    result = await butler("login", "trello", typed="\n")
    assert "nothing was typed" in result.stderr


async def test_a_further_account_has_a_token_of_its_own_with_the_key_that_is_there(butler, trello):
    trello.add_member("work", "Robin at work")
    first = trello.credentials("robin")
    assert (await butler("login", "trello", typed=f"{first.key}\n{first.token}\ny\n")).exit_code == 0
    text = Path("butler.toml").read_text()
    Path("butler.toml").write_text(f'{text}[modules.trello.user.accounts.work]\napi_root = "{trello.url}"\n')
    other = trello.credentials("work", key=first.key)
    result = await butler("login", "trello", "--account", "work", typed=f"y\n{other.token}\ny\n")
    assert result.exit_code == 0, result.output
    assert (sealed(TOKEN), sealed(f"{TOKEN}_WORK")) == (first.token, other.token)
    assert (await butler("login", "trello", "--account", "home")).exit_code == 1


@pytest.mark.usefixtures("trello")
async def test_without_a_section_a_further_account_is_refused_and_the_first_one_is_written(butler, monkeypatch):
    async def whose(*_: object) -> str:
        return "Robin Vale (@robin)"

    monkeypatch.setattr("butler.cli.login.trello._account_name", whose)
    Path("butler.toml").write_text("")
    assert "sign in to your first account" in (await butler("login", "trello", "--account", "work")).stderr
    result = await butler("login", "trello", typed="k\nt\ny\n")
    assert result.exit_code == 0, result.output
    assert "[modules.trello.user]" in Path("butler.toml").read_text()
