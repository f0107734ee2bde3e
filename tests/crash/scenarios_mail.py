"""Mails that come in and are put away, whatever moment the daemon died at: each kept once, told, and moved once."""

from butler_demo.people import ANNA, BUTLER_ADDRESS
from tests.crash.scenarios import Scenario, notes_of

FOLDER = "Dealt with"
SUBJECTS = ("Dinner", "Walnuts")
LABELS = ("smtp_imap.inbox.fetch", "smtp_imap.inbox.move", "inbox", "filed")
"""What taking a mail in and putting it away consists of: its calls, and the commits around them."""


async def mails(home):
    """A mail, which is moved once it is told, and then another one."""
    home.world.say("/start")
    await home.until(home.bot_messages, "a greeting")
    await home.until(lambda: home.rows("select 1 from cursors where name like 'mail.bot.%'"), "a first look")
    for number, subject in enumerate(SUBJECTS, 1):
        home.world.mail_butler(ANNA.email, subject, f"{subject}: what about it?")
        await home.until(lambda number=number: len(filed(home)) >= number, f"{subject} in its folder")
    await home.settled()
    await home.until(lambda: home.rows(NOTED) == [(len(SUBJECTS),)], "a note that they are put away")
    assert filed(home) == list(SUBJECTS), "each is moved, and none is copied"
    assert not set(SUBJECTS) & set(subjects(home, "INBOX"))
    for subject in SUBJECTS:
        assert 1 <= len(notes_of(home, f"{subject}: what about it?")) <= 1 + home.deaths
        assert home.rows(f"select count(*) from inbox where kind = 'mail' and item like '%{subject}:%'") == [(1,)]
    assert home.world.sent_mails() == []


NOTED = "select count(*) from inbox where kind = 'mail' and filed_at is not null"


def filed(home):
    try:
        return subjects(home, FOLDER)
    except KeyError:
        return []


def subjects(home, folder):
    lines = [line for mail in home.world.mail.mailbox(BUTLER_ADDRESS, folder) for line in mail.raw.splitlines()]
    return [line.removeprefix(b"Subject: ").decode() for line in lines if line.startswith(b"Subject: ")]


MAIL_SCENARIO = Scenario(
    "mails", mails, {"[modules.email.bot]\n": f'[modules.email.bot]\nhandled_folder = "{FOLDER}"\n'}
)
