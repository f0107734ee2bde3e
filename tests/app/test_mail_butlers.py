"""Two butlers whose settings answer each other exchange one reply each, even where a relay takes all marks away."""

import re
from email import message_from_bytes

import pytest

from butler_demo.mailbox.records import EventKind
from butler_demo.mailbox.stamps import pass_results
from butler_demo.mails import compose
from butler_demo.people import BUTLER_ADDRESS
from butler_demo.signing import sign
from tests.app.words import shows
from tests.crash.daemon_harness import DaemonHarness

OTHER = "alfred@manor.example"
ADDRESSES = (BUTLER_ADDRESS, OTHER)
AWAY = "We are away until May."
ANSWER = """[[modules.email.bot.answers]]
from = "{address}"
text = "{text}"

[[contacts]]
name = "The other butler"
email = "{address}"

[[contacts]]
name = "Anna\""""
MARKS = re.compile(rb"(?im)^(?:auto-submitted|x-[a-z-]+|precedence|list-[a-z-]+):.*\r?\n(?:[ \t].*\r?\n)*")


@pytest.fixture
async def harnesses(tmp_path, nursery, second_nursery):
    """Two harnesses, each with an answer for the other's butler in its settings."""
    opened = []
    try:
        for name, own, other, nurse in zip("ab", ADDRESSES, ADDRESSES[::-1], (nursery, second_nursery), strict=True):
            folder = tmp_path / name
            folder.mkdir()
            answer = {'[[contacts]]\nname = "Anna"': ANSWER.format(address=other, text=AWAY)}
            home = DaemonHarness(folder, nurse, respawn=False, run=False, replaced=answer.items())
            opened.append(await home.__aenter__())
            if own != BUTLER_ADDRESS:
                home.world.mail.add_mailbox(own, home.world.mail_password)
                home.set_secret("BUTLER_EMAIL_ADDRESS", own)
            await home.start()
            home.world.say("/start")
            await home.until(home.bot_messages, "a greeting")
            await home.until(lambda home=home: home.rows("select 1 from cursors where name like 'mail%'"), "a look")
        yield opened
    finally:
        for home in opened:
            await home.__aexit__()


def relay(homes, change):
    """Carry what leaves one butler to the other, signed by its server after the relay's change."""
    for home, (own, other), to in zip(homes, (ADDRESSES, ADDRESSES[::-1]), homes[::-1], strict=True):

        def carry(event, own=own, other=other, to=to):
            if event.kind is EventKind.SUBMITTED and other in event.sent.rcpt_tos:
                bring(to, own, other, change(event.sent.raw))

        home.world.mail.subscribe(carry)


def bring(home, sender, to, raw):
    domain = sender.rpartition("@")[2]
    home.world.mail.deliver(sign(raw, domain, home.world.clock.now()), sender, [to], results=pass_results(domain))


def replies(home, to, subject):
    """What a butler has answered to the other."""
    mails = [message_from_bytes(one.raw) for one in home.world.mail.outgoing if to in one.rcpt_tos]
    return [mail for mail in mails if mail["In-Reply-To"] and mail["Subject"].endswith(subject)]


@pytest.mark.nightly
async def test_two_butlers_facing_each_other_exchange_one_reply_each_at_most(harnesses):
    first, second = harnesses
    taken_away = {"marks": False}
    relay(harnesses, lambda raw: MARKS.sub(b"", raw) if taken_away["marks"] else raw)
    await begins(first, "Tea")
    await shows(second, "Automatic mail to me from", "Re: Tea")

    taken_away["marks"] = True
    await begins(first, "Cake")
    await shows(second, "Mail to me from", "Re: Cake", "what your settings have")
    await shows(first, "Mail to me from", "Re: Cake", "what your settings have")
    await first.until(
        lambda: first.rows("select 1 from approvals where state = 'failed'"), "an answer that is held back"
    )
    for home in harnesses:
        await home.settled()
    assert [len(replies(first, OTHER, subject)) for subject in ("Tea", "Cake")] == [1, 1]
    assert [len(replies(second, BUTLER_ADDRESS, subject)) for subject in ("Tea", "Cake")] == [0, 1]


async def begins(home, subject):
    """The other butler writes as people do, and this one answers."""
    at = home.world.clock.now()
    bring(home, OTHER, BUTLER_ADDRESS, compose(f"Alfred <{OTHER}>", BUTLER_ADDRESS, subject, "Do you come?", at))
    await home.until(lambda: replies(home, OTHER, subject), f"the answer to {subject}")
