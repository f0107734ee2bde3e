"""A provider of one operation, with the tools over it: what the envelope tells of is all here."""

import asyncio
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from butler.contract.adapters import Operation, RemoteIntegration, remote_tool
from butler.contract.base_integration import BaseIntegration
from butler.contract.integration import Idempotency, IntegrationCall, Method, RateLimitHint, RawAnswer, method
from butler.contract.module import Module
from butler.contract.names import Identity
from butler.contract.tools import ArgRole, ToolMetadata, ToolSpec, input_tool
from tests.support.context import make_context

FIND = "almanac.days.find.v1"


class FindArgs(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    words: str = Field(description="What the day is called.")
    limit: int = Field(default=5, ge=1, description="At most so many.")


class Found(BaseModel):
    days: list[str]


class Almanac(RemoteIntegration):
    provider = "almanac"
    adapter_id = "almanac-days"
    adapter_description = "Days and what they are called."
    operations = {"find_days": Operation(FIND, "Find days by what they are called.")}  # noqa: RUF012 - never changed

    def __init__(self, instead: str | None = None) -> None:
        """`instead` replaces the method, which is deprecated then; "" for one that nothing replaces."""
        self.instead = instead
        self.signed_in = True
        self.hangs = False
        super().__init__()

    def methods(self) -> list[Method]:
        return [
            method(
                FIND,
                args=FindArgs,
                answer=Found,
                run=self._raw_find,
                idempotency=Idempotency.READ,
                auth_scopes=("days.read",),
                rate_limit=RateLimitHint(calls=10, per_s=1),
                deprecated=self.instead is not None,
                replacement_method_id=self.instead or None,
            )
        ]

    async def auth_status(self) -> dict[str, Any]:
        if self.hangs:
            await asyncio.Event().wait()
        todo = "" if self.signed_in else "set ALMANAC_KEY"
        return {"ok": self.signed_in, "account": "almanac.example", "detail": "", "todo": todo}

    async def _raw_find(self, _call: IntegrationCall, args: FindArgs) -> RawAnswer:
        return RawAnswer({"days": [args.words]})


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid")


class AlmanacModule(Module):
    channel = "almanac"
    settings_model = Section

    def __init__(self, instead: str | None = None) -> None:
        super().__init__(Section(), make_context())
        self.almanac = Almanac(instead)

    def bot_inputs(self) -> list[ToolSpec]:
        return [
            remote_tool(
                self.almanac,
                self.channel,
                "find_days",
                contract_version="1.0.0",
                description="Find days by what they are called.",
                args=FindArgs,
            )
        ]

    def user_inputs(self) -> list[ToolSpec]:
        return [input_tool("user_almanac_list_days", "List your days.", FindArgs, self.bot_inputs()[0].handler)]

    def tool_metadata(self) -> dict[str, ToolMetadata]:
        roles = ToolMetadata({"words": ArgRole.CONTENT, "limit": ArgRole.OPTION})
        return {"bot_almanac_find_days": roles, "user_almanac_list_days": roles}

    def integrations(self) -> list[BaseIntegration]:
        return [self.almanac]

    def backing(self, identity: Identity) -> list[BaseIntegration]:
        return self.integrations() if identity is Identity.BOT else []
