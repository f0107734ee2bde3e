"""What senders send, as they sign it, and a receiver's answer to it, without a socket between them."""

import hashlib
import hmac
from base64 import b64encode
from dataclasses import dataclass, field
from datetime import datetime

from butler.contract.events import Event
from butler.contract.hooks import AdmittedRequest, HookReceiver, HookRefusedError, HookRequest, StoredHook
from tests.hooks.harness import NOW


def request(
    body: bytes, *, url: str = "https://b.example/hooks/x", method: str = "POST", **headers: str
) -> HookRequest:
    """A request as the intake shows it; headers by name with underscores."""
    named = {name.replace("_", "-").lower(): value for name, value in headers.items()}
    return HookRequest(method, url, "", {}, named, body, "198.51.100.7", NOW)


def mac(secret: str, message: bytes, algorithm: str = "sha256") -> str:
    """In hex."""
    return hmac.new(secret.encode(), message, algorithm).hexdigest()


def mac64(secret: str, message: bytes, algorithm: str = "sha1") -> str:
    """In base64."""
    return b64encode(hmac.new(secret.encode(), message, getattr(hashlib, algorithm)).digest()).decode()


@dataclass
class Heard:
    """Meets `EventStore`: each key once."""

    events: list[Event] = field(default_factory=list[Event])
    keys: list[str] = field(default_factory=list[str])

    async def tell(self, event: Event, key: str) -> bool:
        if key in self.keys:
            return False
        self.events.append(event)
        self.keys.append(key)
        return True


async def refusal(receiver: HookReceiver, sent: HookRequest) -> int:
    """The status that a request is refused with; 0 where it is let through."""
    try:
        await receiver.admit(sent)
    except HookRefusedError as refused:
        return refused.status
    return 0


def stored(
    receiver: HookReceiver, admitted: AdmittedRequest, body: bytes, *, replay: int = 0, at: datetime = NOW
) -> StoredHook:
    """What is kept of what was let through."""
    kept = body if admitted.body is None else admitted.body
    return StoredHook("h" * 32, receiver.name, admitted.headers, kept, at, replay)
