# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
# (Google's sign-in library carries no types.)
"""A Pub/Sub of the stand-in's own: what Gmail publishes to a topic is pushed to a subscription, with a signed token."""

import itertools
import json
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from aiohttp import web
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID
from google.auth import jwt
from google.auth.crypt import RSASigner

from butler_demo.gmail.records import MailEvent
from butler_demo.gmail.server import GmailServer
from butler_demo.google.call import Json
from butler_demo.google.poster import Poster
from butler_demo.serving import Port

ISSUER = "https://accounts.google.com"
TOKEN_LIFE = timedelta(hours=1)
_KEY_BITS = 2048


@dataclass(frozen=True)
class Subscription:
    """Where a topic's messages are pushed to, and whom their tokens are for."""

    topic: str
    endpoint: str
    service_account: str
    audience: str = ""


class SigningKey:
    """An RSA key with a certificate of its own making."""

    def __init__(self, kid: str, now: datetime) -> None:
        private = rsa.generate_private_key(public_exponent=65537, key_size=_KEY_BITS)
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "accounts.stand-in.example")])
        certificate = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(private.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=365))
            .sign(private, hashes.SHA256())
        )
        pem = private.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
        )
        self.kid = kid
        self.certificate = certificate.public_bytes(serialization.Encoding.PEM).decode()
        self._signer = RSASigner.from_string(pem, kid)

    def token(self, claims: Json) -> str:
        """A signed token."""
        return jwt.encode(self._signer, claims).decode()


class PubSub:
    """Pushes what `server` publishes; its page of certificates is at `certs_url`."""

    def __init__(
        self, server: GmailServer, subscription: Subscription, poster: Poster, now: Callable[[], datetime]
    ) -> None:
        self.key = SigningKey("key-1", datetime.now(UTC))
        self.certs_served = 0
        self._server, self._subscription, self._poster, self._now = server, subscription, poster, now
        self._numbers = itertools.count(9_000_000_000_000_001)
        self._port = Port()
        self._forget = server.subscribe(self._publish)

    @property
    def certs_url(self) -> str:
        return f"{self._port.root}/oauth2/v1/certs"

    async def start(self) -> None:
        app = web.Application()
        app.router.add_get("/oauth2/v1/certs", self._certs)
        await self._port.open(app, "127.0.0.1", 0)

    async def stop(self) -> None:
        self._forget()
        self._forget = lambda: None
        await self._port.close()

    def rotate(self) -> None:
        """Sign with another key from now on; the page tells of that one only."""
        self.key = SigningKey(f"{self.key.kid}-next", datetime.now(UTC))

    def claims(self) -> Json:
        """What a token says now."""
        made = int(self._now().timestamp())
        return {
            "iss": ISSUER,
            "aud": self._subscription.audience or self._subscription.endpoint,
            "email": self._subscription.service_account,
            "email_verified": True,
            "sub": "1130",
            "azp": "1130",
            "iat": made,
            "exp": made + int(TOKEN_LIFE.total_seconds()),
        }

    def message(self, address: str, history_id: str) -> tuple[str, bytes]:
        """A message's id, and the body that it is pushed with."""
        number = str(next(self._numbers))
        data = json.dumps({"emailAddress": address, "historyId": history_id}).encode()
        message = {"data": b64encode(data).decode(), "messageId": number, "publishTime": self._now().isoformat()}
        return number, json.dumps({"message": message, "subscription": "projects/p/subscriptions/s"}).encode()

    def _publish(self, event: MailEvent) -> None:
        watch = self._server.watch_of(event.address)
        if watch is None or watch.topic != self._subscription.topic:
            return
        number, body = self.message(event.address, "1")
        headers = {"Authorization": f"Bearer {self.key.token(self.claims())}", "Content-Type": "application/json"}
        self._poster.post(number, self._subscription.endpoint, headers, body)

    async def _certs(self, _request: web.Request) -> web.Response:
        self.certs_served += 1
        return web.json_response(
            {self.key.kid: self.key.certificate}, headers={"Cache-Control": "public, max-age=21600"}
        )
