"""`butler doctor` finds what is wrong, and says what to do about it."""
# ruff: noqa: ASYNC240 - a test may wait for a small file

import asyncio
import json
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from email.utils import formatdate
from pathlib import Path

import pytest
import sqlalchemy as sa

from butler.cli.doctor.checks import check_clock
from butler.cli.module_checks import check_module
from butler.contract.module import CheckResult, Module
from butler.store.connect import make_engine
from butler.store.instants import EPOCH
from butler.store.lock import DataLock
from butler.store.open import open_store
from butler.store.queries import audit
from butler.store.tables import audit as audit_table
from tests.cli.conftest import ADDRESS, PASSWORD, TOKEN


@pytest.fixture
def harness(telegram, mail) -> Path:
    """A configuration over the stand-ins, its secrets and a database with a paired owner."""
    config = Path("butler.toml")
    config.write_text(
        f"""[owner]
telegram_user_id = 42
[web]
port = 0
[modules.telegram.bot]
api_base_url = "{telegram.url}"
[modules.email.bot]
imap = "{mail.imaps_url}"
smtp = "{mail.smtp_starttls_url}"
tls_ca = "{mail.ca_file}"
"""
    )
    write_secrets(f"BUTLER_TELEGRAM_TOKEN={TOKEN}\nBUTLER_EMAIL_ADDRESS={ADDRESS}\nBUTLER_EMAIL_PASSWORD={PASSWORD}\n")
    Path("data").mkdir(mode=0o700)
    store = open_store("sqlite:///butler.db", data_dir=Path("data"))
    with store.engine.begin() as connection:
        audit.append(connection, "paired", "telegram:42", "owner", {}, EPOCH)
    store.engine.dispose()
    return config


def write_secrets(text: str) -> None:
    secrets = Path("secrets.env")
    secrets.write_text(text)
    secrets.chmod(0o600)


async def lines(butler) -> dict[str, dict]:
    """What `doctor --json` finds, by name; the exit code agrees with it."""
    result = await butler("doctor", "--json")
    found = json.loads(result.stdout)
    wrong = [line for line in found if not line["ok"]]
    assert result.exit_code == (1 if wrong else 0), result.output
    assert all(line["todo"] for line in wrong)
    if wrong:
        assert result.stderr.endswith(f"{len(wrong)} of {len(found)} checks are not ok\n")
    return {line["name"]: line for line in found}


async def test_a_house_in_order_is_all_ok(butler, harness):
    found = await lines(butler)
    assert all(line["ok"] for line in found.values()), found
    assert found["Telegram bot"]["detail"] == "@jeeves_bot"
    assert found["Owner"]["detail"] == "Telegram user 42"
    assert found["Daemon"]["detail"] == "not running"
    assert {"Secrets file", "Configuration", "Data folder", "Disk", "Database", "Audit log", "Clock"} <= set(found)
    assert ADDRESS in found["the butler's mailbox"]["detail"]


async def test_accounts_that_are_not_connected_are_no_fault_and_say_how(butler, harness):
    found = await lines(butler)
    for name, how in (("Your Telegram account", "`butler login telegram`"), ("Your mailbox", "`butler login gmail`")):
        assert (found[name]["ok"], found[name]["detail"]) == (True, "not set up")
        assert how in found[name]["todo"]
    assert "The butler's mailbox" not in found, "it is connected, and has lines of its own"


async def test_without_a_bot_it_is_not_in_order(butler, harness):
    harness.write_text(harness.read_text().replace("[modules.telegram.bot]", "[modules.telegram.bot]\nenabled = false"))
    found = await lines(butler)
    assert (found["Telegram bot"]["ok"], found["Telegram bot"]["detail"]) == (False, "switched off")


async def test_where_there_are_settings_a_missing_bot_is_added_to_them(butler, harness):
    harness.write_text("[web]\nport = 0\n")
    line = (await lines(butler))["Telegram bot"]
    assert (line["ok"], line["detail"]) == (False, "not set up")
    assert "[modules.telegram.bot] into your settings" in line["todo"]
    assert "butler init" not in line["todo"]


async def test_the_table_is_for_people(butler, harness):
    result = await butler("doctor")
    assert result.exit_code == 0, result.output
    assert "what to do" in result.stdout
    assert "The butler's mailbox" in result.stdout
    for secret in (TOKEN, PASSWORD):
        assert secret not in result.output


async def test_no_configuration_is_told_with_what_to_do(butler):
    found = await lines(butler)
    assert "`butler init` writes one" in found["Configuration"]["detail"]


async def test_a_wrong_setting_is_named(butler, harness):
    harness.write_text(harness.read_text().replace("[web]", "[web]\nprot = 1"))
    assert "web.prot is no setting" in (await lines(butler))["Configuration"]["detail"]


async def test_secrets_that_others_can_read_are_told_before_anything_else(butler, harness):
    Path("secrets.env").chmod(0o644)
    found = await lines(butler)
    assert "chmod 600" in found["Secrets file"]["todo"]
    assert set(found) == {"Secrets file"}


async def test_a_data_folder_that_others_can_look_into_is_told(butler, harness):
    Path("data").chmod(0o755)
    found = await lines(butler)
    assert (found["Data folder"]["ok"], "chmod" in found["Data folder"]["todo"]) == (False, True)


async def test_a_wrong_token_is_told_without_being_shown(butler, harness):
    write_secrets("BUTLER_TELEGRAM_TOKEN=700123:wrong\nBUTLER_EMAIL_ADDRESS=x@home.example\n")
    found = await lines(butler)
    assert "does not accept the bot's token" in found["Telegram bot"]["detail"]
    assert "700123:wrong" not in json.dumps(found)


async def test_a_wrong_mail_password_is_told(butler, harness):
    write_secrets(f"BUTLER_TELEGRAM_TOKEN={TOKEN}\nBUTLER_EMAIL_ADDRESS={ADDRESS}\nBUTLER_EMAIL_PASSWORD=wrong\n")
    found = await lines(butler)
    assert not found["the butler's mailbox"]["ok"]
    assert not found["sending from the butler's mailbox"]["ok"]
    assert found["Telegram bot"]["ok"]


async def test_servers_that_cannot_be_reached_are_told_each(butler, harness, telegram, mail):
    await telegram.go_offline()
    await mail.go_offline()
    found = await lines(butler)
    assert not any(found[name]["ok"] for name in ("Clock", "Telegram bot", "the butler's mailbox"))
    assert found["Database"]["ok"]


async def test_a_changed_audit_log_is_told_with_its_row(butler, harness):
    engine = make_engine(sa.make_url("sqlite:///data/butler.db"))
    with engine.begin() as connection:
        connection.execute(audit_table.update().values(actor="somebody"))
    engine.dispose()
    assert "Entry 1 of the audit log was changed" in (await lines(butler))["Audit log"]["detail"]


async def test_a_database_of_a_newer_butler_is_told(butler, harness):
    engine = make_engine(sa.make_url("sqlite:///data/butler.db"))
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    engine.dispose()
    assert "revision 9999" in (await lines(butler))["Database"]["detail"]


async def test_a_database_that_is_none_is_told(butler, harness):
    Path("data/butler.db").write_bytes(b"not a database, but long enough to look like one" * 100)
    assert not (await lines(butler))["Database"]["ok"]


async def test_nobody_paired_yet_is_told(butler, harness):
    harness.write_text(harness.read_text().replace("telegram_user_id = 42", ""))
    assert (await lines(butler))["Owner"]["todo"] == "Run `butler pair`."


async def test_a_running_daemon_is_no_fault(butler, harness):
    with DataLock("sqlite:///butler.db", Path("data")):
        found = await lines(butler)
    assert found["Daemon"]["detail"].startswith("running: process ")
    assert "used by the daemon" in found["Web port"]["detail"]


async def test_a_web_port_that_another_program_has_is_told(butler, harness):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        harness.write_text(harness.read_text().replace("port = 0", f"port = {port}"))
        found = await lines(butler)
    assert found["Web port"]["detail"] == f"another program uses 127.0.0.1:{port}"


async def test_a_model_without_a_key_is_told(butler, harness):
    harness.write_text(harness.read_text() + '[llm]\nmodel = "anthropic:some-model"\n')
    assert "BUTLER_LLM_KEY" in (await lines(butler))["Language model"]["detail"]


@asynccontextmanager
async def a_server_whose_clock_is(seconds_ahead: float) -> AsyncIterator[str]:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        date = formatdate(time.time() + seconds_ahead, usegmt=True)
        writer.write(
            f"HTTP/1.1 404 Not Found\r\nDate: {date}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode()
        )
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


@pytest.mark.parametrize(("ahead", "said"), [(3600, "3600 s slow"), (-120, "120 s fast")])
async def test_a_clock_that_is_wrong_is_told(ahead, said):
    async with a_server_whose_clock_is(ahead) as url:
        result = await check_clock(url)
    assert not result.ok
    assert result.detail in {said, said.replace("600", "599"), said.replace("600", "601"), said.replace("120", "121")}
    assert "NTP" in result.todo


async def test_a_second_or_two_are_no_fault():
    async with a_server_whose_clock_is(2) as url:
        assert (await check_clock(url)).ok


class Slow(Module):
    channel = "slow"

    async def checks(self) -> tuple[CheckResult, ...]:
        await asyncio.Event().wait()
        return ()


class Broken(Module):
    channel = "broken"

    async def checks(self) -> tuple[CheckResult, ...]:
        raise RuntimeError("a secret may stand here")


async def test_a_channel_that_never_answers_is_a_line_that_is_not_ok():
    [result] = await check_module(Slow(None, None), limit_s=0.05)
    assert (result.ok, result.detail) == (False, "no answer within 0.05 s")


async def test_a_channel_whose_check_breaks_is_a_line_that_is_not_ok():
    [result] = await check_module(Broken(None, None))
    assert (result.ok, result.detail) == (False, "its check broke")
