"""The person's own accounts on a data centre over loopback, through the real Telethon."""

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest

from butler.contract.integration import IntegrationResult, Json
from butler.contract.module import ModuleContext
from butler.contract.tools import Reconciled, ToolCall, ToolSpec
from butler.tool_invoker import account_of
from butler_demo.mtproto.datacentre import DataCentre
from modules.telegram.config import TelegramSettings
from modules.telegram.module import TelegramModule
from modules.telegram.user_account import UserAccount
from tests.support.context import MemoryBlobs, MemoryMirror, RecordingProbe, make_context
from tests.support.stoppable_clock import StoppableClock

SAM, ANNA, BOB, EVE, LOGIN_CODES = 42, 5, 7, 666, 777000
FAMILY = 4001
SECRETS = {"USER_TELEGRAM_API_HASH": "a" * 32}


@dataclass
class Harness:
    """The module with its data centre at hand."""

    centre: DataCentre
    context: ModuleContext
    module: TelegramModule

    @property
    def account(self) -> UserAccount:
        assert self.module.user is not None
        return self.module.user.accounts[0]

    @property
    def mirror(self) -> MemoryMirror:
        return cast("MemoryMirror", self.context.storage.mirror)

    @property
    def blobs(self) -> MemoryBlobs:
        return cast("MemoryBlobs", self.context.storage.blobs)

    @property
    def probe(self) -> RecordingProbe:
        return cast("RecordingProbe", self.context.probe)

    def spec(self, name: str) -> ToolSpec:
        specs = cast("list[ToolSpec]", [*self.module.user_inputs(), *self.module.user_outputs()])
        return next(spec for spec in specs if spec.tool_name == f"user_telegram_{name}")

    def call(self, name: str, token: str = "", **args: Any) -> ToolCall:
        """A call as the registry makes it."""
        spec = self.spec(name)
        values = spec.args.model_validate(args)
        account = account_of(spec, values)
        return ToolCall(
            tool=spec.tool_name, args=values, call_id="c", trace_id="t", account=account, token=token or "77"
        )

    async def use(self, name: str, token: str = "", **args: Any) -> IntegrationResult:
        return await self.spec(name).handler(self.call(name, token, **args))

    async def get(self, name: str, **args: Any) -> Json:
        """The data of a call that works."""
        result = await self.use(name, **args)
        assert result.data is not None, result.error
        return result.data

    async def complete(self, name: str, **args: Any) -> IntegrationResult:
        complete = self.spec(name).complete
        assert complete is not None
        return await complete(self.call(name, **args))

    async def reconcile(self, name: str, **args: Any) -> Reconciled:
        reconcile = self.spec(name).reconcile
        assert reconcile is not None
        return await reconcile(self.call(name, **args))

    def calls(self, method: str) -> int:
        """How often the data centre was asked for something."""
        return len([call for call in self.centre.calls if call.method == method])


@pytest.fixture
def centre_clock() -> StoppableClock:
    return StoppableClock()


@pytest.fixture
async def centre(centre_clock: StoppableClock) -> AsyncIterator[DataCentre]:
    centre = DataCentre(now=centre_clock.now)
    centre.add_account(SAM, "+15550042", "Sam", username="sam_home")
    centre.add_account(ANNA, "+15550005", "Anna", "Berg", username="anna_b")
    centre.add_account(BOB, "+15550007", "Bob")
    centre.add_account(EVE, "+15550666", "Eve", username="eve_e")
    centre.add_account(LOGIN_CODES, "+42777", "Telegram")
    centre.add_group(FAMILY, "Family", SAM, ANNA, BOB)
    centre.befriend(SAM, ANNA)
    await centre.start()
    yield centre
    await centre.stop()


MakeHouse = Callable[..., Harness]


@pytest.fixture
async def make_harness(centre: DataCentre, tmp_path: Path) -> AsyncIterator[MakeHouse]:
    """Butlers on the same data centre; one that is given a context keeps what is stored there."""
    key_file = tmp_path / "centre.pem"
    key_file.write_text(centre.public_key_pem)
    harnesses: list[Harness] = []

    def make(
        context: ModuleContext | None = None, sessions: Mapping[str, str] | None = None, **settings: Any
    ) -> Harness:
        dc = f"{centre.dc_id} {centre.host}:{centre.port} {key_file}"
        values = {"USER_TELEGRAM_SESSION": centre.session_string(SAM)} if sessions is None else dict(sessions)
        context = context or make_context(secrets={**SECRETS, **values})
        user = {"api_id": 1, "dc": dc, **settings}
        harness = Harness(centre, context, TelegramModule(TelegramSettings.model_validate({"user": user}), context))
        harnesses.append(harness)
        return harness

    yield make
    for harness in harnesses:
        await harness.module.stop()


@pytest.fixture
def harness(make_harness: MakeHouse) -> Harness:
    return make_harness()
