"""The butler's mailbox as a provider: IMAP for what lies in it, SMTP for what leaves it.

Messages are fetched by BODY.PEEK and no flag is ever touched, so reading leaves a mailbox as it was.
"""

import asyncio
import ssl
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from datetime import date
from typing import Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from butler.contract.errors import IntegrationErrorCode, IntegrationFault
from butler.contract.integration import (
    AuthStatus,
    BaseIntegration,
    CallProbe,
    Idempotency,
    IntegrationCall,
    Method,
    Progress,
    RawAnswer,
    method,
)
from butler.contract.ports import BlobStore
from modules.email.config import BotMailboxSettings, endpoint
from modules.email.imap import Fetched, FolderState, Piece, search_date
from modules.email.integration_imap import ImapConnection, Login
from modules.email.integration_smtp import Envelope, Submission, check_login, submit

NEWS = "smtp_imap.inbox.news.v1"
SEARCH = "smtp_imap.inbox.search.v1"
FETCH = "smtp_imap.inbox.fetch.v1"
SEND = "smtp_imap.outbox.send.v1"
NOTIFY = "smtp_imap.outbox.notify.v1"
KEEP_COPY = "smtp_imap.sent.keep.v1"
FIND_COPY = "smtp_imap.sent.find.v1"
CHECK_IMAP = "smtp_imap.account.check_imap.v1"
CHECK_SMTP = "smtp_imap.account.check_smtp.v1"

LARGEST_MAIL = 30 * 1024 * 1024  # bytes
_LARGEST_PORTION = 32 * 1024 * 1024
_SENT_NAMES = ("Sent", "Sent Items", "Sent Messages", "INBOX.Sent", "INBOX/Sent")


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Nothing(_Record):
    """No arguments."""


class NewsArgs(_Record):
    after_uid: int = Field(ge=0)


class News(_Record):
    """The state of the inbox, and the UIDs after the one that was given, ascending."""

    uidvalidity: int
    uidnext: int
    exists: int
    uids: list[int]


class SearchArgs(_Record):
    """What must hold of a mail, all of it. Dates are days of arrival; `since` is included, `before` is not."""

    words: tuple[str, ...] = ()
    sender: str = ""
    subject: str = ""
    message_id: str = ""
    since: date | None = None
    before: date | None = None
    unread: bool = False


class Found(_Record):
    """All UIDs that match, newest first. `plain_only`: words that the server cannot search for were left out."""

    uidvalidity: int
    uids: list[int]
    plain_only: bool = False


class FetchArgs(_Record):
    """`uidvalidity` is the one the UIDs were learnt under; whole mails, or only their headers."""

    uidvalidity: int
    uids: list[int] = Field(max_length=100)
    headers_only: bool = False


class FetchedMail(_Record):
    """One mail; its bytes are in the result's `raw` by UID, unless the server gave none.

    `complete` is false where those are only the header, because it was all that was asked for or the mail is too large.
    """

    uid: int
    size: int
    received_at: AwareDatetime | None
    flags: list[str]
    complete: bool


class FetchedMails(_Record):
    """Mails in the order of their UIDs; `left` are those for another call, because these were large already."""

    mails: list[FetchedMail]
    left: list[int]


class SendArgs(_Record):
    """The mail is a blob, so that what left is kept."""

    sender: str
    recipients: tuple[str, ...] = Field(min_length=1)
    message_id: str
    raw: str


class NotifyArgs(_Record):
    """The mail itself, in ASCII: it holds a code that is kept nowhere."""

    sender: str
    recipients: tuple[str, ...] = Field(min_length=1)
    message_id: str
    wire: str = Field(repr=False)


class Accepted(_Record):
    """Who was accepted, and why others were not."""

    message_id: str
    accepted: list[str]
    refused: dict[str, str]


class CopyArgs(_Record):
    message_id: str
    raw: str = ""


class Copy(_Record):
    """Whether a copy lies in the Sent folder, and whether it lay there before."""

    kept: bool
    was_there: bool
    folder: str


class Checked(_Record):
    ok: bool
    detail: str


class SmtpImapIntegration(BaseIntegration):
    """One mailbox. IMAP calls share one connection, one at a time; each send has its own."""

    provider = "smtp_imap"

    def __init__(
        self,
        settings: BotMailboxSettings,
        secrets: Mapping[str, str],
        blobs: BlobStore,
        probe: CallProbe | None = None,
    ) -> None:
        self._settings = settings
        self._secrets = secrets
        self._blobs = blobs
        self._turn = asyncio.Lock()
        self._connection: ImapConnection | None = None
        super().__init__(probe)

    def methods(self) -> list[Method]:
        reads = Idempotency.READ
        return [
            method(NEWS, args=NewsArgs, answer=News, run=self._raw_news, idempotency=reads),
            method(SEARCH, args=SearchArgs, answer=Found, run=self._raw_search, idempotency=reads),
            method(FETCH, args=FetchArgs, answer=FetchedMails, run=self._raw_fetch, idempotency=reads),
            method(SEND, args=SendArgs, answer=Accepted, run=self._raw_send, idempotency=Idempotency.NONE),
            method(NOTIFY, args=NotifyArgs, answer=Accepted, run=self._raw_notify, idempotency=Idempotency.NONE),
            method(KEEP_COPY, args=CopyArgs, answer=Copy, run=self._raw_keep_copy, idempotency=Idempotency.STATE),
            method(FIND_COPY, args=CopyArgs, answer=Copy, run=self._raw_find_copy, idempotency=reads),
            method(CHECK_IMAP, args=Nothing, answer=Checked, run=self._raw_check_imap, idempotency=reads),
            method(CHECK_SMTP, args=Nothing, answer=Checked, run=self._raw_check_smtp, idempotency=reads),
        ]

    async def auth_status(self) -> dict[str, Any]:
        result = await self.call(IntegrationCall(trace_id="auth-status", method_id=CHECK_IMAP, args={}))
        status = AuthStatus(result.ok, account=self._secrets.get(self._settings.address_env, "").lower())
        if result.error is not None:
            status.detail = result.error.message
            status.todo = f"check {self._settings.address_env} and {self._settings.password_env}"
        return {"ok": status.ok, "account": status.account, "detail": status.detail, "todo": status.todo}

    @property
    def address(self) -> str:
        """The mailbox's address in lower case; a fault when it is not set."""
        return self._secret(self._settings.address_env).lower()

    async def open_connection(self) -> ImapConnection:
        """A connection of its own, for the IDLE feed."""
        settings = self._settings
        login = Login(
            endpoint(settings.imap),
            self.address,
            self._secret(settings.password_env),
            xoauth2=settings.auth == "xoauth2",
            tls=self._tls(),
        )
        return await ImapConnection.open(login)

    async def stop(self) -> None:
        """Close the shared connection."""
        async with self._turn:
            if self._connection is not None:
                await self._connection.close()
                self._connection = None

    # Reading

    async def _raw_news(self, _: IntegrationCall, args: NewsArgs) -> RawAnswer:
        async with self._mailbox() as (connection, folder):
            uids = await connection.search(["UID", f"{args.after_uid + 1}:*"])
        # `n:*` names the newest mail even when its UID is smaller than n.
        new = [uid for uid in uids if uid > args.after_uid]
        uidnext = folder.uidnext or max([args.after_uid, *uids]) + 1
        return RawAnswer({"uidvalidity": folder.uidvalidity, "uidnext": uidnext, "exists": folder.exists, "uids": new})

    async def _raw_search(self, _: IntegrationCall, args: SearchArgs) -> RawAnswer:
        async with self._mailbox() as (connection, folder):
            try:
                uids, plain_only = await connection.search(search_criteria(args)), False
            except IntegrationFault as fault:
                if fault.provider_code != "BADCHARSET":
                    raise
                uids, plain_only = await connection.search(search_criteria(plain_part(args))), True
        return RawAnswer({"uidvalidity": folder.uidvalidity, "uids": uids[::-1], "plain_only": plain_only})

    async def _raw_fetch(self, _: IntegrationCall, args: FetchArgs) -> RawAnswer:
        async with self._mailbox() as (connection, folder):
            if folder.uidvalidity != args.uidvalidity:
                raise IntegrationFault(
                    IntegrationErrorCode.CONFLICT, "the mailbox was rebuilt, so its numbers name other mails now"
                )
            known = await connection.fetch(args.uids, "FLAGS INTERNALDATE RFC822.SIZE")
            whole, headers, left = _portion(known, headers_only=args.headers_only)
            bodies = await connection.fetch(whole, "BODY.PEEK[]")
            bodies |= await connection.fetch(headers, "BODY.PEEK[HEADER]")
        mails = [_fetched(known[uid], complete=uid in whole) for uid in sorted([*whole, *headers])]
        raw = {uid: mail.body for uid, mail in bodies.items() if mail.body is not None}
        return RawAnswer({"mails": mails, "left": left}, raw=raw)

    # Sending

    async def _raw_send(self, call: IntegrationCall, args: SendArgs) -> RawAnswer:
        wire = await self._blobs.get(args.raw)
        progress: Progress | None = call.progress

        async def before_data(envelope: Envelope) -> None:
            if progress is not None:
                refused = ", ".join(f"{address} ({reason})" for address, reason in envelope.refused.items())
                await progress.save(stage="data", accepted=", ".join(envelope.accepted), refused=refused)

        try:
            envelope = await submit(self._submission(), args.sender, args.recipients, wire, before_data)
        except IntegrationFault as fault:
            if progress is not None and progress.stored.get("stage") == "data" and fault.effect == "none":
                await progress.save(stage="refused")
            raise
        if progress is not None:
            await progress.save(stage="accepted")
        return RawAnswer(
            {"message_id": args.message_id, "accepted": envelope.accepted, "refused": envelope.refused},
            provider_request_id=args.message_id,
        )

    async def _raw_notify(self, _: IntegrationCall, args: NotifyArgs) -> RawAnswer:
        async def before_data(_: Envelope) -> None:
            """Nothing is noted: whoever sends this may send it again."""

        wire = args.wire.encode("ascii")
        envelope = await submit(self._submission(), args.sender, args.recipients, wire, before_data)
        return RawAnswer(
            {"message_id": args.message_id, "accepted": envelope.accepted, "refused": envelope.refused},
            provider_request_id=args.message_id,
        )

    async def _raw_keep_copy(self, _: IntegrationCall, args: CopyArgs) -> RawAnswer:
        raw = await self._blobs.get(args.raw)
        async with self._mailbox() as (connection, _folder):
            folder = await _sent_folder(connection)
            if not folder:
                folder = "Sent"
                await connection.create(folder)
            if await _copies(connection, folder, args.message_id):
                return RawAnswer({"kept": True, "was_there": True, "folder": folder})
            await connection.append(folder, raw, "\\Seen")
        return RawAnswer({"kept": True, "was_there": False, "folder": folder})

    async def _raw_find_copy(self, _: IntegrationCall, args: CopyArgs) -> RawAnswer:
        async with self._mailbox() as (connection, _folder):
            folder = await _sent_folder(connection)
            found = bool(folder) and bool(await _copies(connection, folder, args.message_id))
        return RawAnswer({"kept": found, "was_there": found, "folder": folder})

    # Checks

    async def _raw_check_imap(self, _: IntegrationCall, __: Nothing) -> RawAnswer:
        async with self._mailbox() as (connection, folder):
            idle = "tells of new mail at once" if connection.has_idle else "has no IDLE, so mail is looked for on time"
        mails = "1 mail" if folder.exists == 1 else f"{folder.exists} mails"
        return RawAnswer({"ok": True, "detail": f"{self.address}: {mails}; the server {idle}"})

    async def _raw_check_smtp(self, _: IntegrationCall, __: Nothing) -> RawAnswer:
        await check_login(self._submission())
        return RawAnswer({"ok": True, "detail": f"{self.address} may send"})

    # Within

    def _submission(self) -> Submission:
        settings = self._settings
        return Submission(
            endpoint(settings.smtp),
            self.address,
            self._secret(settings.password_env),
            xoauth2=settings.auth == "xoauth2",
            tls=self._tls(),
        )

    def _secret(self, name: str) -> str:
        value = self._secrets.get(name, "")
        if not value:
            raise IntegrationFault(IntegrationErrorCode.AUTH_REQUIRED, f"{name} is not set; set it to use this mailbox")
        return value

    def _tls(self) -> ssl.SSLContext:
        try:
            return ssl.create_default_context(cafile=self._settings.tls_ca or None)
        except OSError as error:
            raise IntegrationFault(
                IntegrationErrorCode.AUTH_REQUIRED, "tls_ca names no certificate file that can be read"
            ) from error

    @asynccontextmanager
    async def _mailbox(self) -> AsyncGenerator[tuple[ImapConnection, FolderState]]:
        """The shared connection with INBOX open and its state fresh; opened anew where it was lost."""
        async with self._turn:
            folder = await self._still_open()
            if folder is None or self._connection is None:
                self._connection = await self.open_connection()
                folder = await self._connection.select()
            yield self._connection, folder

    async def _still_open(self) -> FolderState | None:
        if self._connection is None or not self._connection.usable:
            return None
        try:
            return await self._connection.select()
        except IntegrationFault:
            # It may have died in silence since the last call; a fresh one tells what is wrong, if anything is.
            self._connection.drop()
            return None


def search_criteria(args: SearchArgs) -> list[Piece]:
    """SEARCH keys for what is wanted; all mails when nothing is."""
    keys: list[Piece] = []
    for key, values in (("TEXT", args.words), ("FROM", (args.sender,)), ("SUBJECT", (args.subject,))):
        for value in filter(None, values):
            keys += [key, value.encode()]
    if args.message_id:
        keys += ["HEADER", "MESSAGE-ID", args.message_id.encode()]
    for key, day in (("SINCE", args.since), ("BEFORE", args.before)):
        if day is not None:
            keys += [key, search_date(day)]
    if args.unread:
        keys.append("UNSEEN")
    return keys or ["ALL"]


def plain_part(args: SearchArgs) -> SearchArgs:
    """The same without what is not ASCII."""
    return args.model_copy(
        update={
            "words": tuple(word for word in args.words if word.isascii()),
            "sender": args.sender if args.sender.isascii() else "",
            "subject": args.subject if args.subject.isascii() else "",
        }
    )


async def _sent_folder(connection: ImapConnection) -> str:
    """The folder for sent mail as the server names it; empty where there is none."""
    folders = await connection.folders()
    marked = [folder.name for folder in folders if "\\sent" in folder.attributes]
    named = [folder.name for folder in folders if folder.name.strip('"') in _SENT_NAMES]
    return next(iter([*marked, *named]), "")


async def _copies(connection: ImapConnection, folder: str, message_id: str) -> list[int]:
    await connection.select(folder)
    return await connection.search(["HEADER", "MESSAGE-ID", message_id.encode()])


def _portion(known: Mapping[int, Fetched], *, headers_only: bool) -> tuple[list[int], list[int], list[int]]:
    """Which mails to fetch whole, which by their header, and which to leave for another call."""
    whole: list[int] = []
    headers: list[int] = []
    total = 0
    for uid in sorted(known):
        size = known[uid].size or 0
        if headers_only or size > LARGEST_MAIL:
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
