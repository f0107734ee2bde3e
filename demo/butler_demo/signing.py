# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportMissingTypeStubs=false
# dkimpy has no annotations.
"""Signs the mails that people in the demo send, as their providers do. The butler's own server knows all the keys."""

import base64
import secrets
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cache

SIGNED = (
    *(b"from", b"from", b"to", b"to", b"cc", b"subject", b"subject", b"date", b"message-id", b"in-reply-to"),
    *(b"references", b"mime-version", b"content-type", b"content-transfer-encoding"),
)


def sign(raw: bytes, domain: str, now: datetime) -> bytes:
    """The mail with its provider's DKIM signature on top; as it is where it cannot be signed.

    Signed at `now`, but never later than the machine's clock has it: by that one dkimpy tells what is not yet valid.
    """
    import dkim  # noqa: PLC0415 - the demo can be shown without a mail

    try:
        signer = dkim.DKIM(raw, signature_algorithm=b"ed25519-sha256")
        at = str(int(min(now.timestamp(), time.time()))).encode()
        signer.gen_header = _dated(signer.gen_header, at)  # pyright: ignore[reportAttributeAccessIssue]
        line = signer.sign(
            b"demo", domain.encode(), _seed(), canonicalize=(b"relaxed", b"relaxed"), include_headers=list(SIGNED)
        )
    except dkim.DKIMException:
        return raw
    return line + raw


def _dated(gen_header: Callable[..., bytes], at: bytes) -> Callable[..., bytes]:
    """The signer's own `gen_header`, with a time of ours in `t=`: it knows only the machine's clock."""

    def dated(fields: Sequence[tuple[bytes, bytes]], *rest: object) -> bytes:
        return gen_header([(name, at if name == b"t" else value) for name, value in fields], *rest)

    return dated


@cache
def _seed() -> bytes:
    return base64.b64encode(secrets.token_bytes(32))
