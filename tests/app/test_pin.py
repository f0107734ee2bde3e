"""The PIN, typed into a running daemon that dies over it: what was asked for is done, and its digits are nowhere."""

import tarfile

import pytest

from butler.cli.backup import make_backup
from butler.cli.pin import set_pin_to
from butler_demo.people import OWNER_ID
from tests.app.words import asked, mails, shows

PIN = "918273645012"
"""Long enough to stand in no hash by chance."""
WORDS = "the tent is yours"
STRANGER = "nora@new.example"


def kept_files(home):
    """All that the daemon has left behind, by name."""
    files = {path.name: path.read_bytes() for path in (home.folder / "data").rglob("*") if path.is_file()}
    return {**files, "the log": (home.folder / "daemon.log").read_bytes()}


def backed_up(home):
    """The files in a fresh backup."""
    make_backup(home.config, home.folder / "kept")
    (archive,) = (home.folder / "kept").glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        return {member.name: packed.extractfile(member).read() for member in packed if member.isfile()}


@pytest.mark.parametrize("dies", [False, True], ids=["alive", "dies between intake and decision"])
async def test_no_digit_of_the_pin_is_kept_or_logged_and_the_mail_leaves_once(harness, dies):
    home = await harness(run=False, debug=True)
    await home.start()
    home.world.say("/start")
    await home.until(home.bot_messages, "a greeting")
    set_pin_to(home.config, PIN, PIN)
    approve, _ = await asked(home, f"email {STRANGER} about camping: {WORDS}")
    home.world.press(*approve)
    await shows(home, "Type your PIN")
    assert mails(home, WORDS) == []
    if dies:
        await home.stop()
        home.kill_at = "after-commit:inbox#1"
        await home.start()
    home.world.say(PIN)
    if dies:
        await home.end()
        home.kill_at = None
        await home.start()
    await home.until(lambda: mails(home, WORDS), "the mail")
    await shows(home, WORDS, "Sent at")
    assert len(mails(home, WORDS)) == 1
    texts = [m.get("text", "") for m in home.world.bot_api.messages(home.world.bot_token, OWNER_ID)]
    assert PIN not in texts, "the message was deleted"
    files = {**kept_files(home), **{f"backup/{name}": data for name, data in backed_up(home).items()}}
    await home.stop()
    files |= {f"{name} at the end": data for name, data in kept_files(home).items()}
    assert b"provider_call" in files["the log"], "the log is at its most talkative"
    assert WORDS.encode() in files["butler.db"] + files.get("butler.db-wal", b""), "what is stored can be read here"
    assert [name for name, data in files.items() if PIN.encode() in data] == []
