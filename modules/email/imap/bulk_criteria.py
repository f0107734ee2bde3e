"""What is looked for among many mails, as SEARCH takes it."""

from modules.email.imap.bulk_methods import Criteria
from modules.email.imap.syntax import Piece, search_date

BADCHARSET = "BADCHARSET"
"""The provider's code where a server searches for ASCII alone."""
_SYSTEM = {"\\seen": "SEEN", "\\flagged": "FLAGGED", "\\answered": "ANSWERED"}
_LIST_HEADERS = ("LIST-UNSUBSCRIBE", "LIST-ID")


def flag_key(flag: str, on: bool) -> list[Piece]:
    """The key for mails that bear a flag, or do not."""
    name = _SYSTEM.get(flag.lower())
    if name is None:
        return ["KEYWORD" if on else "UNKEYWORD", flag]
    return [name if on else f"UN{name}"]


def bulk_criteria(said: Criteria) -> list[Piece]:
    """The keys. What another program has marked as deleted is no longer there for the person."""
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
    # The text of all mails is the slowest to go through, so everything else stands before it.
    for word in said.words:
        keys += ["TEXT", word.encode()]
    return keys


def can_be_plain(said: Criteria) -> bool:
    """Whether all that is beyond ASCII can be compared without the server: it is about senders and the subject."""
    return all(one.isascii() for one in (*said.words, said.list_id))


def plain_criteria(said: Criteria) -> Criteria:
    """The same without what is beyond ASCII."""
    return said.model_copy(
        update={
            "senders": said.senders if all(map(str.isascii, said.senders)) else [],
            "keep": [one for one in said.keep if one.isascii()],
            "subject": said.subject if said.subject.isascii() else "",
        }
    )


def message_id_keys(message_ids: list[str]) -> list[Piece]:
    """The keys for mails with one of these Message-IDs."""
    return _any_of([["HEADER", "MESSAGE-ID", one.encode("utf-8", "replace")] for one in message_ids])


def _any_of(keys: list[list[Piece]]) -> list[Piece]:
    """One key that any of these meets; OR takes two at a time, and halves keep what is nested shallow."""
    if len(keys) <= 1:
        return keys[0] if keys else []
    half = len(keys) // 2
    return ["OR", *_any_of(keys[:half]), *_any_of(keys[half:])]
