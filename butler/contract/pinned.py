"""Connections to checked addresses: a name is resolved once, checked, and not resolved again."""

import socket
from collections.abc import Sequence
from ipaddress import IPv4Address

from aiohttp.abc import AbstractResolver, ResolveResult

from butler.contract.addresses import Address


class Pinned(AbstractResolver):
    """Gives aiohttp the checked addresses, whatever DNS returns by then."""

    def __init__(self, addresses: Sequence[Address]) -> None:
        self._addresses = tuple(addresses)

    async def resolve(
        self,
        host: str,
        port: int = 0,
        family: socket.AddressFamily = socket.AF_INET,  # noqa: ARG002 - each address has its own
    ) -> list[ResolveResult]:
        return [
            ResolveResult(
                hostname=host,
                host=str(address),
                port=port,
                family=socket.AF_INET if isinstance(address, IPv4Address) else socket.AF_INET6,
                proto=socket.IPPROTO_TCP,
                flags=socket.AI_NUMERICHOST,
            )
            for address in self._addresses
        ]

    async def close(self) -> None:
        pass
