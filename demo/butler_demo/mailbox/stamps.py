"""The header fields a receiving server puts on top of a mail: Return-Path, Received, Authentication-Results."""

import secrets
from datetime import datetime
from email.utils import format_datetime

from butler_demo.mailbox.store import with_crlf


def stamp(
    raw: bytes,
    *,
    mail_from: str,
    received_from: str,
    received_by: str,
    protocol: str,
    at: datetime,
    authserv_id: str | None,
    results: str,
) -> bytes:
    """The mail as it lies in the mailbox.

    With an `authserv_id` the server writes its verdict, and takes out any that arrived under its own
    name, as RFC 8601 section 5 demands; without one it leaves both alone.
    """
    raw = with_crlf(raw)
    fields = [f"Return-Path: <{mail_from}>"]
    if authserv_id is not None:
        raw = _without_forged_results(raw, authserv_id)
        fields.append(f"Authentication-Results: {authserv_id}; {results or 'none'}")
    queue_id = secrets.token_hex(5).upper()
    fields.append(
        f"Received: from {received_from} by {received_by} with {protocol} id {queue_id};\r\n\t{format_datetime(at)}",
    )
    return "".join(f"{field}\r\n" for field in fields).encode() + raw


def pass_results(domain: str) -> str:
    """The verdict on a mail that really comes from `domain`: SPF, DKIM and DMARC pass, aligned."""
    return f"spf=pass smtp.mailfrom={domain}; dkim=pass header.d={domain}; dmarc=pass header.from={domain}"


def unknown_results(raw: bytes) -> str:
    """The verdict on a mail of somebody whose keys nobody knows."""
    header = raw.replace(b"\r\n", b"\n").partition(b"\n\n")[0].lower()
    return "dkim=permerror (no key)" if b"\ndkim-signature:" in b"\n" + header else "dkim=none"


def _without_forged_results(raw: bytes, authserv_id: str) -> bytes:
    header, separator, body = raw.partition(b"\r\n\r\n")
    kept: list[bytes] = []
    field: list[bytes] = []
    for line in [*header.split(b"\r\n"), b""]:
        if line[:1].isspace() and field:
            field.append(line)
            continue
        if field and not _claims(b" ".join(field), authserv_id.encode()):
            kept += field
        field = [line]
    return b"\r\n".join(kept) + separator + body


def _claims(field: bytes, authserv_id: bytes) -> bool:
    name, _, value = field.partition(b":")
    if name.strip().lower() != b"authentication-results":
        return False
    words = value.partition(b";")[0].split()
    return bool(words) and words[0].lower() == authserv_id.lower()
