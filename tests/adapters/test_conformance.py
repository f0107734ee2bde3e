"""Every remote adapter, held to the same things: answers as the contract has them, and each fault as its own code.

A new adapter is held to them as soon as it has a contract: it needs a `tests/adapters/subjects/<channel>.py`.
"""

import asyncio
import contextlib
import importlib
import pkgutil
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import modules
from butler.adapters.catalogue import catalogue_of
from butler.adapters.files import Files, read_contract
from butler.contract.adapters import AdapterContract, AdapterOperation, OperationEffect, RemoteIntegration
from butler.contract.errors import Effect, IntegrationErrorCode
from butler.contract.integration import IntegrationCall, IntegrationError, IntegrationResult
from butler.contract.names import ApprovalDefault
from butler.contract.tools import ExecutionMode, ToolSpec
from butler.offline import example_modules
from butler.registry import Registry
from butler.tool_invoker import UnknownToolError
from tests.adapters import subjects
from tests.adapters.faulty import RETRY_AFTER_S, FaultyProxy, Status
from tests.adapters.log_capture import CapturedLogs, captured_logs
from tests.adapters.subject import Drive, Fault, Subject
from tests.support.nightly import every_nth
from tests.support.waiting import until

pytestmark = pytest.mark.every_case


FILES = Files()
SUBJECTS = sorted(info.name for info in pkgutil.iter_modules(subjects.__path__))
RETRIABLE = {Fault.RATE_LIMITED, Fault.TIMEOUT, Fault.DOWN}
SURELY_NOTHING = {Fault.WRONG_KEY, Fault.NOT_FOUND, Fault.RATE_LIMITED}
HANGS_MS = 700
NEVER = FaultyProxy("")
"""Stands in where a server's faults are no proxy's."""
FREE_WRITES = {"livekit"}
"""Adapters whose writes reach nobody by themselves, so that the butler may do them unasked."""
A_CLASS = re.compile(r"\b[A-Za-z_]+(Error|Exception|Timeout)\b|Traceback|\.py\b|0x[0-9a-f]{6}")
"""What a provider's exception looks like in a text."""


@asynccontextmanager
async def opened(name: str) -> AsyncGenerator[Subject]:
    make: Callable[[], AbstractAsyncContextManager[Subject]] = importlib.import_module(
        f"tests.adapters.subjects.{name}"
    ).subject
    async with make() as subject:
        yield subject


@pytest.fixture
def heard() -> Iterator[CapturedLogs]:
    with captured_logs() as heard:
        yield heard


@pytest.fixture(params=SUBJECTS)
async def subject(request: pytest.FixtureRequest, heard: CapturedLogs) -> AsyncIterator[Subject]:
    """One adapter on its server; afterwards, nothing of its secrets stands in any log."""
    async with opened(request.param) as subject:
        yield subject
    nothing_given_away(subject, heard)


def nothing_given_away(subject: Subject, heard: CapturedLogs) -> None:
    for line in heard.lines():
        assert not any(secret in line for secret in subject.secrets), "a log line holds a secret"
    assert heard.complaints() == []


def contract_of(subject: Subject) -> AdapterContract:
    """The frozen contract; of an adapter that is not locked yet, what its code says."""
    path = FILES.current(subject.module.channel)
    return read_contract(path) if path.exists() else subject.integration.contract("1.0.0")


def each(subject: Subject) -> Iterator[tuple[Drive, AdapterOperation]]:
    operations = contract_of(subject).operations
    for drive in subject.drives:
        yield drive, operations[drive.operation]


def schema(value: Any) -> Any:
    """A validator that is not the models' own; untyped, as its library is in part."""
    Draft202012Validator.check_schema(value)
    return Draft202012Validator(value)


async def call(
    subject: Subject, operation: str, args: dict[str, Any], *, timeout_ms: int = 20_000, dry_run: bool = False
) -> IntegrationResult:
    method_id = subject.integration.operations[operation].method_id
    result = await subject.integration.call(
        IntegrationCall(trace_id="conformance", method_id=method_id, args=args, timeout_ms=timeout_ms, dry_run=dry_run)
    )
    assert isinstance(result, IntegrationResult)
    told = f"{result.model_dump_json()} {result!r}"
    assert not any(secret in told for secret in subject.secrets), f"{operation} gives a secret away"
    return result


async def works(subject: Subject, drive: Drive) -> dict[str, Any]:
    result = await call(subject, drive.operation, drive.args)
    assert result.ok, (drive.operation, result.error)
    assert result.data is not None
    return result.data


async def refused(
    subject: Subject, operation: str, args: dict[str, Any], *, timeout_ms: int = 20_000
) -> IntegrationError:
    result = await call(subject, operation, args, timeout_ms=timeout_ms)
    assert result.error is not None, f"{operation} was expected to fail"
    assert (result.ok, result.data) == (False, None)
    assert result.error.message
    assert not A_CLASS.search(result.error.message), result.error.message
    assert result.error.retriable == (result.error.code in {fault.value for fault in RETRIABLE})
    return result.error


@asynccontextmanager
async def faulty(subject: Subject, fault: Fault) -> AsyncGenerator[bool]:
    """Whether the fault is there now: some cannot be had with every server."""
    async with contextlib.AsyncExitStack() as stack:
        try:
            await stack.enter_async_context(subject.fault(fault))
        except NotImplementedError:
            yield False
            return
        yield True


async def asks_the_server(subject: Subject, drive: Drive) -> bool:
    """Whether an operation makes any request; one that makes none meets no server's fault."""
    before = await subject.calls()
    await works(subject, drive)
    return before == -1 or await subject.calls() > before


def test_every_adapter_that_is_discovered_has_a_subject() -> None:
    found = {
        module.channel
        for module in example_modules()
        if any(isinstance(one, RemoteIntegration) for one in module.integrations())
    }
    assert (found | set(FILES.channels())) - set(SUBJECTS) == set()


async def test_every_operation_of_the_contract_is_driven(subject: Subject) -> None:
    assert {drive.operation for drive in subject.drives} == set(contract_of(subject).operations)
    assert subject.secrets


async def test_answers_are_as_the_contract_has_them(subject: Subject) -> None:
    for drive, operation in each(subject):
        schema(operation.input).validate(drive.args)
        schema(operation.output).validate(await works(subject, drive))


async def test_arguments_that_the_contract_refuses_reach_no_server(subject: Subject) -> None:
    before = await subject.calls()
    for drive, operation in each(subject):
        takes = schema(operation.input)
        needed: list[str] = operation.input.get("required", [])
        wrong = [drive.wrong, drive.args | {"no_such_argument": 1}]
        wrong += [{name: value for name, value in drive.args.items() if name != missing} for missing in needed]
        for args in wrong:
            assert not takes.is_valid(args) or args is drive.wrong, (drive.operation, args)
            error = await refused(subject, drive.operation, args)
            assert error.code is IntegrationErrorCode.INVALID_INPUT, (drive.operation, args, error)
            assert error.effect is Effect.NONE
    assert await subject.calls() == before


@pytest.mark.parametrize("fault", every_nth(list(Fault), 2))
async def test_each_fault_has_its_own_code_and_is_over_when_it_is_over(subject: Subject, fault: Fault) -> None:
    for drive, operation in each(subject):
        if not await asks_the_server(subject, drive):
            continue
        reads = operation.effect is OperationEffect.READ
        state = await subject.state()
        async with faulty(subject, fault) as there:
            if not there:
                continue
            timeout_ms = HANGS_MS if fault is Fault.TIMEOUT else 20_000
            error = await refused(subject, drive.operation, drive.args, timeout_ms=timeout_ms)
        assert error.code.value == fault.value, (drive.operation, error)
        if reads or fault in SURELY_NOTHING:
            assert error.effect is Effect.NONE, (drive.operation, error)
        elif fault is Fault.TIMEOUT:
            assert error.effect is Effect.UNKNOWN, (drive.operation, error)
        elif error.effect is Effect.NONE:
            assert await subject.state() == state, (drive.operation, error)
        if fault is Fault.RATE_LIMITED and getattr(subject, "proxy", NEVER).told_to_wait:
            assert error.retry_after_s == RETRY_AFTER_S, (drive.operation, error)
        await works(subject, drive)


async def test_what_is_not_there_is_not_found(subject: Subject) -> None:
    for drive, _operation in each(subject):
        if drive.missing is not None:
            error = await refused(subject, drive.operation, drive.missing)
            assert (error.code, error.effect) == (IntegrationErrorCode.NOT_FOUND, Effect.NONE), (drive.operation, error)
            await works(subject, drive)


async def test_a_server_that_repeats_the_key_in_its_refusal_is_not_quoted(
    subject: Subject, heard: CapturedLogs
) -> None:
    proxy = getattr(subject, "proxy", None)
    if not isinstance(proxy, FaultyProxy):
        pytest.skip("its faults are not those of a proxy")
    said = " and ".join(subject.secrets)
    body = dict.fromkeys(("message", "error", "msg", "hint", "details", "code", "type"), f"no key {said} here")
    for drive, _operation in each(subject):
        for status in (400, 401, 403, 500):
            if await asks_the_server(subject, drive):
                with proxy.broken(Status(status, body)):
                    await refused(subject, drive.operation, drive.args)
    # A client's own DEBUG lines hold a server's body; the butler logs from INFO on, and cuts secrets out.
    heard.forget_debug()


async def test_a_dry_run_asks_no_server_and_changes_nothing(subject: Subject) -> None:
    state, calls = await subject.state(), await subject.calls()
    for drive, _operation in each(subject):
        result = await call(subject, drive.operation, drive.args, dry_run=True)
        assert result.ok
        assert (result.data or {})["dry_run"] is True
    assert await subject.calls() == calls
    assert await subject.state() == state


async def test_reading_changes_nothing(subject: Subject) -> None:
    before = await subject.state()
    for drive, operation in each(subject):
        if operation.effect is OperationEffect.READ:
            await works(subject, drive)
    assert await subject.state() == before


async def test_a_method_that_is_not_published_is_not_called(subject: Subject) -> None:
    before = await subject.calls()
    for method_id in ("no.such.method.v1", subject.drives[0].operation, ""):
        result = await subject.integration.call(IntegrationCall(trace_id="t", method_id=method_id, args={}))
        assert result.error is not None
        assert result.error.code is IntegrationErrorCode.UNKNOWN_METHOD
    assert await subject.calls() == before


async def test_whether_the_account_can_be_used_is_told_as_it_is(subject: Subject) -> None:
    async def status() -> dict[str, Any]:
        told = await subject.integration.auth_status()
        assert {"ok", "account", "detail", "todo"} <= set(told)
        assert not any(secret in repr(told) for secret in subject.secrets)
        assert not A_CLASS.search(str(told["detail"])), told
        return told

    right = await status()
    assert (right["ok"], right["todo"]) == (True, ""), right
    for fault in (Fault.WRONG_KEY, Fault.DOWN):
        async with faulty(subject, fault) as there:
            if there:
                wrong = await status()
                assert wrong["ok"] is False, fault
                assert wrong["detail"]
                assert wrong["todo"]
                checks = await subject.module.checks()
                assert checks
                assert not all(check.ok for check in checks), "doctor says that all is well"
    assert (await status())["ok"] is True
    assert all(check.ok for check in await subject.module.checks())


def registered(subject: Subject) -> Registry:
    registry = Registry(catalogue_of(contract_of(subject)))
    registry.add_module(subject.module)
    assert registry.refusals == []
    return registry


async def test_each_operation_is_a_tool_that_says_what_it_is(subject: Subject) -> None:
    registry, contract = registered(subject), contract_of(subject)
    channel = subject.module.channel
    for name, operation in contract.operations.items():
        spec = registry.spec(f"bot_{channel}_{name}")
        assert (spec.execution_mode, spec.adapter_id) == (ExecutionMode.REMOTE, contract.adapter_id)
        assert spec.adapter_operation == name
        told = Path(modules.__file__).parent / channel / "prompts" / f"tool_{spec.tool_name}.md"
        assert len(told.read_text(encoding="utf-8")) > 200, told
        asks_where_it_writes(spec, operation, channel)
        for op in ("help", "status", "list_methods", "list_providers"):
            answer = await registry.describe(spec.tool_name, op)
            assert answer
            assert not any(secret in repr(answer) for secret in subject.secrets)
        with pytest.raises(UnknownToolError):
            await registry.describe(spec.tool_name, "no_such_op")


def asks_where_it_writes(spec: ToolSpec, operation: AdapterOperation, channel: str) -> None:
    if operation.effect is OperationEffect.READ:
        assert spec.preview is None or spec.approval_default is not None
        return
    assert spec.preview is not None, spec.tool_name
    if channel not in FREE_WRITES:
        assert spec.approval_default is ApprovalDefault.ALWAYS, spec.tool_name


async def test_a_call_that_is_given_up_leaves_nothing_open(subject: Subject) -> None:
    async def all_done() -> None:
        for drive, _operation in each(subject):
            await works(subject, drive)
        await subject.module.stop()

    await all_done()
    await quiet()
    before = sockets(), len(asyncio.all_tasks())
    for drive, _operation in each(subject):
        async with faulty(subject, Fault.TIMEOUT) as there:
            if there and await given_up(subject, drive):
                await subject.module.stop()
    await all_done()
    # Sooner than a client closes an idle connection by itself, which would hide a leak.
    await until(lambda: sockets() <= before[0] and len(asyncio.all_tasks()) <= before[1], within_s=10)


async def given_up(subject: Subject, drive: Drive) -> bool:
    """Cancel a call while its server hangs; False where it had its answer all the same, since it asks nobody."""
    calling = asyncio.create_task(call(subject, drive.operation, drive.args))
    with contextlib.suppress(TimeoutError):
        await until(calling.done, within_s=0.3)
    calling.cancel()
    try:
        await calling
    except asyncio.CancelledError:
        return True
    return False


async def quiet() -> None:
    """Until the number of open sockets stays as it is: servers close theirs a moment later."""
    seen = -1
    for _ in range(20):
        if (now := sockets()) == seen:
            return
        seen = now
        await asyncio.sleep(0.1)


def sockets() -> int:
    """How many this process holds."""
    found = 0
    for descriptor in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            found += str(descriptor.readlink()).startswith("socket:")
    return found


def test_it_is_noticed_what_leaks() -> None:
    """The checks above can fail: a class's name, a traceback and an address of a file are found in a text."""
    for text in ("raised ClientConnectorError", "Traceback (most recent call last)", 'File "http.py"', "at 0x7fbbfdfc"):
        assert A_CLASS.search(text)
    for text in ("the server does not take the key", "no answer within 700 ms", "Grafana 12.1.0"):
        assert not A_CLASS.search(text)
    assert {fault.value for fault in Fault} <= set(IntegrationErrorCode)
