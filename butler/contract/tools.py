"""The declaration of a tool: its identity and direction, its arguments, its effects, and how a repeat is made safe."""

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
    """What a card must show of a call: the recipients, the contents, the effect."""

    effect: str
    """One sentence in the owner's terms, for example `Sends a Telegram message as you`."""
    recipients: tuple[Recipient, ...] = ()
    subject: str = ""
    subject_label: str = ""
    """What the subject is, such as the title of an event; empty for the subject of a mail."""
    body: str = ""
    attachments: tuple[Attachment, ...] = ()
    mails: tuple[tuple[str, str], ...] = ()
    """Pairs of label and id of a mail that the butler received: a card shows its subject and sender, never the id."""
    facts: tuple[tuple[str, str], ...] = ()
    """Further pairs of label and value, such as the thread that is answered."""
    passing: tuple[tuple[str, str], ...] = ()
    """Further pairs that hold only now, such as that a time is past: shown, but not part of what the owner approves."""
    told: tuple[str, ...] = ()
    """The names of arguments that the effect or a fact already describes; a card does not list them again."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool. `call_id` is stable across restarts and keys our own state; `token` is the provider's key."""

    tool: str
    args: Any
    """The validated args model."""
    call_id: str
    trace_id: str
    account: str = ""
    token: str = ""
    """Decimal digits of a random positive 63-bit number; stored before the call."""
    progress: Progress | None = None
    dry_run: bool = False
    origins: frozenset[Origin] = frozenset()
    """The origins of all arguments together, stored with whatever is stored of them; empty if unknown."""


class Settled(StrEnum):
    """The result of a reconciliation of an attempt that ended without an answer."""

    DONE = "done"
    FAILED = "failed"
    REPEAT = "repeat"
    """Surely without effect, or de-duplicated by the provider: may be repeated with the same token."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Reconciled:
    """The answer of a reconciliation, with the reasons for the owner."""

    settled: Settled
    detail: tuple[Reason, ...]
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @classmethod
    def with_text(cls, settled: Settled, text: str, data: Mapping[str, Any] | None = None, /, **values: str) -> Self:
        """Return an answer with one text: a sentence marked by `phrase`, with its values, or foreign words."""
        return cls(settled, (in_own_words(text, **values),), data or {})


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A later call about an effect, by a button on its card while it is fresh.

    `args` takes the call's args model and the data of its stored result, and returns the arguments of `tool`; None if
    there is nothing to do.
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
    """A registered tool: one operation, with everything that policy, card and executor need."""

    args: type[BaseModel]
    handler: ToolHandler
    execution_mode: ExecutionMode = ExecutionMode.LOCAL
    adapter_id: str | None = None
    adapter_operation: str | None = None
    adapter_contract_version: str | None = None
    adapter_method_id: str | None = None
    """The method that it calls, if that is older than the operation's current one."""
    idempotency: Idempotency = Idempotency.NONE
    preview: Callable[[Any], Preview] | None = None
    """Builds the preview from the args model; every output has one."""
    reconcile: ReconcileHandler | None = None
    """Finds out the outcome of an attempt that ended without an answer; without it the outcome is unknown."""
    inverse: FollowUp | None = None
    """The call that undoes this tool's effect, such as deleting the sent message."""
    correction: FollowUp | None = None
    """The call that corrects this tool's effect; its arguments lack the text, which the owner supplies."""
    complete: ToolHandler | None = None
    """Reads what the call leaves open and only the provider knows, such as the recipients of an answer, before the call
    is judged and shown. Its data are arguments; they fill only those left at their default, and count as untrusted."""
    accounts: tuple[str, ...] = ()
    """The accounts through which it can act, the default one first; such a tool has an argument `account`."""
    reaches_out: frozenset[str] = frozenset()
    """The arguments of an input that strangers get to see, such as the address of a page: the tool asks if anybody but
    the owner chose one of them."""
    unseen: bool = False
    """Whether this output changes the owner's own things and nobody else sees it, such as archiving a mail."""
    lists: bool = False
    """Whether `complete` only lists what the arguments select: then the list counts as the butler's own, whatever it
    holds."""
    stands_on: tuple[str, ...] = ()
    """The names of remote tools whose operations a local tool uses: it is refused whenever one of them is."""
    whole: frozenset[str] = frozenset()
    """The arguments that are taken literally: what looks like a reference in them is meant for later."""
    to_owner: bool = False
    """Whether only the owner and the butler's own rows ever see this output: then it asks only because of a model."""
    shows_origin: bool = False
    """Whether the tool stores a text and later shows its origins: then it need not ask, whoever had a hand in the
    text."""
    asks_if_model_chose: bool = False
    """Whether an output `to_owner` is the owner's to request, such as another time zone: then it asks if a language
    model chose it. If that model knew others' words, all outputs `to_owner` ask, except those that show origins."""
    asked_for: Callable[[Any, str], bool] | None = None
    """Takes the arguments and the owner's own words and returns whether these ask for exactly this call: then it is the
    owner's choice, whoever planned it, unless it depends on a condition."""
    only_shows: bool = False
    """Whether an output `to_owner` only shows the owner what the butler keeps: then it passes, whoever chose it."""
    as_sent: Callable[[Any, frozenset[Origin]], BaseModel] | None = None
    """Changes the arguments by the origins of their values, such as disabling links. Runs before a call is judged,
    shown and frozen, so that a card shows what leaves; running it again changes nothing."""
    examples: tuple[Mapping[str, Any], ...] = ()
    """Typical arguments, for the tool's help."""
    facts: tuple[str, ...] = ()
    """The paths of its result that later steps of a plan may use, such as `count` or `events.0.start`; `0` stands for
    any position."""
    guide: str = ""
    """When to use it and when not, for planners: its module's `prompts/tool_NAME.md`; filled in by the registry."""
    about: ChannelInfo = field(default_factory=ChannelInfo)
    """Its module's description of the channel; filled in by the registry."""
    deprecation: str = ""
    """The warning that the method behind a remote tool is deprecated, with its replacement; otherwise empty."""

    @property
    def told(self) -> str:
        """The description for planners, with a warning if the tool is deprecated."""
        return f"{self.description} (Deprecated: {self.deprecation}.)" if self.deprecation else self.description


ZONE = "in_zone"
"""The argument that names the zone (an IANA name) of a tool's wall times. The approvals fill it in when a call is
frozen, so that the call keeps the moments that its card shows, wherever the owner is when it is made."""


def _a_zone(name: str) -> str:
    try:
        ZoneInfo(name or "UTC")
    except (KeyError, ValueError, OSError) as error:  # A folder's name is no zone either, and raises as a file does.
        raise ValueError(f"{name!r} is no time zone; write one such as Europe/Berlin") from error
    return name


InZone = Annotated[str, Field(max_length=64, json_schema_extra={"readOnly": True}), AfterValidator(_a_zone)]
"""The type of that argument; empty stands for the owner's current zone."""


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
    facts: Collection[str] = (),
) -> ToolSpec:
    """Build a local tool that only reads; its name gives the channel and the identity. Raises `ToolNameError`.

    A tool that may ask has a `preview`; without it, a card shows the description and the bare arguments. Its `complete`
    may also refuse at once a call that cannot succeed.
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
        facts=tuple(facts),
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
    """The role of an argument."""

    RECIPIENT = "recipient"
    CONTENT = "content"
    TARGET = "target"
    OPTION = "option"


@dataclass(frozen=True, slots=True)
class ToolMetadata:
    """The roles of a tool's arguments, and how private its scope is (seed 4's `tool_metadata()` hook)."""

    args: Mapping[str, ArgRole]
    sensitive_read: bool = False
    """Whether the scope of this input is private enough to ask."""

    @classmethod
    def of(
        cls, *, recipient: str = "", content: str = "", target: str = "", option: str = "", sensitive_read: bool = False
    ) -> Self:
        """Return the metadata of arguments by their roles; the names of each role are separated by blanks."""
        named = {
            ArgRole.RECIPIENT: recipient,
            ArgRole.CONTENT: content,
            ArgRole.TARGET: target,
            ArgRole.OPTION: option,
        }
        return cls({name: role for role, names in named.items() for name in names.split()}, sensitive_read)
