"""No mail and no planner makes a rule that does something again and again, widens one, or gets more done by one."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from approvals.policy import Decision, Verdict
from approvals.recurring import SNAPSHOT, args_on, recurrence_of
from approvals.request import Proposal
from butler.contract.bulk import BulkSnapshot
from butler.provenance import Labels, is_tainted
from butler.store.queries import rules
from butler.store.queries.rules import BY_REPEAT, RuleRow
from butler.store.store import Store
from tests.approvals.harness import create_tables
from tests.approvals.providers import OWN_WORDS
from tests.bulk.repeat_harness import LISTED, SUNDAYS, TOOL, RepeatHarness
from tests.bulk.stub_provider import StubProvider
from tests.hostile.test_policy import MIXES

ORDER: dict[str, Any] = {"words": "offers", "before": "2027-02-26", "repeat": SUNDAYS}
TAINTED = [mix for mix in MIXES if is_tainted(mix)]


@pytest.fixture
async def harness() -> AsyncIterator[RepeatHarness]:
    store = create_tables(Store("sqlite://"))
    yield RepeatHarness(store, StubProvider.of(60))
    await store.close()


async def saved(harness: RepeatHarness) -> int:
    return len(await harness.store.read(lambda c: rules.in_state(c, *rules.RuleState)))


async def test_no_order_in_which_anybody_untrusted_had_a_hand_is_even_listed(harness: RepeatHarness) -> None:
    for labels in TAINTED:
        told = await harness.listed(ORDER, labels)
        assert isinstance(told, str), labels
        assert told.startswith("a rule can only be made by your own words")


async def test_no_order_in_which_anybody_untrusted_had_a_hand_becomes_a_rule_by_a_yes(harness: RepeatHarness) -> None:
    shown = await harness.listed(ORDER)
    assert isinstance(shown, BulkSnapshot)
    for number, labels in enumerate(TAINTED):
        args = {**ORDER, SNAPSHOT: shown.model_dump(mode="json")}
        tainted = list(args)[number % len(args)]
        origins = {**dict.fromkeys(ORDER, OWN_WORDS), SNAPSHOT: LISTED, tainted: labels}
        await harness.ask(TOOL, args=args, origins=origins, call_id=f"c{number}")
        await harness.tap("Approve")
        await harness.after_undo_window()
    assert await saved(harness) == 0


async def test_an_order_for_again_and_again_never_passes_without_a_yes(harness: RepeatHarness) -> None:
    await harness.ruled(before="2027-02-26")
    shown = await harness.listed(ORDER)
    assert isinstance(shown, BulkSnapshot)
    args = {**ORDER, SNAPSHOT: shown.model_dump(mode="json")}
    for number, labels in enumerate(MIXES):
        verdict = await harness.request(TOOL, args=args, origins=dict.fromkeys(args, labels), call_id=f"x{number}")
        assert verdict.decision is Decision.ASK, labels
    assert await saved(harness) == 1


class Due:
    """The order of a rule as it would be asked for when it is due, and with anything in it changed."""

    def __init__(self, harness: RepeatHarness, rule: RuleRow, snapshot: dict[str, Any]) -> None:
        self.harness, self.rule, self.snapshot = harness, rule, snapshot
        self.calls = 0

    async def asks(self, days: int = 2, labels: Labels = OWN_WORDS, **changed: Any) -> Verdict:
        """What the policy says of it, `days` after the rule's first listing."""
        day = recurrence_of(self.rule).since + timedelta(days=days)
        args = {name: value for name, value in args_on(self.rule, day).items() if value not in ("", [], None)}
        args = {**args, SNAPSHOT: self.snapshot, **changed}
        self.calls += 1
        proposal = Proposal(
            tool=TOOL,
            args=args,
            origins={**dict.fromkeys(args, labels), SNAPSHOT: LISTED},
            account="",
            requested_by=BY_REPEAT + self.rule.rule_id,
            call_id=f"due-{self.calls}",
        )
        return await self.harness.write(
            lambda c: self.harness.approvals.request(c, proposal, self.harness.clock.now(), self.rule)
        )


@pytest.fixture
async def due(harness: RepeatHarness) -> Due:
    rule = await harness.ruled(before="2027-02-26")
    shown = await harness.listed({"words": "offers"})
    assert isinstance(shown, BulkSnapshot)
    return Due(harness, rule, shown.model_dump(mode="json"))


async def test_a_rule_covers_its_own_order_and_nothing_beside_it(due: Due) -> None:
    many = {**due.snapshot, "count": 121}
    differences: tuple[dict[str, Any], ...] = (
        {"words": "all"},
        {"before": "2027-02-25"},
        {"before": None},
        {"cards": ["c1"]},
        {"repeat": SUNDAYS},
        {SNAPSHOT: many},
        {SNAPSHOT: None},
        {"words": ""},
    )
    for changed in differences:
        assert (await due.asks(**changed)).decision is Decision.ASK, changed
    assert (await due.asks(days=-1)).decision is Decision.ASK
    assert (await due.asks()).decision is Decision.ALLOW


async def test_a_rule_covers_nothing_in_which_anybody_untrusted_had_a_hand(due: Due) -> None:
    for labels in TAINTED:
        assert (await due.asks(labels=labels)).decision is Decision.ASK, labels


async def test_a_rule_that_is_not_in_force_covers_nothing(due: Due) -> None:
    rule = due.rule
    for state in ("draft", "disabled", "revoked", "expired", "dropped"):
        due.rule = replace(rule, state=state)
        assert (await due.asks()).decision is Decision.ASK, state
    due.rule = rule
    due.harness.clock.turn(days=366)
    assert (await due.asks()).decision is Decision.ASK
