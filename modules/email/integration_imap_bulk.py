"""The bulk methods of an IMAP account: mails are found by UID SEARCH, and marked or moved by sets of UIDs."""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from pydantic import BaseModel

from butler.contract.errors import Effect, IntegrationErrorCode, IntegrationFault
from butler.contract.integration import Idempotency, IntegrationCall, Method, RawAnswer, method
from butler.contract.speech import phrase, say
from modules.email.imap.bulk_criteria import bulk_criteria, flag_key
from modules.email.imap.bulk_headers import FIELDS, message_id_of, read_fields, readable
from modules.email.imap.bulk_methods import (
    FIND,
    FLAG,
    FOLDERS,
    LOCATE,
    LOOK,
    MOVE,
    AllFolders,
    FindArgs,
    FlagArgs,
    Flagged,
    Found,
    LocateArgs,
    Located,
    LookArgs,
    Looked,
    MoveArgs,
    Moved,
    Nothing,
)
from modules.email.imap.bulk_moving import HELD, locate, move_many, present, store_flag
from modules.email.imap.connection import INBOX, SharedConnection, refuse_renumbered
from modules.email.imap.folders import Role, folder_of, shown
from modules.email.imap.structure import has_attachment
from modules.email.imap.syntax import Fetched, FolderName, FolderState, read_namespaces
from modules.email.imap.uids import Uids
from modules.email.integration_imap import BODY_S, ImapConnection

WINDOW, READ_WINDOW = 20_000, 2_000
"""The approximate number of mails to search in one command; fewer if the server has to read their texts."""
NO_KEYWORDS = phrase("the mail server keeps no labels in the folder {folder}")
_UNUSABLE = frozenset({"\\noselect", "\\nonexistent"})
_VIRTUAL = frozenset({"\\flagged", "\\important"})
_HIGHEST = 2**32


class BulkMethods:
    """The bulk methods of one account, on the connection that all its calls share."""

    def __init__(self, shared: SharedConnection, named: Mapping[Role, str]) -> None:
        """`named` holds the folders that the owner's settings name."""
        self._shared, self._named = shared, named

    def methods(self) -> list[Method]:
        """Return the bulk methods."""
        reads, state = Idempotency.READ, Idempotency.STATE
        rows: list[tuple[str, type[BaseModel], type[BaseModel], Callable[[IntegrationCall, Any], Any], Idempotency]] = [
            (FOLDERS, Nothing, AllFolders, self._raw_folders, reads),
            (FIND, FindArgs, Found, self._raw_find, reads),
            (LOOK, LookArgs, Looked, self._raw_look, reads),
            (FLAG, FlagArgs, Flagged, self._raw_flag, state),
            (MOVE, MoveArgs, Moved, self._raw_move, state),
            (LOCATE, LocateArgs, Located, self._raw_locate, reads),
        ]
        return [
            method(method_id, args=args, answer=answer, run=run, idempotency=idempotency)
            for method_id, args, answer, run, idempotency in rows
        ]

    async def _raw_folders(self, _: IntegrationCall, __: Nothing) -> RawAnswer:
        async with self._shared.at() as (connection, inbox):
            folders = await connection.folders()
            prefix, foreign = await _namespaces(connection)
            can_move = bool({"MOVE", "UIDPLUS"} & connection.capabilities)
        own = [one for one in folders if _is_own(one, foreign)]
        roles = {folder_of(role, own, self._named.get(role, "")).strip('"'): role.name.lower() for role in Role}
        listed = [_listed(one, roles) for one in own]
        return RawAnswer(
            {
                "folders": listed,
                "prefix": prefix,
                "delimiter": next((one.delimiter for one in own if one.delimiter), "/"),
                "can_move": can_move,
                "keywords": sorted(flag for flag in inbox.permanent if not flag.startswith("\\")),
                "any_keyword": "\\*" in inbox.permanent,
            }
        )

    async def _raw_find(self, _: IntegrationCall, args: FindArgs) -> RawAnswer:
        async with self._shared.at(args.folder, fresh=not args.below) as (connection, folder):
            if args.uidvalidity:
                refuse_renumbered(folder, args.uidvalidity)
            above = args.below or folder.uidnext or _HIGHEST
            # If most UIDs are of mails that are gone, the same number of mails spans more UIDs.
            window = READ_WINDOW if args.criteria.words else WINDOW
            lowest = max(1, above - max(window, window * (folder.uidnext or 1) // max(folder.exists, 1)))
            uids: list[int] = []
            if folder.exists and above > 1:
                keys = ["UID", f"{lowest}:{above - 1}", *bulk_criteria(args.criteria)]
                uids = await connection.search(keys, BODY_S)
        found = Uids.of(uid for uid in uids if lowest <= uid < above)
        below = lowest if lowest > 1 and folder.exists else 0
        return RawAnswer({"uidvalidity": folder.uidvalidity, "uids": str(found), "below": below})

    async def _raw_look(self, _: IntegrationCall, args: LookArgs) -> RawAnswer:
        items = f"FLAGS INTERNALDATE RFC822.SIZE{' BODYSTRUCTURE' if args.structure else ''} {FIELDS}"
        async with self._shared.at(args.folder, fresh=False) as (connection, folder):
            refuse_renumbered(folder, args.uidvalidity)
            mails = await connection.fetch(list(Uids.read(args.uids)), items)
        return RawAnswer({"mails": [_seen(mails[uid], structure=args.structure) for uid in sorted(mails)]})

    async def _raw_flag(self, _: IntegrationCall, args: FlagArgs) -> RawAnswer:
        uids = Uids.read(args.uids)
        async with self._to_act_in(args.folder, args.uidvalidity) as (connection, folder):
            if args.on and not _can_bear(folder, args.flag):
                message = say(NO_KEYWORDS, folder=shown(args.folder))
                raise IntegrationFault(IntegrationErrorCode.REJECTED, message, provider_code=HELD)
            await store_flag(connection, uids, args.flag, on=args.on)
            done = await present(connection, uids, flag_key(args.flag, args.on))
            left = await present(connection, uids - done)
        return RawAnswer({"done": str(done), "left": str(left)})

    async def _raw_move(self, _: IntegrationCall, args: MoveArgs) -> RawAnswer:
        async with self._to_act_in(args.folder, args.uidvalidity) as (connection, _folder):
            outcome = await move_many(connection, args.folder, args.mails, args.target)
        moved = sorted(outcome.moved.items())
        return RawAnswer({"uidvalidity": outcome.uidvalidity, "moved": moved, "left": str(outcome.left)})

    async def _raw_locate(self, _: IntegrationCall, args: LocateArgs) -> RawAnswer:
        async with self._shared.at(args.folder) as (connection, folder):
            uids = await locate(connection, folder, args.mails, Uids.read(args.taken))
        return RawAnswer({"uidvalidity": folder.uidvalidity, "uids": uids})

    @asynccontextmanager
    async def _to_act_in(self, name: str, uidvalidity: int) -> AsyncGenerator[tuple[ImapConnection, FolderState]]:
        """Open a folder; until that succeeds, nothing was done to it."""
        is_open = False
        try:
            async with self._shared.at(name, fresh=False) as (connection, folder):
                refuse_renumbered(folder, uidvalidity)
                is_open = True
                yield connection, folder
        except IntegrationFault as fault:
            if not is_open:
                fault.effect = Effect.NONE
            raise


async def _namespaces(connection: ImapConnection) -> tuple[str, tuple[str, ...]]:
    if "NAMESPACE" not in connection.capabilities:
        return "", ()
    result, lines = await connection.command([b"NAMESPACE"], "NAMESPACE")
    return read_namespaces(lines) if result == "OK" else ("", ())


def _is_own(folder: FolderName, foreign: tuple[str, ...]) -> bool:
    """Return whether a folder is the owner's, holds mails, and is not a view of other folders' mails."""
    plain = folder.name.strip('"')
    others = any(plain == prefix.rstrip("/.") or plain.startswith(prefix) for prefix in foreign)
    return not others and not folder.attributes & (_UNUSABLE | _VIRTUAL)


def _listed(folder: FolderName, roles: Mapping[str, str]) -> dict[str, str]:
    plain = folder.name.strip('"')
    # The inbox may be spelt in any case; here it has one name.
    name = INBOX if plain.upper() == INBOX else folder.name
    return {"name": name, "shown": shown(name), "role": roles.get(plain, "")}


def _can_bear(folder: FolderState, flag: str) -> bool:
    return not folder.permanent or "\\*" in folder.permanent or flag.lower() in folder.permanent


def _seen(mail: Fetched, *, structure: bool) -> dict[str, Any]:
    fields = read_fields(mail.body or b"")
    return {
        "uid": mail.uid,
        "received_at": mail.received_at,
        "size": mail.size or 0,
        "flags": sorted(mail.flags or ()),
        "sender": readable(fields.get("from", "")),
        "subject": readable(fields.get("subject", "")),
        "message_id": message_id_of(fields),
        "attachment": has_attachment(mail.structure or b"") if structure else None,
    }
