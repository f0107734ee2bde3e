"""Webhooks: what other programs send to the butler's web port, at `/hooks/<name>`.

A receiver decides who may send, and what makes two deliveries the same. An admitted request is stored before the sender
is answered 200; only then is it acted on, from the stored row and in order, as often as necessary.
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
    """One request as it came in, its body whole."""

    method: str
    url: str
    """As the sender called it: the public address, where there is one, with its query."""
    path: str
    """What follows the receiver's name, without the slash before it."""
    query: Mapping[str, str]
    headers: Mapping[str, str]
    """By name in lower case."""
    body: bytes
    remote: str
    """The sender's address: of the client of a trusted proxy, where one passed it on."""
    received_at: datetime


class HookRefusedError(Refuse):
    """A request that is not let through, with the status that its sender gets."""

    def __init__(self, status: int, detail: str) -> None:
        """`detail` is for the log and for `butler hooks`: no part of a secret, nor of the body."""
        super().__init__(detail)
        self.status = status


@dataclass(frozen=True, slots=True)
class AdmittedRequest:
    """A request that is let through: its key among the receiver's, and what of it is kept."""

    key: str
    """The same for every delivery of the same thing."""
    within: timedelta | None = None
    """For how long after a delivery its key is known; None: while its row is kept."""
    signed: str = ""
    """A second key, known for an hour: of what is signed, where the first is not, and anybody who has seen a delivery
    could send it again under another."""
    body: bytes | None = None
    """What is stored instead of the body; None: the body."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    """What is stored of the headers, never what authenticates."""
    answer: bytes = b""
    """What the sender is answered with its 200."""
    keep: bool = True
    """False for a greeting that is answered, and nothing else: a sender's first look whether anybody is there."""


@dataclass(frozen=True, slots=True)
class StoredHook:
    """A request that was let through, as it is stored."""

    hook_id: str
    receiver: str
    headers: Mapping[str, str]
    body: bytes
    received_at: datetime
    replay: int = 0
    """Which replay of it this is, by the owner's command; 0 for none."""


class HookReceiver(Protocol):
    """One endpoint of a module. Its name is the last part of `/hooks/<name>`, of a-z, 0-9 and dashes."""

    @property
    def name(self) -> str: ...

    @property
    def methods(self) -> frozenset[str]:
        """The HTTP methods, such as POST, and HEAD where the sender checks first."""
        ...

    @property
    def largest(self) -> int:
        """Most bytes of a body."""
        ...

    @property
    def per_minute(self) -> int:
        """Most requests a minute from one address; more are answered 429."""
        ...

    async def admit(self, request: HookRequest) -> AdmittedRequest:
        """Check the sender. Raises `HookRefusedError`, or `Retryable` where that is impossible now (503)."""
        ...

    async def act(self, hook: StoredHook) -> None:
        """Act on a stored request: through the sink, as events, or by having a source poll now.

        May be called more than once for one row. Raises `Retryable` for later, `Refuse` where it can never succeed.
        """
        ...
