"""The base of adapters over plain HTTP: one server, connected to with the first call."""

from abc import abstractmethod
from typing import Generic, TypeVar

from butler.contract.adapters import RemoteIntegration
from butler.contract.module import ModuleContext
from modules._remote.http import HttpPeer
from modules._remote.settings import RemoteSettings

S = TypeVar("S", bound=RemoteSettings)


class HttpIntegration(RemoteIntegration, Generic[S]):
    """One server, as its settings describe it."""

    def __init__(self, settings: S, context: ModuleContext) -> None:
        self._settings = settings
        self._context = context
        self._peer: HttpPeer | None = None
        super().__init__(context.probe)

    @property
    def timeout_ms(self) -> int:
        """Return the time-out of a call."""
        return round(self._settings.timeout_s * 1000)

    @abstractmethod
    def _connected(self) -> HttpPeer:
        """Connect with the current keys. Raise `IntegrationFault` if there are none."""

    def _opened(self) -> HttpPeer:
        if self._peer is None:
            self._peer = self._connected()
        return self._peer

    async def stop(self) -> None:
        """Close the connection; the next call opens one with the keys of that time."""
        if self._peer is not None:
            await self._peer.close()
            self._peer = None
