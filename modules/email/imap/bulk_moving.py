"""Moves many mails out of the open folder, and reports where each lies now.

Uses MOVE (RFC 6851), or a copy that the server confirms before exactly those mails are expunged (RFC 4315). A server
without either would expunge what the owner's other programs have marked, so nothing is moved there. Repeating a move is
safe: moved mails are no longer there, and a copy that was made is not made twice.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from butler.contract.errors import Effect, IntegrationErrorCode, IntegrationFault
from butler.contract.speech import phrase, say
from modules.email.imap.bulk_criteria import message_id_keys
from modules.email.imap.bulk_headers import ID_FIELD, message_id_of, read_fields
from modules.email.imap.bulk_methods import Known
from modules.email.imap.folders import shown
from modules.email.imap.syntax import FolderState, Piece, command_chunks, read_moved
from modules.email.imap.uids import Uids
from modules.email.integration_imap import BODY_S, ImapConnection

LONGEST_SET = 4_000
"""The most characters of a UID set in one command; servers accept lines of at least 8,000."""
HELD = "HELD"
"""The provider's code of a refusal that concerns every mail, so that trying them one by one is pointless."""
CANNOT_MOVE = phrase("the mail server cannot move mails (it has neither MOVE nor UIDPLUS)")
_HOLDS_FOR_ALL = re.compile(
    rb"\[(OVERQUOTA|READ-ONLY|NOPERM|TRYCREATE|NONEXISTENT|CANNOT)\]|quota|read-only", re.IGNORECASE
)
_OVER_QUOTA = re.compile(rb"quota", re.IGNORECASE)
_IDS_AT_ONCE = 20
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a move: the target's UIDVALIDITY, the new UID of each moved mail, and the mails left behind."""

    uidvalidity: int
    moved: Mapping[int, int]
    left: Uids


async def move_many(connection: ImapConnection, folder: str, mails: Sequence[Known], target: str) -> Outcome:
    """Move mails out of `folder`, which is open. A new UID is 0 if the server does not report it."""
    uids = Uids.of(mail.uid for mail in mails)
    tells = "UIDPLUS" in connection.capabilities
    if "MOVE" in connection.capabilities:
        there = None if tells else await present(connection, uids)
        validity, moved = await _move_in_parts(connection, "UID MOVE", uids, target)
    elif tells:
        there = None
        validity, moved = await _copied_away(connection, folder, mails, target)
    else:
        raise IntegrationFault(IntegrationErrorCode.REJECTED, say(CANNOT_MOVE), provider_code=HELD)
    moved = {uid: after for uid, after in moved.items() if uid in set(uids)}
    open_ones = uids - Uids.of(moved)
    left = await present(connection, open_ones)
    if there is not None:
        moved |= dict.fromkeys((there - Uids.of(moved)) - left, 0)
    return Outcome(validity, moved, left)


async def present(connection: ImapConnection, uids: Uids, key: Sequence[Piece] = ()) -> Uids:
    """Return which of the mails are in the open folder and match a search key."""
    found: list[int] = []
    for part in uids.written(LONGEST_SET):
        found += await connection.search(["UID", part, *key], BODY_S)
    return Uids.of(found) & uids


async def locate(connection: ImapConnection, state: FolderState, mails: Sequence[Known], taken: Uids) -> list[int]:
    """Return the mails' UIDs in the open folder, 0 for a missing mail; the newest mails are searched first."""
    finder = _Finder(taken)
    looked_for = [mail for mail in mails if mail.message_id]
    if looked_for and state.uidnext:
        lowest = max(1, state.uidnext - 2 * len(looked_for) - 100)
        await finder.look(connection, await connection.search(["UID", f"{lowest}:*"]))
    missing = list(dict.fromkeys(mail.message_id for mail in looked_for if not finder.has(mail)))
    for at in range(0, len(missing), _IDS_AT_ONCE):
        await finder.look(connection, await connection.search(message_id_keys(missing[at : at + _IDS_AT_ONCE]), BODY_S))
    return [finder.take(mail) for mail in mails]


class _Finder:
    """Finds mails by their Message-IDs and gives each mail out once only."""

    def __init__(self, taken: Uids) -> None:
        self._taken = set(taken)
        self._found: dict[str, dict[int, int]] = {}

    async def look(self, connection: ImapConnection, uids: Sequence[int]) -> None:
        """Fetch and store the Message-IDs and sizes of these mails."""
        for at in range(0, len(uids), _AT_ONCE):
            answers = await connection.fetch(uids[at : at + _AT_ONCE], f"RFC822.SIZE {ID_FIELD}")
            for uid, mail in answers.items():
                if message_id := message_id_of(read_fields(mail.body or b"")):
                    self._found.setdefault(message_id, {})[uid] = mail.size or 0

    def has(self, mail: Known) -> bool:
        return bool(self._candidates(mail))

    def take(self, mail: Known) -> int:
        uid = max(self._candidates(mail), default=0)
        self._taken.add(uid)
        return uid

    def _candidates(self, mail: Known) -> list[int]:
        found = self._found.get(mail.message_id, {}) if mail.message_id else {}
        return [uid for uid, size in found.items() if uid not in self._taken and mail.size in {0, size}]


async def store_flag(connection: ImapConnection, uids: Uids, flag: str, *, on: bool) -> None:
    """Set or remove a flag; mails that are gone are skipped."""
    for part in uids.written(LONGEST_SET):
        command = f"UID STORE {part} {'+' if on else '-'}FLAGS.SILENT ({flag})"
        _checked(
            *await connection.command([command.encode("ascii")], "STORE"), say("the mail server refused to mark mails")
        )


async def _copied_away(
    connection: ImapConnection, folder: str, mails: Sequence[Known], target: str
) -> tuple[int, dict[int, int]]:
    """Copy the mails that have no copy yet, and expunge those that have one."""
    there = await present(connection, Uids.of(mail.uid for mail in mails))
    asked = [mail for mail in mails if mail.uid in set(there)]
    if not asked:
        return 0, {}
    validity, copied = await _copies(connection, target, asked)
    await connection.select(folder)
    to_copy = there - Uids.of(copied)
    fresh_validity, fresh = await _move_in_parts(connection, "UID COPY", to_copy, target)
    copied |= {uid: after for uid, after in fresh.items() if uid in set(to_copy)}
    for part in Uids.of(copied).written(LONGEST_SET):
        for command in (f"UID STORE {part} +FLAGS.SILENT (\\Deleted)", f"UID EXPUNGE {part}"):
            answer = await connection.command([command.encode("ascii")], "MOVE")
            _checked(*answer, say("the mail server refused to move mails away"))
    return fresh_validity or validity, copied


async def _copies(connection: ImapConnection, target: str, mails: Sequence[Known]) -> tuple[int, dict[int, int]]:
    """Find copies among the target's newest mails: the answer may have been lost after they were made."""
    try:
        state = await connection.select(target)
    except IntegrationFault as fault:
        if fault.code is not IntegrationErrorCode.NOT_FOUND:
            raise
        return 0, {}
    sized = [mail for mail in mails if mail.size and mail.message_id]
    finder = _Finder(Uids())
    if sized and state.uidnext:
        lowest = max(1, state.uidnext - 2 * len(sized) - 100)
        await finder.look(connection, await connection.search(["UID", f"{lowest}:*"]))
    found = {mail.uid: finder.take(mail) for mail in sized if finder.has(mail)}
    return state.uidvalidity, found


async def _move_in_parts(
    connection: ImapConnection, command: str, uids: Uids, target: str
) -> tuple[int, dict[int, int]]:
    validity, moved = 0, dict[int, int]()
    for part in uids.written(LONGEST_SET):
        found_validity, found = read_moved(await _run_command(connection, f"{command} {part}", target))
        validity = found_validity or validity
        moved |= found
    return validity, moved


async def _run_command(connection: ImapConnection, command: str, target: str) -> list[bytes]:
    """Run a command that names the target; if the server reports it missing, create it and run the command again."""
    chunks = command_chunks([command, target])
    result, lines = await connection.command(chunks, "MOVE")
    if result != "OK" and lines and b"[TRYCREATE]" in lines[-1].upper():
        await connection.create(target)
        result, lines = await connection.command(chunks, "MOVE")
    return _checked(result, lines, say("the mail server refused to move mails to {folder}", folder=shown(target)))


def _checked(result: str, lines: list[bytes], refusal: str) -> list[bytes]:
    if result == "OK":
        return lines
    last = lines[-1] if lines else b""
    if _OVER_QUOTA.search(last):
        refusal = say("the mailbox is full")
    raise IntegrationFault(
        IntegrationErrorCode.REJECTED,
        refusal,
        effect=Effect.UNKNOWN,
        provider_code=HELD if _HOLDS_FOR_ALL.search(last) else "",
    )
