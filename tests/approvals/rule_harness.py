"""Standing rules in the tests: creates them, and reads their rows."""
# names: made up here

from typing import Any

import sqlalchemy as sa

from butler.contract.card import Card
from butler.store.queries import audit
from butler.store.queries.rules import RuleRow
from butler.store.tables import rules as rules_table
from tests.approvals.harness import Harness
from tests.approvals.providers import ANNA

ALWAYS = "Always…"
TITLE = "A standing rule, not saved yet"
LATE: dict[str, Any] = {"to": [ANNA], "text": "I'll be late"}


def labels(card: Card) -> list[str]:
    return [button.label for line in card.buttons for button in line]


async def all_rules(harness: Harness) -> list[RuleRow]:
    return await harness.store.read(lambda c: [RuleRow.of(row) for row in c.execute(sa.select(rules_table)).mappings()])


async def the_rule(harness: Harness) -> RuleRow:
    (rule,) = await all_rules(harness)
    return rule


async def kinds(harness: Harness, subject: str) -> list[str]:
    rows = await harness.store.read(lambda c: audit.rows(c, subject))
    return [row.kind for row in reversed(rows)]


async def proposed(harness: Harness, **more: Any) -> str:
    """Show a proposal's card below the card that it was made from; return the approval's id."""
    await harness.know("Anna", ANNA)
    values: dict[str, Any] = {"args": LATE}
    approval_id = await harness.ask(**(values | more))
    await harness.tap(ALWAYS)
    return approval_id


async def saved(harness: Harness, *taps: str, **more: Any) -> RuleRow:
    await proposed(harness, **more)
    for label in (*taps, "Save rule"):
        await harness.tap(label)
    return await the_rule(harness)
