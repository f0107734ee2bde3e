"""LiveKit as the conformance suite sees it: the stand-in server behind a proxy that can fail."""

from collections.abc import AsyncGenerator, Hashable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from butler.contract.adapters import RemoteIntegration
from butler.contract.module import Module
from butler_demo.livekit.server import LiveKitServer
from modules.livekit.config import LiveKitModuleSettings
from modules.livekit.integration_livekit import LiveKitIntegration
from modules.livekit.module import LiveKitModule
from tests.adapters.faulty import FaultyProxy, Status
from tests.adapters.servers.livekit.twirp import TWIRP
from tests.adapters.subject import Drive, Fault, Subject
from tests.support.context import make_context

KEY, SECRET = "BUTLER_LIVEKIT_KEY", "BUTLER_LIVEKIT_SECRET"
ROOM = "call-with-anna"
REFUSED = {
    Fault.WRONG_KEY: Status(401, b""),
    Fault.NOT_FOUND: Status(404, {"code": "not_found", "msg": "the requested room does not exist"}),
}
"""LiveKit's refusals: no word to a token that is not good, else as Twirp words them."""


@dataclass
class LiveKitSubject:
    """The module, its server, and the proxy between them."""

    module: Module
    integration: RemoteIntegration
    secrets: Sequence[str]
    drives: Sequence[Drive]
    server: LiveKitServer
    proxy: FaultyProxy

    async def state(self) -> Hashable:
        return tuple((room.name, room.sid) for room in self.server.rooms())

    async def calls(self) -> int:
        return self.proxy.requests

    def fault(self, fault: Fault) -> AbstractAsyncContextManager[None]:
        return self.proxy.fault(fault, REFUSED.get(fault))


@asynccontextmanager
async def subject() -> AsyncGenerator[Subject]:
    """A server with one open room."""
    server = LiveKitServer()
    await server.start()
    server.open_room(ROOM)
    async with FaultyProxy(server.url, TWIRP) as proxy:
        context = make_context(secrets={KEY: server.api_key, SECRET: server.api_secret})
        section = {"url": proxy.url, "join_url": server.join_url, "timeout_s": 2}
        module = LiveKitModule(LiveKitModuleSettings.model_validate({"bot": section}), context)
        (integration,) = module.integrations()
        assert isinstance(integration, LiveKitIntegration)
        drives = (
            Drive("create_room", {"name": "call-with-bob"}),
            Drive("join_room", {"room": ROOM, "name": "Anna"}, missing={"room": "call-with-nobody", "name": "Anna"}),
        )
        try:
            yield LiveKitSubject(module, integration, (server.api_secret,), drives, server, proxy)
        finally:
            await module.stop()
            await server.stop()
