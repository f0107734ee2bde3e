"""The main job as the person sees it, from the first word to the providers' own records."""

from email import message_from_bytes

from butler_demo.daemon_config import WORK_ADDRESS
from butler_demo.gmail.mime import read_mail
from butler_demo.mails import compose
from butler_demo.people import ANNA, BOB, FAMILY, OWNER, OWNER_ID
from tests.app.words import asked, mails, said, shows, telegrams

LATE = "I'll be ten minutes late"
DINNER = "the table is booked for eight"
WALNUTS = "The cook would like to know: with walnuts or without?"
NO_WALNUTS, SOME_WALNUTS = "no walnuts for me, please", "perhaps a few of them"
BIKE = "I will come by bike"
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
    await nothing_is_left_over(home)


async def own_chats(home):
    """The person's Telegram account: what was missed is told, a message is answered where it stands, after a yes."""
    await chat_is_told(home)
    await chat_is_answered(home)
    await nothing_is_left_over(home)


async def own_mail(home):
    """The person's mailbox: searched, read, answered in the thread, and a draft laid down, after a yes each."""
    await mail_is_found_and_read(home)
    await mail_is_answered_in_its_thread(home)
    await answer_is_only_drafted(home)
    await nothing_is_left_over(home)


async def nothing_is_left_over(home):
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
    before = len(home.answers())
    home.world.mail_butler(OWNER.email, "Fwd: Dinner", FORWARDED)
    note = await shows(home, "You asked: When is the dinner?", "It says", "19:30")
    assert note["text"].index("It says") < note["text"].index("Bring a bottle"), "the answer comes before the mail"
    await home.until(lambda: home.answers()[before:], "the answer by mail")
    (answer,) = home.answers()[before:]
    assert answer["To"] == OWNER.email, "a mail is answered to its owner and nobody else"
    assert "It says: “Hi, the dinner is at Rosa's on Friday at 19:30.”" in answer.get_body(("plain",)).get_content()
    assert answer["Subject"] == "Re: Fwd: Dinner"


async def butler_replies_from_its_own_mailbox(home):
    home.world.mail_butler(ANNA.email, "Dinner", "Will the two of you come on Friday?")
    note = await shows(home, "Mail to me from", ANNA.email, "the two of you")
    approve, _ = await asked(home, f"reply that {WILL_COME}", reply_to=note["message_id"])
    home.world.press(*approve)
    await home.until(lambda: mails(home, WILL_COME), "the reply")
    await shows(home, WILL_COME, "Sent at")
    assert [mail.recipients for mail in mails(home, WILL_COME)] == [(ANNA.email,)]


async def chat_is_told(home):
    approve, _ = await asked(home, "what did I miss in the family chat?")
    assert said(home, "pick me up at the station") == []
    home.world.press(*approve)
    await shows(home, FAMILY.name, "folding chairs", "pick me up at the station")


async def chat_is_answered(home):
    approve, _ = await asked(home, "what did Anna write on Telegram?")
    home.world.press(*approve)
    await shows(home, "Shall I book a taxi for both of us")
    approve, _ = await asked(home, f"reply to Anna's last message: {BIKE}")
    await shows(home, "Answers", "Anna: Shall I book a taxi", BIKE)
    assert telegrams(home, BIKE) == []
    home.world.press(*approve)
    await shows(home, BIKE, "Sent at")
    (sent,) = [message for message in home.world.centre.sent_by(OWNER_ID) if message.text == BIKE]
    (question,) = [message for message in home.world.centre.messages(OWNER_ID) if message.id == sent.reply_to]
    assert question.text.startswith("Shall I book a taxi")


async def mail_is_found_and_read(home):
    mail_person(home, "Walnuts", WALNUTS)
    home.world.say("any mail from Anna?")
    await shows(home, "Walnuts", "unread")
    home.world.say("read Anna's last mail")
    await shows(home, WALNUTS)


async def mail_is_answered_in_its_thread(home):
    approve, _ = await asked(home, f"reply to Anna's last mail: {NO_WALNUTS}")
    await shows(home, "To: anna@friends.example", "Subject: Re: Walnuts", "with walnuts or without", NO_WALNUTS)
    assert mails(home, NO_WALNUTS) == []
    home.world.press(*approve)
    await home.until(lambda: mails(home, NO_WALNUTS), "the answer")
    await shows(home, NO_WALNUTS, "Sent at")
    assert [mail.recipients for mail in mails(home, NO_WALNUTS)] == [(ANNA.email,)]
    (question,) = lying(home, "INBOX", WALNUTS)
    (answer,) = lying(home, "SENT", NO_WALNUTS)
    assert answer["In-Reply-To"] == question["Message-ID"]


async def answer_is_only_drafted(home):
    left = len(home.world.sent_mails())
    approve, _ = await asked(home, f"draft a reply to Anna's last mail: {SOME_WALNUTS}")
    assert lying(home, "DRAFT", SOME_WALNUTS) == []
    home.world.press(*approve)
    card = await shows(home, SOME_WALNUTS, "nothing is sent", "Done at")
    assert "Sent at" not in card["text"]
    (draft,) = lying(home, "DRAFT", SOME_WALNUTS)
    assert ANNA.email in draft["To"], draft["To"]
    assert len(home.world.sent_mails()) == left


def mail_person(home, subject, body):
    """Anna writes to the person's mailbox, wherever it is."""
    address = OWNER.email if home.has_gmail else WORK_ADDRESS
    raw = compose(f"Anna <{ANNA.email}>", f"Robin <{address}>", subject, body, home.world.clock.now())
    if home.has_gmail:
        home.world.gmail.deliver(address, raw)
    else:
        home.world.mail.deliver(raw, ANNA.email, [address])


def lying(home, label, words):
    """The mails with these words in a folder of the person's mailbox, called as Gmail labels it."""
    if home.has_gmail:
        raws = [mail.raw for mail in home.world.gmail.mailbox(OWNER.email) if label in mail.label_ids]
    else:
        folder = {"SENT": "Sent", "DRAFT": "Drafts"}.get(label, label)
        raws = [mail.raw for mail in home.world.mail.mailbox(WORK_ADDRESS, folder)]
    return [message_from_bytes(raw) for raw in raws if words in read_mail(raw).text]
