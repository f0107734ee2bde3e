"""Mails as forwarders seal them (RFC 8617), written after the standard and not with the library that checks them."""

import base64
import hashlib
import re
from dataclasses import dataclass, replace
from datetime import datetime

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding

from tests.support.signing import rsa_key

FORWARDER = "fwd.example"
COVERED = ("from", "to", "subject", "date", "message-id")


@dataclass(frozen=True)
class Sealing:
    """What one forwarder adds. `message` and `seal` are further tags, or others in place of the usual ones."""

    domain: str = FORWARDER
    said: str = "dkim=pass header.d=home.example; dmarc=pass header.from=home.example"
    covered: tuple[str, ...] = COVERED
    instance: int = 0
    """0: the next one."""
    cv: str = ""
    """Empty: what the instance should say."""
    message: tuple[tuple[str, str], ...] = ()
    seal: tuple[tuple[str, str], ...] = ()


def sealed(raw: bytes, at: datetime, sealing: Sealing | None = None, **changes: object) -> bytes:
    """The mail with one more set of seals before it."""
    how = replace(sealing or Sealing(), **changes)  # type: ignore[arg-type]
    head, _, body = raw.partition(b"\r\n\r\n")
    headers = [_relaxed(line) for line in re.split(rb"\r\n(?![ \t])", head)]
    earlier = [(_instance(value), name, value) for name, value in headers if name.startswith(b"arc-")]
    number = how.instance or len({instance for instance, _, _ in earlier}) + 1
    cv = how.cv or ("none" if number == 1 else "pass")
    common = {"i": str(number), "a": "rsa-sha256", "d": how.domain, "s": "s1", "t": str(int(at.timestamp()))}
    findings = f"i={number}; {how.domain}; {how.said}".encode()

    digest = base64.b64encode(hashlib.sha256(_body(body)).digest()).decode()
    tags = {**common, "c": "relaxed/relaxed", "h": ":".join(how.covered), "bh": digest} | dict(how.message)
    chosen = [(name, value) for wanted in how.covered for name, value in headers if name == wanted.encode()]
    message = _signed(b"arc-message-signature", tags, chosen)

    order = (b"arc-authentication-results", b"arc-message-signature", b"arc-seal")
    chain = [(name, value) for _, name, value in sorted(earlier, key=lambda one: (one[0], order.index(one[1])))]
    chain += [(order[0], findings), (order[1], message)]
    seal = _signed(b"arc-seal", common | {"cv": cv} | dict(how.seal), chain)
    lines = (b"ARC-Seal: " + seal, b"ARC-Message-Signature: " + message, b"ARC-Authentication-Results: " + findings)
    return b"\r\n".join((*lines, raw))


def _signed(name: bytes, tags: dict[str, str], headers: list[tuple[bytes, bytes]]) -> bytes:
    unsigned = "; ".join(f"{tag}={value}" for tag, value in tags.items()).encode() + b"; b="
    said = b"".join(one + b":" + value + b"\r\n" for one, value in headers) + name + b":" + unsigned
    return unsigned + base64.b64encode(rsa_key().sign(said, padding.PKCS1v15(), hashes.SHA256()))


def _relaxed(line: bytes) -> tuple[bytes, bytes]:
    name, _, value = line.partition(b":")
    return name.strip().lower(), re.sub(rb"[ \t]+", b" ", value.replace(b"\r\n", b"")).strip()


def _body(body: bytes) -> bytes:
    lines = [re.sub(rb"[ \t]+", b" ", line).rstrip(b" ") for line in body.split(b"\r\n")]
    text = b"\r\n".join(lines).rstrip(b"\r\n")
    return text + b"\r\n" if text else b""


def _instance(value: bytes) -> int:
    match = re.match(rb"i=(\d+)", value)
    return int(match[1]) if match else 0
