"""Detects whether a text asks its reader for something: a question or a request, in the supported languages.

Only the writer's own words count: quoted lines are left out, and so are web addresses, which are full of question
marks. It is a hint for messages to the owner, and decides nothing else.
"""

import re

MOST = 4_000
"""Characters that are checked."""
_QUOTED = re.compile(r"(?m)^\s*>.*$|^-{2,}\s*$[\s\S]*")
_LINK = re.compile(r"\S+://\S+|www\.\S+")
_QUESTION = re.compile(r"[?？](?=[\s\"”»')\]]|$)")
_REQUEST = re.compile(
    r"\b(?:can|could|would|will) you\b|\blet (?:me|us) know\b|\brsvp\b|\bwait(?:ing)? for your (?:answer|reply)\b"
    r"|\bplease (?:confirm|reply|answer|send|tell|sign|check|get back|let|call|look|review|respond)\b"
    r"|\b(?:kannst|könntest|könnten|können|magst|würdest|würden) (?:du|sie|ihr)\b"
    r"|\b(?:sag|sagt|sagen sie|gib|gebt|geben sie) (?:mir|uns) bescheid\b|\bbitte um (?:antwort|rückmeldung)\b"
    r"|\b(?:peux-tu|pouvez-vous|pourrais-tu|pourriez-vous|merci de (?:me|nous|bien vouloir)|dis-moi|dites-moi)\b"
    r"|\b(?:puedes|podrías|podría|pueden|podrían|dime|avísame|avísanos|confírmame)\b",
    re.IGNORECASE,
)


def asks(text: str) -> bool:
    """Return whether a text asks for something."""
    own = _LINK.sub(" ", _QUOTED.sub("", text[:MOST]))
    return bool(_QUESTION.search(own) or _REQUEST.search(own))
