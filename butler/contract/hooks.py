"""Webhooks: requests of other programs to the butler's web port, at `/hooks/<name>`.

A receiver decides who may send, and which deliveries are the same. An admitted request is stored before the sender is
answered 200; only then is it acted on, from the stored row and in order, as often as necessary.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from butler.contract.errors import Refuse

TELL = "/tell"
"""The end of the subject of a `hook.received` that is reported to the owner."""


@dataclass(frozen=True, slots=True)
class HookRequest:
    """One request as it came in, with its whole body."""

    method: str
    url: str
    """The URL that the sender called: with the public address, if there is one, and the query."""
    path: str
    """The path after the receiver's name, without the leading slash."""
    query: Mapping[str, str]
    headers: Mapping[str, str]
    """The headers by name in lower case."""
    body: bytes
    remote: str
    """The sender's address: that of the client if a trusted proxy passed the request on."""
    received_at: datetime


class HookRefusedError(Refuse):
    """A request that is not let through, with the status that its sender gets."""

    def __init__(self, status: int, detail: str) -> None:
        """`detail` goes to the log and to `butler hooks`, so it holds no part of a secret or of the body."""
        super().__init__(detail)
        self.status = status


@dataclass(frozen=True, slots=True)
class AdmittedRequest:
    """An admitted request: its key among the receiver's, and the parts of it to store."""

    key: str
    """A key that is the same for every delivery of the same thing."""
    within: timedelta | None = None
    """How long after a delivery its key is known; None: as long as its row is kept."""
    signed: str = ""
    """A second key, known for an hour: made of the signed content, for senders that do not sign the first key, as
    anybody who has seen a delivery could send it again under another key."""
    body: bytes | None = None
    """The body to store instead of the request's own; None for its own."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    """The headers to store, without those that authenticate."""
    answer: bytes = b""
    """The body of the 200 answer."""
    keep: bool = True
    """False for a greeting, by which a sender only checks that the webhook exists: it is answered and not stored."""


@dataclass(frozen=True, slots=True)
class StoredHook:
    """An admitted request as it is stored."""

    hook_id: str
    receiver: str
    headers: Mapping[str, str]
    body: bytes
    received_at: datetime
    replay: int = 0
    """The number of this replay, requested by the owner's command; 0 for the first handling."""


class HookReceiver(Protocol):
    """One webhook of a module. Its name is the last part of `/hooks/<name>`, of a-z, 0-9 and dashes."""

    @property
    def name(self) -> str: ...

    @property
    def methods(self) -> frozenset[str]:
        """The accepted HTTP methods, such as POST, and HEAD if the sender checks first."""
        ...

    @property
    def largest(self) -> int:
        """The most bytes of a body."""
        ...

    @property
    def per_minute(self) -> int:
        """The most requests a minute from one address; more are answered 429."""
        ...

    async def admit(self, request: HookRequest) -> AdmittedRequest:
        """Check the sender. Raises `HookRefusedError`, or `Retryable` if that is impossible now (503)."""
        ...

    async def act(self, hook: StoredHook) -> None:
        """Act on a stored request: through the sink, as events, or by having a source poll now.

        May be called more than once for one row. Raises `Retryable` to be called later, `Refuse` if it can never
        succeed.
        """
        ...
