"""What the contract of a remote adapter costs a call: both checks of its schemas, the gates, the trace and the policy.

The same call in turns within one run: the integration's own method alone, which is the client's call and what is made
of its answer, and the tool as the daemon has it, judged by the policy and then invoked through the registry. Once on a
method that answers at once with ten hits, where nothing else is in the way, and once on one that asks a server on the
loopback, a process of its own, for the same. The overhead is the difference of the medians.
"""

import argparse
import asyncio
import json
import multiprocessing
import statistics
import time
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any, ClassVar

from aiohttp import web
from pydantic import BaseModel, ConfigDict, Field

from approvals.policy import Decision, PolicyQuery, judge
from approvals.policy_rules import RULES
from approvals.preview import preview_of
from bench.machine import report, table
from butler.adapters.catalogue import catalogue_of
from butler.contract.adapters import Operation, RemoteIntegration, remote_tool
from butler.contract.integration import Idempotency, IntegrationCall, Method, RawAnswer, method
from butler.contract.module import Module
from butler.contract.provenance import Origin
from butler.contract.tools import ArgRole, ToolCall, ToolMetadata, ToolSpec
from butler.logs import Redactor, setup
from butler.registry import Registry
from config.approvals import ApprovalsSettings
from modules._remote.http import HttpPeer
from tests.support.context import FixedOwner, make_context

AIM_MS = 0.3
SEARCH = "bench.notes.search.v1"
BENCH_TOOL = "bot_bench_search"
OWNERS = frozenset({Origin.owner("telegram:42")})


class SearchArgs(BaseModel):
    """As a search takes them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str = Field(min_length=1, max_length=2_000)
    limit: int = Field(default=10, ge=1, le=100)


class Match(BaseModel):
    """As a search gives it."""

    id: str
    score: float
    text: str
    payload: dict[str, Any]


class SearchAnswer(BaseModel):
    """What was found."""

    matches: list[Match]
    count: int


MATCHES = [
    {"id": str(number), "score": 1 / (number + 1), "text": "The boiler is serviced each May. " * 6, "payload": {"n": 1}}
    for number in range(10)
]


FOUND = {"matches": MATCHES, "count": len(MATCHES)}


class Searching(RemoteIntegration):
    """An adapter whose answer is there already, or is asked of a server."""

    provider = "bench"
    adapter_id: ClassVar[str] = "bench"
    adapter_description: ClassVar[str] = "Finds ten notes."
    operations: ClassVar[Mapping[str, Operation]] = {"search": Operation(SEARCH, "Search.")}

    def __init__(self, peer: HttpPeer | None = None) -> None:
        self._peer = peer
        super().__init__()

    def methods(self) -> list[Method]:
        read = Idempotency.READ
        return [method(SEARCH, args=SearchArgs, answer=SearchAnswer, run=self._raw_search, idempotency=read)]

    async def auth_status(self) -> dict[str, Any]:
        return {"ok": True, "account": "", "detail": "", "todo": ""}

    async def _raw_search(self, _call: IntegrationCall, args: SearchArgs) -> RawAnswer:
        if self._peer is None:
            return RawAnswer(FOUND)
        return RawAnswer((await self._peer.request("POST", "/search", body=args.model_dump())).json)


class Nothing(BaseModel):
    """Nothing to set."""


class SearchModule(Module):
    """Its one tool."""

    channel = "bench"
    settings_model = Nothing

    def __init__(self, integration: Searching) -> None:
        super().__init__(Nothing(), make_context())
        self._integration = integration

    def bot_inputs(self) -> Sequence[ToolSpec]:
        return (
            remote_tool(
                self._integration,
                "bench",
                "search",
                contract_version="1.0.0",
                description="Search.",
                args=SearchArgs,
            ),
        )

    def integrations(self) -> Sequence[Searching]:
        return (self._integration,)

    def tool_metadata(self) -> Mapping[str, ToolMetadata]:
        target = ArgRole.TARGET
        return {BENCH_TOOL: ToolMetadata({"text": target, "limit": ArgRole.OPTION})}


@dataclass(frozen=True, slots=True)
class Pair:
    """One call in both ways."""

    name: str
    alone: Callable[[], Awaitable[object]]
    whole: Callable[[], Awaitable[object]]


def pair(name: str, integration: Searching) -> Pair:
    """A search in both ways."""
    registry = Registry(catalogue_of(integration.contract("1.0.0")))
    registry.add_module(SearchModule(integration))
    args = SearchArgs(text="boiler")
    run = integration.methods()[0].run
    plain = IntegrationCall(trace_id="bench", method_id=SEARCH, args={})

    async def alone() -> object:
        return await run(plain, args)

    async def whole() -> object:
        if judged(registry, args) is not Decision.ALLOW:
            raise AssertionError("a read was not let pass")
        result = await registry.invoke(ToolCall(tool=BENCH_TOOL, args=args, call_id="bench", trace_id="bench"))
        if not result.ok:
            raise AssertionError(result.error)
        return result

    return Pair(name, alone, whole)


def judged(registry: Registry, args: BaseModel) -> Decision:
    """What the policy says, as it is asked before each call."""
    spec = registry.spec(BENCH_TOOL)
    question = PolicyQuery(
        spec=spec,
        metadata=registry.metadata(BENCH_TOOL),
        preview=preview_of(spec, args),
        origins=dict.fromkeys(args.model_fields_set, OWNERS),
        owner=FixedOwner(),
        contact=lambda _address: None,
        same_person=lambda _address: (),
        settings=SETTINGS,
        paused="",
        over_limit=None,
        standing=None,
    )
    return judge(question, RULES).decision


SETTINGS = ApprovalsSettings()


@dataclass(slots=True)
class Times:
    """Milliseconds of each call: by the clock, and of this thread's processor, which other programs do not touch."""

    wall: list[float] = field(default_factory=list[float])
    processor: list[float] = field(default_factory=list[float])

    async def take(self, way: Callable[[], Awaitable[object]]) -> None:
        """Make one call."""
        began, used = time.perf_counter(), time.thread_time()
        await way()
        self.processor.append((time.thread_time() - used) * 1_000)
        self.wall.append((time.perf_counter() - began) * 1_000)

    def medians(self) -> tuple[float, float]:
        """By the clock and of the processor."""
        return statistics.median(self.wall), statistics.median(self.processor)


async def in_turns(one: Pair, calls: int) -> tuple[Times, Times]:
    """A call alone and whole, in turns; which of the two is first changes each time."""
    alone, whole = Times(), Times()
    for number in range(calls):
        ways = ((one.alone, alone), (one.whole, whole))
        for way, times in ways if number % 2 else reversed(ways):
            await times.take(way)
    return alone, whole


@contextmanager
def served() -> Generator[str]:
    """The address of a server of ours that answers every search, in a process of its own."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=serve, args=(there,), daemon=True)
    process.start()
    yield f"http://127.0.0.1:{here.recv()}"
    process.terminate()
    process.join()


def serve(pipe: Connection) -> None:
    """The server: says its port, and stays until it is ended."""
    answer = json.dumps(FOUND).encode()

    async def search(_request: web.Request) -> web.Response:
        return web.Response(body=answer, content_type="application/json")

    async def run() -> None:
        app = web.Application()
        app.router.add_post("/search", search)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        pipe.send(runner.addresses[0][1])
        await asyncio.Event().wait()

    asyncio.run(run())


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=4_000, help="in each way, of the method that answers at once")
    parser.add_argument("--real", type=int, default=2_000, help="in each way, over the loopback")
    given = parser.parse_args()
    setup(Redactor())
    rows: list[list[object]] = []
    figures: dict[str, float] = {}
    with served() as url:
        peer = HttpPeer(url)
        for one, calls, prefix in (
            (pair("answers at once", Searching()), given.calls, ""),
            (pair("over the loopback", Searching(peer)), given.real, "loopback_"),
        ):
            await in_turns(one, max(1, calls // 20))
            (alone, alone_cpu), (whole, whole_cpu) = (times.medians() for times in await in_turns(one, calls))
            over, over_cpu = whole - alone, whole_cpu - alone_cpu
            rows.append([one.name, calls, f"{alone:.3f}", f"{whole:.3f}", f"{over:.3f}", f"{over_cpu:.3f}"])
            figures |= {f"{prefix}overhead_ms": round(over, 4), f"{prefix}overhead_cpu_ms": round(over_cpu, 4)}
            figures[f"{prefix}alone_ms"] = round(alone, 4)
        await peer.close()
    table(["call", "times", "alone, ms", "with the contract", f"overhead (aim {AIM_MS})", "of it processor"], rows)
    report("adapters", {}, figures)


if __name__ == "__main__":
    asyncio.run(main())
