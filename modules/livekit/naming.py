"""How rooms and people are called at the server: readable, and not to be guessed."""

import base64
import hashlib
import hmac
import re
import unicodedata

LONGEST_WORDS = 40
_LETTERS_OF_CHANCE = 12


def readable(words: str, otherwise: str) -> str:
    """Words as small letters, digits and hyphens; `otherwise` where nothing of them is left."""
    plain = unicodedata.normalize("NFKD", words).encode("ascii", "ignore").decode().lower()
    safe = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:LONGEST_WORDS].strip("-")
    return safe or otherwise


def unguessable(secret: str, call_id: str) -> str:
    """Twelve letters and digits, the same each time for one call, and known only to who has the secret.

    So a call that is repeated after a crash finds the room it has opened already.
    """
    digest = hmac.new(secret.encode(), call_id.encode(), hashlib.sha256).digest()
    return base64.b32encode(digest).decode().lower()[:_LETTERS_OF_CHANCE]
