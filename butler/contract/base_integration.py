"""The base class of every provider's integration: its methods, behind `call()`."""

from abc import ABC, abstractmethod
from typing import Any, TypedDict, Unpack

from butler.contract.door import Door
from butler.contract.integration import (
    CallProbe,
    IntegrationCall,
    IntegrationResult,
    Json,
    Method,
    MethodSpec,
    Progress,
    RetryPolicy,
)


class CallOptions(TypedDict, total=False):
    """What `IntegrationCall` has besides the method and its arguments."""

    timeout_ms: int
    retry_policy: RetryPolicy
    cursor: str | None
    dry_run: bool
    token: str | None
    progress: Progress | None


class BaseIntegration(ABC):
    """A provider behind `call()`, which is final. Subclasses provide `methods()` and `auth_status()`."""

    provider: str

    def __init__(self, probe: CallProbe | None = None) -> None:
        self._door = Door({m.spec.method_id: m for m in self.methods()}, probe)

    @abstractmethod
    def methods(self) -> list[Method]:
        """Return every method of this provider."""

    @abstractmethod
    async def auth_status(self) -> dict[str, Any]:
        """Return whether the account is signed in: `{"ok": bool, "account": str, "detail": str, "todo": str}`."""

    def describe_methods(self) -> list[MethodSpec]:
        """Return the published methods."""
        return [m.spec for m in self.methods()]

    async def call(self, req: IntegrationCall) -> IntegrationResult:
        """Make one provider call. Never raises a provider's exception; every failure is a typed error."""
        return await self._door.call(req)

    async def request(
        self, trace_id: str, method_id: str, args: Json | None = None, **options: Unpack[CallOptions]
    ) -> IntegrationResult:
        """Call a method with these arguments, as `call()` does."""
        return await self.call(IntegrationCall(trace_id=trace_id, method_id=method_id, args=args or {}, **options))
