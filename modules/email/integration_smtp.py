"""Hands one mail to the submission server step by step, so that its progress is always known.

Before DATA nothing has happened and all may be repeated; once DATA has begun only the server's answer counts, and
without one the outcome is unknown. A server that asks to wait (4xx: greylisting, a full queue) is not asked again
immediately; the caller decides when.
"""

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field

import aiosmtplib

from butler.contract.errors import Effect, IntegrationErrorCode, IntegrationFault
from butler.contract.speech import say
from modules.email.config import Endpoint

CONNECT_S = 60.0
"""Seconds for each step of connecting: the connection, the greeting, the login.

The RFC gives a greeting five minutes, but a missing host would take as long; giving up earlier is safe, as nothing was
handed over.
"""
MAIL_S = 300.0
RCPT_S = 300.0
BEFORE_DATA_S = 600.0
"""Seconds for everything before DATA, so that a server that is slow with each of many recipients is given up."""
BLOCK_S = 180.0
TAKEN_S = 600.0
"""Seconds that a server may take to accept a mail that it has received.

It may send it meanwhile, so giving up sooner would leave the outcome unknown. This limit is that of RFC 5321 (4.5.3.2),
as are those for MAIL, RCPT and a block of data.
"""
DATA_S = BLOCK_S + TAKEN_S
"""Seconds for the answer to DATA, and then as many for the transfer and acceptance of the mail."""
SEND_TIMEOUT_MS = int((BEFORE_DATA_S + 2 * DATA_S + 60) * 1000)
"""The time-out that a sending call needs, so that nothing ends it before the waits above do."""
FIRST_PAUSE_S = 60.0
"""Seconds to wait before retrying at a server that asked to wait."""
_LONGEST_REASON = 200


@dataclass(frozen=True, slots=True)
class Submission:
    """Access to the submission server. `secret` is a password, or an access token with `xoauth2`."""

    endpoint: Endpoint
    address: str
    secret: str
    xoauth2: bool = False
    tls: ssl.SSLContext | None = None


@dataclass(slots=True)
class Envelope:
    """The server's answer for each recipient; refusals as `code text`."""

    accepted: list[str] = field(default_factory=list[str])
    refused: dict[str, str] = field(default_factory=dict[str, str])


BeforeData = Callable[[Envelope], Awaitable[None]]


async def check_login(submission: Submission) -> None:
    """Log in and disconnect."""
    client = await _connected(submission)
    await _leave(client)


async def submit(
    submission: Submission, sender: str, recipients: tuple[str, ...], wire: bytes, before_data: BeforeData
) -> Envelope:
    """Send a mail to all recipients that the server accepts; return once it has accepted the mail.

    `before_data` is awaited when the envelope is accepted and nothing has been sent yet. Raise `IntegrationFault` with
    `Effect.NONE` if the mail was surely not accepted, and `Effect.UNKNOWN` if the answer is missing.
    """
    try:
        async with asyncio.timeout(BEFORE_DATA_S):
            client, envelope = await _addressed(submission, sender, recipients, len(wire))
    except TimeoutError as error:
        raise _before_data(error, sender) from error
    try:
        await before_data(envelope)
        await _data(client, wire)
    except BaseException:
        _drop(client)
        raise
    await _leave(client)
    return envelope


async def _addressed(
    submission: Submission, sender: str, recipients: tuple[str, ...], size: int
) -> tuple[aiosmtplib.SMTP, Envelope]:
    client = await _connected(submission)
    try:
        return client, await _address(client, sender, recipients, size)
    except BaseException:
        _drop(client)
        raise


async def _connected(submission: Submission) -> aiosmtplib.SMTP:
    scheme = submission.endpoint.scheme
    client = aiosmtplib.SMTP(
        hostname=submission.endpoint.host,
        port=submission.endpoint.port,
        use_tls=scheme == "smtps",
        start_tls=scheme == "smtp+starttls",
        tls_context=submission.tls,
        local_hostname=submission.address.rpartition("@")[2] or None,
        timeout=CONNECT_S,
    )
    try:
        await client.connect()
        await client.ehlo()
        if submission.xoauth2:
            await client.auth_xoauth2(submission.address, submission.secret)
        else:
            await client.login(submission.address, submission.secret)
    except (aiosmtplib.SMTPException, OSError) as error:
        _drop(client)
        raise _before_data(error, submission.address) from error
    except BaseException:
        _drop(client)
        raise
    return client


async def _address(client: aiosmtplib.SMTP, sender: str, recipients: tuple[str, ...], size: int) -> Envelope:
    limit = client.esmtp_extensions.get("size", "")
    if limit.isdigit() and 0 < int(limit) < size:
        raise IntegrationFault(
            IntegrationErrorCode.REJECTED,
            say("the mail has {size} bytes; the mail server takes {limit}", size=size, limit=limit),
        )
    options, encoding = _beyond_ascii(client, (sender, *recipients))
    envelope = Envelope()
    later = False
    try:
        await client.mail(sender, options=options, encoding=encoding, timeout=MAIL_S)
        for recipient in recipients:
            try:
                await client.rcpt(recipient, encoding=encoding, timeout=RCPT_S)
                envelope.accepted.append(recipient)
            except aiosmtplib.SMTPRecipientRefused as refusal:
                envelope.refused[recipient] = f"{refusal.code} {_reason(refusal.message)}"
                later = later or refusal.code < 500  # noqa: PLR2004 - 4xx is for now, 5xx for good
    except (aiosmtplib.SMTPException, OSError) as error:
        raise _before_data(error, sender) from error
    if not envelope.accepted:
        reasons = "; ".join(f"{address}: {reason}" for address, reason in envelope.refused.items())
        if later:
            raise _asked_to_wait(reasons)
        message = say("no recipient was accepted ({why})", why=reasons)
        raise IntegrationFault(IntegrationErrorCode.REJECTED, message, effect=Effect.NONE)
    return envelope


def _beyond_ascii(client: aiosmtplib.SMTP, addresses: tuple[str, ...]) -> tuple[list[str], str]:
    """Return MAIL's options for non-ASCII addresses (RFC 6531), and the encoding of addresses."""
    beyond = [address for address in addresses if not address.isascii()]
    if not beyond:
        return [], "ascii"
    if not client.supports_extension("smtputf8"):
        raise IntegrationFault(
            IntegrationErrorCode.REJECTED,
            say(
                "the mail server does not send to addresses like {address}, with letters beyond ASCII before the "
                "@ (it offers no SMTPUTF8); nothing was sent",
                address=beyond[0],
            ),
            effect=Effect.NONE,
        )
    return ["BODY=8BITMIME", "SMTPUTF8"], "utf-8"


async def _data(client: aiosmtplib.SMTP, wire: bytes) -> None:
    try:
        await client.data(wire, timeout=DATA_S)
    except aiosmtplib.SMTPDataError as refusal:
        raise _refused(
            refusal.code, refusal.message, say("the mail server refused the mail: {answer}", answer=_told(refusal))
        ) from refusal
    except (aiosmtplib.SMTPException, OSError) as error:
        raise IntegrationFault(
            IntegrationErrorCode.UNAVAILABLE,
            say("the connection was lost while the mail was being handed over; it may or may not have been sent"),
            effect=Effect.UNKNOWN,
        ) from error


async def _leave(client: aiosmtplib.SMTP) -> None:
    transport = client.transport
    with suppress(aiosmtplib.SMTPException, OSError):
        await client.quit(timeout=2)
    _drop(client, transport)


def _drop(client: aiosmtplib.SMTP, transport: asyncio.BaseTransport | None = None) -> None:
    """Close immediately: TLS would say goodbye first, and wait for a server that may be gone.

    `transport` is the client's own if the client has already dropped it, as it does after QUIT.
    """
    transport = transport or client.transport
    client.close()
    if isinstance(transport, asyncio.WriteTransport):
        transport.abort()


def _before_data(error: Exception, address: str) -> IntegrationFault:
    if isinstance(error, aiosmtplib.SMTPAuthenticationError) and error.code >= 500:  # noqa: PLR2004 - for good
        return IntegrationFault(
            IntegrationErrorCode.AUTH_REQUIRED,
            say("the mail server refused the login of {address} for sending; check its password", address=address),
            provider_code=str(error.code),
        )
    if isinstance(error, aiosmtplib.SMTPResponseException):
        return _refused(
            error.code, error.message, say("the mail server refused the sender: {answer}", answer=_told(error))
        )
    if (found := _untrusted(error)) is not None:
        return IntegrationFault(
            IntegrationErrorCode.UNAVAILABLE,
            say(
                "the mail server's certificate is not trusted ({why}); set tls_ca for a private one",
                why=found.verify_message,
            ),
            effect=Effect.NONE,
        )
    if isinstance(error, TimeoutError):
        code, message = IntegrationErrorCode.TIMEOUT, say("the mail server did not answer before sending")
    else:
        code, message = IntegrationErrorCode.UNAVAILABLE, say("the mail server for sending cannot be reached")
    return IntegrationFault(code, message, effect=Effect.NONE, deferred=True)


def _untrusted(error: BaseException | None) -> ssl.SSLCertVerificationError | None:
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return error
        error = error.__cause__
    return None


def _refused(code: int, text: str, message: str) -> IntegrationFault:
    if 400 <= code < 500:  # noqa: PLR2004 - RFC 5321: 4xx may work later, and says that nothing was done
        return _asked_to_wait(f"{code} {_reason(text)}", str(code))
    return IntegrationFault(
        IntegrationErrorCode.REJECTED,
        message,
        effect=Effect.NONE,
        provider_code=str(code),
    )


def _asked_to_wait(said: str, provider_code: str = "") -> IntegrationFault:
    return IntegrationFault(
        IntegrationErrorCode.UNAVAILABLE,
        say("the mail server asked to wait ({why})", why=said),
        effect=Effect.NONE,
        provider_code=provider_code,
        retry_after_s=FIRST_PAUSE_S,
        deferred=True,
    )


def _told(refusal: aiosmtplib.SMTPResponseException) -> str:
    return f"{refusal.code} {_reason(refusal.message)}"


def _reason(text: str) -> str:
    printable = "".join(char if char.isprintable() else " " for char in text)
    return " ".join(printable.split())[:_LONGEST_REASON]
