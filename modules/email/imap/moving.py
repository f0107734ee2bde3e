"""Moves mails to another folder: by MOVE (RFC 6851), or by a copy that the server confirms before they are expunged.

Only the named mails are ever expunged. A server that can do neither (without UIDPLUS, RFC 4315) would expunge what the
owner's other programs have marked, so nothing is moved there.
"""

from collections.abc import Sequence

from butler.contract.errors import Effect, IntegrationErrorCode, IntegrationFault
from butler.contract.speech import say
from modules.email.imap.folders import shown
from modules.email.imap.syntax import command_chunks, read_copied
from modules.email.imap.uids import Uids
from modules.email.integration_imap import ImapConnection


async def move(connection: ImapConnection, uids: Sequence[int], target: str) -> list[int]:
    """Move mails out of the open folder; return those that are gone from it. A missing target is created.

    A move that was cut off may be repeated: moved mails are no longer there. Only a server without MOVE may then keep a
    second copy.
    """
    there = await _present(connection, uids)
    if there:
        if "MOVE" in connection.capabilities:
            await run_with_target(connection, f"UID MOVE {Uids.of(there)}", target)
        elif "UIDPLUS" in connection.capabilities:
            await _copied_away(connection, there, target)
        else:
            raise IntegrationFault(
                IntegrationErrorCode.REJECTED,
                say("the mail server cannot move mails (it has neither MOVE nor UIDPLUS)"),
            )
        there = await _present(connection, there)
    return sorted(set(uids) - set(there))


async def _copied_away(connection: ImapConnection, uids: Sequence[int], target: str) -> None:
    answer = await run_with_target(connection, f"UID COPY {Uids.of(uids)}", target)
    copied = read_copied(answer) & set(uids)
    if not copied:
        return
    those = Uids.of(copied)
    for command in (f"UID STORE {those} +FLAGS.SILENT (\\Deleted)", f"UID EXPUNGE {those}"):
        await done(connection, [command.encode("ascii")])


async def run_with_target(connection: ImapConnection, command: str, target: str) -> list[bytes]:
    """Run a command that names the target; if the server reports it missing, create it and run the command again."""
    chunks = command_chunks([command, target])
    result, lines = await connection.command(chunks, "MOVE")
    if result != "OK" and lines and b"[TRYCREATE]" in lines[-1].upper():
        await connection.create(target)
        return await done(connection, chunks)
    return _checked(result, lines, say("the mail server refused to move mails to {folder}", folder=shown(target)))


async def done(connection: ImapConnection, chunks: Sequence[bytes]) -> list[bytes]:
    return _checked(*await connection.command(chunks, "MOVE"), say("the mail server refused to move mails away"))


def _checked(result: str, lines: list[bytes], refusal: str) -> list[bytes]:
    if result != "OK":
        raise IntegrationFault(IntegrationErrorCode.REJECTED, refusal, effect=Effect.UNKNOWN)
    return lines


async def _present(connection: ImapConnection, uids: Sequence[int]) -> list[int]:
    return await connection.search(["UID", str(Uids.of(uids))]) if uids else []
