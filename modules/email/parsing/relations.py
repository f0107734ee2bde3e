"""Tells by a mail's headers whether another mail is part of it: what it answers, what it passes on."""

import re
from typing import Final

from butler.mime.regular import Headers

_ANSWERING: Final = ("in-reply-to", "references")
_PASSING_ON: Final = ("x-forwarded-message-id",)
"""As Thunderbird and its relatives name the mail that they pass on."""
_SENT_ONCE_MORE: Final = "resent-"
_OF_A_TELEPHONE: Final = ("x-sms", "x-mms", "x-phone-number", "x-call")
_CALL: Final = re.compile(
    r"\W*(?:(?:new|neue|nouveau|nuevo|missed|verpasster|appel|llamada)\s+)?"
    r"(?:(?:sms|mms)\s+(?:(?:received|erhalten|reçu|recibido)\s+)?(?:from|von|de|by|with|mit|avec|con)"
    r"|(?:text(?: message)?|message|whatsapp|voice ?mail|voice message|call|anruf|textnachricht"
    r"|nachricht|sprachnachricht|appel|texto|message vocal|manqué|llamada|mensaje(?: de (?:texto|voz))?|perdida)"
    r"\s+(?:from|von|de))\b",
    re.IGNORECASE,
)
"""How programs begin the subject of a mail in which they pass on what came to a telephone."""
_FIRST_OF_A_THREAD = 30
"""Letters of base64 without its padding: the 22 bytes that Outlook gives the first mail of a thread."""


def answers(headers: Headers) -> bool:
    """Whether headers name a mail that it answers, even where its id cannot be read."""
    named = any(value.strip() for name in _ANSWERING for value in headers.get(name, ()))
    index = "".join("".join(headers.get("thread-index", ())).split())
    return named or len(index.rstrip("=")) > _FIRST_OF_A_THREAD


def passes_on(headers: Headers) -> bool:
    """Whether headers say that a mail passes on another, or that somebody has sent it once more."""
    return any(name in headers for name in _PASSING_ON) or any(name.startswith(_SENT_ONCE_MORE) for name in headers)


def tells_of_a_call(headers: Headers, subject: str) -> bool:
    """Whether a mail passes on a text message or a call that came to a telephone: its words are another's."""
    return _CALL.match(subject) is not None or any(name.startswith(_OF_A_TELEPHONE) for name in headers)
