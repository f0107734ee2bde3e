"""Credentials that are wrong or taken back: that account stops and is told of, the rest lives."""

import asyncio
import json
from datetime import timedelta

import pytest
import requests
from typer.testing import CliRunner

from butler.cli.config_files import drop_secrets
from butler.cli.login.browser import Pasted
from butler.cli.main import app as cli
from butler.vault import open_vault
from butler_demo.people import ANNA, OWNER, OWNER_ID
from config.load import load
from tests.app.words import answers, asked, lines, logged, mails, said, shows, telegrams

WRONG_TOKEN = "Telegram does not accept the bot's token: put the one that @BotFather shows into BUTLER_TELEGRAM_TOKEN"
DINNER = "the table is booked"


async def test_a_wrong_bot_token_is_told_in_the_log_and_mail_waits_for_the_right_one(harness):
    home = await harness(run=False)
    home.set_secret("BUTLER_TELEGRAM_TOKEN", "700000042:this-is-the-token-of-yesterday")
    await home.start()
    await logged(home, "source_stopped", "telegram.bot", WRONG_TOKEN)
    await home.until(lambda: home.rows("select 1 from cursors where name like 'mail%'"), "a first look")
    home.world.mail_butler(ANNA.email, "Dinner", "Half past seven is fine.")
    await home.until(lambda: home.rows("select 1 from outbox"), "the note, stored")
    assert len(lines(home, "source_stopped")) == 1

    await home.stop()
    home.set_secret("BUTLER_TELEGRAM_TOKEN", home.world.bot_token)
    await home.start()
    home.world.say("/start")
    await shows(home, "Half past seven is fine")


async def test_with_a_wrong_bot_token_and_nothing_else_it_stays_and_is_not_healthy(harness):
    others = ("[modules.telegram.user]", "[modules.email.bot]", "[modules.email.user]")
    home = await harness(run=False, replaced={title: f"{title}\nenabled = false" for title in others})
    home.set_secret("BUTLER_TELEGRAM_TOKEN", "700000042:this-is-the-token-of-yesterday")
    await home.start()
    await logged(home, "source_stopped", "telegram.bot", WRONG_TOKEN)
    status, _page = await home.page("/healthz")
    assert status == 503
    await home.stop()


@pytest.mark.nightly
async def test_a_bot_token_that_is_revoked_while_it_runs_stops_the_bot_only(home):
    home.world.bot_api.fail("*", 401, "Unauthorized", times=1_000_000)
    home.world.say("/pending")
    await logged(home, "source_stopped", "telegram.bot", WRONG_TOKEN)
    status, page = await home.page("/healthz")
    assert status == 503
    assert json.loads(page)["channels"]["telegram.bot"]["alive"] is False
    home.world.mail_butler(ANNA.email, "Dinner", "Half past seven is fine.")
    await home.until(lambda: home.rows("select 1 from inbox where kind = 'mail'"), "the mail, stored")

    await home.stop()
    home.world.bot_api.clear_faults()
    await home.start()
    await shows(home, "Nothing is waiting")
    await shows(home, "Half past seven is fine")


async def test_a_dead_bot_token_is_told_beside_the_log_and_by_mail_once_and_the_bot_recovers_by_itself(home):
    await answers(home)
    home.world.bot_api.fail("*", 401, "Unauthorized", times=1_000_000)
    home.world.bot_api.drop_connections()
    home.world.say("/pending")
    await logged(home, "butler: The butler's Telegram has stopped.", "and start me again")
    assert WRONG_TOKEN in json.loads((await home.page("/healthz"))[1])["channels"]["telegram.bot"]["detail"]
    home.world.advance(timedelta(seconds=20))
    await home.until(lambda: told_by_mail(home), "a mail to the owner")

    tries = len(lines(home, "source_stopped"))
    home.world.advance(timedelta(minutes=6))
    await home.until(lambda: len(lines(home, "source_stopped")) > tries, "another try")
    home.world.bot_api.clear_faults()
    home.world.advance(timedelta(minutes=6))
    await shows(home, "Nothing is waiting")
    home.world.advance(timedelta(seconds=20))
    await shows(home, "✓ The butler's Telegram is back")
    assert len(told_by_mail(home)) == 1
    assert len(lines(home, "butler: The butler's Telegram has stopped.")) == 1
    assert not said(home, "has stopped")
    assert json.loads((await home.page("/healthz"))[1])["channels"]["telegram.bot"]["alive"]


def told_by_mail(home):
    return mails(home, "The butler's Telegram has stopped")


async def test_a_wrong_mail_password_is_told_once_and_the_bot_answers(harness):
    home = await harness(run=False)
    home.set_secret("BUTLER_EMAIL_PASSWORD", "the password of yesterday")
    home.world.say("/start")
    await home.start()
    await shows(home, "The butler's mail has stopped", "check its password")
    home.world.say("/status")
    await shows(home, "🔴 The butler's mail: stopped", "🟢 The butler's Telegram")
    await home.stop()
    await home.start()
    await logged(home, "source_stopped")
    await answers(home)
    assert len(said(home, "The butler's mail has stopped")) == 1


async def test_a_session_that_was_signed_out_stops_the_persons_account_only(harness):
    home = await harness(run=False)
    home.world.say("/start")
    home.world.centre.revoke(OWNER_ID)
    await home.start()
    await shows(home, "Your Telegram has stopped", "butler login telegram")
    home.world.say("/status")
    await shows(home, "🔴 Your Telegram: stopped", "🟢 The butler's Telegram")
    assert len(said(home, "Your Telegram has stopped")) == 1


@pytest.mark.nightly
async def test_a_send_over_a_session_that_was_signed_out_fails_and_says_so(home):
    approve, _ = await asked(home, f"tell Anna on Telegram that {DINNER}")
    home.world.centre.revoke(OWNER_ID, tell=False)
    home.world.press(*approve)
    await shows(home, DINNER, "Not sent", "butler login telegram")
    assert telegrams(home, DINNER) == []
    await answers(home)


async def test_a_send_over_a_revoked_gmail_consent_fails_and_says_so(home):
    approve, _ = await asked(home, f"email Anna: {DINNER}")
    home.world.gmail.revoke(OWNER.email)
    home.world.press(*approve)
    await shows(home, DINNER, "Not sent", "butler login gmail")
    assert mails(home, DINNER) == []
    await answers(home)


async def on_the_command_line(*words, typed=""):
    """A command beside the running daemon, as its owner types it."""
    result = await asyncio.to_thread(CliRunner().invoke, cli, [str(word) for word in words], input=typed)
    assert result.exit_code == 0, result.output
    return result.output


async def sealed_home(harness, name):
    """A harness whose daemon has this credential from the vault, and whose owner has said hello."""
    home = await harness(run=False)
    loaded = load(home.config, {})
    open_vault(loaded).put(name, loaded.secrets[name])
    drop_secrets(home.folder / "secrets.env", [name])
    home.world.say("/start")
    await home.start()
    return home


@pytest.mark.nightly
async def test_after_signing_in_to_telegram_again_the_daemon_goes_on_without_a_restart(harness):
    home = await sealed_home(harness, "USER_TELEGRAM_SESSION")
    pid = home.pid
    await logged(home, "chats_read", "telegram.user")
    home.world.centre.revoke(OWNER_ID)
    await shows(home, "Your Telegram has stopped", "butler login telegram")

    said_so = await on_the_command_line(
        "login", "telegram", "--config", home.config, "--phone", OWNER.phone, typed="12345\n"
    )
    assert "Butler is running, and goes on with it by itself." in said_so
    await shows(home, "🔑 Telegram: the account “main” is signed in, and I go on with it")
    approve, _ = await asked(home, f"tell Anna on Telegram that {DINNER}")
    home.world.press(*approve)
    await home.until(lambda: telegrams(home, DINNER), "the message, sent")
    assert home.pid == pid
    assert len(said(home, "🔑 Telegram")) == 1

    home.world.centre.revoke(OWNER_ID)
    await home.until(lambda: len(said(home, "Your Telegram has stopped")) == 2, "the news of a second revocation")


@pytest.mark.nightly
async def test_after_signing_in_to_gmail_again_the_daemon_goes_on_without_a_restart(harness, monkeypatch):
    home = await sealed_home(harness, "USER_EMAIL_OAUTH_JSON")
    home.world.gmail.revoke(OWNER.email)
    approve, _ = await asked(home, f"email Anna: {DINNER}")
    home.world.press(*approve)
    await shows(home, DINNER, "Not sent", "butler login gmail")

    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")
    client = home.folder / "client.json"
    client.write_text(home.world.gmail.client_json())
    home.world.gmail.decide(OWNER.email)
    ended: list[str] = []
    monkeypatch.setattr(
        Pasted,
        "visit",
        lambda _self, page: ended.append(requests.get(page, timeout=60, allow_redirects=False).headers["Location"]),
    )
    monkeypatch.setattr(Pasted, "answer", lambda _self: ended[0])
    await on_the_command_line("login", "gmail", "--config", home.config, "--client", client, "--no-browser")
    await shows(home, "🔑 Email: the account “main” is signed in")
    approve, _ = await asked(home, f"email Anna: {DINNER}, at last")
    home.world.press(*approve)
    await home.until(lambda: mails(home, f"{DINNER}, at last"), "the mail, sent")
