# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportMissingTypeStubs=false, reportAttributeAccessIssue=false, reportArgumentType=false
# dkimpy has no annotations.
"""Mails as an owner's mail server signs them, with keys that live for one run of the tests."""

import base64
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from functools import cache
from unittest.mock import patch

import dkim
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519, rsa

OWNER = "owner@home.example"
BUTLER = "butler@inbox.example"
SIGNED = ("from", "from", "to", "to", "cc", "subject", "subject", "date", "message-id", "mime-version", "content-type")


@cache
def rsa_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65537, 2048)


@cache
def ed25519_key() -> ed25519.Ed25519PrivateKey:
    return ed25519.Ed25519PrivateKey.generate()


def rsa_record(flags: str = "") -> bytes:
    """What DNS says of the RSA key."""
    der = (
        rsa_key().public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    )
    return f"v=DKIM1; k=rsa; {flags}p={base64.b64encode(der).decode()}".encode()


def ed25519_record() -> bytes:
    """What DNS says of the Ed25519 key."""
    raw = ed25519_key().public_key().public_bytes_raw()
    return f"v=DKIM1; k=ed25519; p={base64.b64encode(raw).decode()}".encode()


def _pem() -> bytes:
    return rsa_key().private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )


@dataclass
class Dns:
    """TXT records by name, without a dot at the end. `down` makes it fail as a time-out does."""

    records: dict[str, bytes] = field(default_factory=dict[str, bytes])
    asked: list[str] = field(default_factory=list[str])
    down: Exception | None = None

    @classmethod
    def of(cls, domain: str = "home.example") -> "Dns":
        """Both keys of a domain, as `s1` and `ed`."""
        return cls({f"s1._domainkey.{domain}": rsa_record(), f"ed._domainkey.{domain}": ed25519_record()})

    def __call__(self, name: str) -> bytes | None:
        self.asked.append(name)
        if self.down is not None:
            raise self.down
        return self.records.get(name.rstrip("."))


def letter(at: datetime, body: str = "Please remind me tomorrow at 9.", **headers: str | None) -> bytes:
    """A mail of the owner's to the butler, not signed; `Subject=None` leaves a header out."""
    lines: dict[str, str | None] = {
        "From": f"Alex Owner <{OWNER}>",
        "To": BUTLER,
        "Subject": "task for you",
        "Date": format_datetime(at),
        "Message-ID": "<m1@home.example>",
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=utf-8",
    }
    lines |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value is not None)
    return f"{head}\r\n{body}\r\n".encode()


def signed(
    raw: bytes,
    at: datetime,
    *,
    domain: str = "home.example",
    selector: str = "s1",
    headers: tuple[str, ...] = SIGNED,
    length: bool = False,
    canonicalize: tuple[bytes, bytes] = (b"relaxed", b"relaxed"),
) -> bytes:
    """The mail with a signature before it, made at `at`."""
    algorithm, key = b"rsa-sha256", _pem()
    if selector == "ed":
        algorithm, key = b"ed25519-sha256", base64.b64encode(ed25519_key().private_bytes_raw())
    signer = dkim.DKIM(raw, signature_algorithm=algorithm)
    signer.should_not_sign = set()
    with patch("dkim.time.time", return_value=at.timestamp()):
        line = signer.sign(
            selector.encode(),
            domain.encode(),
            key,
            canonicalize=canonicalize,
            include_headers=[name.encode() for name in headers],
            length=length,
        )
    return line + raw


def now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)
