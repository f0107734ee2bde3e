"""Implements `butler rules`: lists and changes standing rules, which a running daemon reads at each call."""

import json
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

from approvals import rule_actions
from approvals.policy_table import policy_table
from approvals.rule_card import rule_words
from butler.cli.database import changing, reading
from butler.cli.offline import offline_approvals
from butler.cli.output import hanging, json_text
from butler.contract.errors import Refuse
from butler.store.queries import rules
from butler.store.queries.rules import RuleRow, RuleState
from config.load import load

ACTOR = "command line"
LASTING = (RuleState.ACTIVE, RuleState.DISABLED)
_ACTS = {"revoke": rule_actions.revoke, "disable": rule_actions.disable, "enable": rule_actions.enable}
_DONE = {"revoke": "revoked", "disable": "disabled", "enable": "enabled"}


def list_rules(path: Path, *, as_json: bool, everything: bool) -> str:
    """Return the rules that are or may become active, or all that ever existed; by number."""
    context = offline_approvals(path)
    with reading(path) as connection:
        found = rules.in_state(connection, *(RuleState if everything else LASTING))
        items = [(rule, rule_words(connection, context.invoker, rule, context.zone)) for rule in found]
    if as_json:
        return json_text([_json(rule, words) for rule, words in items])
    lines = [hanging(f"{rule.number:3}  {rule.state:8}  ", f"{words}; {_used(rule.uses)}") for rule, words in items]
    return "\n".join(lines) or "There is no standing rule."


def change_rule(path: Path, number: int, what: str) -> str:
    """Revoke, disable or enable a rule; return one sentence. Raise `Refuse` on failure."""
    with changing(path) as connection:
        rule = rules.by_number(connection, number)
        if rule is None:
            raise Refuse(f"there is no rule {number}; `butler rules --all` lists them")
        if not _ACTS[what](connection, rule, actor=ACTOR, now=datetime.now(UTC)):
            raise Refuse(f"rule {number} is {rule.state.replace('_', ' ')}, so it cannot be {_DONE[what]}")
    return f"Rule {number} is {_DONE[what]}."


def show_policy(path: Path, *, as_json: bool) -> str:
    """Return the policy under these settings, from the top."""
    lines = policy_table(load(path).settings.approvals)
    if as_json:
        return json_text([{"rule": line.rule, "what": line.what, "decision": line.decision.value} for line in lines])
    from rich import box  # noqa: PLC0415 - heavy imports only where they are used
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    table = Table("", "what", "decision", box=box.SIMPLE)
    for number, line in enumerate(lines, 1):
        table.add_row(str(number), line.what, line.decision.value)
    drawn = StringIO()
    Console(file=drawn, markup=False, highlight=False).print(table)
    return drawn.getvalue().rstrip()


def _used(uses: int) -> str:
    return {0: "not used yet", 1: "used once"}.get(uses, f"used {uses} times")


def _json(rule: RuleRow, words: str) -> dict[str, Any]:
    return {
        "number": rule.number,
        "rule_id": rule.rule_id,
        "revision": rule.revision,
        "state": rule.state,
        "words": words,
        "tool": rule.tool,
        "account": rule.account,
        "chat": rule.chat,
        "recipients": list(rule.recipients),
        "pinned": {name: json.loads(value) for name, value in rule.pinned.items()},
        "expires_at": rule.expires_at.isoformat() if rule.expires_at else None,
        "max_uses": rule.max_uses,
        "uses": rule.uses,
        "made_from": rule.made_from,
        "created_at": rule.created_at.isoformat(),
        "updated_at": rule.updated_at.isoformat(),
    }
