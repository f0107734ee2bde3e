"""The module on the stand-in server, as the daemon registers it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import jwt

from butler.adapters.catalogue import catalogue_of
from butler.contract.integration import IntegrationResult
from butler.contract.tools import ToolCall
from butler.registry import Registry
from butler_demo.livekit.server import LiveKitServer
from modules.livekit.config import LiveKitModuleSettings
from modules.livekit.integration_livekit import LiveKitIntegration
from modules.livekit.module import LiveKitModule
from tests.adapters.faulty import FaultyProxy
from tests.adapters.servers.livekit.twirp import TWIRP, check_claims
from tests.support.context import TurnedClock, make_context

KEY, SECRET = "BUTLER_LIVEKIT_KEY", "BUTLER_LIVEKIT_SECRET"


@dataclass
class Calls:
    """A server, the module on it, and what a test does with them."""

    server: LiveKitServer
    module: LiveKitModule
    integration: LiveKitIntegration
    registry: Registry
    clock: TurnedClock
    url: str
    """Where the module asks."""

    async def invoke(self, tool: str, args: dict[str, Any], call_id: str = "call-1", **more: Any) -> IntegrationResult:
        """Call a tool through the registry, with every gate."""
        return await self.registry.invoke(self.call(tool, args, call_id, **more))

    def call(self, tool: str, args: dict[str, Any], call_id: str = "call-1", **more: Any) -> ToolCall:
        """The call itself."""
        name = f"bot_livekit_{tool}"
        checked = self.registry.spec(name).args.model_validate(args)
        return ToolCall(tool=name, args=checked, call_id=call_id, trace_id="trace-1", **more)

    async def room(self, name: str = "Call with Anna") -> str:
        """A room that is open."""
        result = await self.invoke("create_room", {"name": name}, f"open {name}")
        assert result.data is not None, result.error
        return str(result.data["room"])

    def claims(self, link: str) -> dict[str, Any]:
        """What the token of a link says, by the server's own secret; they are claims that LiveKit knows."""
        token = link.partition("token=")[2]
        unchecked = {"verify_exp": False, "verify_nbf": False}
        claims = jwt.decode(token, self.server.api_secret, algorithms=["HS256"], options=unchecked)  # pyright: ignore[reportArgumentType] - a part of the options
        check_claims(claims)
        return claims


@asynccontextmanager
async def calls(url: str = "", **settings: Any) -> AsyncGenerator[Calls]:
    """A server and the module on it; `url` is that of what stands in front of the server."""
    clock = TurnedClock()
    server = LiveKitServer(now=clock.now)
    await server.start()
    context = make_context(secrets={KEY: server.api_key, SECRET: server.api_secret}, clock=clock)
    try:
        async with FaultyProxy(server.url, TWIRP) as proxy:
            section = {"url": url or proxy.url, "join_url": server.join_url, **settings}
            module = LiveKitModule(LiveKitModuleSettings.model_validate({"bot": section}), context)
            (integration,) = module.integrations()
            assert isinstance(integration, LiveKitIntegration)
            registry = Registry(catalogue_of(integration.contract("1.0.0")))
            registry.add_module(module)
            assert not registry.refusals
            try:
                yield Calls(server, module, integration, registry, clock, section["url"])
            finally:
                await module.stop()
    finally:
        await server.stop()
