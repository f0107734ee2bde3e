"""Builds the SEARCH keys of bulk operations."""

from modules.email.imap.bulk_methods import Criteria
from modules.email.imap.syntax import Piece, search_date

BADCHARSET = "BADCHARSET"
"""The provider's code when a server searches for ASCII only."""
_SYSTEM = {"\\seen": "SEEN", "\\flagged": "FLAGGED", "\\answered": "ANSWERED"}
_LIST_HEADERS = ("LIST-UNSUBSCRIBE", "LIST-ID")


def flag_key(flag: str, on: bool) -> list[Piece]:
    """Return the key for mails that have a flag, or lack it."""
    name = _SYSTEM.get(flag.lower())
    if name is None:
        return ["KEYWORD" if on else "UNKEYWORD", flag]
    return [name if on else f"UN{name}"]


def bulk_criteria(said: Criteria) -> list[Piece]:
    """Return the SEARCH keys; mails that another program marked as deleted no longer exist for the owner."""
    keys: list[Piece] = ["UNDELETED"]
    for flag, on in said.flags:
        keys += flag_key(flag, on)
    if said.larger:
        keys += ["LARGER", str(said.larger)]
    for key, day in (("SINCE", said.since), ("BEFORE", said.before)):
        if day is not None:
            keys += [key, search_date(day)]
    keys += _any_of([["FROM", one.encode()] for one in said.senders])
    for one in said.keep:
        keys += ["NOT", "FROM", one.encode()]
    if said.newsletter:
        keys += _any_of([["HEADER", name, b""] for name in _LIST_HEADERS])
    if said.list_id:
        keys += ["HEADER", "LIST-ID", said.list_id.encode()]
    if said.subject:
        keys += ["SUBJECT", said.subject.encode()]
    # Searching the text of all mails is slowest, so every other key stands before it.
    for word in said.words:
        keys += ["TEXT", word.encode()]
    return keys


def can_be_plain(said: Criteria) -> bool:
    """Return whether all non-ASCII values concern senders and the subject, which can be compared here."""
    return all(one.isascii() for one in (*said.words, said.list_id))


def plain_criteria(said: Criteria) -> Criteria:
    """Return the criteria without their non-ASCII values."""
    return said.model_copy(
        update={
            "senders": said.senders if all(map(str.isascii, said.senders)) else [],
            "keep": [one for one in said.keep if one.isascii()],
            "subject": said.subject if said.subject.isascii() else "",
        }
    )


def message_id_keys(message_ids: list[str]) -> list[Piece]:
    """Return the keys for mails with one of these Message-IDs."""
    return _any_of([["HEADER", "MESSAGE-ID", one.encode("utf-8", "replace")] for one in message_ids])


def _any_of(keys: list[list[Piece]]) -> list[Piece]:
    """Join keys by OR, which takes two operands; halving keeps the nesting shallow."""
    if len(keys) <= 1:
        return keys[0] if keys else []
    half = len(keys) // 2
    return ["OR", *_any_of(keys[:half]), *_any_of(keys[half:])]
