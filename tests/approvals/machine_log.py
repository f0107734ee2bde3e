"""Reads the audit log from its beginning: which entries must precede each one, and the state that results."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from zoneinfo import ZoneInfo

from approvals.states import TRANSITIONS, State
from butler.store.queries.approvals import ApprovalRow
from butler.store.queries.audit import AuditRow
from tests.approvals.phone import OWNER

_RULES = {
    "rule.saved": "on",
    "rule.enabled": "on",
    "rule.disabled": "off",
    "rule.revoked": "off",
    "rule.used_up": "over",
    "rule.expired": "over",
}
"""The states of a rule after an entry: one that has ended lets nothing new pass, and acts that it let pass go on."""


@dataclass
class Reading:
    """The position up to which the log was read."""

    zone: ZoneInfo
    states: dict[str, str] = field(default_factory=dict)
    revisions: dict[str, int] = field(default_factory=dict)
    attempts: Counter[str] = field(default_factory=Counter)
    begun: Counter[date] = field(default_factory=Counter)
    """The approvals, by the owner's day of their first attempt."""
    rules: dict[str, str] = field(default_factory=dict)
    uses: Counter[str] = field(default_factory=Counter)
    approved: dict[str, AuditRow] = field(default_factory=dict)
    """By approval: the only entry that approves it."""
    together: dict[str, str] = field(default_factory=dict)
    """By approval: the batch card on which it was approved together with others."""
    pins: set[str] = field(default_factory=set)
    paused: bool = False

    def read(self, log: Sequence[AuditRow], rows: Mapping[str, ApprovalRow]) -> None:
        """Read on. `rows` are the approvals after all of these entries."""
        for entry in log:
            kind, _, what = entry.kind.partition(".")
            if entry.kind in _RULES:
                self.rules[entry.subject] = _RULES[entry.kind]
            elif entry.kind == "rule.used":
                assert self.rules[entry.subject] == "on", "a rule that is not in force let something pass"
                self.uses[entry.subject] += 1
            elif entry.kind in {"pause.set", "pause.lifted"}:
                self.paused = what == "set"
            elif entry.kind == "pin.right":
                self.pins.add(entry.subject)
            elif entry.kind == "batch.approve_all":
                self.together |= dict.fromkeys(entry.data["approvals"], entry.subject)
            elif kind == "approval" and entry.subject in rows:
                self._approval(entry, rows[entry.subject], what)

    def _approval(self, entry: AuditRow, row: ApprovalRow, what: str) -> None:
        if what == "requested":
            assert entry.subject not in self.states, "it was asked for twice"
            assert not (self.paused and row.identity == "user"), "a card came up while what acts as the owner is paused"
            self.states[entry.subject], self.revisions[entry.subject] = entry.data["state"], 1
        elif what == "revised":
            assert self.states[entry.subject] == State.PENDING, "it was changed after it was decided"
            self.revisions[entry.subject] += 1
            assert entry.data["revision"] == self.revisions[entry.subject], "a revision is missing"
        elif what == "attempt":
            self._attempt(entry, row)
        elif what in set(State):
            self._transition(entry, row, State(what))

    def _transition(self, entry: AuditRow, row: ApprovalRow, new: State) -> None:
        old = State(self.states[entry.subject])
        assert entry.data["from"] == old, "a transition is not on the log"
        assert entry.data["to"] == new
        assert new in TRANSITIONS[old], f"there is no way from {old} to {new}"
        assert entry.data["revision"] == self.revisions[entry.subject], "an old revision moved on"
        if new is State.APPROVED:
            assert entry.actor == OWNER, "somebody else said yes"
            assert not (self.paused and row.identity == "user"), (
                "a yes was taken while what acts as the owner is paused"
            )
            self.approved[entry.subject] = entry
        self.states[entry.subject] = new

    def _attempt(self, entry: AuditRow, row: ApprovalRow) -> None:
        self.attempts[entry.subject] += 1
        assert entry.data["number"] == self.attempts[entry.subject], "an attempt is missing"
        assert self.states[entry.subject] == State.EXECUTING
        assert not (self.paused and row.identity == "user"), "an act was begun while it is paused"
        assert row.rule_id is None or self.rules[row.rule_id] != "off", (
            "an act was begun by a rule that is out of force"
        )
        if entry.data["number"] == 1:
            self.begun[entry.at.astimezone(self.zone).date()] += 1
