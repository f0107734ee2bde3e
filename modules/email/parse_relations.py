"""Tells by a mail's headers whether another mail is part of it: what it answers, what it passes on."""

from typing import Final

from modules.email.parse_mime import Headers

_ANSWERING: Final = ("in-reply-to", "references")
_PASSING_ON: Final = ("x-forwarded-message-id",)
"""As Thunderbird and its relatives name the mail that they pass on."""
_SENT_ONCE_MORE: Final = "resent-"
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
