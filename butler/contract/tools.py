"""What a tool is: its identity and direction, its arguments, its effects, and how a repeat is made safe."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, Self
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BaseModel, Field

from butler.contract.attachment import Attachment
from butler.contract.channel import ChannelInfo
from butler.contract.integration import Idempotency, IntegrationResult, Progress
from butler.contract.names import ApprovalDefault, Direction, Identity, ToolName
from butler.contract.provenance import Origin
from butler.contract.reasons import Reason, in_own_words
from butler.contract.records import ClosedRecord


class ExecutionMode(StrEnum):
    """`remote` is an adapter with a locked contract; everything else is `local` (seed 3)."""

    LOCAL = "local"
    REMOTE = "remote"


class Recipient(ClosedRecord):
    """Somebody who will see an effect: the address as the channel knows it, and the name the owner gave."""

    address: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Preview:
    """What a card must show of a call: who is reached, what is said, what will happen."""

    effect: str
    """One sentence in the person's terms, for example `Sends a Telegram message as you`."""
    recipients: tuple[Recipient, ...] = ()
    subject: str = ""
    body: str = ""
    attachments: tuple[Attachment, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    """Further label and value pairs, such as the thread that is answered."""
    passing: tuple[tuple[str, str], ...] = ()
    """Further pairs that hold for now, such as that a time is past: shown, and no part of what a yes is given to."""
    told: tuple[str, ...] = ()
    """Arguments, by name, that the effect or a fact says in words of its own; a card does not list them again."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool. `call_id` is stable across restarts and keys our own state; `token` the provider's."""

    tool: str
    args: Any
    """The args model, validated."""
    call_id: str
    trace_id: str
    account: str = ""
    token: str = ""
    """Decimal digits of a random positive 63-bit number; stored before the call."""
    progress: Progress | None = None
    dry_run: bool = False
    origins: frozenset[Origin] = frozenset()
    """Who stands behind the arguments, all together: kept with what is kept of them. Empty where nobody said."""


class Settled(StrEnum):
    """What a reconciliation found out about an attempt that ended without an answer."""

    DONE = "done"
    FAILED = "failed"
    REPEAT = "repeat"
    """Surely without effect, or the provider de-duplicates: may be done again with the same token."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Reconciled:
    """The answer of a reconciliation, with what the owner is told of it."""

    settled: Settled
    detail: tuple[Reason, ...]
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @classmethod
    def with_text(cls, settled: Settled, text: str, data: Mapping[str, Any] | None = None, /, **values: str) -> Self:
        """Return the same with one text: a sentence marked by `phrase`, with its values, or foreign words."""
        return cls(settled, (in_own_words(text, **values),), data or {})


@dataclass(frozen=True, slots=True)
class FollowUp:
    """What may be done to an effect after it, by a button on its card while it is fresh.

    `args` takes the call's args model and its stored result's data, and gives the arguments of `tool`; None where there
    is nothing to be done.
    """

    tool: str
    args: Callable[[Any, Mapping[str, Any]], dict[str, Any] | None]


ToolHandler = Callable[[ToolCall], Awaitable[IntegrationResult]]
ReconcileHandler = Callable[[ToolCall], Awaitable[Reconciled]]


@dataclass(frozen=True, slots=True, kw_only=True)
class IOToolSpec:
    """A tool as a module declares it (seed 4)."""

    tool_name: str
    channel: str
    direction: Direction
    identity: Identity
    approval_default: ApprovalDefault
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec(IOToolSpec):
    """A tool as it is registered: one operation, with all that policy, card and executor need of it."""

    args: type[BaseModel]
    handler: ToolHandler
    execution_mode: ExecutionMode = ExecutionMode.LOCAL
    adapter_id: str | None = None
    adapter_operation: str | None = None
    adapter_contract_version: str | None = None
    adapter_method_id: str | None = None
    """The method that it calls, where that is an older one than the operation stands for now."""
    idempotency: Idempotency = Idempotency.NONE
    preview: Callable[[Any], Preview] | None = None
    """From the args model; every output has one."""
    reconcile: ReconcileHandler | None = None
    """For an attempt that ended without an answer; without one the outcome is unknown."""
    inverse: FollowUp | None = None
    """What takes this one's effect back, such as deleting the message that was sent."""
    correction: FollowUp | None = None
    """What puts this one's effect right; its arguments lack the text, which the owner says."""
    complete: ToolHandler | None = None
    """Reads what the call leaves open and only the provider knows, such as whom an answer goes to, before the call is
    judged and shown. Its data are arguments; they fill only those that were left at their default, and count as
    untrusted."""
    accounts: tuple[str, ...] = ()
    """The accounts it can act through, the default one first; such a tool has an argument `account`."""
    reaches_out: frozenset[str] = frozenset()
    """The arguments of an input that strangers get to see, such as the address of a page: it asks where anybody but the
    owner chose one of them."""
    unseen: bool = False
    """True for an output on the owner's own things that nobody else gets to see, such as archiving a mail."""
    lists: bool = False
    """True where `complete` only lists what the arguments select: the list is the butler's own, whatever it holds."""
    stands_on: tuple[str, ...] = ()
    """Remote tools whose operations a local one uses, by name: it is refused whenever one of those is."""
    whole: frozenset[str] = frozenset()
    """The arguments that are taken as they stand: what looks like a reference in them is one for later."""
    to_owner: bool = False
    """True for an output that only the owner and the butler's own rows ever see: nobody but a model makes it ask."""
    shows_origin: bool = False
    """True for one that keeps a text and shows later whose it is: no matter who had a hand in it, it need not ask."""
    asks_if_model_chose: bool = False
    """True for an output `to_owner` that is the owner's to ask for, such as another time zone: it asks where a language
    model chose it. Where that knew what others wrote, all of them ask but those that show it."""
    as_sent: Callable[[Any, frozenset[Origin]], BaseModel] | None = None
    """What becomes of its arguments because of who had a hand in them, such as links that nothing opens. It is done
    before a call is judged, shown and frozen, so that a card shows what leaves; done once more, it changes nothing."""
    examples: tuple[Mapping[str, Any], ...] = ()
    """Arguments as they are in practice, for whoever asks the tool for help."""
    about: ChannelInfo = field(default_factory=ChannelInfo)
    """What its module says of its channel; the registry fills it in."""
    deprecation: str = ""
    """That the method behind a remote tool is deprecated, and what replaces it; empty otherwise."""

    @property
    def told(self) -> str:
        """What planners read of the tool: its description, and a warning where it is deprecated."""
        return f"{self.description} (Deprecated: {self.deprecation}.)" if self.deprecation else self.description


ZONE = "in_zone"
"""The argument that says in which zone (an IANA name) a tool's wall times are. The approvals fill it in when a call is
frozen, so that the moments that a card shows stay those of the call wherever its owner lives when it is made."""


def _a_zone(name: str) -> str:
    try:
        ZoneInfo(name or "UTC")
    except (KeyError, ValueError, OSError) as error:  # A folder's name is no zone either, and raises as a file does.
        raise ValueError(f"{name!r} is no time zone; write one such as Europe/Berlin") from error
    return name


InZone = Annotated[str, Field(max_length=64, json_schema_extra={"readOnly": True}), AfterValidator(_a_zone)]
"""The type of that argument; empty stands for the zone that the owner lives by now."""


def input_tool(
    tool_name: str,
    description: str,
    args: type[BaseModel],
    handler: ToolHandler,
    preview: Callable[[Any], Preview] | None = None,
    accounts: tuple[str, ...] = (),
    complete: ToolHandler | None = None,
    *,
    reaches_out: Collection[str] = (),
) -> ToolSpec:
    """Build a local tool that only reads; its name says the channel and the identity. Raises `ToolNameError`.

    One that may ask has a `preview`; without it, a card shows the description and the bare arguments. Its `complete`
    may also refuse immediately what cannot succeed.
    """
    name = ToolName.parse(tool_name)
    return ToolSpec(
        tool_name=tool_name,
        channel=name.channel,
        direction=Direction.INPUT,
        identity=name.identity,
        approval_default=ApprovalDefault.NONE,
        description=description,
        args=args,
        handler=handler,
        idempotency=Idempotency.READ,
        preview=preview,
        accounts=accounts,
        complete=complete,
        reaches_out=frozenset(reaches_out),
    )


def output_tool(
    tool_name: str,
    description: str,
    args: type[BaseModel],
    handler: ToolHandler,
    preview: Callable[[Any], Preview],
    *,
    approval_default: ApprovalDefault = ApprovalDefault.ALWAYS,
    idempotency: Idempotency = Idempotency.NONE,
    **more: Any,
) -> ToolSpec:
    """Build a local tool with an effect, which asks unless `approval_default` differs; `more` goes to `ToolSpec`."""
    name = ToolName.parse(tool_name)
    return ToolSpec(
        tool_name=tool_name,
        channel=name.channel,
        direction=Direction.OUTPUT,
        identity=name.identity,
        approval_default=approval_default,
        description=description,
        args=args,
        handler=handler,
        preview=preview,
        idempotency=idempotency,
        **more,
    )


def own_tool(
    tool_name: str,
    description: str,
    args: type[BaseModel],
    handler: ToolHandler,
    preview: Callable[[Any], Preview],
    **more: Any,
) -> ToolSpec:
    """Build a local tool that only changes the butler's own rows, which only the owner sees; it need not ask."""
    more |= {"approval_default": ApprovalDefault.NONE, "idempotency": Idempotency.STATE, "to_owner": True}
    return output_tool(tool_name, description, args, handler, preview, **more)


class ArgRole(StrEnum):
    """What an argument decides."""

    RECIPIENT = "recipient"
    CONTENT = "content"
    TARGET = "target"
    OPTION = "option"


@dataclass(frozen=True, slots=True)
class ToolMetadata:
    """What a tool's arguments decide, and how private its scope is (seed 4's `tool_metadata()` hook)."""

    args: Mapping[str, ArgRole]
    sensitive_read: bool = False
    """An input whose scope is private enough to be asked about."""

    @classmethod
    def of(
        cls, *, recipient: str = "", content: str = "", target: str = "", option: str = "", sensitive_read: bool = False
    ) -> Self:
        """Return the metadata of arguments by their roles, each the names apart by blanks."""
        named = {
            ArgRole.RECIPIENT: recipient,
            ArgRole.CONTENT: content,
            ArgRole.TARGET: target,
            ArgRole.OPTION: option,
        }
        return cls({name: role for role, names in named.items() for name in names.split()}, sensitive_read)
