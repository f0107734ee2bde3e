"""A state machine that requests, taps, edits, pauses, dies and sets clocks in any order, and the invariants that hold.

Hypothesis chooses the steps: those of `Machine`, with one or another group of further features. `machine_world` is the
environment; `machine_checks` and `machine_log` hold the invariants.
"""

import asyncio
import json
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule, run_state_machine_as_test

from approvals.frozen import canonical, sha256
from approvals.pin import PIN, Secret, challenge_of
from approvals.pin_redactor import PAYLOAD, Typed
from approvals.revise import Change, NewValue
from approvals.rule_actions import disable, enable, revoke
from butler.contract.inbound import Inbound, InboundKind
from butler.contract.reasons import Reason, ReasonCode
from butler.contract.tools import Recipient
from butler.store.queries import approvals, cursors, inbox, rules
from butler.store.queries.rules import RuleState
from butler.store.tables import approvals as approvals_table
from tests.approvals.machine import BOB, EVE, MOST, Machine, a_pick, can_ask
from tests.approvals.machine_checks import TAMPERED
from tests.approvals.machine_world import Mood, MortalStore
from tests.approvals.phone import OWNER
from tests.approvals.providers import A_MAIL, ANNA, OWN_WORDS, SEND
from tests.support.nightly import examples

EXAMPLES = examples(25)
STEPS = 40


class Edits(Machine):
    """Requests change: by the owner, by the requester, or by tampering."""

    @rule(
        which=a_pick,
        stale=st.sampled_from([False, False, True]),
        to=st.sampled_from(["", "", ANNA, BOB, EVE]),
        tainted=st.booleans(),
        tap_the_old=st.booleans(),
    )
    def edit(self, which: int, stale: bool, to: str, tainted: bool, tap_the_old: bool) -> None:
        """Answer a card with a change: another text (perhaps partly somebody else's), another recipient."""
        row = self.row(which, "pending")
        if row is None:
            return
        by = f"edit-{len(self.checks.always().log)}"
        words = NewValue(f"changed by {by}", OWN_WORDS | (A_MAIL if tainted else frozenset()))
        if not stale:
            versions = self.checks.versions[row.call_id]
            changed = versions[row.revision][-1] | {"text": words.value} | ({"to": [to]} if to else {})
            versions.setdefault(row.revision + 1, []).append(changed)
            self.checks.tainted[row.call_id] |= tainted
        people = NewValue((Recipient(address=to),), OWN_WORDS) if to else None
        desk, now, revision = self.world.approvals, self.world.clock.now(), row.revision - stale
        change = Change(by, text=words, recipients=people)
        told = self.write(lambda c: desk.revise(c, row.approval_id, revision, change, now))
        assert not stale or told is None or isinstance(told, str), "an old card was changed"
        if tap_the_old and self.world.channel.offering("Approve"):
            self.approve(which, 10, [], [], None)

    @rule(which=a_pick, how=st.sampled_from(["asks again", "asks again", "denies", "withdraws"]))
    def change_ones_mind(self, which: int, how: str) -> None:
        """Restart the requester, which asks again; or deny in words; or edit the message that asked."""
        call, row = self.asked[which % len(self.asked)], self.row(which, "pending")
        desk, now = self.world.approvals, self.world.clock.now()
        if how == "asks again" and call["call_id"] not in self.checks.tampered:
            self.pass_or_ask(call)
        elif how == "denies" and row is not None:
            self.write(lambda c: desk.deny(c, row.approval_id, row.revision, now))
        elif how == "withdraws":
            self.write(
                lambda c: desk.supersede_requested_by(c, call["requested_by"], Reason(ReasonCode.MESSAGE_EDITED), now)
            )

    @rule(which=a_pick, hashed=st.booleans())
    def tamper(self, which: int, hashed: bool) -> None:
        """Tamper with a stored call, perhaps including its hash; nobody notices before the approval."""
        row = self.row(which, "pending", "approved")
        if row is None or self.peek(lambda c: approvals.attempts_of(c, row.approval_id)):
            return
        args = canonical(json.loads(row.args) | {"text": TAMPERED})
        values = {"args": args} | ({"args_sha256": sha256(args)} if hashed else {})
        table = approvals_table
        self.checks.tampered.add(row.call_id)
        self.write(lambda c: c.execute(table.update().where(table.c.approval_id == row.approval_id).values(values)))
        if self.world.channel.offering("Approve"):
            self.approve(which, 10, [], [], None)


class Rules(Machine):
    """Standing rules, and calls similar to those that they were made from."""

    @precondition(lambda self: self.world.channel.offering("Always…"))
    @rule(which=a_pick, wider=st.booleans())
    def make_a_rule(self, which: int, wider: bool) -> None:
        """Save a rule by Always…, perhaps widened, and a second yes."""
        phone = self.world.channel
        self.decide(phone.offering("Always…"), which)
        for label in ("Any text", "Save rule") if wider else ("Save rule",):
            self.live(*self.world.side_by_side())
            if phone.offering(label):
                self.decide(phone.offering(label), -1)

    @precondition(can_ask)
    @rule(which=a_pick, to=st.sampled_from(["", "", BOB, EVE]), other=st.booleans(), tainted=st.booleans())
    def ask_for_the_like(self, which: int, to: str, other: bool, tainted: bool) -> None:
        """Request the same call again, or a similar one; the engine executes it if it passes."""
        before = self.asked[which % len(self.asked)]
        args = before["args"] | ({"to": [to]} if to else {}) | ({"text": "other words"} if other else {})
        self.request(before["tool"], args, tainted=tainted)
        self.live(*self.world.side_by_side())

    @precondition(can_ask)
    @rule(which=a_pick, how=st.sampled_from([revoke, disable, disable, enable]))
    def mind_a_rule(self, which: int, how: Any) -> None:
        """Revoke, disable or enable a rule just when a call that it covers is requested."""
        states = [state for state in RuleState if state not in {RuleState.DRAFT, RuleState.DROPPED}]
        saved = self.peek(lambda c: rules.in_state(c, *states))
        if saved:
            found, now = saved[which % len(saved)], self.world.clock.now()
            args = {"text": "other words", "subject": ""} | {name: json.loads(v) for name, v in found.pinned.items()}
            call = {name: args[name] for name in ("to", "text", "subject")}
            self.request(found.tool, call, tainted=False)
            self.write(lambda c: how(c, found, actor=OWNER, now=now))

    @rule()
    def meet(self) -> None:
        """Make Bob a known contact."""
        self.live(self.world.know("Bob", BOB))
        self.known.add(BOB)


class Batches(Machine):
    """Many similar requests."""

    @precondition(lambda self: len(self.asked) < MOST - 4)
    @rule(many=st.integers(3, 5))
    def ask_for_many(self, many: int) -> None:
        """Request many similar calls."""
        for _ in range(many):
            self.ask(SEND, [ANNA], tainted=False, long=False)
        self.live(*self.world.side_by_side())

    @precondition(lambda self: self.world.channel.offering("▶"))
    @rule(pages=st.integers(1, 4), yes=st.sampled_from(["", "Approve this", "Approve all", "Approve all", "Deny all"]))
    def read_on(self, pages: int, yes: str) -> None:
        """Turn pages of the batch card, and perhaps decide."""
        for _ in range(pages):
            if turns := self.world.channel.offering("▶"):
                self.decide(turns, -1)
                self.live(*self.world.side_by_side())
        if yes and (found := self.world.channel.offering(yes)):
            self.decide(found, -1)
            self.world.clock.turn(seconds=10)


class Holds(Machine):
    """Pauses and PINs."""

    @rule(which=a_pick, approved=st.booleans(), mood=st.sampled_from([None, Mood.BUSY]))
    def pause(self, which: int, approved: bool, mood: Mood | None) -> None:
        """Pause, perhaps right after an approval; then let the time of the act come."""
        if approved and self.world.channel.offering("Approve"):
            self.approve(which, 10 if mood else 0, [mood] if mood else [], [], None)
        desk, now, item = self.world.approvals, self.world.clock.now(), self._said("user")
        self.write(lambda c: desk.pause(c, item, now))
        self.world.clock.turn(seconds=30)
        self.live(*self.world.side_by_side())

    @rule()
    def resume(self) -> None:
        """Resume, with the PIN if there is one."""
        desk, now, item = self.world.approvals, self.world.clock.now(), self._said("")
        self.write(lambda c: desk.resume(c, item, now))

    @rule()
    def set_a_pin(self) -> None:
        """Require a PIN for the highest risk from now on."""
        now = self.world.clock.now()
        if self.write(lambda c: cursors.put_fact(c, PIN, asdict(Secret("", "")), now) or True):
            self.checks.has_pin = True

    @precondition(can_ask)
    @rule(which=a_pick, typed=st.sampled_from([*Typed, Typed.RIGHT]), stale=st.booleans(), old=st.booleans())
    def approve_what_takes_a_pin(self, which: int, typed: Typed, stale: bool, old: bool) -> None:
        """Approve a call to an unknown recipient, and type digits.

        The stored item only says whether they were right.
        """
        if not old:
            self.ask_and_see(SEND, EVE, None)
        if offered := self.world.channel.offering("Approve"):
            self.decide(offered, which if old else -1)
        asked = self.peek(challenge_of)
        challenge_id = "" if asked is None or stale else asked.challenge_id
        payload = {PAYLOAD: typed.value, "challenge": challenge_id}
        item = self._said("").model_copy(update={"kind": InboundKind.CHAT, "payload": payload, "message_ref": "7"})
        if self.write(lambda c: inbox.add(c, item)):
            self.live(self.world.approvals.pin_typed(item))

    def _said(self, rest: str) -> Inbound:
        return self.world.tap_of("", kind=InboundKind.COMMAND, payload={"rest": rest})


class Everything(Edits, Rules, Batches, Holds):
    """All features together."""


@pytest.mark.timeout(900)  # only after a failure: Hypothesis looks for the shortest sequence
@pytest.mark.parametrize("wishes", [Edits, Rules, Batches, Holds, Everything], ids=lambda kind: kind.__name__)
def test_whatever_happens_in_whatever_order_nothing_is_done_twice_unasked_or_unseen(wishes: type[Machine]) -> None:
    store = MortalStore()
    with asyncio.Runner() as runner:
        run_state_machine_as_test(type("Run", (wishes,), {"runner": runner, "store": store}), settings=STEADY)
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
