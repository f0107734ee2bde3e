"""The invariants that hold after every step of the state machine, in the store, on the phone and at the provider."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import sqlalchemy as sa

from approvals.address import plain_address
from approvals.approval_batch_members import may_undo
from approvals.buttons import DATA_PREFIX
from approvals.closed_chat import is_waited_for
from approvals.frozen import canonical, sha256
from approvals.outcome_text import BY_POLICY, outcome, passed
from approvals.risk import Risk
from approvals.states import FINAL, State
from butler.contract.card import Card, rich_text
from butler.contract.tools import ToolCall
from butler.store.queries import approval_batches, approvals, audit, rules
from butler.store.queries.approval_batches import ApprovalBatchRow, ApprovalBatchState
from butler.store.queries.approvals import ApprovalRow
from butler.store.queries.audit import AuditRow
from butler.store.queries.buttons import ButtonRow
from butler.store.queries.plans import PLAN_STEP
from butler.store.queries.rules import RuleRow, RuleState
from butler.store.tables import buttons as buttons_table
from butler.store.tables import outbox as outbox_table
from butler.store.tables import work as work_table
from tests.approvals.approval_batch_harness import batches_in
from tests.approvals.machine_log import Reading
from tests.approvals.machine_world import View, World
from tests.approvals.phone import OWNER

TAMPERED = "something else"
OFFERED = {
    State.PENDING: {"Approve", "Deny"},
    State.APPROVED: {"Undo"},
    State.UNKNOWN: {"It was done", "It was not done"},
}
ALSO = "Always…"
TIMED = frozenset({State.PENDING, State.APPROVED, State.EXECUTING})
"""States whose card was true when it was drawn; its statements about the future are not compared."""


class Records:
    """The store after a step; each part is read lazily, and at most once a step."""

    def __init__(self, world: World, log: Sequence[AuditRow]) -> None:
        self._world = world
        self.log = log
        self.rows = {row.approval_id: row for row in world.store.peek(lambda c: approvals.in_state(c, *State))}
        self.work = Counter((row["kind"], row["subject"]) for row in self._all(work_table) if row["state"] == "ready")

    @cached_property
    def buttons(self) -> list[ButtonRow]:
        return [ButtonRow(**row) for row in self._all(buttons_table)]

    @cached_property
    def batches(self) -> dict[str, ApprovalBatchRow]:
        return {row.batch_id: row for row in self._world.store.peek(lambda c: batches_in(c, OWNER))}

    @cached_property
    def rules(self) -> list[RuleRow]:
        return self._world.store.peek(lambda c: rules.in_state(c, *RuleState))

    @cached_property
    def kept(self) -> bool:
        """Whether a message waits until the owner writes, together with the cards that could not be shown."""
        return any(row["state"] == "kept" for row in self._all(outbox_table))

    @cached_property
    def by_call(self) -> dict[str, ApprovalRow]:
        return {row.call_id: row for row in self.rows.values()}

    def marked(self, row: ApprovalRow) -> bool:
        """Whether the owner decided on the end, so that it need not be true."""
        ends = [e for e in self.log if e.subject == row.approval_id and e.kind in {"approval.done", "approval.failed"}]
        return bool(ends) and ends[-1].actor == OWNER

    def _all(self, table: sa.Table) -> Sequence[sa.RowMapping]:
        return self._world.store.peek(lambda c: c.execute(sa.select(table)).mappings().all())


class Checks:
    """The invariants of one world, given the requests and taps of the state machine."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.tapped: set[str] = set()
        """The hashes of the nonces that the owner tapped, where they were shown."""
        self.versions: dict[str, dict[int, list[dict[str, Any]]]] = {}
        """By call id and revision.

        The requested call, or the one that may have been requested if an edit was interrupted.
        """
        self.tainted: dict[str, bool] = {}
        self.may_pass: dict[str, bool] = {}
        """By call id: whether it may pass without a question."""
        self.tampered: set[str] = set()
        """The calls whose rows were tampered with: nothing of them may be done any more."""
        self.limit: int | None = None
        """The number of acts per day."""
        self.has_pin = False
        self._log: list[AuditRow] = []
        self._reading = Reading(world.context.zone)
        self._answered: set[str] = set()
        self._views = 0
        """The messages that were shown before this step."""
        self._last: tuple[object, Records] | None = None

    def always(self) -> Records:
        """Check what holds after every step, including one in which the process died."""
        world = self.world
        moved = world.store.writes, len(world.channel.views), len(world.provider.effects), len(world.provider.under_way)
        if self._last is None or self._last[0] != moved:
            self._last = moved, self._check()
        return self._last[1]

    def at_rest(self) -> None:
        """Check what holds in addition once all due work was done without faults."""
        records = self.always()
        assert self.world.store.peek(audit.verify) is None
        now = self.world.clock.now()
        assert not self.world.store.peek(lambda c: is_waited_for(c, OWNER, now)), "a card waits for a chat that is open"
        for row in records.rows.values():
            if records.work[approvals.SHOW_CARD, row.approval_id] or (passed(row) and row.state in TIMED):
                continue  # deferred to the end of the quiet hours, or not due to be reported yet
            if row.call_id in self.tampered:
                continue
            if row.batch_id is not None and not row.card_refs and row.state != State.UNKNOWN:
                self._digest_is_true(records, records.batches[row.batch_id])
                continue
            cards = list(self._cards_of(row))
            if row.state in FINAL and not any(
                view.card.approval_id == row.approval_id for view in self.world.channel.views
            ):
                continue  # it ended while the chat was closed
            assert cards, f"the owner sees nothing of what is {row.state}"
            for card in cards:
                self._card_is_true(card, row)

    def _check(self) -> Records:
        last, _ = self.world.store.peek(audit.head)
        new = self.world.store.peek(lambda c: audit.rows(c, limit=last - len(self._log)))[::-1]
        assert [entry.seq for entry in new] == list(range(len(self._log) + 1, last + 1))
        self._log += new
        records, reading = Records(self.world, list(self._log)), self._reading
        reading.read(new, records.rows)
        for row in records.rows.values():
            assert reading.states[row.approval_id] == row.state, "a transition is not on the log"
            assert reading.revisions[row.approval_id] == row.revision, "a revision is not on the log"
            wanted = self.versions[row.call_id][row.revision]
            if row.call_id not in self.tampered:
                assert json.loads(row.args) in map(_filled, wanted), "nobody asked for this"
            self._has_a_way_on(records, row)
        for approval_id in reading.approved.keys() - self._answered:
            self._was_seen_and_tapped(records, reading, records.rows[approval_id])
        self._answered = set(reading.approved)
        for call in self.world.provider.effects:
            self._was_meant(records, reading, records.by_call[call.call_id], call)
        done = Counter(call.call_id for call in self.world.provider.effects)
        assert max(done.values(), default=0) <= 1, "an effect happened twice"
        assert self.limit is None or max(reading.begun.values(), default=0) <= self.limit, "more was begun than may be"
        self._outcomes_are_true(records, done)
        self._rules_are_counted(records, reading)
        self._messages_are_few()
        self._views = len(self.world.channel.views)
        return records

    def _has_a_way_on(self, records: Records, row: ApprovalRow) -> None:
        """Every approval that is not final waits for a moment, the executor or the owner.

        A final one wakes its plan.
        """
        needed = {
            State.PENDING: approvals.EXPIRE,
            State.APPROVED: approvals.EXECUTE,
            State.EXECUTING: approvals.EXECUTE,
        }.get(State(row.state))
        assert needed is None or records.work[needed, row.approval_id], f"what is {row.state} is forgotten"
        if row.state in FINAL | {State.UNKNOWN}:
            assert records.work[PLAN_STEP, row.plan_id or ""], "the plan that waits for it is not told"
        if row.state in OFFERED and not (row.state == State.APPROVED and passed(row)):
            # A call that was tampered with has no preview of its own that could be approved.
            refused = row.state == State.PENDING and row.call_id in self.tampered
            offered = {"Deny"} if refused else OFFERED[State(row.state)]
            ways = (
                records.work[approvals.SHOW_CARD, row.approval_id],
                any(labels_of(card) >= offered for card in self._cards_of(row)),
                row.batch_id is not None and self._digest_offers(records, records.batches[row.batch_id]),
                records.kept,
            )
            assert any(ways), f"nobody can do anything about what is {row.state}"

    def _digest_offers(self, records: Records, batch: ApprovalBatchRow) -> bool:
        drawn = any(labels_of(card) for card in self._digests(batch))
        return bool(records.work[approval_batches.SHOW_BATCH, batch.batch_id]) or drawn

    def _was_meant(self, records: Records, reading: Reading, row: ApprovalRow, call: ToolCall) -> None:
        """Every effect is byte for byte what was approved, and the owner or a rule approved it."""
        args = canonical(call.args.model_dump(mode="json"))
        assert json.loads(args)["text"] != TAMPERED, "what was changed behind Butler's back was done"
        if row.call_id in self.tampered:
            return
        assert (args, call.tool, call.account) == (row.args, row.tool, row.account), "something else was done"
        if row.decided_by == BY_POLICY:
            assert self.may_pass[row.call_id], "it was done without a question"
        elif row.rule_id is not None:
            rule = next(rule for rule in records.rules if rule.rule_id == row.rule_id)
            assert row.approval_id in used_by(records, rule), "it was done by a rule that did not count it"
            self._rule_covers(records, rule, row)
        else:
            assert row.decided_by == OWNER
            assert reading.approved[row.approval_id].data["revision"] == row.revision, "another revision was approved"

    def _rule_covers(self, records: Records, rule: RuleRow, row: ApprovalRow) -> None:
        """A rule that the owner saved by a tap allows exactly this call."""
        saves = [b for b in records.buttons if (b.kind, b.subject, b.verb) == ("rule", rule.rule_id, "save")]
        assert any(b.nonce_sha256 in self.tapped and b.revision == rule.revision - 1 for b in saves), "nobody saved it"
        args = json.loads(row.args)
        assert (rule.tool, rule.account, rule.chat) == (row.tool, row.account, row.chat)
        assert set(args["to"]) <= set(rule.recipients), "a rule let somebody else be reached"
        assert all(canonical(args[name]) == value for name, value in rule.pinned.items()), "a rule let other words pass"
        assert not self.tainted[row.call_id] or "text" in rule.pinned, "a rule let somebody else's words pass"

    def _was_seen_and_tapped(self, records: Records, reading: Reading, row: ApprovalRow) -> None:
        """Before this step the owner saw the approved call completely, and then tapped one of its buttons."""
        if row.call_id in self.tampered:
            return
        whole = self._whole_views(row, before=self._views)
        assert whole, "it was approved and never shown whole"
        buttons = [button for button in records.buttons if button.nonce_sha256 in self.tapped]
        alone = {b.nonce_sha256 for b in buttons if _is_yes_to(b, row)}
        all_of = reading.together.get(row.approval_id)
        together = any((b.kind, b.subject, b.verb) == ("batch", all_of, "approve_all") for b in buttons)
        tapped = together or any(alone & nonces_of(view.card) for view in whole)
        assert tapped, "it was approved without a tap on its card"
        assert not self.has_pin or row.risk != Risk.HIGHEST or row.approval_id in reading.pins, "nobody typed the PIN"

    def _outcomes_are_true(self, records: Records, done: Counter[str]) -> None:
        moving = {call.call_id for call in self.world.provider.under_way}
        for row in records.rows.values():
            if row.call_id in moving or row.state in {State.EXECUTING, State.UNKNOWN} or records.marked(row):
                continue
            happened = done[row.call_id] == 1
            assert happened == (row.state == State.DONE), f"it says {row.state}, and that is not so"

    def _rules_are_counted(self, records: Records, reading: Reading) -> None:
        for rule in records.rules:
            passed_by = [row.approval_id for row in records.rows.values() if row.rule_id == rule.rule_id]
            assert rule.uses == reading.uses[rule.rule_id] == len(passed_by) == len(used_by(records, rule))
            assert rule.max_uses is None or rule.uses <= rule.max_uses, "a rule was used too often"
            ends = rule.state == RuleState.DRAFT or (rule.state == RuleState.ACTIVE and rule.expires_at is not None)
            assert not ends or records.work[rules.END_RULE, rule.rule_id], "a rule is never put out of force"

    def _messages_are_few(self) -> None:
        """A card is sent again only if something failed after it was sent."""
        last: dict[tuple[str, int, bool], int] = {}
        for view in self.world.channel.views:
            if view.sent:
                key = view.card.approval_id, view.card.revision, is_digest(view.card)
                assert last.get(key) != view.blows, "a card was sent twice"
                last[key] = view.blows

    def _cards_of(self, row: ApprovalRow) -> Iterator[Card]:
        """Return the card in each message that is known to show this revision."""
        for ref in row.card_refs:
            for message_id in ref.message.message_ids:
                if ref.revision == row.revision and message_id in self.world.channel.cards:
                    yield self.world.channel.cards[message_id]

    def _digests(self, batch: ApprovalBatchRow) -> list[Card]:
        known = [message_id for ref in batch.card_refs for message_id in ref.message.message_ids]
        return [self.world.channel.cards[message_id] for message_id in known if message_id in self.world.channel.cards]

    def _card_is_true(self, card: Card, row: ApprovalRow) -> None:
        state = State(row.state)
        offered = OFFERED.get(state, set()) if state is not State.APPROVED or may_undo(row) else set()
        assert labels_of(card) - {ALSO} == offered, f"wrong buttons on what is {state}"
        assert (card.approval_id, card.revision) == (row.approval_id, row.revision)
        said, true = rich_text(card.outcome), outcome(self.world.context, row, self.world.clock.now())
        if state in TIMED:
            said, true = said.partition(".")[0], true.partition(".")[0]
        assert said == true, "the card does not say what is recorded"

    def _digest_is_true(self, records: Records, batch: ApprovalBatchRow) -> None:
        if records.work[approval_batches.SHOW_BATCH, batch.batch_id]:
            return  # the clock was set back after a change
        members = [row for row in records.rows.values() if row.batch_id == batch.batch_id]
        waiting = {(row.approval_id, row.revision): row for row in members if row.state == State.PENDING}
        assert (batch.state == ApprovalBatchState.OPEN) == bool(waiting)
        undo = any(row.state == State.APPROVED and may_undo(row) for row in members)
        digests = self._digests(batch)
        never_needed = not (waiting or undo or batch.card_refs)
        assert digests or never_needed, "the owner sees nothing of a digest"
        for card in digests:
            labels = labels_of(card)
            assert any(label.startswith("Undo") for label in labels) == undo, "wrong buttons on a digest"
            if not waiting:
                assert not labels or undo
                continue
            assert labels >= {"Approve this", "Deny this"}
            shown = waiting[card.approval_id, card.revision]
            assert shown.call_id in self.tampered or shows_whole(card, json.loads(shown.args))
            if any(label.startswith("Approve all") for label in labels):
                unseen = [row for row in waiting.values() if not self._whole_views(row)]
                assert {row.call_id for row in unseen} <= self.tampered, "all can be approved, some unseen"

    def _whole_views(self, row: ApprovalRow, before: int | None = None) -> list[View]:
        """Return where the phone showed this revision completely."""
        shown = [view for view in self.world.channel.views[:before] if view.card.approval_id == row.approval_id]
        args = json.loads(row.args)
        return [view for view in shown if view.card.revision == row.revision and shows_whole(view.card, args)]


def used_by(records: Records, rule: RuleRow) -> list[str]:
    """Return the approvals that used a rule, according to the audit log."""
    return [e.data["approval_id"] for e in records.log if (e.kind, e.subject) == ("rule.used", rule.rule_id)]


def shows_whole(card: Card, args: Mapping[str, Any]) -> bool:
    """Return whether a card shows all of a call: each address, the subject, and the complete text."""
    fields = {label: rich_text(value) for label, value in card.fields}
    to = next((value for label, value in fields.items() if label.startswith("To")), "")
    lines, wanted = to.splitlines(), set(map(plain_address, args["to"]))
    reached = {one for one in wanted for line in lines if f"{line} ".startswith(f"{one} ")}
    whole = reached == wanted and len(lines) == len(wanted)
    return whole and card.body == args["text"] and fields.get("Subject", "") == args["subject"]


def is_digest(card: Card) -> bool:
    return not card.title.startswith(("For your", "A standing rule", "Standing rule"))


def labels_of(card: Card) -> set[str]:
    return {button.label for line in card.buttons for button in line}


def nonces_of(card: Card) -> set[str]:
    """Return the hashes of its buttons' nonces."""
    return {nonce_of(button.data) for line in card.buttons for button in line}


def nonce_of(data: str) -> str:
    """Return the hash by which the store identifies a button."""
    return sha256(data.removeprefix(DATA_PREFIX))


def _is_yes_to(button: ButtonRow, row: ApprovalRow) -> bool:
    if (button.kind, button.verb) == ("batch", "approve"):
        return button.argument == f"{row.approval_id}:{row.revision}"
    about = (button.kind, button.verb, button.subject, button.revision)
    return about == ("approval", "approve", row.approval_id, row.revision)


def _filled(args: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments, with the defaults that a test leaves out."""
    return {"subject": "", "files": [], "silent": False, **args}
