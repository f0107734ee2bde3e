"""`butler login telegram` signs in to a real MTProto data centre and keeps the session."""
# ruff: noqa: ASYNC240 - a test may wait for a small file

import stat
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from telethon import TelegramClient
from telethon.sessions import StringSession

from butler.cli.login.accounts import add_section
from butler.vault import open_vault
from butler_demo.mtproto.datacentre import DataCentre
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


def sealed(config: Path, name: str = "USER_TELEGRAM_SESSION") -> str:
    return open_vault(load(config)).get(name)


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
    session = sealed(config)
    assert await whose(session) == 42
    assert "USER_TELEGRAM_SESSION" not in load(config).secrets
    assert "Sealed as USER_TELEGRAM_SESSION in " in result.stdout
    assert stat.S_IMODE(Path("butler.key").stat().st_mode) == 0o600
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
    assert sealed(config) == ""


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


async def test_a_session_in_the_secrets_file_wins_and_is_taken_out_when_the_person_says_so(butler, config):
    secrets = Path("secrets.env")
    secrets.write_text(f"{secrets.read_text()}USER_TELEGRAM_SESSION=1old\n# mine\n")
    result = await butler("login", "telegram", typed=typed("n"))
    assert (result.exit_code, "nothing is changed" in result.stderr) == (1, True)
    result = await butler("login", "telegram", typed=typed("y", ANNA_PHONE, ANNA_CODE))
    assert result.exit_code == 0, result.output
    assert await whose(sealed(config)) == 1002
    assert Path("secrets.env").read_text() == f"USER_TELEGRAM_API_HASH={API_HASH}\n# mine\n"


async def test_an_api_hash_that_was_typed_is_sealed_with_the_session(butler, config):
    Path("secrets.env").unlink()
    result = await butler("login", "telegram", typed=typed(API_HASH, ANNA_PHONE, ANNA_CODE))
    assert result.exit_code == 0, result.output
    assert sealed(config, "USER_TELEGRAM_API_HASH") == API_HASH
    assert not Path("secrets.env").exists()


async def test_a_second_account_is_added_and_has_a_session_of_its_own(butler, config):
    result = await butler("login", "telegram", "--account", "work", typed=typed("y", ANNA_PHONE, ANNA_CODE))
    assert result.exit_code == 0, result.output
    assert config.read_text().endswith("\n\n[modules.telegram.user.accounts.work]\n")
    assert await whose(sealed(config, "USER_TELEGRAM_SESSION_WORK")) == 1002
    assert sealed(config) == ""
    assert load(config).settings.modules["telegram"]["user"]["accounts"] == {"work": {}}


async def test_an_account_that_the_person_does_not_want_is_not_added(butler, config):
    before = config.read_text()
    result = await butler("login", "telegram", "--account", "work", typed=typed("n"))
    assert (result.exit_code, config.read_text()) == (1, before)


async def test_an_account_with_a_name_that_none_can_have_is_told_which_there_are(butler, config):
    result = await butler("login", "telegram", "--account", "My Work")
    assert result.exit_code == 1
    assert "there is no account 'My Work'; there are main" in result.stderr


async def test_a_key_that_is_missing_is_no_reason_to_make_another(butler, config):
    await butler("login", "telegram", typed=typed(ANNA_PHONE, ANNA_CODE))
    Path("butler.key").unlink()
    result = await butler("login", "telegram", typed=typed(ANNA_PHONE, ANNA_CODE))
    assert result.exit_code == 1
    assert "sign in again to what it held (USER_TELEGRAM_SESSION)" in result.stderr


async def test_another_key_than_before_is_no_hindrance_to_signing_in_again(butler, config):
    await butler("login", "telegram", typed=typed(ANNA_PHONE, ANNA_CODE))
    Path("butler.key").write_text(f"{Fernet.generate_key().decode()}\n")
    result = await butler("login", "telegram", typed=typed(ANNA_PHONE, ANNA_CODE))
    assert result.exit_code == 0, result.output
    assert await whose(sealed(config)) == 1002


async def test_rekey_seals_with_a_fresh_key_and_says_what(butler, config):
    result = await butler("login", "rekey")
    assert result.stdout.startswith("Nothing is sealed yet")
    await butler("login", "telegram", typed=typed(ANNA_PHONE, ANNA_CODE))
    before, session = Path("butler.key").read_text(), sealed(config)
    result = await butler("login", "rekey")
    assert result.stdout.startswith("USER_TELEGRAM_SESSION: sealed with a fresh key")
    assert Path("butler.key").read_text() != before
    assert sealed(config) == session


async def test_a_new_section_leaves_the_rest_of_the_configuration_as_it_was(config):
    config.write_text("# mine\n[butler]\nname = 'Jeeves' # and this\n\n")
    config.chmod(0o640)
    add_section(config, "modules.telegram.user", "api_id = 17349\n")
    assert (
        config.read_text()
        == "# mine\n[butler]\nname = 'Jeeves' # and this\n\n[modules.telegram.user]\napi_id = 17349\n"
    )
    assert stat.S_IMODE(config.stat().st_mode) == 0o640
