"""Reads the few header fields that tell many mails apart, fast and with a limit on the bytes of a field."""

import re

from butler.mime.text import decoded

FIELDS = "BODY.PEEK[HEADER.FIELDS (FROM SUBJECT MESSAGE-ID)]<0.4000>"
ID_FIELD = "BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)]<0.2000>"
_ID = re.compile(r"<[^\s<>@]+@[^\s<>@]+>")
_LONGEST = 600
_LONGEST_ID = 500


def read_fields(raw: bytes) -> dict[str, str]:
    """Return the fields by their lower-case names, values as the sender wrote them; the first of repeated ones."""
    fields: dict[str, str] = {}
    name = ""
    for line in raw.replace(b"\r\n", b"\n").split(b"\n"):
        text = line.decode("utf-8", "replace")
        if line[:1] in (b" ", b"\t"):
            if name:
                fields[name] = f"{fields[name]} {text.strip()}".strip()
            continue
        before, colon, value = text.partition(":")
        name = before.strip().lower() if colon else ""
        if name in fields:
            name = ""
        elif name:
            fields[name] = value.strip()
    return fields


def message_id_of(fields: dict[str, str]) -> str:
    """Return the Message-ID; empty if it is missing or too long to be genuine."""
    value = fields.get("message-id", "")
    angled = _ID.search(value)
    found = angled[0] if angled else value
    return found if len(found) <= _LONGEST_ID else ""


def readable(text: str) -> str:
    """Return a field's text on one line, with its encoded words decoded."""
    return decoded(text[:_LONGEST])


def names(text: str, wanted: str, *, searched: bool = True) -> bool:
    """Return whether a text contains a name, an address or a word as a word of its own: "ann" is not "hannah".

    With `searched`, also accept a text without `wanted`: the server has matched it, perhaps in another spelling.
    """
    text, needle = text.casefold(), wanted.casefold().strip()
    at, seen = text.find(needle), False
    while at >= 0:
        seen = True
        if not (_runs_on(text, at - 1, needle[0]) or _runs_on(text, at + len(needle), needle[-1])):
            return True
        at = text.find(needle, at + 1)
    return searched and not seen


def _runs_on(text: str, at: int, edge: str) -> bool:
    """Return whether the word continues at `at`; scripts without spaces have no such word ends."""
    return 0 <= at < len(text) and _is_of_a_word(text[at]) and _is_of_a_word(edge)


def _is_of_a_word(char: str) -> bool:
    return char.isdigit() or char.lower() != char.upper()
