"""Makes provider calls: checks, time-out, retries, rate limit, and typed, clean errors.

A call is retried only if it surely had no effect (`Effect.NONE`) and its error is retriable; a time-out of a call with
an effect leaves the effect unknown, and such a call is never repeated here.
"""

import asyncio
import time
from collections import deque
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

import structlog
from pydantic import ValidationError

from butler.contract.call_notes import CallNotes, noting
from butler.contract.errors import Effect, IntegrationErrorCode, IntegrationFault, SealedError
from butler.contract.integration import (
    CallProbe,
    Idempotency,
    IntegrationCall,
    IntegrationError,
    IntegrationResult,
    Json,
    Method,
    RateLimitHint,
    RawAnswer,
    ResultMeta,
    ResultProvenance,
)

log = structlog.get_logger(__name__)

NESTED = "the answer is nested too deeply"
NOT_DRY = "this cannot be tried without doing it"
UNWRITABLE = "the answer cannot be written as JSON"
RETRIABLE = frozenset(
    {IntegrationErrorCode.RATE_LIMITED, IntegrationErrorCode.TIMEOUT, IntegrationErrorCode.UNAVAILABLE}
)

_dry: ContextVar[bool] = ContextVar("dry_run", default=False)


@contextmanager
def running_dry(*, dry: bool) -> Generator[None]:
    """With `dry`, let no door make a call that changes something in this context, even if its handler would."""
    token = _dry.set(dry or _dry.get())
    try:
        yield
    finally:
        _dry.reset(token)


class Door:
    """All methods of one provider, and their shared state."""

    def __init__(self, methods: Mapping[str, Method], probe: CallProbe | None) -> None:
        self._methods = methods
        self._probe = probe
        self._warned: set[str] = set()
        self._limits = {
            method_id: Limiter(m.spec.rate_limit_hint)
            for method_id, m in methods.items()
            if m.spec.rate_limit_hint is not None and not m.spec.rate_limit_hint.shared
        }

    async def call(self, req: IntegrationCall) -> IntegrationResult:
        method = self._methods.get(req.method_id)
        if method is None:
            return failed(IntegrationErrorCode.UNKNOWN_METHOD, f"there is no method {req.method_id}")
        try:
            args = method.args.model_validate(req.args)
        except ValidationError as error:
            return failed(IntegrationErrorCode.INVALID_INPUT, explain(error))
        self._warn(method)
        if req.dry_run:
            meta = ResultMeta(deprecation=method.spec.deprecation)
            return IntegrationResult(ok=True, data={"dry_run": True, "args": args.model_dump(mode="json")}, meta=meta)
        if _dry.get() and method.spec.idempotency is not Idempotency.READ:
            # The handler did not pass on that this is a dry run.
            return failed(IntegrationErrorCode.CONTRACT, NOT_DRY)
        return await self._attempts(req, method, args)

    def _warn(self, method: Method) -> None:
        """Log the first call of a deprecated method."""
        if method.spec.deprecated and method.spec.method_id not in self._warned:
            self._warned.add(method.spec.method_id)
            log.warning("method_deprecated", method=method.spec.method_id, instead=method.spec.replacement_method_id)

    async def _attempts(self, req: IntegrationCall, method: Method, args: object) -> IntegrationResult:
        policy = req.retry_policy
        attempt = 1
        while True:
            result = await self._once(req, method, args)
            error = result.error
            if error is None or not error.retriable or error.effect is not Effect.NONE:
                return result
            if attempt >= policy.max_attempts:
                return result
            pause = min(policy.backoff_s * 2 ** (attempt - 1), policy.max_backoff_s)
            pause = max(pause, error.retry_after_s or 0.0)
            if pause > policy.max_backoff_s:
                return result
            await asyncio.sleep(pause)
            attempt += 1

    async def _once(self, req: IntegrationCall, method: Method, args: object) -> IntegrationResult:
        if limiter := self._limits.get(req.method_id):
            await limiter.wait()
        if self._probe:
            self._probe.before_call(req)
        started = time.monotonic()
        with noting() as notes:
            result = await self._run(req, method, args)
        latency = (time.monotonic() - started) * 1000
        known: Json = {"latency_ms": latency, "deprecation": method.spec.deprecation} | _noted(notes, result)
        result = result.model_copy(update={"meta": result.meta.model_copy(update=known)})
        if self._probe:
            self._probe.after_call(req, result)
        log.debug(
            "provider_call",
            method=req.method_id,
            trace=req.trace_id,
            ok=result.ok,
            code=result.error.code if result.error else None,
            ms=round(latency, 1),
        )
        return result

    async def _run(self, req: IntegrationCall, method: Method, args: object) -> IntegrationResult:
        reads = method.spec.idempotency is Idempotency.READ
        unclear = Effect.NONE if reads else Effect.UNKNOWN
        try:
            # Not `wait_for`: before Python 3.12 it loses a cancellation that meets the answer.
            async with asyncio.timeout(req.timeout_ms / 1000):
                answer = await method.run(req, args)
        except IntegrationFault as fault:
            return _of_fault(fault, unclear)
        except SealedError as error:
            return failed(IntegrationErrorCode.AUTH_REQUIRED, error.detail)
        except TimeoutError:
            return failed(IntegrationErrorCode.TIMEOUT, f"no answer within {req.timeout_ms} ms", effect=unclear)
        except RecursionError:
            # Answers are walked to their full depth, and the server chooses how deeply they are nested.
            log.warning("provider_answer_nested", method=req.method_id, trace=req.trace_id)
            return failed(IntegrationErrorCode.INVALID_OUTPUT, NESTED, effect=unclear)
        except Exception as error:  # noqa: BLE001 - the boundary: no provider exception leaves, its kind is recorded
            # The text of a provider's exception may hold a token or a whole mail, so only its kind is kept.
            log.warning("provider_exception", method=req.method_id, trace=req.trace_id, kind=type(error).__name__)
            return failed(
                IntegrationErrorCode.INTERNAL,
                f"the provider's client raised {type(error).__name__}",
                effect=unclear,
            )
        return _of_answer(answer, method, effect=Effect.NONE if reads else Effect.DONE)


def _noted(notes: CallNotes, result: IntegrationResult) -> Json:
    """Return the notes on the answer's headers that the integration does not report itself."""
    data: Json = {}
    if notes.request_id and not result.meta.provider_request_id:
        data["provider_request_id"] = notes.request_id
    if notes.remaining is not None and result.meta.rate_limit_remaining is None:
        data["rate_limit_remaining"] = notes.remaining
    return data


def _of_answer(answer: RawAnswer, method: Method, effect: Effect) -> IntegrationResult:
    try:
        checked = method.answer.model_validate(answer.data)
    except ValidationError as error:
        return failed(IntegrationErrorCode.INVALID_OUTPUT, explain(error), effect=effect)
    try:
        data = checked.model_dump(mode="json")
    except (ValueError, RecursionError):
        # An answer of any shape may be nested more deeply than pydantic can write.
        return failed(IntegrationErrorCode.INVALID_OUTPUT, UNWRITABLE, effect=effect)
    meta = ResultMeta(
        provider_request_id=answer.provider_request_id,
        next_cursor=answer.next_cursor,
        rate_limit_remaining=answer.rate_limit_remaining,
        cost_units=answer.cost_units,
        provenance=_provenance(answer, method),
    )
    return IntegrationResult(ok=True, data=data, raw=answer.raw, meta=meta)


def _provenance(answer: RawAnswer, method: Method) -> ResultProvenance:
    """Return the provenance of the data; at least the provider."""
    if answer.provenance.source_type or method.spec.idempotency is not Idempotency.READ:
        return answer.provenance
    return ResultProvenance(source_type=method.spec.provider, source_ref=answer.provenance.source_ref)


def _of_fault(fault: IntegrationFault, unclear: Effect) -> IntegrationResult:
    sure_none = {
        IntegrationErrorCode.AUTH_REQUIRED,
        IntegrationErrorCode.FORBIDDEN,
        IntegrationErrorCode.NOT_FOUND,
        IntegrationErrorCode.INVALID_INPUT,
        IntegrationErrorCode.RATE_LIMITED,
        IntegrationErrorCode.REJECTED,
        IntegrationErrorCode.CONFLICT,
    }
    effect = fault.effect or (Effect.NONE if fault.code in sure_none else unclear)
    return failed(
        fault.code,
        fault.message,
        effect=effect,
        provider_code=fault.provider_code,
        http_status=fault.http_status,
        retry_after_s=fault.retry_after_s,
        deferred=fault.deferred,
    )


def failed(
    code: IntegrationErrorCode,
    message: str,
    *,
    effect: Effect = Effect.NONE,
    provider_code: str = "",
    http_status: int | None = None,
    retry_after_s: float | None = None,
    deferred: bool = False,
    cause: str = "",
) -> IntegrationResult:
    """Build a failed result; retriable follows from the code."""
    error = IntegrationError(
        code=code,
        message=message,
        provider_code=provider_code,
        http_status=http_status,
        retriable=code in RETRIABLE,
        effect=effect,
        retry_after_s=retry_after_s,
        deferred=deferred,
        cause=cause,
    )
    return IntegrationResult(ok=False, error=error)


def explain(error: ValidationError) -> str:
    """Name the invalid fields, without their values: those may be private."""
    parts = [
        f"{'.'.join(map(str, one['loc'])) or 'value'}: {fault_words(one['msg'])}"
        for one in error.errors(include_input=False)
    ]
    return "; ".join(parts[:5])


def fault_words(message: str) -> str:
    """Return what a check of arguments says, without what pydantic puts before it."""
    return message.removeprefix("Value error, ")


class Limiter:
    """A rate limit: at most so many calls in a sliding window; further calls wait their turn in order."""

    def __init__(self, hint: RateLimitHint) -> None:
        self._hint = hint
        self._calls: deque[float] = deque(maxlen=hint.calls)
        self._turn = asyncio.Lock()

    async def wait(self) -> None:
        async with self._turn:
            if len(self._calls) == self._hint.calls:
                pause = self._calls[0] + self._hint.per_s - time.monotonic()
                if pause > 0:
                    await asyncio.sleep(pause)
            self._calls.append(time.monotonic())
