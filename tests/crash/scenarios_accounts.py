"""What is done in the person's own accounts, and must be found there afterwards, whenever the daemon died.

Telegram refuses a double, so what goes there leaves exactly once. A mail leaves once, or it is openly unknown; and it
is never left unknown where the provider's own record holds it.
"""

from butler_demo.daemon_config import WORK_ADDRESS
from butler_demo.gmail.mime import read_mail
from butler_demo.mails import compose
from butler_demo.people import ANNA, BOB, OWNER, OWNER_ID
from tests.crash.scenarios import LATE, Scenario, card_tells, send_telegram, states
from tests.crash.scenarios_approvals import tap, telling

BIKE, WALK, FIGURES, NOT_YET = "I will come by bike", "we could also walk", "the figures are ready", "not until Monday"
ASKED = "Can you send me the figures by Friday?"
SEND, REPLY, DRAFT = "user_email_send_message", "user_email_reply_to_thread", "user_email_draft_reply"
NEW_DRAFT = "user_email_draft_message"


async def answer_on_telegram(home):
    """Look at a conversation after a yes, answer its newest message after another: it hangs there, once."""
    home.world.say("what did Anna write on Telegram?")
    await say_yes(home, "Reads the newest")
    await home.until(lambda: telling(home, "Shall I book a taxi"), "the conversation")
    home.world.say(f"reply to the last one: {BIKE}")
    await say_yes(home, BIKE)
    await home.until(lambda: states(home, "user_telegram_reply_to_message") == ["done"], "a done answer")
    await home.settled()
    (sent,) = [message for message in home.world.centre.sent_by(OWNER_ID) if message.text == BIKE]
    answered = [m for m in home.world.centre.messages(OWNER_ID, ANNA.telegram_id) if not m.outgoing]
    assert sent.reply_to == answered[-1].id
    assert len(home.world.sent_telegrams()) == 1
    await card_tells(home, "Sent")


async def delete_by_button(home):
    """Chat, card, yes, and Delete on the same card: the message left once and is gone for both; nothing else is."""
    await send_telegram(home)
    before = len(home.world.centre.messages(OWNER_ID))
    await tap(home, "Delete")
    await home.until(lambda: states(home, "user_telegram_delete_message") == ["done"], "a done deletion")
    await home.settled()
    assert [m.deleted for m in home.world.centre.sent_by(OWNER_ID) if LATE in m.text] == [True]
    assert len(home.world.centre.messages(OWNER_ID)) == before - 1
    assert not [m for m in home.world.centre.messages(ANNA.telegram_id) if LATE in m.text]
    assert len(home.world.sent_telegrams()) == 1
    await home.until(lambda: telling(home, "Deleted at"), "a card that tells it")


async def correct_by_reply(home):
    """Chat, card, yes, a reply to the card of what was sent, another yes: one message, with the new text."""
    await send_telegram(home)
    card = telling(home, "Sent")[-1]["message_id"]
    home.world.say("make it twenty minutes", reply_to=card)
    await say_yes(home, "twenty minutes")
    await home.until(lambda: states(home, "user_telegram_edit_message") == ["done"], "a done correction")
    await home.settled()
    (sent,) = home.world.sent_telegrams()
    assert "twenty minutes" in sent.text
    assert [m.text for m in home.world.centre.messages(ANNA.telegram_id) if "minutes late" in m.text] == [sent.text]
    await home.until(lambda: telling(home, "Corrected at"), "a card that tells it")


async def reply_in_gmail(home):
    """An answer leaves in the thread of the mail that it answers, once, or is openly unknown."""
    await shown_mail(home, "any mail from Anna?", "Dinner on Friday")
    home.world.say(f"reply to Anna's last mail: {BIKE}")
    await say_yes(home, BIKE)
    await ended(home, REPLY)
    mailbox = home.world.gmail.mailbox(OWNER.email)
    threads = {mail.thread_id for mail in mailbox if mail.content.subject == "Dinner on Friday"}
    sent = [mail for mail in mailbox if "SENT" in mail.label_ids and BIKE in mail.content.text]
    assert {mail.thread_id for mail in sent} <= threads
    drafts = [mail for mail in mailbox if "DRAFT" in mail.label_ids]
    assert len(drafts) + len(sent) == 1, "it is sent, or it still lies in Drafts, once"
    told_as_it_is(home, REPLY, home.world.sent_mails(), sent)


async def draft_in_gmail(home):
    """An answer is laid into Drafts, in its thread: one, and nothing leaves."""
    await shown_mail(home, "any mail from Anna?", "Dinner on Friday")
    home.world.say(f"draft a reply to Anna's last mail: {WALK}")
    await say_yes(home, WALK)
    await home.until(lambda: states(home, DRAFT) == ["done"], "a done draft")
    await home.settled()
    (draft,) = [mail for mail in home.world.gmail.mailbox(OWNER.email) if "DRAFT" in mail.label_ids]
    assert draft.content.text.startswith(WALK)
    assert len([m for m in home.world.gmail.mailbox(OWNER.email) if m.thread_id == draft.thread_id]) > 1
    assert home.world.sent_mails() == []


async def new_draft_in_gmail(home):
    """A new mail is laid into Drafts: one, in no thread of others, and nothing leaves."""
    home.world.say(f"draft a mail to Anna: {WALK}")
    await say_yes(home, WALK)
    await home.until(lambda: states(home, NEW_DRAFT) == ["done"], "a done draft")
    await home.settled()
    mailbox = home.world.gmail.mailbox(OWNER.email)
    (draft,) = [mail for mail in mailbox if "DRAFT" in mail.label_ids]
    assert draft.content.text.strip() == WALK
    assert [mail for mail in mailbox if mail.thread_id == draft.thread_id] == [draft]
    assert home.world.sent_mails() == []


async def mail_from_work(home):
    """A mail leaves the other account over SMTP once, or is openly unknown; its copy lies in Sent at most once."""
    await looked_into_work(home)
    home.world.say(f"email Anna from my work account: {FIGURES}")
    await say_yes(home, FIGURES)
    await ended(home, SEND)
    told_as_it_is(home, SEND, left_work(home, FIGURES), lying(home, "Sent", FIGURES))


async def reply_from_work(home):
    """The same for an answer, over a server that files what it sends by itself: there its Sent settles the unknown."""
    home.world.mail.subscribe(lambda event: files(home, event))
    await shown_work_mail(home)
    home.world.say(f"reply to the first one: {FIGURES}")
    await say_yes(home, FIGURES)
    await ended(home, REPLY)
    left = left_work(home, FIGURES)
    assert all(mail.rcpt_tos == (BOB.email,) for mail in left)
    assert len(lying(home, "Sent", FIGURES)) == len(left)
    told_as_it_is(home, REPLY, left, lying(home, "Sent", FIGURES))


async def draft_at_work(home):
    """An answer is laid into the mail server's Drafts: one, and nothing leaves."""
    await shown_work_mail(home)
    home.world.say(f"draft a reply to the first one: {NOT_YET}")
    await say_yes(home, NOT_YET)
    await home.until(lambda: states(home, DRAFT) == ["done"], "a done draft")
    await home.settled()
    assert len(lying(home, "Drafts", NOT_YET)) == 1
    assert home.world.mail.outgoing == []


async def new_draft_at_work(home):
    """A new mail is laid into the mail server's Drafts: one, and nothing leaves."""
    await looked_into_work(home)
    home.world.say(f"draft a mail to Anna from my work account: {FIGURES}")
    await say_yes(home, FIGURES)
    await home.until(lambda: states(home, NEW_DRAFT) == ["done"], "a done draft")
    await home.settled()
    assert len(lying(home, "Drafts", FIGURES)) == 1
    assert home.world.mail.outgoing == []


def files(home, event):
    """The mail server lays what leaves the mailbox at work into its Sent folder, as Gmail's and Outlook's do."""
    if event.sent is not None and event.sent.user == WORK_ADDRESS:
        home.world.mail.put(WORK_ADDRESS, event.sent.raw, "Sent", "\\Seen")


async def say_yes(home, words):
    """Tap Approve on the newest card that shows these words."""

    def cards():
        shown = telling(home, words)
        rows = [(m["message_id"], row) for m in shown for row in m.get("reply_markup", {}).get("inline_keyboard", [])]
        return [(at, button["callback_data"]) for at, row in rows for button in row if button["text"] == "Approve"]

    found = await home.until(cards, f"a card that shows “{words}”")
    home.world.press(*found[-1])


async def ended(home, tool):
    """Wait until what was approved is done or openly unknown, and nothing is under way."""
    await home.until(lambda: states(home, tool) in (["done"], ["unknown"]), "an end")
    await home.settled()


def told_as_it_is(home, tool, left, copies):
    """What is said of a mail is what its provider says: `left` by the wire, `copies` by the account's own Sent."""
    assert len(copies) <= 1, copies
    if states(home, tool) == ["done"]:
        assert len(left) == 1, left
        return
    assert home.deaths, "an outcome is unknown only after a crash"
    assert len(left) <= 1, left
    assert not copies, "what lies in Sent is known to have been sent"
    assert home.buttons("It"), "an unknown outcome is asked about"


async def shown_mail(home, words, subject):
    home.world.say(words)
    await home.until(lambda: telling(home, subject), "a list of mails")


async def looked_into_work(home):
    await home.until(lambda: home.rows("select 1 from cursors where name like 'email.user.work%'"), "a look")


async def shown_work_mail(home):
    home.world.mail.put(WORK_ADDRESS, to_work(home, "The figures", ASKED))
    await shown_mail(home, "show unread mail in my work inbox", "The figures")


def to_work(home, subject, body):
    """A mail of Bob's to the person at work."""
    return compose(f"Bob <{BOB.email}>", f"Robin <{WORK_ADDRESS}>", subject, body, home.world.clock.now())


def lying(home, folder, words):
    """Mails with these words in a folder of the mailbox at work."""
    return [m for m in home.world.mail.mailbox(WORK_ADDRESS, folder) if words in read_mail(m.raw).text]


def left_work(home, words):
    """What left that mailbox with these words."""
    left = [mail for mail in home.world.mail.outgoing if mail.mail_from == WORK_ADDRESS]
    return [mail for mail in left if words in read_mail(mail.raw).text]


ACCOUNT_SCENARIOS = (
    Scenario("answer_on_telegram", answer_on_telegram),
    Scenario("delete_by_button", delete_by_button),
    Scenario("correct_by_reply", correct_by_reply),
    Scenario("reply_in_gmail", reply_in_gmail),
    Scenario("draft_in_gmail", draft_in_gmail),
    Scenario("new_draft_in_gmail", new_draft_in_gmail),
    Scenario("mail_from_work", mail_from_work, work=True),
    Scenario("reply_from_work", reply_from_work, work=True),
    Scenario("draft_at_work", draft_at_work, work=True),
    Scenario("new_draft_at_work", new_draft_at_work, work=True),
)
