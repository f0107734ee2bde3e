"""A mailbox as a provider: IMAP for reading, SMTP for sending.

Messages are fetched by BODY.PEEK and reading changes no flag, which leaves a mailbox as it was.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from pydantic import BaseModel

from butler.contract.base_integration import BaseIntegration
from butler.contract.errors import IntegrationFault
from butler.contract.integration import (
    CallProbe,
    Idempotency,
    IntegrationCall,
    Method,
    Progress,
    RawAnswer,
    auth_answer,
    method,
)
from butler.contract.ports import BlobStore
from modules.email.imap.account import MailAccount
from modules.email.imap.connection import SharedConnection, refuse_renumbered
from modules.email.imap.criteria import plain_part, search_criteria
from modules.email.imap.folders import NEW_NAMES, Role, folder_of, shown
from modules.email.imap.methods import (
    CHECK_IMAP,
    CHECK_SMTP,
    FETCH,
    FIND_COPY,
    FIND_DRAFT,
    FOLDERS,
    KEEP_COPY,
    KEEP_DRAFT,
    MOVE,
    NEWS,
    NOTIFY,
    SEARCH,
    SEND,
    STATE,
    THREADS,
    Accepted,
    Checked,
    Copy,
    CopyArgs,
    FetchArgs,
    FetchedMails,
    Folders,
    Found,
    MoveArgs,
    Moved,
    News,
    NewsArgs,
    Nothing,
    NotifyArgs,
    SearchArgs,
    SendArgs,
    State,
    StateArgs,
    Threads,
    ThreadsArgs,
)
from modules.email.imap.moving import move
from modules.email.imap.stream import LARGEST_LITERAL
from modules.email.imap.syntax import Fetched, FolderState
from modules.email.imap.uids import Uids
from modules.email.integration_imap import STEP_S, ImapConnection
from modules.email.integration_imap_bulk import BulkMethods
from modules.email.integration_smtp import Envelope, check_login, submit

LARGEST_MAIL = 30 * 1024 * 1024  # bytes
_LARGEST_PORTION = 8 * 1024 * 1024


class SmtpImapIntegration(BaseIntegration):
    """One mailbox. IMAP calls share one connection, one at a time; each send has its own."""

    provider = "smtp_imap"

    def __init__(
        self,
        account: MailAccount,
        blobs: BlobStore,
        probe: CallProbe | None = None,
        *,
        named: Mapping[Role, str] | None = None,
        files_within_s: float = 0.0,
        largest_mail: int = LARGEST_MAIL,
    ) -> None:
        """`named` holds the folders that the owner's settings name.

        `files_within_s` is the time a server is given to file its own copy of a sent mail in the Sent folder. Of a mail
        with more than `largest_mail` bytes only the header is fetched.
        """
        self._account = account
        self._blobs = blobs
        self._named = dict(named or {})
        self._files_within_s = files_within_s
        self._largest_mail = largest_mail
        self._shared = SharedConnection(account)
        super().__init__(probe)

    def methods(self) -> list[Method]:
        reads, state, none = Idempotency.READ, Idempotency.STATE, Idempotency.NONE
        rows: list[tuple[str, type[BaseModel], type[BaseModel], Callable[[IntegrationCall, Any], Any], Idempotency]] = [
            (NEWS, NewsArgs, News, self._raw_news, reads),
            (SEARCH, SearchArgs, Found, self._raw_search, reads),
            (FETCH, FetchArgs, FetchedMails, self._raw_fetch, reads),
            (MOVE, MoveArgs, Moved, self._raw_move, state),
            (STATE, StateArgs, State, self._raw_state, reads),
            (THREADS, ThreadsArgs, Threads, self._raw_threads, reads),
            (FOLDERS, Nothing, Folders, self._raw_folders, reads),
            (SEND, SendArgs, Accepted, self._raw_send, none),
            (NOTIFY, NotifyArgs, Accepted, self._raw_notify, none),
            (KEEP_COPY, CopyArgs, Copy, self._raw_keep_copy, state),
            (FIND_COPY, CopyArgs, Copy, self._raw_find_copy, reads),
            (KEEP_DRAFT, CopyArgs, Copy, self._raw_keep_draft, state),
            (FIND_DRAFT, CopyArgs, Copy, self._raw_find_draft, reads),
            (CHECK_IMAP, Nothing, Checked, self._raw_check_imap, reads),
            (CHECK_SMTP, Nothing, Checked, self._raw_check_smtp, reads),
        ]
        own = [
            method(method_id, args=args, answer=answer, run=run, idempotency=idempotency)
            for method_id, args, answer, run, idempotency in rows
        ]
        every = own + BulkMethods(self._shared, self._named).methods()
        return [replace(one, spec=one.spec.model_copy(update={"auth_scopes": self._scopes(one)})) for one in every]

    def _scopes(self, one: Method) -> tuple[str, ...]:
        return self._account.scopes(smtp=one.spec.method_id in {SEND, NOTIFY, CHECK_SMTP})

    async def auth_status(self) -> dict[str, Any]:
        result = await self.request("auth-status", CHECK_IMAP)
        settings = self._account.settings
        account = self.address if result.error is None else ""
        todo = f"check {settings.address_env} and {settings.password_env}"
        return auth_answer(result.error, account, todo=todo)

    @property
    def address(self) -> str:
        """The mailbox's address in lower case; raises a fault if it is not set."""
        return self._account.address

    async def open_connection(self) -> ImapConnection:
        """Open a separate connection for the IDLE feed."""
        return await self._shared.another()

    async def signed_in(self) -> None:
        """Drop the token and the connection that were made with older credentials."""
        self._account.forget()
        await self._shared.close()

    async def stop(self) -> None:
        """Close the shared connection."""
        await self._shared.close()

    # Reading

    async def _raw_news(self, _: IntegrationCall, args: NewsArgs) -> RawAnswer:
        async with self._shared.at() as (connection, folder):
            uids = await connection.search(["UID", f"{args.after_uid + 1}:*"])
        # `n:*` names the newest mail even when its UID is smaller than n.
        new = [uid for uid in uids if uid > args.after_uid]
        uidnext = folder.uidnext or max([args.after_uid, *uids]) + 1
        return RawAnswer({"uidvalidity": folder.uidvalidity, "uidnext": uidnext, "exists": folder.exists, "uids": new})

    async def _raw_state(self, _: IntegrationCall, args: StateArgs) -> RawAnswer:
        async with self._shared.at(args.folder) as (connection, now):
            known = (args.uidvalidity, args.uidnext, args.exists)
            moved = not now.uidnext or (now.uidvalidity, now.uidnext, now.exists) != known
            flagged = moved or not now.highestmodseq or now.highestmodseq != args.modseq
            answer: dict[str, Any] = {"moved": moved, "flagged": flagged}
            if moved:
                present = await connection.search(["ALL"])
                recent = present
                if args.since is not None:
                    recent = await connection.search(search_criteria(SearchArgs(since=args.since)))
                answer |= {"present": str(Uids.of(present)), "recent": str(Uids.of(recent))}
            if flagged:
                answer["unseen"] = str(Uids.of(await connection.search(["UNSEEN"])))
        return RawAnswer(answer | _numbers(now))

    async def _raw_search(self, _: IntegrationCall, args: SearchArgs) -> RawAnswer:
        async with self._shared.at(args.folder) as (connection, folder):
            try:
                uids, plain_only = await connection.search(search_criteria(args)), False
            except IntegrationFault as fault:
                if fault.provider_code != "BADCHARSET":
                    raise
                uids, plain_only = await connection.search(search_criteria(plain_part(args))), True
        return RawAnswer({"uidvalidity": folder.uidvalidity, "uids": uids[::-1], "plain_only": plain_only})

    async def _raw_threads(self, _: IntegrationCall, args: ThreadsArgs) -> RawAnswer:
        async with self._shared.at(args.folder) as (connection, folder):
            offered, threads = connection.has_threads, list[list[int]]()
            if offered:
                threads = await connection.threads(search_criteria(SearchArgs(since=args.since)))
        return RawAnswer({"uidvalidity": folder.uidvalidity, "threads": threads, "offered": offered})

    async def _raw_fetch(self, _: IntegrationCall, args: FetchArgs) -> RawAnswer:
        async with self._shared.at(args.folder, fresh=False) as (connection, folder):
            refuse_renumbered(folder, args.uidvalidity)
            known = await connection.fetch(args.uids, "FLAGS INTERNALDATE RFC822.SIZE", STEP_S)
            largest = 0 if args.headers_only else self._largest_mail
            whole, headers, left = _portion(known, largest=largest)
            # Some servers report only an approximate size.
            bodies = await connection.fetch(whole, "BODY.PEEK[]", largest=max(LARGEST_LITERAL, 2 * self._largest_mail))
            bodies |= await connection.fetch(headers, "BODY.PEEK[HEADER]")
        mails = [_fetched(known[uid], complete=uid in whole) for uid in sorted([*whole, *headers])]
        raw = {uid: mail.body for uid, mail in bodies.items() if mail.body is not None}
        return RawAnswer({"mails": mails, "left": left}, raw=raw)

    async def _raw_move(self, _: IntegrationCall, args: MoveArgs) -> RawAnswer:
        async with self._shared.at() as (connection, folder):
            refuse_renumbered(folder, args.uidvalidity)
            return RawAnswer({"gone": await move(connection, args.uids, args.target)})

    async def _raw_folders(self, _: IntegrationCall, __: Nothing) -> RawAnswer:
        async with self._shared.at() as (connection, _folder):
            folders = await connection.folders()
        names = {"sent": Role.SENT, "drafts": Role.DRAFTS, "archive": Role.ARCHIVE, "everything": Role.ALL}
        return RawAnswer({key: folder_of(role, folders, self._named.get(role, "")) for key, role in names.items()})

    # Sending

    async def _raw_send(self, call: IntegrationCall, args: SendArgs) -> RawAnswer:
        wire = await self._blobs.get(args.raw)
        progress: Progress | None = call.progress

        async def before_data(envelope: Envelope) -> None:
            if progress is not None:
                refused = ", ".join(f"{address} ({reason})" for address, reason in envelope.refused.items())
                await progress.save(stage="data", accepted=", ".join(envelope.accepted), refused=refused)

        async def hand_over() -> Envelope:
            return await submit(await self._account.submission(), args.sender, args.recipients, wire, before_data)

        try:
            envelope = await self._account.logged_in(hand_over)
        except IntegrationFault as fault:
            if progress is not None and progress.stored.get("stage") == "data" and fault.effect == "none":
                await progress.save(stage="refused")
            raise
        if progress is not None:
            await progress.save(stage="accepted")
        return _accepted(args.message_id, envelope)

    async def _raw_notify(self, _: IntegrationCall, args: NotifyArgs) -> RawAnswer:
        async def before_data(_: Envelope) -> None:
            """Note nothing: the caller may send this mail again."""

        async def hand_over() -> Envelope:
            wire = args.wire.encode("ascii")
            return await submit(await self._account.submission(), args.sender, args.recipients, wire, before_data)

        return _accepted(args.message_id, await self._account.logged_in(hand_over))

    # Copies and drafts

    async def _raw_keep_copy(self, _: IntegrationCall, args: CopyArgs) -> RawAnswer:
        if self._files_within_s:
            found = await self._find(Role.SENT, args)
            if not found.data["kept"]:
                await asyncio.sleep(self._files_within_s)
        return await self._keep(Role.SENT, args, "\\Seen")

    async def _raw_find_copy(self, _: IntegrationCall, args: CopyArgs) -> RawAnswer:
        return await self._find(Role.SENT, args)

    async def _raw_keep_draft(self, _: IntegrationCall, args: CopyArgs) -> RawAnswer:
        return await self._keep(Role.DRAFTS, args, "\\Draft \\Seen")

    async def _raw_find_draft(self, _: IntegrationCall, args: CopyArgs) -> RawAnswer:
        return await self._find(Role.DRAFTS, args)

    async def _keep(self, role: Role, args: CopyArgs, flags: str) -> RawAnswer:
        """Append a mail to a folder, unless it is there already."""
        raw = await self._blobs.get(args.raw)
        async with self._shared.at() as (connection, _folder):
            folder = await self._folder_for(connection, role)
            if not folder:
                folder = NEW_NAMES[role]
                await connection.create(folder)
            if await _copies(connection, folder, args.message_id):
                return RawAnswer({"kept": True, "was_there": True, "folder": shown(folder)})
            await connection.append(folder, raw, flags)
        return RawAnswer({"kept": True, "was_there": False, "folder": shown(folder)})

    async def _find(self, role: Role, args: CopyArgs) -> RawAnswer:
        async with self._shared.at() as (connection, _folder):
            folder = await self._folder_for(connection, role)
            found = bool(folder) and bool(await _copies(connection, folder, args.message_id))
        return RawAnswer({"kept": found, "was_there": found, "folder": shown(folder)})

    async def _folder_for(self, connection: ImapConnection, role: Role) -> str:
        return folder_of(role, await connection.folders(), self._named.get(role, ""))

    # Checks

    async def _raw_check_imap(self, _: IntegrationCall, __: Nothing) -> RawAnswer:
        async with self._shared.at() as (connection, folder):
            capabilities = sorted(connection.capabilities)
            idle = "tells of new mail at once" if connection.has_idle else "has no IDLE, so mail is looked for on time"
        mails = "1 mail" if folder.exists == 1 else f"{folder.exists} mails"
        detail = f"{self.address}: {mails}; the server {idle}"
        return RawAnswer({"ok": True, "detail": detail, "capabilities": capabilities})

    async def _raw_check_smtp(self, _: IntegrationCall, __: Nothing) -> RawAnswer:
        async def try_it() -> None:
            await check_login(await self._account.submission())

        await self._account.logged_in(try_it)
        return RawAnswer({"ok": True, "detail": f"{self.address} may send"})


async def _copies(connection: ImapConnection, folder: str, message_id: str) -> list[int]:
    await connection.select(folder)
    return await connection.search(["HEADER", "MESSAGE-ID", message_id.encode()])


def _portion(known: Mapping[int, Fetched], *, largest: int) -> tuple[list[int], list[int], list[int]]:
    """Return which mails to fetch whole, which by their header, and which to leave for another call.

    Mails with more than `largest` bytes are fetched by their header.
    """
    whole: list[int] = []
    headers: list[int] = []
    total = 0
    for uid in sorted(known):
        size = known[uid].size or 0
        if not largest or size > largest:
            headers.append(uid)
        elif total and total + size > _LARGEST_PORTION:
            break
        else:
            whole.append(uid)
            total += size
    return whole, headers, sorted(set(known) - {*whole, *headers})


def _fetched(mail: Fetched, *, complete: bool) -> dict[str, Any]:
    return {
        "uid": mail.uid,
        "size": mail.size or 0,
        "received_at": mail.received_at,
        "flags": sorted(mail.flags or ()),
        "complete": complete,
    }


def _numbers(folder: FolderState) -> dict[str, int]:
    return {
        "uidvalidity": folder.uidvalidity,
        "uidnext": folder.uidnext,
        "exists": folder.exists,
        "modseq": folder.highestmodseq,
    }


def _accepted(message_id: str, envelope: Envelope) -> RawAnswer:
    return RawAnswer(
        {"message_id": message_id, "accepted": envelope.accepted, "refused": envelope.refused},
        provider_request_id=message_id,
    )
