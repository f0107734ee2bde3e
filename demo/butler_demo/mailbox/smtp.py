"""The submission side, on aiosmtpd: AUTH before anything else, refusals and faults by order."""

import asyncio
import ssl
import warnings
from base64 import b64decode
from collections.abc import Callable
from typing import Any

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from butler_demo.faults import FaultOrders
from butler_demo.mailbox.faults import SmtpFault
from butler_demo.mailbox.records import SentMail
from butler_demo.mailbox.sasl import XOAUTH2_REFUSAL, parse_xoauth2
from butler_demo.mailbox.store import MailStore

HOSTNAME = "mx.standin.example"


class SubmissionHandler:
    """What the protocol asks of the server: who may log in, who may be written to, and what happens to a mail."""

    def __init__(
        self,
        store: MailStore,
        faults: FaultOrders[SmtpFault],
        submit: Callable[[SentMail], None],
    ) -> None:
        self.store = store
        self.faults = faults
        self.refused: dict[str, SmtpFault] = {}
        self._submit = submit

    def authenticate(
        self,
        _server: SMTP,
        _session: Session,
        _envelope: Envelope,
        _mechanism: str,
        secrets: LoginPassword,
    ) -> AuthResult:
        """PLAIN and LOGIN."""
        account = self.store.check_password(secrets.login.decode(), secrets.password.decode())
        return AuthResult(success=account is not None, handled=False, auth_data=secrets)

    async def handle_MAIL(  # noqa: N802
        self,
        server: "SubmissionProtocol",
        _session: Session,
        envelope: Envelope,
        address: str,
        options: list[str],
    ) -> str:
        fault = self.faults.take("mail")
        if fault is not None:
            return server.answer(fault)
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 2.1.0 OK"

    async def handle_RCPT(  # noqa: N802
        self,
        server: "SubmissionProtocol",
        _session: Session,
        envelope: Envelope,
        address: str,
        options: list[str],
    ) -> str:
        fault = self.refused.get(address.lower()) or self.faults.take("rcpt")
        if fault is not None:
            return server.answer(fault)
        envelope.rcpt_tos.append(address)
        envelope.rcpt_options.extend(options)
        return "250 2.1.5 OK"

    async def handle_DATA(  # noqa: N802
        self,
        server: "SubmissionProtocol",
        session: Session,
        envelope: Envelope,
    ) -> str:
        fault = self.faults.take("data")
        if fault is not None:
            return server.answer(fault)
        content = envelope.original_content
        assert content is not None, "aiosmtpd calls this hook with the content read"
        assert envelope.mail_from is not None, "aiosmtpd has checked the order of commands"
        self._submit(
            SentMail(
                user=_user_of(session.auth_data),
                mail_from=envelope.mail_from,
                rcpt_tos=tuple(envelope.rcpt_tos),
                raw=content,
                sent_at=self.store.now(),
            ),
        )
        if self.faults.take("after_data") is not None:
            server.drop()
        return "250 2.0.0 Accepted"


class SubmissionProtocol(SMTP):
    """One SMTP connection, with XOAUTH2 and the faults that are not a handler's business."""

    def __init__(
        self,
        handler: SubmissionHandler,
        connections: "set[SubmissionProtocol]",
        tls: ssl.SSLContext | None,
    ) -> None:
        with warnings.catch_warnings():
            # aiosmtpd warns of AUTH without TLS at each connection; that port is loopback.
            warnings.simplefilter("ignore", UserWarning)
            super().__init__(
                handler,
                hostname=HOSTNAME,
                ident="ESMTP",
                enable_SMTPUTF8=True,
                tls_context=tls,
                require_starttls=tls is not None,
                auth_required=True,
                auth_require_tls=tls is not None,
                authenticator=handler.authenticate,
                loop=asyncio.get_running_loop(),
            )
        self._handler = handler
        self._connections = connections
        self.lost = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._connections.add(self)
        super().connection_made(transport)

    def connection_lost(self, error: Exception | None) -> None:
        self._connections.discard(self)
        self.lost.set()
        super().connection_lost(error)

    def drop(self) -> None:
        """Cut the connection, as a network does."""
        if isinstance(self.transport, asyncio.WriteTransport):
            self.transport.abort()

    def answer(self, fault: SmtpFault) -> str:
        """The reply line of a fault; one without a code cuts the connection."""
        if fault.code is None:
            self.drop()
        return f"{fault.code or 421} {fault.text}"

    async def push(self, status: Any) -> None:
        """Send a reply; the very first one is the greeting, which may be ordered to fail."""
        assert self.session is not None, "aiosmtpd makes the session with the connection"
        greeting = isinstance(status, str) and status.startswith(f"220 {HOSTNAME} ESMTP")
        fault = self._handler.faults.take("connect") if greeting else None
        if fault is None:
            await super().push(status)
            return
        await super().push(self.answer(fault))
        if self.transport is not None:
            self.transport.close()

    async def smtp_AUTH(self, arg: str) -> None:  # noqa: N802
        fault = self._handler.faults.take("auth")
        if fault is not None:
            await self.push(self.answer(fault))
            return
        await super().smtp_AUTH(arg)

    async def auth_XOAUTH2(self, _: SMTP, args: list[str]) -> AuthResult:  # noqa: N802
        response = b64decode(args[1]) if len(args) > 1 else await self.challenge_auth("")
        parsed = parse_xoauth2(response) if isinstance(response, bytes) else None
        account = None if parsed is None else self._handler.store.check_token(*parsed)
        if account is None:
            # The refusal comes as a challenge that the client has to answer before it hears 535.
            await self.challenge_auth(XOAUTH2_REFUSAL)
            return AuthResult(success=False, handled=False)
        return AuthResult(success=True, auth_data=LoginPassword(account.address.encode(), b""))


def _user_of(auth_data: object) -> str:
    assert isinstance(auth_data, LoginPassword), "no mail is taken before AUTH"
    return auth_data.login.decode()
