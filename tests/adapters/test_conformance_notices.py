"""The conformance suite can fail: who breaks a rule is caught by the test of that rule, and who breaks none passes."""

import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, ClassVar

import aiohttp
import pytest
from aiohttp import web
from jsonschema import ValidationError as NotAsInTheSchema
from pydantic import BaseModel, ConfigDict

from butler.contract.adapters import Operation, RemoteIntegration
from butler.contract.errors import IntegrationErrorCode, IntegrationFault
from butler.contract.integration import Idempotency, IntegrationCall, Method, RawAnswer, method
from butler.contract.module import CheckResult, Module
from butler_demo.serving import Port
from modules._remote.http import HttpPeer
from tests.adapters import test_conformance as suite
from tests.adapters.faulty import FaultyProxy
from tests.adapters.log_capture import captured_logs
from tests.adapters.subject import Drive, Fault, Subject
from tests.support.context import make_context
from tests.support.nightly import every_nth

KEY = "key-of-a-careless-adapter"
READ = "careless.things.read.v1"


class Flaw(Enum):
    """What an adapter may do wrong."""

    NONE = auto()
    OTHER_SHAPE = auto()
    KEY_IN_ERROR = auto()
    KEY_IN_LOG = auto()
    CLASS_IN_ERROR = auto()
    WRONG_CODE = auto()
    CHANGES = auto()
    LEAKS = auto()
    ALWAYS_WELL = auto()


class Args(BaseModel):
    model_config = ConfigDict(extra="forbid")

    id: int


class Answer(BaseModel):
    id: int


class Loose(BaseModel):
    """What a careless adapter checks its answers against, whatever its contract says."""

    id: Any


class Careless(RemoteIntegration):
    """An adapter with one flaw."""

    provider = "careless"
    adapter_id: ClassVar[str] = "careless"
    adapter_description: ClassVar[str] = "Reads things."
    operations: ClassVar[Mapping[str, Operation]] = {"read": Operation(READ, "Read a thing.")}

    def __init__(self, url: str, flaw: Flaw) -> None:
        self._flaw = flaw
        self._url = url
        self.leaked: list[HttpPeer] = []
        self._peer = HttpPeer(url, headers={"X-Key": KEY}, secrets=(KEY,))
        super().__init__()

    def methods(self) -> list[Method]:
        made = method(READ, args=Args, answer=Answer, run=self._raw_read, idempotency=Idempotency.READ)
        return [Method(made.spec, Args, Loose, made.run) if self._flaw is Flaw.OTHER_SHAPE else made]

    async def auth_status(self) -> dict[str, Any]:
        result = await self.call(IntegrationCall(trace_id="t", method_id=READ, args={"id": 1}))
        ok = result.ok or self._flaw is Flaw.ALWAYS_WELL
        detail = "" if result.error is None else result.error.message
        return {"ok": ok, "account": "", "detail": detail, "todo": "" if ok else "look"}

    async def stop(self) -> None:
        if self._flaw is not Flaw.LEAKS:
            await self.close()

    async def close(self) -> None:
        for peer in (self._peer, *self.leaked):
            await peer.close()

    async def _raw_read(self, _call: IntegrationCall, args: Args) -> RawAnswer:
        if self._flaw is Flaw.LEAKS:
            self.leaked.append(self._peer)
            self._peer = HttpPeer(self._url, headers={"X-Key": KEY})
        try:
            answer = await self._peer.request("POST" if self._flaw is Flaw.CHANGES else "GET", f"/{args.id}")
        except IntegrationFault as fault:
            raise self._flawed(fault) from None
        if self._flaw is Flaw.KEY_IN_LOG:
            logging.getLogger(__name__).debug("asked with %s", KEY)
        return RawAnswer({"id": "one"} if self._flaw is Flaw.OTHER_SHAPE else answer.json)

    def _flawed(self, fault: IntegrationFault) -> IntegrationFault:
        match self._flaw:
            case Flaw.KEY_IN_ERROR:
                return IntegrationFault(fault.code, f"{fault.message} with {KEY}")
            case Flaw.CLASS_IN_ERROR:
                return IntegrationFault(fault.code, f"{aiohttp.ClientConnectorError.__name__}: {fault.message}")
            case Flaw.WRONG_CODE:
                return IntegrationFault(IntegrationErrorCode.INTERNAL, fault.message)
            case _:
                return fault


class CarelessModule(Module):
    """Holds it."""

    channel = "careless"
    settings_model = Args

    def __init__(self, integration: Careless) -> None:
        super().__init__(None, make_context())
        self._integration = integration

    async def checks(self) -> Sequence[CheckResult]:
        status = await self._integration.auth_status()
        return (CheckResult("careless", ok=status["ok"], detail=status["detail"], todo=status["todo"]),)

    async def stop(self) -> None:
        await self._integration.stop()


@dataclass(slots=True)
class CarelessSubject:
    """Meets `Subject`."""

    module: Module
    integration: RemoteIntegration
    proxy: FaultyProxy
    changed: list[str]
    secrets: Sequence[str] = (KEY,)
    drives: Sequence[Drive] = (Drive("read", {"id": 1}, missing={"id": 404}),)

    async def state(self) -> int:
        return len(self.changed)

    async def calls(self) -> int:
        return self.proxy.requests

    def fault(self, fault: Fault) -> AbstractAsyncContextManager[None]:
        return self.proxy.fault(fault)


@asynccontextmanager
async def careless(flaw: Flaw) -> AsyncGenerator[CarelessSubject]:
    changed: list[str] = []

    async def answer(request: web.Request) -> web.Response:
        if request.method == "POST":
            changed.append(request.path)
        thing = int(request.path[1:])
        return web.json_response({"id": thing}, status=404 if thing == 404 else 200)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    port = Port()
    await port.open(app)
    async with FaultyProxy(port.root) as proxy:
        integration = Careless(proxy.url, flaw)
        try:
            yield CarelessSubject(CarelessModule(integration), integration, proxy, changed)
        finally:
            await integration.close()
            await port.close()


async def faults(subject: Subject) -> None:
    for fault in Fault:
        await suite.test_each_fault_has_its_own_code_and_is_over_when_it_is_over(subject, fault)


async def says_nothing(subject: Subject) -> None:
    """As the suite's fixture does it."""
    with captured_logs() as heard:
        await suite.test_reading_changes_nothing(subject)
    suite.nothing_given_away(subject, heard)


CAUGHT: Mapping[Flaw, Callable[[Subject], Awaitable[None]]] = {
    Flaw.OTHER_SHAPE: suite.test_answers_are_as_the_contract_has_them,
    Flaw.KEY_IN_ERROR: faults,
    Flaw.KEY_IN_LOG: says_nothing,
    Flaw.CLASS_IN_ERROR: faults,
    Flaw.WRONG_CODE: faults,
    Flaw.CHANGES: suite.test_reading_changes_nothing,
    Flaw.LEAKS: suite.test_a_call_that_is_given_up_leaves_nothing_open,
    Flaw.ALWAYS_WELL: suite.test_whether_the_account_can_be_used_is_told_as_it_is,
}


def test_each_flaw_is_to_be_caught() -> None:
    assert set(CAUGHT) == set(Flaw) - {Flaw.NONE}


@pytest.mark.parametrize("flaw", every_nth(list(CAUGHT), 2))
async def test_a_flaw_is_caught(flaw: Flaw) -> None:
    async with careless(flaw) as subject:
        with pytest.raises((AssertionError, NotAsInTheSchema, TimeoutError)):
            await CAUGHT[flaw](subject)


@pytest.mark.parametrize("flaw", CAUGHT)
async def test_what_catches_a_flaw_lets_pass_who_has_none(flaw: Flaw) -> None:
    async with careless(Flaw.NONE) as subject:
        await CAUGHT[flaw](subject)
