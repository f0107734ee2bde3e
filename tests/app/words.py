"""What a person says and sees, in a line each."""

from butler_demo.effects import holds_all


async def asked(home, words, **more):
    """Say something that needs a yes; the card's message and data of its Approve and of its Deny."""
    before = len(home.buttons("Approve"))
    home.world.say(words, **more)
    cards = await home.until(lambda: home.buttons("Approve")[before:], f"a card for “{words}”")
    return cards[-1], home.buttons("Deny")[-1]


async def shows(home, *words, within=90.0):
    """Wait for a message of the bot that holds all of these; case does not count."""
    return await home.until(lambda: next(iter(said(home, *words)), None), f"a message with {words}", within)


def said(home, *words):
    """The bot's messages that hold all of these."""
    return [message for message in home.bot_messages() if holds_all(message.get("text", ""), words)]


def telegrams(home, words):
    """What left the person's own Telegram account with these words."""
    return [message for message in home.world.sent_telegrams() if message.holds((words,))]


def mails(home, words):
    """What left either mailbox with these words."""
    return [mail for mail in home.world.sent_mails() if mail.holds((words,))]


async def answers(home):
    """The bot answers the owner."""
    before = len(said(home, "waiting for your yes"))
    home.world.say("/pending")
    await home.until(lambda: len(said(home, "waiting for your yes")) > before, "an answer to /pending")


async def logged(home, *words, within=90.0):
    """Wait for a line of the log that holds all of these."""
    await home.until(lambda: lines(home, *words), f"a log line with {words}", within)


def lines(home, *words):
    """The lines of the log that hold all of these."""
    return [line for line in home.log().splitlines() if holds_all(line, words)]
