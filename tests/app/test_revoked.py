"""What the person's providers take back stops that account and nothing else, and a sign-in brings it back at once."""

from datetime import UTC, datetime

import pytest

from butler.cli.config_files import drop_secrets
from butler.cli.database import changing
from butler.sign_ins import announce
from butler.vault import open_vault
from butler_demo.daemon_config import WORK_ADDRESS
from butler_demo.mails import compose
from butler_demo.people import ANNA, OWNER, OWNER_ID
from config.load import load
from tests.app.words import answers, asked, said, shows, telegrams
from tests.crash.scenarios_accounts import left_work, to_work
from tests.crash.scenarios_feeds import OFTEN

SESSION, CONSENT = "USER_TELEGRAM_SESSION", "USER_EMAIL_OAUTH_JSON"
STOPPED = ("Your Telegram has stopped", "Your mail has stopped")


@pytest.mark.nightly
async def test_a_revoked_session_and_a_revoked_consent_stop_two_accounts_until_they_are_signed_in_again(harness):
    home = await harness(run=False, work=True, replaced=OFTEN)
    sign_in(home, {SESSION: home.world.centre.session_string(OWNER_ID), CONSENT: consent(home)})
    drop_secrets(home.folder / "secrets.env", [SESSION, CONSENT])
    home.world.say("/start")
    await home.start()
    await home.until(lambda: seen(home, "telegram", "main") and seen(home, "email", "main"), "a first look at both")
    pid = home.pid

    home.world.centre.revoke(OWNER_ID)
    home.world.gmail.revoke(OWNER.email)
    await shows(home, STOPPED[0], "butler login telegram")
    await shows(home, STOPPED[1], "butler login gmail")

    await the_rest_lives(home)
    home.world.centre.inject(ANNA.telegram_id, OWNER_ID, "are you there?")

    sign_in(home, {SESSION: home.world.centre.session_string(OWNER_ID)}, "telegram")
    await shows(home, "🔑 Telegram: the account “main” is signed in, and I go on with it")
    await home.until(lambda: seen(home, "telegram", "main", "are you there?"), "what came in meanwhile")
    assert "stopped" in await status(home, "Your mail:")
    approve, _ = await asked(home, "tell Anna on Telegram that I am back")
    home.world.press(*approve)
    await home.until(lambda: telegrams(home, "I am back"), "a message from the account")

    sign_in(home, {CONSENT: consent(home)}, "email")
    await shows(home, "🔑 Email: the account “main” is signed in, and I go on with it")
    home.world.gmail.deliver(OWNER.email, compose(f"Anna <{ANNA.email}>", OWNER.email, "At last", "Hello", now(home)))
    await home.until(lambda: seen(home, "email", "main", "At last"), "a mail after the sign-in")
    assert home.pid == pid
    assert [len(said(home, words)) for words in STOPPED] == [1, 1], "each is told once"


async def the_rest_lives(home):
    """The bot, the butler's mailbox and the person's other mailbox."""
    await answers(home)
    home.world.mail_butler(ANNA.email, "Dinner", "Half past seven is fine.")
    await shows(home, "Half past seven is fine")
    home.world.mail.put(WORK_ADDRESS, to_work(home, "Page 4", "Have you read it?"))
    await home.until(lambda: seen(home, "email", "work", "Page 4"), "the mail at work")
    approve, _ = await asked(home, "email Anna from my work account: all is well at work")
    home.world.press(*approve)
    await home.until(lambda: left_work(home, "all is well at work"), "a mail from work")


def sign_in(home, credentials, channel=""):
    """What `butler login` does: it seals the credentials, and tells the running daemon of a channel."""
    vault = open_vault(load(home.config, {}))
    for name, value in credentials.items():
        vault.put(name, value)
    if channel:
        with changing(home.config) as connection:
            announce(connection, channel, "main", datetime.now(UTC))


def consent(home):
    return home.world.gmail.credentials_json(OWNER.email)


def now(home):
    return home.world.clock.now()


def seen(home, channel, account, words=""):
    """What the mirror holds of an account with these words."""
    where = f"channel = '{channel}' and account = '{account}' and item like '%{words}%'"
    return home.rows(f"select ref from seen_messages where {where}")


async def status(home, name):
    """What the bot says of a source now."""
    before = len(said(home, "🟢 The butler's Telegram"))
    home.world.say("/status")
    await home.until(lambda: len(said(home, "🟢 The butler's Telegram")) > before, "how it stands")
    text = said(home, "🟢 The butler's Telegram")[-1]["text"]
    return next(line for line in text.splitlines() if name in line)
