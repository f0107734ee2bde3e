"""A machine that does anything in any order: asks, taps, edits, rules, pauses, deaths and clocks; and what never gives.

Hypothesis chooses the steps (`Machine`, and what is added to it here); `machine_world` is what they happen to,
`machine_checks` and `machine_log` are what holds after each of them.
"""

import asyncio
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule, run_state_machine_as_test

from approvals.pin import PIN, Secret, challenge_of
from approvals.pin_veil import PAYLOAD, Typed
from approvals.revise import Change, Put
from approvals.rule_desk import disable, enable, revoke
from butler.contract.inbound import Inbound, InboundKind
from butler.contract.integration import Idempotency
from butler.contract.tools import Recipient
from butler.store.queries import cursors, inbox, rules
from butler.store.queries.rules import RuleState
from tests.approvals.house import A_MAIL, ANNA, OWN_WORDS, OWNER
from tests.approvals.machine import BOB, EVE, Machine, a_pick
from tests.approvals.machine_world import MortalStore

EXAMPLES = 40
STEPS = 50


class Wishes(Machine):
    """Adds what an owner may want besides a yes and a no."""

    # Edits

    @rule(
        which=a_pick,
        stale=st.booleans(),
        to=st.sampled_from(["", "", ANNA, BOB, EVE]),
        tainted=st.booleans(),
    )
    def edit(self, which: int, stale: bool, to: str, tainted: bool) -> None:
        """The owner answers a card with a change: other words (perhaps partly somebody else's), another recipient."""
        row = self.row(which, "pending")
        if row is None:
            return
        revision = row.revision - stale
        by = f"edit-{self.world.taps}-{len(self.checks.always().log)}"
        versions = self.checks.versions[row.call_id]
        before = versions[row.revision][-1]
        words = Put(f"changed by {by}", OWN_WORDS | (A_MAIL if tainted else frozenset()))
        people = Put((Recipient(address=to),), OWN_WORDS) if to else None
        if not stale:
            changed = before | {"text": words.value} | ({"to": [to]} if to else {})
            versions.setdefault(row.revision + 1, []).append(changed)
            self.checks.tainted[row.call_id] |= tainted
        desk, now = self.world.approvals, self.world.clock.now()
        change = Change(by, text=words, recipients=people)
        told = self.write(lambda c: desk.revise(c, row.approval_id, revision, change, now))
        assert not stale or told is None or isinstance(told, str), "an old card was changed"

    @rule(which=a_pick)
    def deny_in_words(self, which: int) -> None:
        """The owner answers a card with a no."""
        row = self.row(which, "pending")
        if row is not None:
            desk, now = self.world.approvals, self.world.clock.now()
            self.write(lambda c: desk.deny(c, row.approval_id, row.revision, now))

    # Rules

    @precondition(lambda self: self.world.channel.offering("Always…"))
    @rule(which=a_pick, wider=st.booleans())
    def make_a_rule(self, which: int, wider: bool) -> None:
        """Always…, perhaps wider, and the second yes."""
        phone = self.world.channel
        self._decide(phone.offering("Always…"), which)
        for label in ("Any text", "Save rule") if wider else ("Save rule",):
            self.live(*self.world.side_by_side())
            if phone.offering(label):
                self._decide(phone.offering(label), -1)

    @rule(which=a_pick, how=st.sampled_from([revoke, disable, disable, enable]))
    def mind_a_rule(self, which: int, how: Any) -> None:
        """A rule is taken back, put out of force or in force again."""
        states = [state for state in RuleState if state not in {RuleState.DRAFT, RuleState.DROPPED}]
        saved = self.peek(lambda c: rules.in_state(c, *states))
        if saved:
            found, now = saved[which % len(saved)], self.world.clock.now()
            self.write(lambda c: how(c, found, actor=OWNER, now=now))

    # Holds

    @rule(rest=st.sampled_from(["user", "user", ""]))
    def pause(self, rest: str) -> None:
        """The panic switch."""
        desk, now, item = self.world.approvals, self.world.clock.now(), self._said("pause", rest)
        self.write(lambda c: desk.pause(c, item, now))

    @rule()
    def resume(self) -> None:
        """It is lifted, with the PIN where there is one."""
        desk, now, item = self.world.approvals, self.world.clock.now(), self._said("resume", "")
        self.write(lambda c: desk.resume(c, item, now))

    @rule()
    def set_a_pin(self) -> None:
        """From now on what is of the highest risk takes a PIN."""
        now = self.world.clock.now()
        if self.write(lambda c: cursors.put_fact(c, PIN, asdict(Secret("", "")), now) or True):
            self.checks.has_pin = True

    @rule(typed=st.sampled_from([Typed.RIGHT, Typed.RIGHT, Typed.WRONG, Typed.LATE]), stale=st.booleans())
    def type_the_pin(self, typed: Typed, stale: bool) -> None:
        """Digits are typed, of which the item says only whether they were right."""
        asked = self.peek(challenge_of)
        challenge_id = "" if asked is None or stale else asked.challenge_id
        payload = {PAYLOAD: typed.value, "challenge": challenge_id}
        item = self._said("", "").model_copy(update={"kind": InboundKind.CHAT, "payload": payload, "message_ref": "7"})
        if self.write(lambda c: inbox.add(c, item)):
            self.live(self.world.approvals.pin_typed(item))

    @rule()
    def meet(self) -> None:
        """Bob becomes somebody whom the owner knows."""
        self.live(self.world.know("Bob", BOB))
        self.known.add(BOB)

    def _said(self, name: str, rest: str) -> Inbound:
        self.world.taps += 1
        return self.world.tap_of("", kind=InboundKind.COMMAND, payload={"name": name, "rest": rest})


@pytest.mark.parametrize("idempotency", [Idempotency.NONE, Idempotency.STATE, Idempotency.PROVIDER])
def test_whatever_happens_in_whatever_order_nothing_is_done_twice_unasked_or_unseen(idempotency: Idempotency) -> None:
    store = MortalStore()
    with asyncio.Runner() as runner:
        of_kind = type("Run", (Wishes,), {"idempotency": idempotency, "runner": runner, "store": store})
        run_state_machine_as_test(of_kind, settings=STEADY)
        runner.run(store.close())


STEADY = settings(
    max_examples=EXAMPLES,
    stateful_step_count=STEPS,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    report_multiple_bugs=False,
)
