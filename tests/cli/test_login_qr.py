"""`butler login telegram --qr` shows codes until one is scanned, and goes where the account lives."""

import asyncio
import io
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import segno
from telethon import TelegramClient, types
from telethon.crypto import rsa
from telethon.tl import functions

from butler.cli.login.qr import BORDER, PLAIN, WHITE_ON_BLACK, Screen, half_blocks
from butler.vault import open_vault
from butler_demo.mtproto.datacentre import DataCentre
from butler_demo.mtproto.methods.auth import signed_in
from butler_demo.mtproto.methods.table import METHODS
from config.load import load
from tests.cli.test_login import typed, whose

PASSWORD = "correct horse battery"
ROBIN, ANNA = 42, 1002


@asynccontextmanager
async def a_centre() -> AsyncIterator[DataCentre]:
    centre = DataCentre()
    centre.add_account(ROBIN, "+442079460042", "Robin", username="robin", password=PASSWORD)
    centre.add_account(ANNA, "+442079461002", "Anna")
    await centre.start()
    yield centre
    await centre.stop()


@pytest.fixture
async def centre() -> AsyncIterator[DataCentre]:
    async with a_centre() as centre:
        yield centre


@pytest.fixture
def config(centre: DataCentre, tmp_path: Path) -> Path:
    key = tmp_path / "key.pem"
    key.write_text(centre.public_key_pem)
    config = tmp_path / "butler.toml"
    config.write_text(
        f'[modules.telegram.user]\napi_id = 17349\ndc = "{centre.dc_id} {centre.host}:{centre.port} {key}"\n'
    )
    secrets = tmp_path / "secrets.env"
    secrets.write_text(f"USER_TELEGRAM_API_HASH={'0123456789abcdef' * 2}\n")
    secrets.chmod(0o600)
    return config


class Phone:
    """Sees each code that is drawn, and does what a test wants with it, in the servers' event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.seen: list[str] = []
        self.act: Callable[[str], None] = lambda _url: None
        self._loop = loop

    def look(self, url: str) -> None:
        self.seen.append(url)
        done = threading.Event()

        def act() -> None:
            self.act(url)
            done.set()

        self._loop.call_soon_threadsafe(act)
        assert done.wait(10)


@pytest.fixture
async def phone(monkeypatch: pytest.MonkeyPatch) -> Phone:
    phone = Phone(asyncio.get_running_loop())
    show = Screen.show

    def shown(screen: Screen, text: str) -> None:
        show(screen, text)
        phone.look(text)

    monkeypatch.setattr(Screen, "show", shown)
    return phone


def sealed(config: Path) -> str:
    return open_vault(load(config)).get("USER_TELEGRAM_SESSION")


async def test_a_code_that_is_scanned_signs_in_at_once(butler, centre, config, phone):
    phone.act = lambda url: centre.scan(url, ANNA)
    began = time.monotonic()
    result = await butler("login", "telegram", "--qr")
    assert result.exit_code == 0, result.output
    assert time.monotonic() - began < 15, "it was told of the scan, and did not wait for the code to end"
    assert "Signed in as Anna." in result.stdout
    assert "Link Desktop Device" in result.stdout
    assert await whose(sealed(config)) == ANNA
    assert len(phone.seen) == 1
    assert half_blocks(phone.seen[0])[3] in result.stdout
    assert phone.seen[0] not in result.output


async def test_an_account_with_a_password_still_needs_it(butler, centre, config, phone):
    phone.act = lambda url: centre.scan(url, ROBIN)
    result = await butler("login", "telegram", "--qr", typed=typed("wrong", PASSWORD))
    assert result.exit_code == 0, result.output
    assert "Not yet: this is not the account's password." in result.stdout
    assert await whose(sealed(config)) == ROBIN


async def test_a_code_is_renewed_before_it_is_too_old(butler, centre, config, phone, monkeypatch):
    monkeypatch.setattr("modules.telegram.integration_client_login.QR_LONGEST_S", 0.05)

    def act(url: str) -> None:
        if len(phone.seen) == 3:
            centre.scan(url, ANNA)

    phone.act = act
    result = await butler("login", "telegram", "--qr")
    assert result.exit_code == 0, result.output
    assert len(set(phone.seen)) >= 3


async def test_a_code_that_was_scanned_while_the_news_was_lost_is_noticed_with_the_next_one(
    butler, centre, config, phone, monkeypatch
):
    monkeypatch.setattr("modules.telegram.integration_client_login.QR_LONGEST_S", 0.3)
    monkeypatch.setattr(centre._state, "on_scanned", lambda _authorization: None)
    phone.act = lambda url: centre.scan(url, ANNA)
    result = await butler("login", "telegram", "--qr")
    assert result.exit_code == 0, result.output
    assert len(phone.seen) == 1


async def test_nobody_who_scans_for_five_minutes_ends_it(butler, centre, config, phone, monkeypatch):
    monkeypatch.setattr("modules.telegram.integration_client_login.QR_LONGEST_S", 0.05)
    monkeypatch.setattr("butler.cli.login.telegram.PATIENCE_S", 0.2)
    result = await butler("login", "telegram", "--qr")
    assert result.exit_code == 1
    assert "nobody scanned a code; run `butler login telegram --qr` again" in result.stderr
    assert sealed(config) == ""


async def test_telegram_that_goes_away_in_between_is_one_sentence(butler, centre, config, phone, monkeypatch):
    monkeypatch.setattr("modules.telegram.integration_client_login.QR_LONGEST_S", 0.2)
    centre.fail("auth.exportLoginToken", 420, "FLOOD_WAIT_60")
    result = await butler("login", "telegram", "--qr")
    assert (result.exit_code, "wait 60 s" in result.stderr, phone.seen) == (1, True, [])


async def test_an_account_of_another_data_centre_is_signed_in_there(butler, centre, config, phone, monkeypatch):
    """The stand-in is one data centre; a second one plays Telegram's part of sending a client on."""
    async with a_centre() as home:
        rsa.add_key(home.public_key_pem, old=False)
        monkeypatch.setattr(TelegramClient, "_config", None)
        at_home, scanned, get_config = home.dc_id + 1, set[str](), METHODS[functions.help.GetConfigRequest]

        def export(context, request):
            if scanned:
                return types.auth.LoginTokenMigrateTo(at_home, b"the token at home")
            return types.auth.LoginToken(datetime.now(UTC) + timedelta(seconds=30), b"the token here")

        def import_(context, request):
            assert (context.state, request.token) == (home._state, b"the token at home")
            return types.auth.LoginTokenSuccess(signed_in(context, context.state.directory.accounts[ANNA]))

        def both(context, request):
            answer = get_config(context, request)
            answer.dc_options.append(types.DcOption(at_home, home.host, home.port, this_port_only=True))
            return answer

        monkeypatch.setitem(METHODS, functions.auth.ExportLoginTokenRequest, export)
        monkeypatch.setitem(METHODS, functions.auth.ImportLoginTokenRequest, import_)
        monkeypatch.setitem(METHODS, functions.help.GetConfigRequest, both)
        monkeypatch.setattr("modules.telegram.integration_client_login.QR_LONGEST_S", 0.1)
        phone.act = scanned.add
        result = await butler("login", "telegram", "--qr")
        assert result.exit_code == 0, result.output
        assert "Signed in as Anna." in result.stdout
        assert await whose(sealed(config)) == ANNA
        monkeypatch.setattr(TelegramClient, "_config", None)


def modules_of(lines: list[str]) -> list[list[bool]]:
    """The dark modules that lines of half blocks draw, white being drawn."""
    rows = []
    for line in lines:
        rows.append([char in " ▄" for char in line])
        rows.append([char in " ▀" for char in line])
    return rows


def test_what_is_drawn_is_the_code_with_a_border():
    text = "tg://login?token=" + "x" * 43
    drawn = modules_of(half_blocks(text))
    code = segno.make_qr(text, error="l")
    wanted = [[bool(module) for module in row] for row in code.matrix_iter(border=BORDER)]
    *drawn, filled = drawn
    assert drawn == wanted
    assert not any(filled), "what fills the last line up belongs to the border"
    assert len(half_blocks(text)) <= 24, "it fits on a small terminal"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_on_a_terminal_each_code_takes_the_place_of_the_last_in_colours_of_its_own(monkeypatch):
    monkeypatch.setattr(sys, "stdout", terminal := Terminal())
    screen = Screen()
    screen.show("one")
    lines = half_blocks("one")
    assert terminal.getvalue() == "".join(f"{WHITE_ON_BLACK}{line}{PLAIN}\n" for line in lines)
    screen.show("two")
    assert f"\x1b[{len(lines)}F" in terminal.getvalue()


def test_where_no_terminal_listens_no_colours_are_said(capsys):
    Screen().show("one")
    assert "\x1b" not in capsys.readouterr().out
