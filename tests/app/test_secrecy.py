"""No secret reaches the log at any level, the database, the pages, or a message (OP-01)."""

import json

from butler_demo.people import OWNER
from tests.app.scenario import LATE, main_job
from tests.app.words import answers, asked, logged, shows

LLM_KEY = "sk-a-key-that-nobody-may-see"


def secrets_of(home):
    """Every value that would let somebody in, by what it is."""
    lines = (home.folder / "secrets.env").read_text().splitlines()
    named = dict(line.split("=", 1) for line in lines)
    consent = json.loads(named.pop("USER_EMAIL_OAUTH_JSON"))
    del named["BUTLER_EMAIL_ADDRESS"]
    assert named["BUTLER_LLM_KEY"] == LLM_KEY
    return {
        **named,
        "the second half of the token": named["BUTLER_TELEGRAM_TOKEN"].split(":")[1],
        "the refresh token": consent["refresh_token"],
        "the client's secret": consent["client_secret"],
        **{f"access token {n}": token for n, token in enumerate(home.world.gmail._authority._access)},
    }


async def some_trouble(home):
    """What makes libraries raise and log: lost connections, refusals, a revoked consent."""
    await home.world.bot_api.go_offline()
    await logged(home, "poll_failed")
    await home.world.bot_api.come_back()
    home.world.mail.fail_imap("FETCH", "BAD", times=1)
    home.world.mail.drop_imap()
    home.world.bot_api.fail("sendMessage", 500, "Internal Server Error", times=1)
    await answers(home)
    approve, _ = await asked(home, "email Bob: this one will not leave")
    home.world.gmail.revoke(OWNER.email)
    home.world.press(*approve)
    await shows(home, "will not leave", "Not sent")
    home.world.bot_api.fail("getUpdates", 401, "Unauthorized", times=1_000)
    home.world.say("/status")
    await logged(home, "source_stopped")


async def test_op_01_no_secret_is_logged_stored_or_said(harness):
    home = await harness(run=False, debug=True)
    home.set_secret("BUTLER_LLM_KEY", LLM_KEY)
    await home.start()
    await main_job(home)
    kept_from_view = secrets_of(home)
    assert any(name.startswith("access token") for name in kept_from_view)
    await some_trouble(home)
    pages = "".join([(await home.page(path))[1] for path in ("/healthz", "/metrics")])
    await home.stop()
    files = {path.name: path.read_bytes() for path in (home.folder / "data").rglob("*") if path.is_file()}
    files["the log"] = (home.folder / "daemon.log").read_bytes()
    files["the messages"] = json.dumps(home.bot_messages()).encode()
    files["the pages"] = pages.encode()
    assert b"provider_call" in files["the log"], "the log is at its most talkative"
    assert LATE.encode() in files["butler.db"], "what is stored can be read here"
    found = [
        (what, where)
        for what, value in kept_from_view.items()
        for where, text in files.items()
        if value.encode() in text
    ]
    assert found == []
