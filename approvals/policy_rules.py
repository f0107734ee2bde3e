"""The rules of the policy, in the order in which they are read: each yields the reasons why it matches a call."""

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from approvals.policy import Decision, PolicyQuery, PolicyRule
from butler.contract.names import ApprovalDefault
from butler.contract.provenance import Origin
from butler.contract.reasons import Reason, ReasonCode, in_own_words, reason
from butler.contract.tools import ArgRole, ExecutionMode
from butler.provenance import (
    Labels,
    Name,
    by_model,
    dump_names,
    is_tainted,
    only_set_going,
    seen_by_model,
    untrusted_names,
)
from butler.tool_invoker import ACCOUNT
from config.approvals import Approval, BotOutputs, DenyRule

STANDING, PLAIN_READ, TO_OWNER = "standing", "plain_read", "to_owner"
CALLERS_OWN = frozenset({PLAIN_READ, TO_OWNER})
"""The lines that leave a call to its caller: nobody is asked or informed."""
OWN = frozenset({Origin.butler("default")})
"""The provenance of an argument that was not given."""
BASELINE = ("user_*_*send*", "user_*_*reply*", "user_*")
"""Tools that act as the owner, whatever they declare."""


def paused(question: PolicyQuery) -> Iterator[Reason]:
    """Match acts in the owner's name, and reads that would need approval, while the owner has paused them."""
    if question.paused and (question.is_output or any(sensitive_read(question))):
        yield question.paused


def denied_by_settings(question: PolicyQuery) -> Iterator[Reason]:
    """Match a call that an `[[approvals.deny]]` entry covers."""
    for rule in question.settings.deny:
        if rule.covers(question.spec.tool_name, question.addresses) or _covers_person(rule, question):
            if rule.reason:
                yield in_own_words(rule.reason)
            else:
                yield reason(ReasonCode.FORBIDDEN, tool=rule.tool, recipient=rule.recipient)


def _covers_person(rule: DenyRule, question: PolicyQuery) -> bool:
    """Return whether the rule names a recipient by another address. A pattern covers addresses, not people."""
    if not rule.names_one:
        return False
    others = tuple(other for address in question.addresses for other in question.same_person(address))
    return rule.covers(question.spec.tool_name, others)


def beyond_a_limit(question: PolicyQuery) -> Iterator[Reason]:
    """Match an output beyond an `[[approvals.limit]]`."""
    if question.is_output and question.over_limit and not question.only_owner_sees:
        yield question.over_limit


def standing_rule(question: PolicyQuery) -> Iterator[Reason]:
    """Match a call that a standing rule of the owner's allows exactly."""
    if question.standing is not None:
        yield reason(ReasonCode.STANDING_RULE, number=question.standing.number)


def sensitive_read(question: PolicyQuery) -> Iterator[Reason]:
    """Match a private read: by the tool's declaration, by the settings, or because others chose its account."""
    if question.is_output:
        return
    if question.metadata.sensitive_read:
        yield Reason(ReasonCode.READS_PRIVATE)
    if question.settings.approval_for(question.spec.tool_name) is Approval.ALWAYS:
        yield Reason(ReasonCode.SETTINGS_ASK_FOR_TOOL)
    if question.spec.accounts and is_tainted(labels := question.origins.get(ACCOUNT, OWN)):
        yield _drawn(question.spec.tool_name, [ACCOUNT], untrusted_names(labels))


def reaches_out(question: PolicyQuery) -> Iterator[Reason]:
    """Match a read that shows arguments to strangers, if anybody but the owner chose one of those."""
    if not question.is_output:
        seen = question.spec.reaches_out
        origins = {name: labels for name, labels in question.origins.items() if name in seen}
        yield from _tainted(question.spec.tool_name, origins)


def plain_read(question: PolicyQuery) -> Iterator[Reason]:
    """Match any other read."""
    if not question.is_output:
        yield Reason(ReasonCode.ONLY_READS)


def chosen_by_a_model(question: PolicyQuery) -> Iterator[Reason]:
    """Match a model's change to the butler's rows, if the tool then asks, or the model had read others' words."""
    if not question.is_output or question.as_user or not question.spec.to_owner or question.spec.only_shows:
        return
    known = seen_by_model(question.choice)
    if known and not question.spec.shows_origin:
        yield reason(ReasonCode.MODEL_KNEW, sources=dump_names(untrusted_names(known)))
    elif question.spec.asks_if_model_chose and by_model(question.choice):
        yield Reason(ReasonCode.MODEL_CHOSE)


def only_the_owner_sees_it(question: PolicyQuery) -> Iterator[Reason]:
    """Match the butler's output to its owner or its own rows; if remote, only unless the settings always ask."""
    remote = question.spec.execution_mode is ExecutionMode.REMOTE
    asks = remote and question.settings.approval_for(question.spec.tool_name) is Approval.ALWAYS
    if question.only_owner_sees and not asks:
        yield Reason(ReasonCode.ONLY_OWNER_SEES)


def acts_as_you(question: PolicyQuery) -> Iterator[Reason]:
    """Match any act in the owner's name: the baseline that only a standing rule passes."""
    if question.as_user or any(fnmatchcase(question.spec.tool_name, pattern) for pattern in BASELINE):
        yield Reason(ReasonCode.ACTS_AS_OWNER)


def tool_always_asks(question: PolicyQuery) -> Iterator[Reason]:
    """Match a tool of the butler's identity that always asks, by the settings or else by its own declaration."""
    if question.as_user:
        return
    by_settings = question.settings.approval_for(question.spec.tool_name)
    if by_settings is Approval.ALWAYS:
        yield Reason(ReasonCode.SETTINGS_ASK_FOR_TOOL)
    elif by_settings is None and question.spec.approval_default is ApprovalDefault.ALWAYS:
        yield Reason(ReasonCode.TOOL_ALWAYS_ASKS)


def settings_always_ask(question: PolicyQuery) -> Iterator[Reason]:
    """Match the butler's outputs under `bot_outputs = "ask"`."""
    if not question.as_user and question.settings.bot_outputs is BotOutputs.ASK:
        yield Reason(ReasonCode.SETTINGS_ASK_FOR_OUTPUTS)


def tainted_argument(question: PolicyQuery) -> Iterator[Reason]:
    """Match a call with an argument that somebody untrusted influenced."""
    yield from _tainted(question.spec.tool_name, question.origins)


def _tainted(tool: str, origins: Mapping[str, Labels]) -> Iterator[Reason]:
    by_source: dict[tuple[Name, ...], list[str]] = {}
    began: Labels = frozenset()
    for argument, labels in sorted(origins.items()):
        if only := only_set_going(labels):
            began |= only
        elif is_tainted(labels):
            by_source.setdefault(tuple(untrusted_names(labels)), []).append(argument)
    for sources, arguments in by_source.items():
        yield _drawn(tool, arguments, sources)
    if began:
        yield reason(ReasonCode.SET_GOING, sources=dump_names(untrusted_names(began)))


def _drawn(tool: str, arguments: Sequence[str], sources: Sequence[Name]) -> Reason:
    if not sources:
        return reason(ReasonCode.NOBODY_CHOSE, tool=tool, arguments=list(arguments))
    return reason(ReasonCode.COMES_FROM, tool=tool, arguments=list(arguments), sources=dump_names(sources))


def unknown_recipient(question: PolicyQuery) -> Iterator[Reason]:
    """Match a recipient whom the owner has not confirmed, or an unknown audience."""
    if not question.addresses:
        if not _is_unseen(question):
            yield Reason(ReasonCode.UNKNOWN_AUDIENCE)
        return
    strangers = [address for address in question.addresses if not question.is_known(address)]
    if len(strangers) == 1:
        only = len(question.addresses) == 1
        yield Reason(ReasonCode.STRANGER if only else ReasonCode.ONE_STRANGER)
    elif strangers:
        yield reason(ReasonCode.STRANGERS, count=len(strangers))


def _is_unseen(question: PolicyQuery) -> bool:
    """Return whether there is no recipient: others do not see it, or the tool has none and always asks first.

    The preview itself says who else sees a change of a calendar or a board.
    """
    if question.spec.unseen:
        return True
    reaches = ArgRole.RECIPIENT in question.metadata.args.values()
    return not reaches and question.spec.approval_default is ApprovalDefault.ALWAYS


def butler_to_known_people(question: PolicyQuery) -> Iterator[Reason]:
    """Match any other output of the butler: in its own name, to people whom the owner has confirmed."""
    if not question.as_user:
        yield Reason(ReasonCode.TO_KNOWN_PEOPLE)


RULES: tuple[PolicyRule, ...] = (
    PolicyRule("pause", "everything in your name, and private reads, while it is paused", Decision.DENY, paused),
    PolicyRule("deny", "your deny rules", Decision.DENY, denied_by_settings),
    PolicyRule("limit", "what goes beyond your limits", Decision.DENY, beyond_a_limit),
    PolicyRule(STANDING, "what one of your standing rules allows, and exactly that", Decision.ALLOW, standing_rule),
    PolicyRule("sensitive_read", "reads of private scope", Decision.ASK, sensitive_read),
    PolicyRule("reaches_out", "reads that tell strangers what others chose", Decision.ASK, reaches_out),
    PolicyRule(PLAIN_READ, "all other reads", Decision.ALLOW, plain_read),
    PolicyRule("model", "what a language model changes of the butler's own", Decision.ASK, chosen_by_a_model),
    PolicyRule(TO_OWNER, "what only you see", Decision.ALLOW, only_the_owner_sees_it),
    PolicyRule("acts_as_you", "everything in your name", Decision.ASK, acts_as_you),
    PolicyRule("tool_asks", "tools that always ask", Decision.ASK, tool_always_asks),
    PolicyRule("settings_ask", "all that the butler does before others", Decision.ASK, settings_always_ask),
    PolicyRule("tainted", "text or choices of untrusted origin", Decision.ASK, tainted_argument),
    PolicyRule("unknown_recipient", "people you have not confirmed", Decision.ASK, unknown_recipient),
    PolicyRule("butler_to_known", "the butler to people you know", Decision.ALLOW, butler_to_known_people),
)
