"""Tools over a provider that records its effects, answers as scripted, and can kill the process."""
# names: made up here

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import BaseModel, ConfigDict

from butler.contract.door import failed
from butler.contract.errors import Effect, IntegrationErrorCode
from butler.contract.integration import Idempotency, IntegrationResult, ResultMeta
from butler.contract.names import ApprovalDefault, Direction, Identity
from butler.contract.provenance import Origin, Trust
from butler.contract.tools import (
    ArgRole,
    Attachment,
    Preview,
    Recipient,
    Reconciled,
    Settled,
    ToolCall,
    ToolMetadata,
    ToolSpec,
)
from butler.tool_invoker import UnknownToolError
from tests.approvals.second_channel import Killed

STRANGER = "telegram:666"
ANNA = "telegram:1002"
OWN_WORDS = frozenset({Origin.owner("telegram:42")})
A_MAIL = frozenset({Origin(trust=Trust.UNTRUSTED, source="mail:7", shown_as="a mail by eve@evil.example")})

SEND = "user_telegram_send_message"
BOT_SEND = "bot_telegram_send_message"
MAIL = "user_email_send_message"
ARCHIVE = "user_email_archive_thread"
KEEP = "bot_notes_keep"
READ = "bot_email_read_message"
PRIVATE_READ = "user_email_read_message"


class SendArgs(BaseModel):
    model_config = ConfigDict(extra="forbid")

    to: tuple[str, ...]
    text: str
    subject: str = ""
    files: tuple[Attachment, ...] = ()
    silent: bool = False


class ReadArgs(BaseModel):
    model_config = ConfigDict(extra="forbid")

    item: str
    limit: int | None = None


ROLES: Mapping[type[BaseModel], Mapping[str, ArgRole]] = {
    SendArgs: {
        "to": ArgRole.RECIPIENT,
        "text": ArgRole.CONTENT,
        "subject": ArgRole.CONTENT,
        "files": ArgRole.CONTENT,
        "silent": ArgRole.OPTION,
    },
    ReadArgs: {"item": ArgRole.TARGET, "limit": ArgRole.OPTION},
}


def preview_send(args: SendArgs) -> Preview:
    recipients = tuple(Recipient(address=address) for address in args.to)
    effect = "Sends a message"
    return Preview(effect=effect, recipients=recipients, subject=args.subject, body=args.text, attachments=args.files)


@dataclass
class Provider:
    """Counts effects. `script` replaces the successful answers; `die` kills the process before or after the effect."""

    effects: list[ToolCall] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    reconciled: list[ToolCall] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)
    script: list[IntegrationResult | Exception] = field(default_factory=list)
    found: list[Reconciled | Exception] = field(default_factory=list)
    die: str = ""
    note: dict[str, str] = field(default_factory=dict)


@dataclass
class Blobs:
    """Files in memory."""

    files: dict[str, bytes] = field(default_factory=dict)

    async def put(self, data: bytes) -> str:
        digest = hashlib.sha256(data).hexdigest()
        self.files[digest] = data
        return digest

    async def get(self, sha256: str) -> bytes:
        return self.files[sha256]


class Invoker:
    """A registry of test tools over one provider."""

    def __init__(self, provider: Provider, idempotency: Idempotency = Idempotency.NONE) -> None:
        self.provider = provider
        self.idempotency = idempotency
        self.tools = {spec.tool_name: spec for spec in self._tools()}
        self.sensitive = {PRIVATE_READ}

    def _tools(self) -> list[ToolSpec]:
        return [
            self.make(SEND, Identity.USER, ApprovalDefault.ALWAYS),
            self.make(MAIL, Identity.USER, ApprovalDefault.ALWAYS),
            self.make(ARCHIVE, Identity.USER, ApprovalDefault.NONE),
            self.make(BOT_SEND, Identity.BOT, ApprovalDefault.CONDITIONAL),
            self.make(KEEP, Identity.BOT, ApprovalDefault.NONE, to_owner=True),
            self.make(READ, Identity.BOT, ApprovalDefault.NONE, reads=True),
            self.make(PRIVATE_READ, Identity.USER, ApprovalDefault.NONE, reads=True),
        ]

    def make(
        self, name: str, identity: Identity, default: ApprovalDefault, *, reads: bool = False, **more: Any
    ) -> ToolSpec:
        return ToolSpec(
            tool_name=name,
            channel=name.split("_")[1],
            direction=Direction.INPUT if reads else Direction.OUTPUT,
            identity=identity,
            approval_default=default,
            description=f"What {name} does",
            args=ReadArgs if reads else SendArgs,
            handler=self._handle,
            idempotency=self.idempotency,
            preview=None if reads else preview_send,
            **more,
        )

    def change(self, name: str, **values: Any) -> None:
        self.tools[name] = replace(self.tools[name], **values)

    def spec(self, name: str) -> ToolSpec:
        if name not in self.tools:
            raise UnknownToolError(name)
        return self.tools[name]

    def specs(self) -> Sequence[ToolSpec]:
        return list(self.tools.values())

    def refused(self) -> dict[str, str]:
        return {}

    def metadata(self, name: str) -> ToolMetadata:
        return ToolMetadata(ROLES.get(self.spec(name).args, {}), sensitive_read=name in self.sensitive)

    async def invoke(self, call: ToolCall) -> IntegrationResult:
        return await self.spec(call.tool).handler(call)

    async def _handle(self, call: ToolCall) -> IntegrationResult:
        provider = self.provider
        provider.calls.append(call)
        if provider.note and call.progress:
            await call.progress.save(**provider.note)
        if provider.die == "before":
            raise Killed
        if provider.script:
            answer = provider.script.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer
        if self.idempotency is Idempotency.PROVIDER and call.token in provider.tokens:
            return ok("done before")
        provider.tokens.add(call.token)
        provider.effects.append(call)
        if provider.die == "after":
            raise Killed
        return ok("sent")

    async def reconcile(self, call: ToolCall) -> Reconciled:
        provider = self.provider
        provider.reconciled.append(call)
        if provider.found:
            answer = provider.found.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer
        if self.idempotency is Idempotency.PROVIDER:
            return Reconciled.with_text(Settled.REPEAT, "the provider refuses doubles")
        if self.idempotency is Idempotency.STATE:
            done = call.token in provider.tokens
            return Reconciled.with_text(
                Settled.DONE if done else Settled.REPEAT, "it stands in the log" if done else "no trace"
            )
        return Reconciled.with_text(Settled.UNKNOWN, "the provider cannot tell")


def ok(ref: str) -> IntegrationResult:
    return IntegrationResult(ok=True, data={"id": ref}, meta=ResultMeta(provider_request_id=ref))


def fault(
    code: IntegrationErrorCode,
    effect: Effect = Effect.NONE,
    retry_after_s: float | None = None,
    *,
    deferred: bool = False,
) -> IntegrationResult:
    message = f"the provider said {code}"
    return failed(code, message, effect=effect, retry_after_s=retry_after_s, deferred=deferred)
