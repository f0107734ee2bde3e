"""The base of remote adapters' modules: one account of the butler's, with tools if it is configured."""

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Generic, TypeVar

from pydantic import BaseModel

from butler.contract.adapters import RemoteIntegration
from butler.contract.base_integration import BaseIntegration
from butler.contract.module import CheckResult, Module, ModuleContext
from butler.contract.tools import ToolMetadata, ToolSpec
from modules._remote.causes import require
from modules._remote.settings import RemoteSettings

S = TypeVar("S", bound=RemoteSettings)
R = TypeVar("R", bound=RemoteIntegration)


class RemoteModule(Module, Generic[S, R]):
    """A remote adapter's module. Nothing connects before the first call.

    A subclass provides `reads()`, `writes()` and `roles()`, which are called only if the account is set up.
    """

    title: ClassVar[str]
    """Its name in `butler doctor`."""

    def __init__(
        self,
        settings: BaseModel,
        context: ModuleContext,
        bot: S | None,
        make: Callable[[S, ModuleContext], R],
        *,
        package: str = "",
    ) -> None:
        """`make` builds the integration of an enabled account; the vendor's `package` is required for it."""
        super().__init__(settings, context)
        self._bot = bot if bot is not None and bot.enabled else None
        if self._bot is not None and package:
            require(package, self.channel)
        self._remote = make(self._bot, context) if self._bot is not None else None

    @property
    def bot(self) -> S:
        """Return the account's settings."""
        assert self._bot is not None, "only what is set up has tools"
        return self._bot

    @property
    def remote(self) -> R:
        """Return the adapter."""
        assert self._remote is not None, "only what is set up has tools"
        return self._remote

    @property
    def timeout_ms(self) -> int:
        """Return the time-out of a call."""
        return round(self.bot.timeout_s * 1000)

    def reads(self) -> Sequence[ToolSpec]:
        """Return the tools that only read."""
        return ()

    def writes(self) -> Sequence[ToolSpec]:
        """Return the tools that change something."""
        return ()

    def roles(self) -> Mapping[str, ToolMetadata]:
        """Return the role of each argument of these tools."""
        return {}

    def bot_inputs(self) -> Sequence[ToolSpec]:
        return self.reads() if self._remote else ()

    def bot_outputs(self) -> Sequence[ToolSpec]:
        return self.writes() if self._remote else ()

    def tool_metadata(self) -> Mapping[str, ToolMetadata]:
        return self.roles() if self._remote else {}

    def integrations(self) -> Sequence[BaseIntegration]:
        return (self._remote,) if self._remote else ()

    async def checks(self) -> Sequence[CheckResult]:
        if self._remote is None:
            return ()
        status = await self._remote.auth_status()
        detail = ": ".join(filter(None, (status["account"], status["detail"])))
        return [CheckResult(self.title, ok=status["ok"], detail=detail, todo=status["todo"])]

    async def stop(self) -> None:
        if self._remote is not None:
            await self._remote.stop()
