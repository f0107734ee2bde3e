"""What a person does and must find afterwards, whatever moment the daemon died at.

Effects are told apart as the design's table does: de-duplicated (a Telegram message as the person: exactly once),
at most once (mail: once, or openly unknown), at least once (lines to the owner).
"""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from butler_demo.people import ANNA, OWNER
from tests.crash.daemon_harness import DaemonHarness

Play = Callable[[DaemonHarness], Awaitable[None]]
LATE = "I'll be ten minutes late"
DINNER = "the table is booked for eight"


async def approve(home):
    """Tap Approve as soon as a card has it, and once more on a newer card if the tap was overtaken by the crash."""
    card = await home.until(lambda: home.buttons("Approve"), "a card")
    home.world.press(*card[-1])


def states(home, tool):
    return [state for (state,) in home.rows(f"select state from approvals where tool = '{tool}'")]


async def send_telegram(home):
    """Chat, card, yes: the message leaves exactly once, because Telegram refuses a double."""
    home.world.say(f"tell Anna on Telegram that {LATE}")
    await approve(home)
    await home.until(lambda: states(home, "user_telegram_send_message") == ["done"], "a done approval")
    await home.settled()
    sent = [m for m in home.world.sent_telegrams() if LATE.lower() in m.text.lower()]
    assert len(sent) == 1, sent
    await card_tells(home, "Sent")


async def deny_telegram(home):
    """Chat, card, no: nothing leaves."""
    home.world.say(f"tell Anna on Telegram that {LATE}")
    card = await home.until(lambda: home.buttons("Deny"), "a card")
    home.world.press(*card[-1])
    await home.until(lambda: states(home, "user_telegram_send_message") == ["denied"], "a denied approval")
    await home.settled()
    assert home.world.sent_telegrams() == []
    await card_tells(home, "Denied")


async def send_mail(home):
    """Chat, card, yes: the mail leaves once, or it is openly unknown and left at most once."""
    home.world.say(f"email Anna about dinner: {DINNER}")
    await approve(home)
    ends = (["done"], ["unknown"])
    await home.until(lambda: states(home, "user_email_send_message") in ends, "a settled approval")
    await home.settled()
    sent = [m for m in home.world.sent_mails() if DINNER in m.text.lower() or DINNER in m.text]
    if states(home, "user_email_send_message") == ["done"]:
        assert len(sent) == 1, sent
        await card_tells(home, "Sent")
    else:
        assert len(sent) <= 1, sent
        assert home.buttons("It"), "an unknown outcome is asked about"
        assert home.deaths, "an outcome is unknown only after a crash"


async def receive_mail(home):
    """A mail to the butler becomes a line to the owner, at least once, and is answered to nobody but them."""
    # Telegram lets no bot begin a conversation; and what lay in the mailbox before Butler first looked is not news.
    home.world.say("/start")
    await home.until(home.bot_messages, "a greeting")
    await home.until(lambda: home.rows("select 1 from cursors where name like 'mail%'"), "a first look")
    home.world.mail_butler(OWNER.email, "Fwd: Dinner", FORWARDED)
    await home.until(lambda: notes_of(home, "19:30"), "a note of the mail")
    await home.settled()
    assert 1 <= len(notes_of(home, "19:30")) <= 1 + home.deaths
    assert home.world.sent_telegrams() == []
    answers = [mail.recipients for mail in home.world.sent_mails()]
    assert answers == [(OWNER.email,)] * len(answers)
    assert len(answers) <= 1 + home.deaths
    stored = home.rows("select count(*) from inbox where kind = 'mail' and item like '%Dinner%'")
    assert stored == [(1,)], "the mail is stored once"


def notes_of(home, text):
    return [m for m in home.bot_messages() if text in m.get("text", "")]


async def card_tells(home, word):
    """The newest card shows the recorded truth, and offers nothing any more."""
    await home.until(lambda: any(word in m.get("text", "") for m in home.bot_messages()), f"a card that says {word}")
    truthful = [m for m in home.bot_messages() if word in m.get("text", "")]
    assert all("Approve" not in str(m.get("reply_markup")) for m in truthful)


async def nothing_is_broken(home):
    """What holds after every scenario."""
    assert home.rows("select subject, last_error from work where state = 'failed'") == []
    assert home.rows("select inbound_id from inbox where state in ('new', 'quarantined')") == []


FORWARDED = f"""When is the dinner?

---------- Forwarded message ---------
From: {ANNA.name} <{ANNA.email}>
Date: Fri, 27 Nov 2026 at 10:00
Subject: Dinner
To: <{OWNER.email}>

Hi, the dinner is at Rosa's on Friday at 19:30. Bring a bottle of wine.
"""


@dataclass(frozen=True)
class Scenario:
    name: str
    play: Play
    replaced: Mapping[str, str] = field(default_factory=dict)
    """Texts of the configuration, and what stands there instead."""
    work: bool = False
    """With a second mailbox of the person's, over IMAP and SMTP."""
    beside: Callable[[], AbstractAsyncContextManager[Any]] = nullcontext
    """Opens what stands beside the world, which has `known_to(options)` and `clients`."""


SCENARIOS = tuple(Scenario(play.__name__, play) for play in (send_telegram, deny_telegram, send_mail, receive_mail))
