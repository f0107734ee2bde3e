"""Shows the policy as a readable table: each of its lines, in order, as the settings define it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from approvals.policy import Decision
from approvals.policy_rules import BASELINE, RULES
from config.approvals import Approval, ApprovalsSettings, BotOutputs


@dataclass(frozen=True, slots=True)
class Line:
    """A policy line: what it covers, and its decision. `rule` names the rule; several lines may share one."""

    rule: str
    what: str
    decision: Decision


def policy_table(settings: ApprovalsSettings) -> Sequence[Line]:
    """Return all lines from the top. A rule that covers nothing under these settings has no line."""
    lines = [
        Line(rule.name, what, rule.decision)
        for rule in RULES
        for what in (_SPELLED[rule.name](settings) if rule.name in _SPELLED else (rule.description,))
    ]
    return [*lines, Line("no_match", "anything else", Decision.ASK)]


def _denials(settings: ApprovalsSettings) -> Iterator[str]:
    for rule in settings.deny:
        yield f"{rule.tool} to {rule.recipient}" + (f": {rule.reason}" if rule.reason else "")


def _limits(settings: ApprovalsSettings) -> Iterator[str]:
    for limit in settings.limit:
        if limit.recipients is not None:
            yield f"{limit.tool} to more than {limit.recipients} recipients"
        if limit.per_day is not None:
            yield f"{limit.tool} more than {limit.per_day} times a day"
        if limit.per_recipient is not None:
            yield f"{limit.tool} more than {limit.per_recipient} times a day to one address"


def _sensitive_reads(settings: ApprovalsSettings) -> Iterator[str]:
    yield "reads of private scope"
    yield "reads through an account of yours that somebody else chose"
    for pattern, exempt in _always(settings):
        yield f"{pattern}, where it reads{exempt}"


def _baseline(_settings: ApprovalsSettings) -> Iterator[str]:
    for pattern in BASELINE:
        yield f"{pattern}: acts as you"


def _by_tool(settings: ApprovalsSettings) -> Iterator[str]:
    for pattern, exempt in _always(settings):
        yield f"{pattern}, where it acts{exempt}"
    spoken_for = [line.tool for line in settings.policy if line.approval is not Approval.ALWAYS]
    yield f"bot_*: tools that say of themselves that they always ask{_but_not(spoken_for)}"


def _always(settings: ApprovalsSettings) -> Iterator[tuple[str, str]]:
    """Yield the patterns that always ask, each with the exceptions from lines above it."""
    exempt: list[str] = []
    for line in settings.policy:
        if line.approval is Approval.ALWAYS:
            yield line.tool, _but_not(exempt)
        else:
            exempt.append(line.tool)


def _but_not(patterns: Sequence[str]) -> str:
    return f", but not {', '.join(patterns)}" if patterns else ""


def _bot_outputs(settings: ApprovalsSettings) -> Iterator[str]:
    if settings.bot_outputs is BotOutputs.ASK:
        yield "bot_*: all that others see"


_SPELLED: Mapping[str, Callable[[ApprovalsSettings], Iterator[str]]] = {
    "deny": _denials,
    "limit": _limits,
    "sensitive_read": _sensitive_reads,
    "acts_as_you": _baseline,
    "tool_asks": _by_tool,
    "settings_ask": _bot_outputs,
}
