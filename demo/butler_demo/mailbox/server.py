"""A mail provider in a box: IMAP and SMTP on loopback, the outside world, and faults by order.

Stands in for a person's and the butler's mail provider in the demo and in tests. It keeps everything in
memory, needs no root, and speaks to any IMAP or SMTP client.
"""

import asyncio
import socket
import ssl
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from butler_demo.faults import FaultOrders
from butler_demo.mailbox.faults import ImapAnswer, ImapFault, SmtpFault, SmtpStage
from butler_demo.mailbox.imap_session import ImapSession
from butler_demo.mailbox.imap_wire import LONGEST_LINE, ImapWire
from butler_demo.mailbox.records import EventKind, MailEvent, SentMail, StoredMail
from butler_demo.mailbox.smtp import HOSTNAME, SubmissionHandler, SubmissionProtocol
from butler_demo.mailbox.stamps import stamp
from butler_demo.mailbox.store import Account, Folder, MailStore
from butler_demo.mailbox.tls import issue_certificate, server_context
from butler_demo.serving import close_listener, hold_port

_HOST = "127.0.0.1"
_SCHEMES = ("imap", "imaps", "smtp", "smtp+starttls")


def _utc_now() -> datetime:
    return datetime.now(UTC)


class MailServer:
    """The provider. `now` is its clock (aware UTC).

    `authserv_id`, when set, makes it write `Authentication-Results` into what it delivers.
    `silent_idle` keeps IDLE quiet about news. `rewrite_imap` sees every IMAP answer (a line with its
    literals and CRLF) and returns what is sent instead. `on_outgoing` is called with each submitted
    mail that has a recipient elsewhere.
    """

    def __init__(self, *, now: Callable[[], datetime] = _utc_now, authserv_id: str | None = None) -> None:
        self.authserv_id = authserv_id
        self.silent_idle = False
        self.rewrite_imap: Callable[[bytes], bytes] = lambda answer: answer
        self.on_outgoing: Callable[[SentMail], None] | None = None
        self._store = MailStore(now)
        self._outgoing: list[SentMail] = []
        self._imap_faults: FaultOrders[ImapFault] = FaultOrders()
        self._smtp_faults: FaultOrders[SmtpFault] = FaultOrders()
        self._submission = SubmissionHandler(self._store, self._smtp_faults, self._submit)
        self._imap_sessions: dict[asyncio.Task[None], ImapSession] = {}
        self._smtp_connections: set[SubmissionProtocol] = set()
        self._ports: dict[str, int] = {}
        self._held: list[socket.socket] = []
        self._listeners: list[asyncio.Server] = []
        self._folder: TemporaryDirectory[str] | None = None
        self._tls: ssl.SSLContext | None = None

    # Life

    async def start(self) -> None:
        """Listen on four free loopback ports; the addresses are then known."""
        self._folder = TemporaryDirectory(prefix="mail-tls-")
        _, cert, key = issue_certificate(Path(self._folder.name))
        self._tls = server_context(cert, key)
        self._held = [hold_port(_HOST, 0) for _ in _SCHEMES]
        self._ports = {scheme: held.getsockname()[1] for scheme, held in zip(_SCHEMES, self._held, strict=True)}
        await self.come_back()

    async def stop(self) -> None:
        """Cut all connections and close the ports."""
        await self.go_offline()
        for held in self._held:
            held.close()
        self._held.clear()
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    async def go_offline(self) -> None:
        """Cut all connections and refuse new ones until `come_back`."""
        for listener in self._listeners:
            await close_listener(listener)
        self._listeners.clear()
        tasks = list(self._imap_sessions)
        self.drop_imap()
        self.drop_smtp()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.gather(*(connection.lost.wait() for connection in tuple(self._smtp_connections)))

    async def come_back(self) -> None:
        """Listen again, on the same ports as before."""
        loop = asyncio.get_running_loop()
        for scheme in _SCHEMES:
            port = self._ports[scheme]
            if scheme.startswith("imap"):
                tls = self._tls if scheme == "imaps" else None
                listener = await asyncio.start_server(
                    self._serve_imap, _HOST, port, ssl=tls, limit=LONGEST_LINE, reuse_port=True
                )
            else:
                tls = self._tls if scheme == "smtp+starttls" else None
                listener = await loop.create_server(
                    lambda tls=tls: SubmissionProtocol(self._submission, self._smtp_connections, tls),
                    _HOST,
                    port,
                    reuse_port=True,
                )
            self._listeners.append(listener)

    @property
    def imap_url(self) -> str:
        return self._url("imap")

    @property
    def imaps_url(self) -> str:
        return self._url("imaps")

    @property
    def smtp_url(self) -> str:
        return self._url("smtp")

    @property
    def smtp_starttls_url(self) -> str:
        """Plain until STARTTLS, which is demanded before AUTH."""
        return self._url("smtp+starttls")

    @property
    def ca_file(self) -> str:
        """The certificate authority that a client has to trust for the TLS addresses."""
        assert self._folder is not None, "start the server first"
        return str(Path(self._folder.name) / "ca.pem")

    # Mailboxes

    def add_mailbox(self, address: str, password: str, *, token: str | None = None) -> None:
        """A user with INBOX, Archive, Drafts, Sent and Trash; `token` is what XOAUTH2 accepts."""
        self._store.add_account(address, password, token)

    def set_token(self, address: str, token: str | None) -> None:
        """Replace the OAuth token of a user, as expiry and refresh do."""
        self._account(address).token = token

    def mailbox(self, address: str, folder: str = "INBOX") -> list[StoredMail]:
        """The mails of a folder in the order of their UIDs; KeyError without such a folder."""
        return list(self._account(address).folders[folder].mails.values())

    @property
    def outgoing(self) -> list[SentMail]:
        """Every mail that was accepted by SMTP, in order, whoever it was for."""
        return list(self._outgoing)

    def subscribe(self, callback: Callable[[MailEvent], None]) -> Callable[[], None]:
        """Call back on every change; returns what ends that."""
        self._store.subscribers.append(callback)
        return lambda: self._store.subscribers.remove(callback)

    def deliver(
        self,
        raw: bytes,
        mail_from: str,
        rcpt_tos: list[str],
        *,
        received_from: str = "mx.elsewhere.example",
        results: str = "",
    ) -> list[StoredMail]:
        """A mail from the outside, one copy for each recipient; KeyError for an address that is not ours.

        `results` is the verdict written after the `authserv_id`, such as `stamps.pass_results(domain)`.
        """
        inboxes = [self._account(address).folders["INBOX"] for address in rcpt_tos]
        stamped = self._stamp(raw, mail_from, received_from, "ESMTPS", results)
        return [inbox.add(stamped, (), self._store.now()) for inbox in inboxes]

    def put(self, address: str, raw: bytes, folder: str = "INBOX", *flags: str) -> StoredMail:
        """A mail laid into a folder as it is, without stamps: seed data."""
        return self._account(address).folders[folder].add(raw, flags, self._store.now())

    def expunge(self, address: str, uids: list[int], folder: str = "INBOX") -> None:
        """Take mails away, as the owner's other programs do."""
        self._account(address).folders[folder].expunge(uids)

    def flag(self, address: str, uid: int, *flags: str, folder: str = "INBOX") -> None:
        """Set a mail's flags, as the owner's other programs do."""
        self._account(address).folders[folder].set_flags(uid, frozenset(flags))

    # Faults by order

    def refuse(self, address: str, code: int = 550, text: str = "5.1.1 No such user") -> None:
        """Refuse a recipient from now on."""
        self._submission.refused[address.lower()] = SmtpFault(code, text)

    def fail_smtp(
        self,
        stage: SmtpStage,
        code: int | None = 451,
        text: str = "4.3.0 Try again later",
        times: int | None = 1,
    ) -> None:
        """Fail the next `times` passes of a stage (None: until `clear_faults`).

        Without a code the connection is cut there. `after_data` takes the mail and then always cuts it.
        """
        self._smtp_faults.place(stage, SmtpFault(code, text), times)

    def fail_imap(
        self,
        command: str,
        answer: ImapAnswer = "NO",
        text: str = "[UNAVAILABLE] Try again later",
        times: int | None = 1,
    ) -> None:
        """Fail the next `times` uses of a command, with or without UID, instead of doing it."""
        self._imap_faults.place(command.upper(), ImapFault(answer, text), times)

    def clear_faults(self) -> None:
        """Forget ordered faults, refusals, silence and rewriting."""
        self._imap_faults.clear()
        self._smtp_faults.clear()
        self._submission.refused.clear()
        self.silent_idle = False
        self.rewrite_imap = lambda answer: answer

    def drop_imap(self) -> None:
        """Cut every IMAP connection."""
        for session in tuple(self._imap_sessions.values()):
            session.drop()

    def drop_smtp(self) -> None:
        """Cut every SMTP connection."""
        for connection in tuple(self._smtp_connections):
            connection.drop()

    def change_uidvalidity(self, address: str, folder: str = "INBOX") -> int:
        """Rebuild a folder: a new UIDVALIDITY, UIDs from 1 with the newest first. Who has it open is cut."""
        rebuilt = self._account(address).folders[folder]
        rebuilt.rebuild(self._store.next_uidvalidity())
        for session in tuple(self._imap_sessions.values()):
            if session.selected is rebuilt:
                session.drop()
        return rebuilt.uidvalidity

    # Within

    def _url(self, scheme: str) -> str:
        return f"{scheme}://{_HOST}:{self._ports[scheme]}"

    def _account(self, address: str) -> Account:
        account = self._store.account(address)
        if account is None:
            raise KeyError(f"There is no mailbox for {address}; add it first.")
        return account

    async def _serve_imap(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        wire = ImapWire(reader, writer, self._rewrite)
        session = ImapSession(wire, self._store, self._imap_faults, lambda: self.silent_idle)
        task = asyncio.current_task()
        assert task is not None, "a connection is served in a task of its own"
        self._imap_sessions[task] = session
        try:
            await session.run()
        finally:
            del self._imap_sessions[task]

    def _rewrite(self, answer: bytes) -> bytes:
        return self.rewrite_imap(answer)

    def _submit(self, mail: SentMail) -> None:
        self._outgoing.append(mail)
        local: list[Folder] = []
        elsewhere = False
        for address in mail.rcpt_tos:
            account = self._store.account(address)
            if account is None:
                elsewhere = True
            else:
                local.append(account.folders["INBOX"])
        stamped = self._stamp(mail.raw, mail.mail_from, _HOST, "ESMTPA", f"auth=pass smtp.auth={mail.user}")
        for inbox in local:
            inbox.add(stamped, (), self._store.now())
        self._store.emit(MailEvent(EventKind.SUBMITTED, mail.user, sent=mail))
        if elsewhere and self.on_outgoing is not None:
            self.on_outgoing(mail)

    def _stamp(self, raw: bytes, mail_from: str, received_from: str, protocol: str, results: str) -> bytes:
        return stamp(
            raw,
            mail_from=mail_from,
            received_from=received_from,
            received_by=HOSTNAME,
            protocol=protocol,
            at=self._store.now(),
            authserv_id=self.authserv_id,
            results=results,
        )
