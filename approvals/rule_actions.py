"""Handles a rule's buttons, and changes saved rules. Words alone change none."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

import sqlalchemy as sa

from approvals import standing_rules
from approvals.context import Context
from approvals.replay import LOOKS_BACK, Replay, replay
from approvals.rule_card import DRAFT_LIFE, replayed_words, standing_words
from approvals.rule_list_messages import redraw_lists
from approvals.rule_proposals import knows_all, noted, show
from approvals.states import State
from approvals.tap_result import Press, PressHandler, TapAnswer, TapResult, refuse, short
from approvals.transition import redraw
from approvals.widening import ANY, DROP, NARROW, SAVE, UNTIL, USES, WIDENING, changed
from approvals.withdraw import withdraw
from butler.contract.card import MessageRef
from butler.contract.reasons import ReasonCode, reason
from butler.contract.speech import phrase, say
from butler.store.queries import audit, buttons, history, rules, work
from butler.store.queries.approvals import CardRef
from butler.store.queries.buttons import ButtonKind
from butler.store.queries.rules import RuleRow, RuleState

REVOKE, DISABLE, ENABLE = "revoke", "disable", "enable"
_DONE = {
    ANY: phrase("Wider: any text of your own now passes there. Not saved yet."),
    UNTIL: phrase("Wider: it would last longer. Not saved yet."),
    USES: phrase("Wider: it would pass more often. Not saved yet."),
    NARROW: phrase("Back to the narrowest. Not saved yet."),
}
_DRAFT, _ACTIVE, _DISABLED = map(frozenset, ({RuleState.DRAFT}, {RuleState.ACTIVE}, {RuleState.DISABLED}))
_SAVED_STATES = frozenset({RuleState.ACTIVE, RuleState.DISABLED, RuleState.USED_UP, RuleState.EXPIRED})


def revoke(connection: sa.Connection, rule: RuleRow, *, actor: str, now: datetime) -> bool:
    """Revoke a saved rule for good, with its allowed acts that have not begun; False if unsaved or already revoked."""
    if not _move(connection, rule, _SAVED_STATES, RuleState.REVOKED, actor=actor, now=now):
        return False
    work.cancel(connection, rules.END_RULE, rule.rule_id)
    passed = history.passed_by(connection, rule.rule_id, State.APPROVED, State.EXECUTING)
    why = reason(ReasonCode.RULE_REVOKED, number=rule.number)
    withdraw(connection, passed, why, actor=actor, now=now)
    return True


def disable(connection: sa.Connection, rule: RuleRow, *, actor: str, now: datetime) -> bool:
    """Disable a rule until it is enabled; return False if it is not in force."""
    return _move(connection, rule, _ACTIVE, RuleState.DISABLED, actor=actor, now=now)


def enable(connection: sa.Connection, rule: RuleRow, *, actor: str, now: datetime) -> bool:
    """Enable a disabled rule; return False if it is not disabled, or its time or its uses are over."""
    current = rules.get(connection, rule.rule_id)
    if current is None or standing_rules.is_over(current, now):
        return False
    return _move(connection, current, _DISABLED, RuleState.ACTIVE, actor=actor, now=now)


_EVENTS = {
    RuleState.REVOKED: "rule.revoked",
    RuleState.DISABLED: "rule.disabled",
    RuleState.ACTIVE: "rule.enabled",
    RuleState.DROPPED: "rule.dropped",
}


def _move(
    connection: sa.Connection,
    rule: RuleRow,
    old: frozenset[RuleState],
    new: RuleState,
    *,
    actor: str,
    now: datetime,
) -> bool:
    """Move the rule, as it is now stored, from one of the states `old` to `new`; return whether it was in one."""
    current = rules.get(connection, rule.rule_id)
    if current is None or current.state not in old:
        return False
    moved = replace(current, state=new, updated_at=now)
    rules.replace_row(connection, current, moved)
    data = {"number": current.number, "from": current.state, "to": new.value}
    audit.append(connection, _EVENTS[new], current.rule_id, actor, data, now)
    show(connection, moved, now)
    if old is not _DRAFT:
        redraw_lists(connection, now)
    return True


class RuleActions:
    """Handles `end_rule`, and the taps on a rule's card and in the list of rules."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def press_handlers(self) -> Mapping[tuple[str, str], PressHandler]:
        """Return the handlers by kind and verb of the button."""
        proposals = dict.fromkeys(((ButtonKind.RULE, verb) for verb in (*WIDENING, SAVE, DROP)), self._proposal)
        saved = dict.fromkeys(((ButtonKind.RULE, verb) for verb in (REVOKE, DISABLE, ENABLE)), self._saved)
        return {**proposals, **saved}

    async def end(self, rule_id: str) -> None:
        """Drop a draft that nobody saved; end a rule whose time is over."""
        await self._context.store.write(lambda c: self._end(c, rule_id), "rule.end")
        self._context.wake()

    def _end(self, connection: sa.Connection, rule_id: str) -> None:
        now = self._context.clock.now()
        rule = rules.get(connection, rule_id)
        if rule is None:
            return
        due = rule.created_at + DRAFT_LIFE if rule.state == RuleState.DRAFT else rule.expires_at
        if due is not None and now < due:
            # The clock went back: check again then.
            work.add(connection, rules.END_RULE, rule_id, now=now, run_at=due)
        elif rule.state == RuleState.DRAFT:
            self._drop(connection, rule, "butler", now)
        else:
            standing_rules.retire_expired(connection, now, rule.tool)
            show(connection, rule, now)

    def _drop(self, connection: sa.Connection, rule: RuleRow, actor: str, now: datetime) -> None:
        """Drop a draft; the card that proposed it can propose it anew."""
        work.cancel(connection, rules.END_RULE, rule.rule_id)
        _move(connection, rule, _DRAFT, RuleState.DROPPED, actor=actor, now=now)
        row = rules.origin(connection, rule)
        if row.state == State.PENDING:
            redraw(connection, row, now=now)

    def _proposal(self, connection: sa.Connection, press: Press) -> TapAnswer:
        """Handle a tap on the card of a draft."""
        tap, button, now = press.tap, press.button, press.now
        rule = rules.get(connection, button.subject)
        if rule is None:
            return refuse(connection, tap, TapResult.UNKNOWN, button.subject, now)
        rule = _learn(connection, press, rule)
        if rule.state == RuleState.DRAFT and now >= rule.created_at + DRAFT_LIFE:
            self._drop(connection, rule, "butler", now)
            rule = replace(rule, state=RuleState.DROPPED, updated_at=now)
        if rule.state != RuleState.DRAFT:
            return refuse(connection, tap, TapResult.TOO_LATE, rule.rule_id, now, standing_words(self._context, rule))
        if button.revision != rule.revision or not buttons.use(connection, button.nonce_sha256, now):
            return refuse(connection, tap, TapResult.STALE, rule.rule_id, now)
        if button.verb == SAVE:
            return self._save(connection, press, rule)
        if button.verb == DROP:
            self._drop(connection, rule, tap.sender, now)
            return TapAnswer(TapResult.DECIDED, say("Dropped. Nothing passes by it."), rule.rule_id)
        return self._widen(connection, press, rule)

    def _widen(self, connection: sa.Connection, press: Press, rule: RuleRow) -> TapAnswer:
        tap, button, now = press.tap, press.button, press.now
        wider = changed(self._context, connection, rule, button.verb, button.argument, now)
        if wider is None:
            text = say("This can no longer be changed so. Nothing was done.")
            return refuse(connection, tap, TapResult.REFUSED, rule.rule_id, now, text)
        wider = replace(wider, revision=rule.revision + 1, updated_at=now)
        rules.replace_row(connection, rule, wider)
        data = noted(wider) | {"step": button.verb, "argument": button.argument}
        audit.append(connection, "rule.changed", rule.rule_id, tap.sender, data, now)
        show(connection, wider, now)
        return TapAnswer(TapResult.NOTED, say(_DONE[button.verb]), rule.rule_id)

    def _save(self, connection: sa.Connection, press: Press, rule: RuleRow) -> TapAnswer:
        """On the second approval, save exactly what this revision's card showed, tested against the history again."""
        tap, now = press.tap, press.now
        if not knows_all(self._context, connection, rule):
            text = say("Not saved: somebody whom it reaches is no longer among your contacts.")
            show(connection, rule, now)
            return refuse(connection, tap, TapResult.REFUSED, rule.rule_id, now, text)
        found = replay(self._context, connection, rule, now)
        saved = replace(rule, state=RuleState.ACTIVE, revision=rule.revision + 1, updated_at=now)
        rules.replace_row(connection, rule, saved)
        data = noted(saved) | {"would_have_passed": found.passed, "refused": len(found.refused)}
        audit.append(connection, "rule.saved", rule.rule_id, tap.sender, data, now)
        work.cancel(connection, rules.END_RULE, rule.rule_id)
        if saved.expires_at is not None:
            work.add(connection, rules.END_RULE, rule.rule_id, now=now, run_at=saved.expires_at)
        show(connection, saved, now)
        return TapAnswer(TapResult.DECIDED, short(self._rule_text(connection, saved, found)), rule.rule_id)

    def _rule_text(self, connection: sa.Connection, rule: RuleRow, found: Replay) -> str:
        waits = rules.origin(connection, rule).state == State.PENDING
        lines = [say("Saved as rule {number}.", number=rule.number)]
        if waits:
            lines.append(say("The card above still waits for its own yes."))
        if found.passed:
            past = replayed_words(found)
            lines.append(say("In the last {days} days, {replayed}.", days=LOOKS_BACK.days, replayed=past))
        return " ".join(lines)

    def _saved(self, connection: sa.Connection, press: Press) -> TapAnswer:
        """Handle a tap in the list of rules."""
        tap, button, now = press.tap, press.button, press.now
        rule = rules.get(connection, button.subject)
        if rule is None:
            return refuse(connection, tap, TapResult.UNKNOWN, button.subject, now)
        acts = {REVOKE: revoke, DISABLE: disable, ENABLE: enable}
        done = button.used_at is None and acts[button.verb](connection, rule, actor=tap.sender, now=now)
        current = rules.get(connection, rule.rule_id) or rule
        text = say("Rule {number}: {stands}", number=rule.number, stands=standing_words(self._context, current))
        if not done:
            nothing = say("Nothing was changed.")
            return refuse(connection, tap, TapResult.TOO_LATE, rule.rule_id, now, f"{nothing} {text}")
        buttons.use(connection, button.nonce_sha256, now)
        return TapAnswer(TapResult.DECIDED, short(text), rule.rule_id)


def _learn(connection: sa.Connection, press: Press, rule: RuleRow) -> RuleRow:
    """Record a message from the tap on it, in case a crash kept it from being recorded."""
    tap, ref = press.tap, press.tap.message_ref
    known = {known_id for shown in rule.card_refs for known_id in shown.message.message_ids}
    if not ref or ref in known:
        return rule
    learnt = CardRef(press.button.revision, MessageRef(chat=tap.chat, message_ids=(ref,)))
    rules.set_card_refs(connection, rule.rule_id, (*rule.card_refs, learnt))
    return replace(rule, card_refs=(*rule.card_refs, learnt))
