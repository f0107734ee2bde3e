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
    """At most `calls` in `per_s` seconds: what Butler itself keeps to, and not only what the provider says."""

    calls: int
    per_s: float
    shared: bool = False
    """True where methods share one pace, which their integration keeps; else the door keeps it for each method."""


class Capability(StrEnum):
    """What a method does; made from what it is, never declared beside it."""

    READ = "read"
    WRITE = "write"
    PAGING = "paging"
    """Takes a cursor, and gives the next one while there is more."""


class MethodSpec(Record):
    """A provider method as published (seed 5). `method_id` is `provider.area.method.vN` and never redefined."""

    method_id: str = Field(pattern=r"^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*){2,3}\.v[1-9][0-9]*$")
    provider: str
    input_schema: Json
    output_schema: Json
    capabilities: tuple[Capability, ...] = ()
    auth_scopes: tuple[str, ...] = ()
    """Of the scopes that Butler asks the provider for, those that the method needs; none where it asks for none."""
    rate_limit_hint: RateLimitHint | None = None
    """The pace that is kept; None where none is."""
    idempotency: Idempotency
    cost_hint: str = ""
    """What a call uses up of a provider's units; empty where calls alone are counted, or nothing is."""
    deprecated: bool = False
    """Goes on working, and warns whoever uses it."""
    replacement_method_id: str | None = None
    """What does the same instead of a deprecated method; None where nothing does."""

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
        """The warning about a deprecated method; empty for any other."""
        if not self.deprecated:
            return ""
        instead = f"; {self.replacement_method_id} replaces it" if self.replacement_method_id else ""
        return f"{self.method_id} is deprecated{instead}"


class RetryPolicy(Record):
    """How often a call that had surely no effect is tried again; the first try counts."""

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
    """Idempotency token of the provider, where it has one."""
    progress: Any = Field(default=None, exclude=True, repr=False)
    """A `Progress`, where the effect has more than one step."""


class ResultProvenance(Record):
    """Where data was read: the kind of source and its reference there."""

    source_type: str = ""
    source_ref: str = ""


class ResultMeta(Record):
    """What is known of a call besides its data."""

    provider_request_id: str = ""
    latency_ms: float = 0.0
    next_cursor: str | None = None
    rate_limit_remaining: int | None = None
    cost_units: float = 0.0
    provenance: ResultProvenance = ResultProvenance()
    remark: tuple[Reason, ...] = ()
    """What the owner should read beside that it was done, such as who of several was not reached."""
    deprecation: str = ""
    """That the method is deprecated, and what replaces it; empty otherwise."""


class IntegrationError(Record):
    """A typed failure. `effect` says whether the provider may have acted all the same."""

    code: IntegrationErrorCode
    message: str
    provider_code: str = ""
    http_status: int | None = None
    retriable: bool = False
    effect: Effect = Effect.NONE
    retry_after_s: float | None = None
    deferred: bool = False
    """Nothing happened, and it is worth trying for hours: so it is usual with this provider, as with mail servers."""
    cause: str = ""
    """A `FailureCause` of an agent's failure."""


class IntegrationResult(Record):
    """An answer through the door (seed 5): `data` when ok, `error` when not."""

    ok: bool
    data: Json | None = None
    raw: Any = Field(default=None, exclude=True, repr=False)
    meta: ResultMeta = ResultMeta()
    error: IntegrationError | None = None


class Progress(Protocol):
    """Durable notes of one attempt, for effects of more than one step (a draft's id, "DATA was sent")."""

    @property
    def stored(self) -> Mapping[str, str]:
        """Return what earlier steps of this attempt have noted."""
        ...

    async def save(self, **notes: str) -> None:
        """Note something durably; returns once it is on disk."""
        ...


@dataclass(frozen=True, slots=True)
class RawAnswer:
    """What a `_raw_*` method returns: normalised data, and what is known of the call."""

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
    """A published method and how it is done."""

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
    """Return an `auth_status()`: signed in, unless there is an error; `todo` is only told beside one."""
    if error is None:
        return {"ok": True, "account": account, "detail": detail, "todo": ""}
    return {"ok": False, "account": account, "detail": error.message, "todo": todo}
