"""The one SASL message that both IMAP and SMTP take apart the same way: XOAUTH2."""

import re

_XOAUTH2 = re.compile(r"user=([^\x01]*)\x01auth=Bearer ([^\x01]*)\x01\x01", re.IGNORECASE)
XOAUTH2_REFUSAL = b'{"status":"400","schemes":"Bearer","scope":"https://mail.example/"}'


def parse_xoauth2(message: bytes) -> tuple[str, str] | None:
    """User and token of an initial client response, or None where it is malformed."""
    match = _XOAUTH2.fullmatch(message.decode("utf-8", "replace"))
    return None if match is None else (match[1], match[2])
