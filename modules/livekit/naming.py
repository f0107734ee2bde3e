"""Names of rooms and people at the server: readable, and not guessable."""

import base64
import hashlib
import hmac
import re
import unicodedata

LONGEST_WORDS = 40
_LETTERS_OF_CHANCE = 12


def readable(words: str, otherwise: str) -> str:
    """Return the words as lower-case letters, digits and hyphens, or `otherwise` if nothing is left."""
    plain = unicodedata.normalize("NFKD", words).encode("ascii", "ignore").decode().lower()
    safe = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:LONGEST_WORDS].strip("-")
    return safe or otherwise


def unguessable(secret: str, call_id: str) -> str:
    """Return twelve letters and digits, derived from the call and the secret.

    So a call that is repeated after a crash finds the room that it has already opened.
    """
    digest = hmac.new(secret.encode(), call_id.encode(), hashlib.sha256).digest()
    return base64.b32encode(digest).decode().lower()[:_LETTERS_OF_CHANCE]
