"""What every provider's integration derives from: its methods, behind the one door."""

from abc import ABC, abstractmethod
from typing import Any

from butler.contract.door import Door
from butler.contract.integration import CallProbe, IntegrationCall, IntegrationResult, Method, MethodSpec


class BaseIntegration(ABC):
    """A provider behind the one door. Subclasses give `methods()` and `auth_status()`; `call()` is final."""

    provider: str

    def __init__(self, probe: CallProbe | None = None) -> None:
        self._door = Door({m.spec.method_id: m for m in self.methods()}, probe)

    @abstractmethod
    def methods(self) -> list[Method]:
        """Every method of this provider."""

    @abstractmethod
    async def auth_status(self) -> dict[str, Any]:
        """Whether the account is signed in: `{"ok": bool, "account": str, "detail": str, "todo": str}`."""

    def describe_methods(self) -> list[MethodSpec]:
        """The published methods."""
        return [m.spec for m in self.methods()]

    async def call(self, req: IntegrationCall) -> IntegrationResult:
        """Make one provider call. Never raises a provider's exception; every failure is a typed error."""
        return await self._door.call(req)
