"""Lists what the butler can do, with examples for each kind of request.

Its examples are requests, and a translation of one is a request that is understood in that language.
"""

from butler.contract.speech import phrase, say

EXAMPLES = (
    (
        phrase("Write in your name"),
        (
            phrase("tell Anna on Telegram that I'll be ten minutes late"),
            phrase("email Bob about dinner: see you at 8"),
            phrase("reply to the first one: thanks"),
        ),
    ),
    (
        phrase("Look into the mail"),
        (
            phrase("show unread mail"),
            phrase("any mail from Anna?"),
            phrase("search my mail for invoice"),
            phrase("read the second one"),
        ),
    ),
    (
        phrase("Look into your Telegram"),
        (phrase("what did Anna write on Telegram?"), phrase("what did I miss in the family chat?")),
    ),
    (phrase("Clean up the mail"), (phrase("archive all mails from Anna"), phrase("mark all mails from Bob as read"))),
    (phrase("Pass on"), (phrase("forward the second one to Bob"),)),
    (
        phrase("Keep your calendar"),
        (
            phrase("what's on Friday?"),
            phrase("when am I free tomorrow?"),
            phrase("add dentist on Friday at 3pm"),
            phrase("move all meetings on Friday to Monday"),
        ),
    ),
    (
        phrase("Tidy your boards"),
        (phrase("what's on the list To Do?"), phrase("move all cards in Doing to Done")),
    ),
    (
        phrase("Look things up"),
        (
            phrase("what does the contract say about notice?"),
            phrase("read https://example.org/menu"),
            phrase("search my Drive for the lease"),
        ),
    ),
    (
        phrase("Look after your server"),
        (phrase("why is the server slow?"), phrase("how full is the disk?"), phrase("errors in the logs since 9")),
    ),
    (phrase("Call somebody"), (phrase("call Anna"),)),
    (phrase("Remember"), (phrase("remember that my locker is 4711"), phrase("what do you know about my locker"))),
    (phrase("Remind"), (phrase("remind me tomorrow at 9 to call mum"), phrase("what reminders do I have"))),
    (
        phrase("Tell you of your day"),
        (
            phrase("what's new"),
            phrase("send me a digest every morning at 7"),
            phrase("tell me if Anna doesn't answer by Friday"),
        ),
    ),
    (phrase("Say how I answer"), (phrase("call me Max"), phrase("answer in German"), phrase("be brief"))),
    (phrase("Ask me"), (phrase("what is pending"), phrase("status"), phrase("help"))),
)
NOT_UNDERSTOOD = phrase(
    "I did not understand that, so I did nothing. I understand plain requests like these:\n"
    "• tell Anna on Telegram that I'll be late\n"
    "• any mail from Anna?\n"
    "• remind me tomorrow at 9 to call mum\n"
    "Say “help” for all I can do."
)
OPENING = phrase("I am {name}. What leaves in your name waits for your tap on a card. You can say, for example:")
FORWARDING = phrase(
    "Forward a mail to my address with what you want above it, or without a word. I ask whenever I am not sure."
)
CARDS = phrase(
    "Reply to a card to change it. /rules shows what passes without a card, and /pause user stops at once what acts as "
    "you."
)


def help_text(butler_name: str) -> str:
    """Return the butler's answer to `help`."""
    lines = [say(OPENING, name=butler_name)]
    for title, examples in EXAMPLES:
        lines += ["", say(title), *(f"• {say(example)}" for example in examples)]
    lines += ["", say(FORWARDING), "", say(CARDS)]
    return "\n".join(lines)
