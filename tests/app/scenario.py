"""The main job as the person sees it, from the first word to the providers' own records."""

from butler.demo.people import ANNA, BOB, OWNER
from tests.app.words import asked, mails, shows, telegrams

LATE = "I'll be ten minutes late"
DINNER = "the table is booked for eight"
WILL_COME = "we will be there at half past seven"
FORWARDED = f"""When is the dinner?

---------- Forwarded message ---------
From: {ANNA.name} <{ANNA.email}>
Date: Fri, 27 Nov 2026 at 10:00
Subject: Dinner
To: <{OWNER.email}>

Hi, the dinner is at Rosa's on Friday at 19:30. Bring a bottle of wine.
"""


async def main_job(home):
    """Chat, ask, approve, sent once; deny, not sent; forward a mail with a question, answered in the chat."""
    await approved_is_sent_once(home)
    await denied_is_not_sent(home)
    await mail_is_sent_once(home)
    await forwarded_question_is_answered(home)
    await butler_replies_from_its_own_mailbox(home)
    await home.settled()
    assert home.rows("select subject, last_error from work where state = 'failed'") == []
    assert home.rows("select inbound_id from inbox where state in ('new', 'quarantined')") == []


async def approved_is_sent_once(home):
    approve, _ = await asked(home, f"tell Anna on Telegram that {LATE}")
    assert telegrams(home, LATE) == []
    home.world.press(*approve)
    await shows(home, LATE, "Sent at")
    home.world.press(*approve)
    await home.until(lambda: "Already" in (home.world.bot_api.callbacks[-1].text or ""), "an answer to the second tap")
    assert [message.to[0] for message in telegrams(home, LATE)] == [ANNA.name]


async def denied_is_not_sent(home):
    _, deny = await asked(home, "tell Bob on Telegram that lunch is off")
    home.world.press(*deny)
    await shows(home, BOB.name, "Denied")
    assert telegrams(home, "lunch is off") == []


async def mail_is_sent_once(home):
    approve, _ = await asked(home, f"email Anna about dinner: {DINNER}")
    assert mails(home, DINNER) == []
    home.world.press(*approve)
    await home.until(lambda: mails(home, DINNER), "the mail")
    await shows(home, DINNER, "Sent at")
    assert [mail.recipients for mail in mails(home, DINNER)] == [(ANNA.email,)]


async def forwarded_question_is_answered(home):
    await home.until(lambda: home.rows("select 1 from cursors where name like 'mail%'"), "a first look")
    before = len(home.world.sent_mails())
    home.world.mail_butler(OWNER.email, "Fwd: Dinner", FORWARDED)
    note = await shows(home, "You asked: When is the dinner?", "It says", "19:30")
    assert note["text"].index("19:30") < note["text"].index("Forwarded message"), "the answer comes before the mail"
    assert len(home.world.sent_mails()) == before, "a mail is never an act"


async def butler_replies_from_its_own_mailbox(home):
    home.world.mail_butler(ANNA.email, "Dinner", "Will the two of you come on Friday?")
    note = await shows(home, "Mail to me from", ANNA.email, "the two of you")
    approve, _ = await asked(home, f"reply that {WILL_COME}", reply_to=note["message_id"])
    home.world.press(*approve)
    await home.until(lambda: mails(home, WILL_COME), "the reply")
    await shows(home, WILL_COME, "Sent at")
    assert [mail.recipients for mail in mails(home, WILL_COME)] == [(ANNA.email,)]
