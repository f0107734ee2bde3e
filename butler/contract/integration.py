"""The one door to a provider: `BaseIntegration.call()` (seed 5).

A provider integration declares its methods as `Method`s: a `MethodSpec` that is also published, and a private raw
coroutine. The door checks arguments and answer against the schemas, applies time-out, retry policy and rate limit, and
turns every failure into a typed error. No provider exception reaches a tool.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, Self

from pydantic import BaseModel, Field, model_validator

from butler.contract.errors import Effect, IntegrationErrorCode
from butler.contract.reasons import Reason
from butler.contract.records import Record
from butler.contract.schemas import json_schema

Json = dict[str, Any]


class Idempotency(StrEnum):
    """What makes a repeat safe: the provider de-duplicates, its state can be read, or nothing."""

    READ = "read"
    PROVIDER = "provider"
    STATE = "state"
    NONE = "none"


class RateLimitHint(Record):
    """The pace that Butler itself keeps, and not only what the provider says: `calls` in `per_s` seconds."""

    calls: int
    per_s: float
    shared: bool = False
    """Whether methods share one pace, which their integration keeps; otherwise the door keeps it for each method."""


class Capability(StrEnum):
    """What a method does; derived from its declaration, never declared separately."""

    READ = "read"
    WRITE = "write"
    PAGING = "paging"
    """Takes a cursor, and returns the next one while there is more."""


class MethodSpec(Record):
    """A provider method as published (seed 5). `method_id` is `provider.area.method.vN` and never redefined."""

    method_id: str = Field(pattern=r"^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*){2,3}\.v[1-9][0-9]*$")
    provider: str
    input_schema: Json
    output_schema: Json
    capabilities: tuple[Capability, ...] = ()
    auth_scopes: tuple[str, ...] = ()
    """The scopes that the method needs, among those that Butler requests from the provider."""
    rate_limit_hint: RateLimitHint | None = None
    """The pace that is kept, if any."""
    idempotency: Idempotency
    cost_hint: str = ""
    """The provider's units that a call costs; empty if only calls are counted, or nothing is."""
    deprecated: bool = False
    """Whether the method is deprecated: it still works, and its use is logged as a warning."""
    replacement_method_id: str | None = None
    """The method that replaces a deprecated one, if any."""

    @model_validator(mode="after")
    def _replaced(self) -> Self:
        if self.replacement_method_id is None:
            return self
        if not self.deprecated:
            raise ValueError("only a deprecated method has a replacement")
        if self.replacement_method_id == self.method_id:
            raise ValueError("a method does not replace itself")
        return self

    @property
    def deprecation(self) -> str:
        """The warning about a deprecated method; otherwise empty."""
        if not self.deprecated:
            return ""
        instead = f"; {self.replacement_method_id} replaces it" if self.replacement_method_id else ""
        return f"{self.method_id} is deprecated{instead}"


class RetryPolicy(Record):
    """How often a call that surely had no effect is tried; the first try counts."""

    max_attempts: int = Field(default=1, ge=1, le=10)
    backoff_s: float = Field(default=0.5, gt=0)
    max_backoff_s: float = Field(default=30.0, gt=0)


ONCE = RetryPolicy()
READS = RetryPolicy(max_attempts=3)


class IntegrationCall(Record):
    """A request through the door (seed 5)."""

    trace_id: str
    method_id: str
    args: Json
    timeout_ms: int = Field(default=30_000, gt=0)
    retry_policy: RetryPolicy = ONCE
    cursor: str | None = None
    dry_run: bool = False
    token: str | None = None
    """The provider's idempotency token, if it has one."""
    progress: Any = Field(default=None, exclude=True, repr=False)
    """A `Progress`, if the effect has more than one step."""


class ResultProvenance(Record):
    """Where data was read: the kind of source and its reference there."""

    source_type: str = ""
    source_ref: str = ""


class ResultMeta(Record):
    """What is known about a call besides its data."""

    provider_request_id: str = ""
    latency_ms: float = 0.0
    next_cursor: str | None = None
    rate_limit_remaining: int | None = None
    cost_units: float = 0.0
    provenance: ResultProvenance = ResultProvenance()
    remark: tuple[Reason, ...] = ()
    """Remarks for the owner on a successful call, such as which of several recipients was not reached."""
    deprecation: str = ""
    """The warning that the method is deprecated, with its replacement; otherwise empty."""


class IntegrationError(Record):
    """A typed failure. `effect` says whether the provider may still have acted."""

    code: IntegrationErrorCode
    message: str
    provider_code: str = ""
    http_status: int | None = None
    retriable: bool = False
    effect: Effect = Effect.NONE
    retry_after_s: float | None = None
    deferred: bool = False
    """Whether nothing happened and retries for hours are normal, as with mail servers."""
    cause: str = ""
    """The `FailureCause` of an agent's failure."""


class IntegrationResult(Record):
    """A result through the door (seed 5): `data` if ok, otherwise `error`."""

    ok: bool
    data: Json | None = None
    raw: Any = Field(default=None, exclude=True, repr=False)
    meta: ResultMeta = ResultMeta()
    error: IntegrationError | None = None


class Progress(Protocol):
    """Durable notes of one attempt, for effects of more than one step (a draft's id, "DATA was sent")."""

    @property
    def stored(self) -> Mapping[str, str]:
        """Return the notes of earlier steps of this attempt."""
        ...

    async def save(self, **notes: str) -> None:
        """Store notes durably; returns once they are on disk."""
        ...


@dataclass(frozen=True, slots=True)
class RawAnswer:
    """The return value of a `_raw_*` method: normalised data, and what is known about the call."""

    data: Json
    provider_request_id: str = ""
    next_cursor: str | None = None
    rate_limit_remaining: int | None = None
    cost_units: float = 0.0
    provenance: ResultProvenance = field(default_factory=ResultProvenance)
    raw: Any = None


RawMethod = Callable[[IntegrationCall, Any], Awaitable[RawAnswer]]
"""Takes the call and its arguments as the checked args model; raises `IntegrationFault`."""


@dataclass(frozen=True, slots=True)
class Method:
    """A published method with its implementation."""

    spec: MethodSpec
    args: type[BaseModel]
    answer: type[BaseModel]
    run: RawMethod


def method(
    method_id: str,
    *,
    args: type[BaseModel],
    answer: type[BaseModel],
    run: RawMethod,
    idempotency: Idempotency,
    auth_scopes: tuple[str, ...] = (),
    rate_limit: RateLimitHint | None = None,
    paged: bool = False,
    cost_hint: str = "",
    deprecated: bool = False,
    replacement_method_id: str | None = None,
) -> Method:
    """Build a `Method` with the schemas of its args and answer models; a `paged` one takes the call's cursor.

    A deprecated one logs a warning when it is used; its replacement is another method of the same provider.
    """
    does = Capability.READ if idempotency is Idempotency.READ else Capability.WRITE
    spec = MethodSpec(
        method_id=method_id,
        provider=method_id.split(".", 1)[0],
        input_schema=json_schema(args),
        output_schema=json_schema(answer),
        capabilities=(does, Capability.PAGING) if paged else (does,),
        auth_scopes=auth_scopes,
        rate_limit_hint=rate_limit,
        idempotency=idempotency,
        cost_hint=cost_hint,
        deprecated=deprecated,
        replacement_method_id=replacement_method_id,
    )
    return Method(spec, args, answer, run)


class CallProbe(Protocol):
    """Called before and after each provider call: metrics count with it, crash tests kill with it."""

    def before_call(self, call: IntegrationCall) -> None: ...

    def after_call(self, call: IntegrationCall, result: IntegrationResult) -> None: ...


def auth_answer(error: IntegrationError | None, account: str = "", *, detail: str = "", todo: str = "") -> Json:
    """Return an `auth_status()`: signed in, unless there is an error; `todo` is reported only with one."""
    if error is None:
        return {"ok": True, "account": account, "detail": detail, "todo": ""}
    return {"ok": False, "account": account, "detail": error.message, "todo": todo}
