"""`/rules`: the rules in force and those that are disabled, in plain words, with what may be done about each."""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from approvals.buttons import new_button
from approvals.context import Context
from approvals.rule_card import rule_words
from approvals.rule_desk import DISABLE, ENABLE, REVOKE
from butler.contract.card import Button, OwnerMessage, Rich, Span, Style, plain
from butler.store.queries import history, outbox, rules
from butler.store.queries.buttons import ButtonKind
from butler.store.queries.rules import RuleRow, RuleState

PAGE = 8
"""Rules in one message."""
NONE = "There are no standing rules. Tap Always… on a card to propose one; nothing is saved without a second yes."
_LISTED = (RuleState.ACTIVE, RuleState.DISABLED)


class RuleList:
    """Says which rules there are."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def lines(self, connection: sa.Connection, chat: str) -> Rich:
        """All of them, as one text without buttons."""
        found = rules.in_state(connection, *_LISTED)
        if not found:
            return plain(NONE)
        return (*self._text(connection, found, chat), Span(text="/rules has the buttons.", style=Style.ITALIC))

    def say(self, connection: sa.Connection, chat: str, key: str, now: datetime) -> None:
        """Put the list on its way to the owner, with its buttons; `key` keeps it from being said twice."""
        found = rules.in_state(connection, *_LISTED)
        if not found:
            outbox.add(connection, chat, OwnerMessage(text=plain(NONE)), now=now, dedup_key=key)
        for start in range(0, len(found), PAGE):
            page = found[start : start + PAGE]
            buttons = tuple(self._buttons(connection, rule, chat, now) for rule in page)
            message = OwnerMessage(text=self._text(connection, page, chat), buttons=buttons)
            outbox.add(connection, chat, message, now=now, dedup_key=f"{key}:{start}" if start else key)

    def _text(self, connection: sa.Connection, page: Sequence[RuleRow], chat: str) -> Rich:
        last = {use.rule_id: use.last for use in history.uses_of_rules(connection)}
        spans: list[Span] = []
        for rule in page:
            disabled = " (disabled)" if rule.state == RuleState.DISABLED else ""
            used = "not used yet"
            if rule.rule_id in last:
                used = f"used {_times(rule.uses)}, last at {self._context.wall_time(last[rule.rule_id])}"
            words = rule_words(connection, rule, self._context.zone, here=chat)
            spans += [
                Span(text=f"Rule {rule.number}{disabled}: ", style=Style.BOLD),
                Span(text=f"{words}; {used}.\n"),
            ]
        return tuple(spans)

    def _buttons(self, connection: sa.Connection, rule: RuleRow, chat: str, now: datetime) -> tuple[Button, ...]:
        switch = (ENABLE, "Enable") if rule.state == RuleState.DISABLED else (DISABLE, "Disable")
        return tuple(
            new_button(
                connection,
                ButtonKind.RULE,
                rule.rule_id,
                rule.revision,
                verb,
                f"{label} {rule.number}",
                owner=self._context.owner_id(),
                chat=chat,
                now=now,
            )
            for verb, label in (switch, (REVOKE, "Revoke"))
        )


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
