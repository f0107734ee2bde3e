"""Answers a request that was not understood with the nearest known one and an example."""

from butler.contract.speech import phrase, say
from butler.orchestrator.embedded.help import EXAMPLES, NOT_UNDERSTOOD
from butler.orchestrator.planning.plan_types import NotUnderstood
from butler.understanding.reader import Request

CAME_NEAREST = phrase(
    "I did not understand that, so I did nothing. It came nearest to “{what}”. Say that for example like “{example}”; "
    "“help” tells all I can do."
)
LEAST = 0.05
"""The least probability of a near reading."""
AREAS = (
    (("mail.forward",), "Pass on"),
    (("mail.send", "mail.reply", "mail.draft", "message."), "Write in your name"),
    (("mail.search", "mail.read", "mail.count", "mail.senders", "mail.threads", "mail.invite"), "Look into the mail"),
    (("mail.",), "Clean up the mail"),
    (("chat.read", "chat.list"), "Look into your Telegram"),
    (("calendar.",), "Keep your calendar"),
    (("card.",), "Tidy your boards"),
    (("file.", "web.", "index.", "collection.", "database.", "storage."), "Look things up"),
    (("server.",), "Look after your server"),
    (("call.",), "Call somebody"),
    (("note.", "memory."), "Remember"),
    (("reminder.",), "Remind"),
    (("digest.", "watch.", "automation."), "Tell you of your day"),
    (("preference.",), "Say how I answer"),
)
"""Parts of the help by their intents; the first that fits counts."""


def not_understood(request: Request) -> NotUnderstood:
    """Return the answer that a request was not understood, with the nearest known one if there is any."""
    examples = dict(EXAMPLES)
    for intent, share in request.readings:
        what = next((title for names, title in AREAS if intent.startswith(names)), None)
        if what is not None and share >= LEAST:
            return NotUnderstood(say(CAME_NEAREST, what=say(what), example=say(examples[what][0])))
    return NotUnderstood(say(NOT_UNDERSTOOD))
