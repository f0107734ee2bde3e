"""A mailing list's server on loopback, over TLS, that keeps what it was sent, and mails that name it."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from butler_demo.serving import close_listener
from modules.email.integration_unsubscribe import UnsubscribeIntegration
from modules.email.one_click_target import Reach
from tests.support.context import RecordingProbe
from tests.support.signing import SIGNED, now, signed

LOOPBACK = "127.0.0.1"
HOST = "lists.shop.example"
DONE = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
COVERED = (*SIGNED, "list-unsubscribe", "list-unsubscribe-post")


@dataclass
class ListServer:
    """`answer` is what everybody gets, nothing at all where it is empty; `host` is whom its certificate names."""

    port: int
    tls: ssl.SSLContext
    """What a client takes who trusts its certificate."""
    answer: bytes = DONE
    requests: list[bytes] = field(default_factory=list[bytes])
    asked_for: list[str | None] = field(default_factory=list[str | None])
    """The names that clients asked for in TLS."""
    resolved: list[str] = field(default_factory=list[str])

    @property
    def url(self) -> str:
        return f"https://{HOST}:{self.port}/u?who=me%40home.example&t=%C3%A9"

    async def resolve(self, host: str) -> Sequence[str]:
        """DNS, as it should be."""
        self.resolved.append(host)
        return [LOOPBACK]

    def integration(self, **changes: object) -> UnsubscribeIntegration:
        """The integration with leave to reach this server."""
        options = {"resolve": self.resolve, "reach": Reach(self.port, frozenset({LOOPBACK})), "tls": self.tls}
        return UnsubscribeIntegration(RecordingProbe(), **(options | changes))  # pyright: ignore[reportArgumentType]


@asynccontextmanager
async def list_server(folder: Path, host: str = HOST) -> AsyncGenerator[ListServer]:
    """A server whose certificate is for `host`."""
    cert, key = _certificate(folder, host)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    server = ListServer(0, ssl.create_default_context(cafile=str(cert)))
    context.sni_callback = lambda _socket, name, _context: server.asked_for.append(name)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().partition(b"content-length:")[2].split()[0])
            server.requests.append(head + await reader.readexactly(length))
            writer.write(server.answer)
            if server.answer:
                await writer.drain()
            else:
                await reader.read()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    listening = await asyncio.start_server(serve, LOOPBACK, 0, ssl=context)
    server.port = listening.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        await close_listener(listening)


def newsletter(
    url: str,
    *,
    headers: tuple[str, ...] = COVERED,
    domain: str = "shop.example",
    sign: bool = True,
    canonicalize: tuple[bytes, bytes] = (b"relaxed", b"relaxed"),
    **changes: str,
) -> bytes:
    """A newsletter by the shop that can be unsubscribed from at `url`, signed by `domain`."""
    lines = {
        "From": "Shop <news@shop.example>",
        "To": "me@home.example",
        "Subject": "Offers",
        "Date": format_datetime(now()),
        "Message-ID": "<news-1@shop.example>",
        "List-Unsubscribe": f"<mailto:leave@shop.example>, <{url}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }
    lines |= {name.replace("_", "-"): value for name, value in changes.items()}
    raw = ("".join(f"{name}: {value}\r\n" for name, value in lines.items() if value) + "\r\nBuy now.\r\n").encode()
    return signed(raw, now(), domain=domain, headers=headers, canonicalize=canonicalize) if sign else raw


def _certificate(folder: Path, host: str) -> tuple[Path, Path]:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    start = datetime.now(UTC) - timedelta(days=1)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(start + timedelta(days=30))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    paths = folder / "cert.pem", folder / "key.pem"
    paths[0].write_bytes(certificate.public_bytes(pem))
    paths[1].write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()),
    )
    return paths
