# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportMissingTypeStubs=false
# dkimpy has no annotations.
"""Signs the mails that people in the demo send, as their providers do. The butler's own server knows all the keys."""

import base64
import secrets
from functools import cache

SIGNED = (
    *(b"from", b"from", b"to", b"to", b"cc", b"subject", b"subject", b"date", b"message-id", b"in-reply-to"),
    *(b"references", b"mime-version", b"content-type", b"content-transfer-encoding"),
)


def sign(raw: bytes, domain: str) -> bytes:
    """The mail with its provider's DKIM signature on top; as it is where it cannot be signed."""
    import dkim  # noqa: PLC0415 - the demo can be shown without a mail

    try:
        signer = dkim.DKIM(raw, signature_algorithm=b"ed25519-sha256")
        line = signer.sign(
            b"demo", domain.encode(), _seed(), canonicalize=(b"relaxed", b"relaxed"), include_headers=list(SIGNED)
        )
    except dkim.DKIMException:
        return raw
    return line + raw


@cache
def _seed() -> bytes:
    return base64.b64encode(secrets.token_bytes(32))
