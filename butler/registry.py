"""All tools by name. A tool that breaks a naming or adapter rule is refused here, before it is planned or called."""

import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeGuard, cast

import structlog
from pydantic import ValidationError

from butler.adapters.catalogue import Catalogue
from butler.adapters.errors import GateError
from butler.adapters.gatekeeper import Gatekeeper
from butler.adapters.gates import MAPPING
from butler.contract.adapters import RemoteIntegration
from butler.contract.door import explain, failed, running_dry
from butler.contract.errors import ButlerError, IntegrationErrorCode, ToolNameError
from butler.contract.integration import Idempotency, IntegrationResult
from butler.contract.module import Module
from butler.contract.names import Direction, Identity, ToolName
from butler.contract.reasons import Reason, ReasonCode, because, in_own_words
from butler.contract.rendering import Renderer
from butler.contract.schemas import json_schema
from butler.contract.tool_envelope import Op
from butler.contract.tools import (
    ArgRole,
    ExecutionMode,
    IOToolSpec,
    Reconciled,
    Settled,
    ToolCall,
    ToolMetadata,
    ToolSpec,
)
from butler.envelope import answer
from butler.tool_invoker import ACCOUNT, ToolSpecError, UnknownAccountError, UnknownToolError, account_of, known_account

TOOL_SPEC = "4 tool_spec"
"""The gate in the run record of a remote tool that breaks a rule for all tools."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A tool that a gate refused, with the trace of the call; empty at registration."""

    spec: ToolSpec
    gate: str
    why: str
    trace_id: str = ""


Refused = Callable[[Refusal], Awaitable[None]]
"""Called with each call that a gate refuses."""


async def forget(_refusal: Refusal) -> None:
    """Record nothing, for a registry without records."""


class Registry:
    """Implements `RenderingTools`."""

    def __init__(self, catalogue: Catalogue | None = None, refused: Refused = forget) -> None:
        """`catalogue` holds the adapters for remote tools; by default the installed ones, as the files are now."""
        self._tools: dict[str, ToolSpec] = {}
        self._metadata: dict[str, ToolMetadata] = {}
        self._modules: dict[str, Module] = {}
        self._gates = Gatekeeper(catalogue)
        self._refused = refused
        self.refusals: list[Refusal] = []
        """The refusals at registration."""

    def add_module(self, module: Module) -> None:
        """Register every tool of a module; raise `ToolSpecError` or `ToolNameError` for the first wrong one.

        Tools that a gate refuses, and wrong remote ones, are left out and reported; the others stay.
        """
        metadata, integrations = module.tool_metadata(), module.integrations()
        left_out: set[str] = set()
        standing: list[ToolSpec] = []
        for identity, direction, specs in declared(module):
            for spec in specs:
                try:
                    if isinstance(spec, ToolSpec):
                        # First, as other faults may follow from it.
                        self._gates.admit(spec, integrations)
                    self._add(spec, identity, direction, module, metadata)
                    self._modules[spec.tool_name] = module
                    standing += [self._tools[spec.tool_name]] if self._tools[spec.tool_name].stands_on else []
                except (ToolSpecError, ToolNameError) as error:
                    if not isinstance(error, GateError) and not _is_remote(spec):
                        raise
                    left_out.add(spec.tool_name)
                    self.refusals.append(_refusal(cast("ToolSpec", spec), error))
        for spec in standing:
            try:
                self._check(spec)
            except GateError as error:
                left_out.add(spec.tool_name)
                self.refusals.append(_refusal(self._tools.pop(spec.tool_name), error))
        if unknown := set(metadata) - set(self._tools) - left_out:
            text = f"{module.channel} describes arguments of {sorted(unknown)}, which it does not have"
            if not any(isinstance(one, RemoteIntegration) for one in integrations):
                raise ToolSpecError(text)
            log.error("module_misdescribed", why=text)

    def _add(
        self,
        spec: IOToolSpec,
        identity: Identity,
        direction: Direction,
        module: Module,
        metadata: Mapping[str, ToolMetadata],
    ) -> None:
        checked = check_spec(spec, identity, direction, module.channel)
        if checked.tool_name in self._tools:
            raise ToolSpecError(f"{checked.tool_name} is registered twice")
        roles = metadata.get(checked.tool_name, ToolMetadata({}))
        if set(roles.args) != set(checked.args.model_fields):
            raise ToolSpecError(f"{checked.tool_name}: every argument needs a role, and only those")
        if checked.accounts and roles.args[ACCOUNT] is not ArgRole.OPTION:
            raise ToolSpecError(f"{checked.tool_name}: the argument {ACCOUNT} is an option")
        self._tools[checked.tool_name] = replace(checked, about=module.about, guide=guide_of(module, checked.tool_name))
        self._metadata[checked.tool_name] = roles

    def reload(self, catalogue: Catalogue) -> None:
        """Have every tool pass the gates on the reloaded contracts from the next call on."""
        self._gates.reload(catalogue)

    async def why_not(self, names: Sequence[str], trace_id: str) -> str:
        """Return why one of these tools may not be used now, reported like a refused call; empty if all may."""
        for name in names:
            try:
                self._pass(name)
            except GateError as error:
                if name in self._tools:
                    await self._refused(_refusal(self._tools[name], error, trace_id))
                return error.detail
        return ""

    def _check(self, spec: ToolSpec) -> None:
        """Ask the gates about a tool, and about those it builds on; raise `GateError`."""
        self._gates.check(spec)
        for name in spec.stands_on:
            try:
                self._pass(name)
            except GateError as error:
                why = error.detail.removeprefix(f"{name}: ")
                raise GateError(error.gate, f"{spec.tool_name}: {why}") from None

    def _pass(self, name: str) -> None:
        """Ask the gates about a tool by its name; raise `GateError`, also if the tool was left out."""
        if name in self._tools:
            self._gates.check(self._tools[name])
            return
        why = [(one.gate, one.why) for one in self.refusals if one.spec.tool_name == name]
        raise GateError(*(why or [(MAPPING.name, f"there is no tool {name}")])[0])

    def spec(self, name: str) -> ToolSpec:
        ToolName.parse(name)
        if name not in self._tools:
            raise UnknownToolError(name)
        return self._tools[name]

    def specs(self) -> Sequence[ToolSpec]:
        return [self._tools[name] for name in sorted(self._tools)]

    def refused(self) -> Mapping[str, str]:
        return {one.spec.tool_name: one.why for one in self.refusals}

    def renderer(self, tool: str) -> Renderer:
        return self._modules[self.spec(tool).tool_name]

    def renderers(self) -> Sequence[Renderer]:
        return list(dict.fromkeys(self._modules[name] for name in self._tools))

    def metadata(self, name: str) -> ToolMetadata:
        self.spec(name)
        return self._metadata[name]

    async def invoke(self, call: ToolCall) -> IntegrationResult:
        spec = self.spec(call.tool)
        try:
            self._check(spec)
        except GateError as error:
            await self._refused(_refusal(spec, error, call.trace_id))
            return failed(IntegrationErrorCode.CONTRACT, error.detail)
        try:
            spec.args.model_validate(call.args.model_dump(warnings=False))
        except ValidationError as error:
            return failed(IntegrationErrorCode.INVALID_INPUT, explain(error))
        try:
            call = _through_account(spec, call)
            if _runs_dry_here(spec, call):
                return _dry(spec, call)
            with running_dry(dry=call.dry_run):
                return await spec.handler(call)
        except UnknownAccountError as error:
            return failed(IntegrationErrorCode.INVALID_INPUT, error.detail)

    async def reconcile(self, call: ToolCall) -> Reconciled:
        spec = self.spec(call.tool)
        try:
            self._check(spec)
        except GateError as error:
            await self._refused(_refusal(spec, error, call.trace_id))
            return _cannot_be_found_out(error)
        try:
            call = _through_account(spec, call)
        except UnknownAccountError as error:
            return _cannot_be_found_out(error)
        if spec.reconcile is not None:
            return await spec.reconcile(call)
        if spec.idempotency in {Idempotency.PROVIDER, Idempotency.READ}:
            return Reconciled(Settled.REPEAT, (Reason(ReasonCode.REFUSES_DOUBLES),))
        return Reconciled(Settled.UNKNOWN, (Reason(ReasonCode.CANNOT_TELL),))

    async def describe(self, name: str, op: str) -> dict[str, Any]:
        """Return seed 5's envelope: a tool's answer to `help`, `status`, `list_methods`, `list_providers`.

        Raises `UnknownToolError` for any other operation, too.
        """
        spec = self.spec(name)
        if op not in set(Op):
            raise UnknownToolError(f"{name} has no operation {op}; it has {', '.join(Op)}")
        return await answer(Op(op), spec, self._modules[name], self._gates.catalogue())


def _is_remote(spec: IOToolSpec) -> TypeGuard[ToolSpec]:
    return isinstance(spec, ToolSpec) and spec.execution_mode is ExecutionMode.REMOTE


def _runs_dry_here(spec: ToolSpec, call: ToolCall) -> bool:
    """Return whether a dry run ends here: our own handlers may not support it, the door of a remote tool does."""
    return call.dry_run and spec.direction is Direction.OUTPUT and not _is_remote(spec)


def _dry(spec: ToolSpec, call: ToolCall) -> IntegrationResult:
    """Return what a call would do: its arguments, and its effect in the words of its card. Calls nothing."""
    try:
        would = spec.preview(call.args).effect if spec.preview is not None else spec.description
    except (ButlerError, ValueError):
        return failed(IntegrationErrorCode.INVALID_INPUT, "what it would do cannot be put into words")
    return IntegrationResult(
        ok=True, data={"dry_run": True, "args": call.args.model_dump(mode="json", warnings=False), "would": would}
    )


def _cannot_be_found_out(error: ButlerError) -> Reconciled:
    why = because(ReasonCode.CANNOT_BE_FOUND_OUT, in_own_words(error.detail))
    return Reconciled(Settled.UNKNOWN, (why,))


def _refusal(spec: ToolSpec, error: ToolSpecError | ToolNameError, trace_id: str = "") -> Refusal:
    gate = error.gate if isinstance(error, GateError) else TOOL_SPEC
    log.error("tool_refused", tool=spec.tool_name, gate=gate, why=error.detail, trace=trace_id)
    return Refusal(spec, gate, error.detail, trace_id)


def _through_account(spec: ToolSpec, call: ToolCall) -> ToolCall:
    """Return a call with its account: the one it was stored with, or else the one its arguments name.

    Raises `UnknownAccountError` if the account does not exist, or no longer.
    """
    account = known_account(spec, call.account) if spec.accounts and call.account else account_of(spec, call.args)
    return replace(call, account=account)


def guide_of(module: Module, tool: str) -> str:
    """Return what the module's own folder tells planners about a tool; empty if it has no such file."""
    path = Path(inspect.getfile(type(module))).parent / "prompts" / f"tool_{tool}.md"
    return path.read_text(encoding="utf-8").strip() if path.is_file() else ""


def declared(module: Module) -> Iterable[tuple[Identity, Direction, Sequence[IOToolSpec]]]:
    """Yield a module's tools by the method that returned them."""
    yield Identity.USER, Direction.INPUT, module.user_inputs()
    yield Identity.USER, Direction.OUTPUT, module.user_outputs()
    yield Identity.BOT, Direction.INPUT, module.bot_inputs()
    yield Identity.BOT, Direction.OUTPUT, module.bot_outputs()


def check_spec(spec: IOToolSpec, identity: Identity, direction: Direction, channel: str) -> ToolSpec:
    """Refuse a tool that breaks a rule of seed 3 or 4; return the spec as the required `ToolSpec`."""
    name = ToolName.parse(spec.tool_name)
    if name.identity is not identity or spec.identity is not identity:
        raise ToolSpecError(
            f"{spec.tool_name} says it acts as {name.identity} or {spec.identity}, but was returned "
            f"among the {identity} tools"
        )
    if spec.direction is not direction:
        raise ToolSpecError(f"{spec.tool_name} says it is an {spec.direction}, but was returned among the {direction}s")
    if name.channel != spec.channel or spec.channel != channel:
        raise ToolSpecError(f"{spec.tool_name} names the channel {name.channel}, its module is {channel}")
    if not isinstance(spec, ToolSpec):
        raise ToolSpecError(f"{spec.tool_name} is declared but cannot be called")
    if not spec.description.strip():
        raise ToolSpecError(f"{spec.tool_name} has no description")
    check_args(spec)
    check_accounts(spec)
    if direction is Direction.OUTPUT and spec.preview is None:
        raise ToolSpecError(f"{spec.tool_name} has no preview, so nobody could see what it does")
    if identity is Identity.USER and spec.to_owner:
        raise ToolSpecError(f"{spec.tool_name} acts as the person, so it can never pass as being for the owner alone")
    return spec


def check_args(spec: ToolSpec) -> None:
    """Check that arguments are known by name and type, and that a card can show each of them."""
    if spec.args.model_config.get("extra") != "forbid":
        raise ToolSpecError(f"{spec.tool_name} must refuse unknown arguments")
    try:
        json_schema(spec.args)
    except Exception as error:
        raise ToolSpecError(f"{spec.tool_name} has a broken schema of arguments") from error
    on = [name for name, argument in spec.args.model_fields.items() if argument.default is True]
    if on and spec.direction is Direction.OUTPUT:
        raise ToolSpecError(f"{spec.tool_name}: {on[0]} must be off by default, since a card shows only what is on")


def check_accounts(spec: ToolSpec) -> None:
    """Check that a tool with accounts takes one by name, and uses its first one by default."""
    if not spec.accounts:
        return
    argument = spec.args.model_fields.get(ACCOUNT)
    if argument is None or argument.annotation is not str or argument.default != "":
        raise ToolSpecError(f'{spec.tool_name} has accounts, so it needs an argument `{ACCOUNT}: str = ""`')
    if "" in spec.accounts or len(set(spec.accounts)) < len(spec.accounts):
        raise ToolSpecError(f"{spec.tool_name}: accounts need names of their own")
