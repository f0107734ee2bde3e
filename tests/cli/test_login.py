"""`butler login telegram` signs in to a real MTProto data centre and keeps the session."""
# ruff: noqa: ASYNC240 - a test may wait for a small file

import stat
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from telethon import TelegramClient
from telethon.sessions import StringSession

from butler.cli.login import _add_section
from butler.demo.mtproto.datacentre import DataCentre
from config.load import load

PHONE, CODE, PASSWORD = "+44 20 7946 0042", "73519", "correct horse battery"
API_HASH = "0123456789abcdef" * 2
ANNA_PHONE, ANNA_CODE = "+44 20 7946 1002", "48213"


@pytest.fixture
async def centre() -> AsyncIterator[DataCentre]:
    centre = DataCentre()
    centre.add_account(42, "+442079460042", "Robin", username="robin", password=PASSWORD, code=CODE)
    centre.add_account(1002, "+442079461002", "Anna", code=ANNA_CODE)
    await centre.start()
    yield centre
    await centre.stop()


@pytest.fixture
def config(centre: DataCentre, tmp_path: Path) -> Path:
    key = tmp_path / "key.pem"
    key.write_text(centre.public_key_pem)
    config = tmp_path / "butler.toml"
    config.write_text(
        f'[modules.telegram.user]\napi_id = 17349\ndc = "{centre.dc_id} {centre.host}:{centre.port} {key}"\n'
    )
    secrets = tmp_path / "secrets.env"
    secrets.write_text(f"USER_TELEGRAM_API_HASH={API_HASH}\n")
    secrets.chmod(0o600)
    return config


def typed(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)


async def whose(session: str) -> int:
    client = TelegramClient(StringSession(session), 17349, API_HASH, receive_updates=False)
    await client.connect()
    me = await client.get_me()
    await client.disconnect()
    return me.id


async def test_number_code_and_password_make_a_session_that_works(butler, centre, config):
    result = await butler("login", "telegram", typed=typed(PHONE, CODE, PASSWORD))
    assert result.exit_code == 0, result.output
    assert "Signed in as @robin." in result.stdout
    session = load(config).secrets["USER_TELEGRAM_SESSION"]
    assert await whose(session) == 42
    assert stat.S_IMODE(Path("secrets.env").stat().st_mode) == 0o600
    for secret in (session, CODE, PASSWORD, API_HASH):
        assert secret not in result.output


async def test_it_says_what_a_session_is_and_how_to_take_it_back(butler, config):
    result = await butler("login", "telegram", typed=typed(ANNA_PHONE, ANNA_CODE))
    assert result.exit_code == 0, result.output
    assert "a key to your whole Telegram account" in result.stdout
    assert "Settings > Devices" in result.stdout
    assert "Signed in as Anna." in result.stdout


async def test_wrong_answers_are_asked_again(butler, config):
    result = await butler("login", "telegram", typed=typed("+44 1", PHONE, "11111", CODE, "wrong", PASSWORD))
    assert result.exit_code == 0, result.output
    assert "Not yet: Telegram takes this for no phone number" in result.stdout
    assert "Not yet: this is not the code that Telegram sent." in result.stdout
    assert "Not yet: this is not the account's password." in result.stdout


async def test_after_three_wrong_codes_nothing_is_written(butler, config):
    result = await butler("login", "telegram", "--phone", PHONE, typed=typed("1", "2", "3"))
    assert result.exit_code == 1
    assert result.stderr == "butler: this is not the code that Telegram sent\n"
    assert "USER_TELEGRAM_SESSION" not in load(config).secrets


async def test_telegram_that_cannot_be_reached_is_one_sentence(butler, centre, config):
    await centre.go_offline()
    result = await butler("login", "telegram", "--phone", PHONE)
    assert result.exit_code == 1
    assert "Telegram cannot be reached now" in result.stderr
    assert result.stderr.count("\n") == 1


async def test_a_flood_wait_is_told_with_its_seconds(butler, centre, config):
    centre.fail("auth.sendCode", 420, "FLOOD_WAIT_3600")
    result = await butler("login", "telegram", "--phone", PHONE)
    assert (result.exit_code, "wait 3600 s" in result.stderr) == (1, True)


async def test_an_app_that_telegram_does_not_know_is_told_at_once(butler, centre, config):
    centre.fail("auth.sendCode", 400, "API_ID_INVALID")
    result = await butler("login", "telegram", "--phone", PHONE)
    assert result.exit_code == 1
    assert "copy both from my.telegram.org" in result.stderr


async def test_a_code_that_has_become_too_old_asks_to_begin_again(butler, centre, config):
    centre.fail("auth.signIn", 400, "PHONE_CODE_EXPIRED")
    result = await butler("login", "telegram", "--phone", PHONE, typed=typed(CODE))
    assert result.exit_code == 1
    assert "the code is too old; run `butler login telegram` again" in result.stderr


async def test_an_app_id_that_is_missing_is_named(butler, config):
    config.write_text("[modules.telegram.user]\n")
    result = await butler("login", "telegram")
    assert result.exit_code == 1
    assert "api_id" in result.stderr


async def test_without_the_section_the_app_is_asked_for(butler, config):
    config.write_text("[butler]\nname = 'Jeeves'\n")
    result = await butler("login", "telegram", typed=typed("no number"))
    assert result.exit_code == 1
    assert "https://my.telegram.org" in result.stdout
    assert "an api_id is a number" in result.stderr
    assert "modules" not in config.read_text()


async def test_a_session_in_the_environment_wins_and_is_told(butler, config):
    result = await butler("login", "telegram", USER_TELEGRAM_SESSION="1something")
    assert result.exit_code == 1
    assert "the environment sets USER_TELEGRAM_SESSION" in result.stderr


async def test_a_new_section_leaves_the_rest_of_the_configuration_as_it_was(config):
    config.write_text("# mine\n[butler]\nname = 'Jeeves' # and this\n\n")
    config.chmod(0o640)
    _add_section(config, 17349)
    assert (
        config.read_text()
        == "# mine\n[butler]\nname = 'Jeeves' # and this\n\n[modules.telegram.user]\napi_id = 17349\n"
    )
    assert stat.S_IMODE(config.stat().st_mode) == 0o640
