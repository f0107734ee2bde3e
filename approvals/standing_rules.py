"""Matches calls with standing rules: what the owner has allowed once and for all, and exactly that."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

import sqlalchemy as sa
from pydantic.fields import FieldInfo
from pydantic_core import to_jsonable_python

from approvals.accounts import stored, without_settled
from approvals.card import shown_of
from approvals.context import Context
from approvals.frozen import canonical, sha256
from approvals.people import contact_of, is_owner, stored_form
from approvals.risk import choosing
from approvals.rule_list_messages import redraw_lists
from butler.contract.tools import Preview, ToolMetadata
from butler.provenance import Labels, is_tainted, load
from butler.store.queries import audit, rules
from butler.store.queries.approvals import ApprovalRow
from butler.store.queries.rules import RuleRow, RuleState
from butler.tool_invoker import UnknownToolError

ABSENT = "null"
"""The value of an argument that is not given."""
_COUNTED = frozenset({RuleState.ACTIVE, RuleState.USED_UP, RuleState.EXPIRED})


@dataclass(frozen=True, slots=True)
class Call:
    """A call as standing rules see it. `recipients` are in the form of `people.stored_form`, each once.

    `args` maps an argument to canonical JSON; only `account` holds the account. `tainted` are the arguments that
    somebody untrusted influenced; `steered` are those among them that choose whom or what is reached.
    """

    tool: str
    account: str
    chat: str
    recipients: tuple[str, ...]
    args: Mapping[str, str]
    tainted: frozenset[str]
    steered: frozenset[str] = frozenset()


def call_of(
    tool: str,
    metadata: ToolMetadata,
    preview: Preview,
    *,
    args: str,
    origins: Mapping[str, Labels],
    account: str,
    chat: str,
) -> Call:
    """Build a call to judge. `args` is canonical JSON of all arguments; `chat` is empty for a job in the background."""
    tainted = frozenset(name for name, labels in origins.items() if is_tainted(labels))
    return Call(
        tool=tool,
        account=account,
        chat=chat,
        recipients=recipients_of(preview),
        args={name: canonical(value) for name, value in without_settled(json.loads(args), said=bool(account)).items()},
        tainted=tainted,
        steered=choosing(metadata, tainted),
    )


def call_of_row(context: Context, row: ApprovalRow) -> Call:
    """Build a stored call. A removed tool has no roles, so that each of its arguments counts as choosing."""
    call = call_of(
        row.tool,
        _metadata(context, row.tool),
        Preview(""),
        args=row.args,
        origins={name: load(dumped) for name, dumped in row.labels.items()},
        account=stored(context.invoker, row.tool, row.account),
        chat=row.chat,
    )
    # A row from before bindings were recorded has no recipients.
    return replace(call, recipients=row.recipients if row.bound else recipients_of(shown_of(context.invoker, row)))


def recipients_of(preview: Preview) -> tuple[str, ...]:
    """Return the addresses of all recipients, each once."""
    return tuple(dict.fromkeys(stored_form(recipient.address) for recipient in preview.recipients))


def allows(rule: RuleRow, call: Call, now: datetime) -> bool:
    """Return whether a rule allows a call by their contents. `find` also checks that the recipients are still known."""
    return (
        rule.state == RuleState.ACTIVE
        and not rule.repeats
        and not is_over(rule, now)
        and bool(rule.chat)
        and (rule.tool, rule.account, rule.chat) == (call.tool, call.account, call.chat)
        and _reaches_only(rule, call)
        and all(call.args.get(name, ABSENT) == value for name, value in rule.pinned.items())
        and not call.steered
        and call.tainted <= rule.pinned.keys()
    )


def is_over(rule: RuleRow, now: datetime) -> bool:
    """Return whether a rule's time is over or its uses are spent."""
    return _expired(rule, now) or _spent(rule)


def find(context: Context, connection: sa.Connection, call: Call, now: datetime) -> RuleRow | None:
    """Return the first rule that allows a call whose every recipient is the owner or still the same contact."""
    matching = (
        rule
        for rule in rules.in_state(connection, RuleState.ACTIVE, tool=call.tool)
        if allows(_through_account(context, rule), call, now) and _is_as_saved(context, connection, rule, call)
    )
    rule = next(matching, None)
    if rule is None:
        return None
    known = (is_owner(context.owner, a) or contact_of(connection, a) is not None for a in call.recipients)
    return rule if all(known) else None


def note_use(connection: sa.Connection, rule: RuleRow, approval_id: str, now: datetime) -> bool:
    """Count a use by compare-and-set; return False if the rule was changed or used meanwhile, or is over."""
    if rule.state != RuleState.ACTIVE or is_over(rule, now):
        return False
    used = replace(rule, uses=rule.uses + 1, updated_at=now)
    over = _spent(used)
    if not rules.replace_row(connection, rule, replace(used, state=RuleState.USED_UP.value) if over else used):
        return False
    data = {"approval_id": approval_id, "number": rule.number, "uses": used.uses}
    audit.append(connection, "rule.used", rule.rule_id, rule_actor(rule), data, now)
    if over:
        audit.append(connection, "rule.used_up", rule.rule_id, rule_actor(rule), {"number": rule.number}, now)
        redraw_lists(connection, now)
    return True


def retire_expired(connection: sa.Connection, now: datetime, tool: str | None = None) -> None:
    """End the rules (of one tool) whose time is over."""
    for rule in rules.in_state(connection, RuleState.ACTIVE, tool=tool):
        expired = replace(rule, state=RuleState.EXPIRED.value, updated_at=now)
        if _expired(rule, now) and rules.replace_row(connection, rule, expired):
            audit.append(connection, "rule.expired", rule.rule_id, rule_actor(rule), {"number": rule.number}, now)
            redraw_lists(connection, now)


def still_allows(connection: sa.Connection, row: ApprovalRow, now: datetime) -> bool:  # noqa: ARG001 - an end by time does not count
    """Return whether the rule that allowed an approval is unchanged and in force; True if no rule allowed it.

    The use was counted with the approval, so the rule's uses or time may have ended since then.
    """
    if row.rule_id is None:
        return True
    rule = rules.get(connection, row.rule_id)
    return rule is not None and rule.state in _COUNTED and digest_of(rule) == row.rule_digest


def digest_of(rule: RuleRow) -> str:
    """Return the SHA-256 over all that a rule allows, without its uses so far and its state."""
    allowed = {
        "rule_id": rule.rule_id,
        "tool": rule.tool,
        "account": rule.account,
        "chat": rule.chat,
        "recipients": sorted(rule.recipients),
        "pinned": rule.pinned,
        "expires_at": rule.expires_at.isoformat() if rule.expires_at else None,
        "max_uses": rule.max_uses,
    }
    return sha256(canonical(allowed))


def rule_actor(rule: RuleRow) -> str:
    """Return a rule's name in `decided_by` and in the audit log, such as `rule:3`."""
    return f"rule:{rule.number}"


def _through_account(context: Context, rule: RuleRow) -> RuleRow:
    """Return a rule with the account that it means."""
    return replace(rule, account=stored(context.invoker, rule.tool, rule.account))


def _is_as_saved(context: Context, connection: sa.Connection, rule: RuleRow, call: Call) -> bool:
    """Return whether the people and the tool are still those that the rule was made for.

    An address that now belongs to another contact, or an argument that the tool did not have then, needs a new rule.
    """
    made_from = rules.origin(connection, rule)
    if any(contact_of(connection, address) != contact for address, contact in _contacts(made_from.bound)):
        return False
    known = json.loads(made_from.args)
    fields = context.invoker.spec(call.tool).args.model_fields
    return all(value == _default(fields[name]) for name, value in call.args.items() if name not in known)


def _contacts(bound: str) -> Iterator[tuple[str, str]]:
    """Yield the addresses that a card was bound to, each with the contact who had it."""
    people: Mapping[str, tuple[str | None, str | None]] = json.loads(bound)["people"] if bound else {}
    return ((address, contact) for address, (contact, _) in people.items() if contact is not None)


def _default(field: FieldInfo) -> str:
    """Return the value of an argument that is not given; for a required one, a value that it cannot have."""
    return "" if field.is_required() else canonical(to_jsonable_python(field.get_default(call_default_factory=True)))


def _metadata(context: Context, tool: str) -> ToolMetadata:
    try:
        return context.invoker.metadata(tool)
    except UnknownToolError:
        return ToolMetadata({})


def _expired(rule: RuleRow, now: datetime) -> bool:
    return rule.expires_at is not None and now >= rule.expires_at


def _spent(rule: RuleRow) -> bool:
    return rule.max_uses is not None and rule.uses >= rule.max_uses


def _reaches_only(rule: RuleRow, call: Call) -> bool:
    if not call.recipients or not rule.recipients:
        return not call.recipients and not rule.recipients
    return set(call.recipients) <= set(rule.recipients)
