"""Decides by a mail's headers whether it contains another mail: one that it answers or passes on."""

import re
from typing import Final

from butler.mime.regular import Headers

_ANSWERING: Final = ("in-reply-to", "references")
_PASSING_ON: Final = ("x-forwarded-message-id",)
"""File names by which Thunderbird and its relatives attach a forwarded mail."""
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
"""Subjects by which programs pass on what a phone received."""
_FIRST_OF_A_THREAD = 30
"""Letters of base64 without padding: the 22 bytes that Outlook gives the first mail of a thread."""


def answers(headers: Headers) -> bool:
    """Return whether headers name an answered mail, even if its id cannot be read."""
    named = any(value.strip() for name in _ANSWERING for value in headers.get(name, ()))
    index = "".join("".join(headers.get("thread-index", ())).split())
    return named or len(index.rstrip("=")) > _FIRST_OF_A_THREAD


def passes_on(headers: Headers) -> bool:
    """Return whether headers say that a mail passes on another, or was resent."""
    return any(name in headers for name in _PASSING_ON) or any(name.startswith(_SENT_ONCE_MORE) for name in headers)


def tells_of_a_call(headers: Headers, subject: str) -> bool:
    """Return whether a mail passes on a text message or a call to a phone: its words are another's."""
    return _CALL.match(subject) is not None or any(name.startswith(_OF_A_TELEPHONE) for name in headers)
