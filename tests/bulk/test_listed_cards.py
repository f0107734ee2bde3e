"""Cards about what was listed for them: what a recurring rule lets happen, and which of them gives way to another."""

import json
from dataclasses import replace

import pytest

from approvals.bulk_cards import give_way, newest_listed
from approvals.recurring import covers_order
from approvals.standing_rules import Call
from butler.contract.reasons import Reason, ReasonCode
from butler.store.queries.rules import REPEAT, RuleRow, RuleState
from butler.store.store import Store
from tests.bulk.repeat_harness import OWNER, TOOL, RepeatHarness, recurrence_of
from tests.bulk.stub_provider import StubProvider


@pytest.fixture
def harness(store: Store) -> RepeatHarness:
    return RepeatHarness(store, StubProvider.of(60))


def due(rule: RuleRow, count: int, **changed: str) -> Call:
    """The rule's own order, about so many things."""
    args = {name: value for name, value in rule.pinned.items() if name != REPEAT}
    listed = {"snapshot": json.dumps({"count": count})}
    return Call(rule.tool, rule.account, rule.chat, rule.recipients, args | listed | changed, frozenset())


async def test_a_recurring_rule_covers_its_own_order_and_nothing_else(harness: RepeatHarness) -> None:
    rule, now = await harness.ruled(before="2027-02-26"), harness.clock.now()
    most = recurrence_of(rule).most
    order = due(rule, most)
    assert covers_order(rule, order, now)
    assert not covers_order(rule, due(rule, most + 1), now)
    assert not covers_order(rule, due(rule, most, words='"others"'), now)
    assert not covers_order(rule, due(rule, most, before="null"), now)
    assert not covers_order(rule, replace(order, account="work"), now)
    assert not covers_order(rule, replace(order, recipients=("mail:eve@evil.example",)), now)
    assert not covers_order(rule, replace(order, tainted=frozenset({"words"})), now)
    for state in set(RuleState) - {RuleState.ACTIVE}:
        assert not covers_order(replace(rule, state=state), order, now)


async def test_a_card_gives_way_once_and_only_while_it_waits_as_it_was(harness: RepeatHarness) -> None:
    approval_id, now = await harness.ordered(None), harness.clock.now()
    revision = (await harness.row(approval_id)).revision

    async def gives_way(one: str, at: int) -> bool:
        return await harness.store.write(lambda c: give_way(c, one, at, Reason(ReasonCode.REPLACED), now))

    assert not await gives_way("nothing", revision)
    assert not await gives_way(approval_id, revision + 1)
    assert await gives_way(approval_id, revision)
    assert not await gives_way(approval_id, revision)


async def test_the_card_that_was_listed_last_is_gone_on_about_while_its_tool_is_there(harness: RepeatHarness) -> None:
    approval_id = await harness.ordered(None)
    found = await harness.store.read(lambda c: newest_listed(harness.context, c, OWNER))
    assert found is not None
    assert found.approval_id == approval_id
    del harness.invoker.tools[TOOL]
    assert await harness.store.read(lambda c: newest_listed(harness.context, c, OWNER)) is None
