"""Standing rules for tests: a rule as the owner saved it, and a call as the policy judges it."""
# names: made up here

from dataclasses import replace
from typing import Any

from approvals.policy import PolicyQuery
from butler.contract.tools import Preview, Recipient
from butler.store.queries import rules
from butler.store.queries.rules import RuleRow, RuleState
from config.approvals import ApprovalsSettings
from tests.approvals.harness import Harness
from tests.approvals.phone import NOON, OWNER, Owner
from tests.approvals.providers import ANNA, OWN_WORDS, PRIVATE_READ, SEND, Invoker, Provider

RULE = RuleRow(
    rule_id="r1",
    number=1,
    revision=1,
    state=RuleState.ACTIVE.value,
    tool=SEND,
    account="",
    chat=OWNER,
    recipients=(ANNA,),
    pinned={},
    expires_at=None,
    max_uses=None,
    made_from="",
    created_at=NOON,
    updated_at=NOON,
)


async def saved(harness: Harness, **changes: Any) -> RuleRow:
    """Build a rule in force, made from an earlier card; Anna is a contact."""
    await harness.know("Anna", ANNA)
    tool = changes.get("tool", SEND)
    asked = {"args": {"item": "0"}} if tool == PRIVATE_READ else {}
    made_from = await harness.ask(tool, call_id="made-from", requested_by="in-0", **asked)
    rule = replace(RULE, rule_id=f"r{changes.get('number', 1)}", made_from=made_from, **changes)
    await harness.write(lambda c: rules.insert(c, rule))
    return rule


async def rule_now(harness: Harness, rule: RuleRow) -> RuleRow:
    """Return the current rule."""
    found = await harness.store.read(lambda c: rules.get(c, rule.rule_id))
    assert found is not None
    return found


def _contact(address: str) -> str | None:
    return "c" if address == ANNA or address.startswith("telegram:7") else None


def _nobody(_address: str) -> tuple[str, ...]:
    return ()


def question(tool: str = SEND, to: tuple[str, ...] = (ANNA,), **changes: Any) -> PolicyQuery:
    """Build a call from the owner's own words; Anna and every address that begins with `telegram:7` are known."""
    invoker = Invoker(Provider())
    values: dict[str, Any] = {
        "spec": invoker.spec(tool),
        "metadata": invoker.metadata(tool),
        "preview": Preview("", recipients=tuple(Recipient(address=address) for address in to)),
        "origins": {"to": OWN_WORDS, "text": OWN_WORDS},
        "owner": Owner(),
        "contact": _contact,
        "same_person": _nobody,
        "settings": ApprovalsSettings(),
        "paused": "",
        "over_limit": None,
        "standing": None,
    }
    return PolicyQuery(**(values | changes))
