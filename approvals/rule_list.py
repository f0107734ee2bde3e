"""`/rules`: the rules in force and the disabled ones, in plain words, with buttons for each.

A chat's newest list is redrawn when a rule on it changes, so that it never shows a rule as in force when it is not. A
crash between drawing and recording it leads to the same drawing once more.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

import sqlalchemy as sa
import structlog

from approvals import rule_list_messages
from approvals.buttons import new_button
from approvals.context import Context
from approvals.rule_actions import DISABLE, ENABLE, REVOKE
from approvals.rule_card import rule_words
from butler.contract.card import Button, MessageRef, OwnerMessage, Rich, Span, Style, plain, rich_text
from butler.contract.errors import ChatClosedError
from butler.contract.speech import phrase, say, say_many
from butler.store.queries import history, outbox, rules
from butler.store.queries.buttons import ButtonKind
from butler.store.queries.rules import RuleRow, RuleState

log = structlog.get_logger(__name__)

PAGE = 8
"""Most rules in one message."""
LONGEST = 2_500
"""The most characters of a message with several rules: it stays one message, whatever is added to them later."""
NONE = phrase(
    "There are no standing rules. Tap Always… on a card to propose one; nothing is saved without a second yes."
)
_LISTED = (RuleState.ACTIVE, RuleState.DISABLED)
_SWITCHES = {
    RuleState.ACTIVE: (DISABLE, phrase("Disable {number}")),
    RuleState.DISABLED: (ENABLE, phrase("Enable {number}")),
}
_HEADS = {
    RuleState.ACTIVE: phrase("Rule {number}: "),
    RuleState.DISABLED: phrase("Rule {number} (disabled): "),
    RuleState.REVOKED: phrase("Rule {number} (revoked): "),
    RuleState.EXPIRED: phrase("Rule {number} (expired): "),
    RuleState.USED_UP: phrase("Rule {number} (used up): "),
}


class RuleList:
    """Sends the list of rules. Handles `show_rules`."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def say(self, connection: sa.Connection, chat: str, key: str, now: datetime) -> None:
        """Queue the list for the owner, with its buttons; `key` keeps it from being sent twice."""
        found = rules.in_state(connection, *_LISTED)
        if not found:
            outbox.add(connection, chat, OwnerMessage(text=plain(say(NONE))), now=now, dedup_key=key)
        items: list[tuple[str, list[str]]] = []
        for number, page in enumerate(self._pages(connection, found, chat)):
            message = self._message(connection, page, chat, now)
            message_id = outbox.add(connection, chat, message, now=now, dedup_key=f"{key}:{number}" if number else key)
            if message_id is None:
                return
            items.append((message_id, [rule.rule_id for rule in page]))
        rule_list_messages.remember(connection, chat, items, now)

    async def redraw(self, chat: str) -> None:
        """Redraw the newest list of a chat with its rules' present states. Raises what the owner's channel raises."""
        now = self._context.clock.now()
        drawn = await self._context.store.write(lambda c: list(self._redrawn(c, chat, now)), "rules.draw")
        try:
            for ref, message in drawn:
                await self._context.channel.redraw(ref, message)
        except ChatClosedError as closed:
            log.info("rules_not_redrawn", why=closed.detail)

    def _redrawn(
        self, connection: sa.Connection, chat: str, now: datetime
    ) -> Iterator[tuple[MessageRef, OwnerMessage]]:
        """Yield the delivered messages, with new buttons; reword those that are still to be sent."""
        for message_id, rule_ids in rule_list_messages.messages_of(connection, chat):
            row = outbox.get(connection, message_id)
            page = [rule for rule_id in rule_ids if (rule := rules.get(connection, rule_id)) is not None]
            if row is not None and page:
                message = self._message(connection, page, chat, now)
                outbox.reword(connection, message_id, message)
                if row.ref is not None:
                    yield row.ref, message

    def _pages(self, connection: sa.Connection, found: Sequence[RuleRow], chat: str) -> Iterator[Sequence[RuleRow]]:
        page: list[RuleRow] = []
        for rule in found:
            longer = [*page, rule]
            if page and (len(page) == PAGE or len(rich_text(self._text(connection, longer, chat))) > LONGEST):
                yield page
                longer = [rule]
            page = longer
        if page:
            yield page

    def _message(self, connection: sa.Connection, page: Sequence[RuleRow], chat: str, now: datetime) -> OwnerMessage:
        buttons = tuple(self._buttons(connection, rule, chat, now) for rule in page if rule.state in _SWITCHES)
        return OwnerMessage(text=self._text(connection, page, chat), buttons=buttons)

    def _text(self, connection: sa.Connection, page: Sequence[RuleRow], chat: str) -> Rich:
        last = {use.rule_id: use.last for use in history.uses_of_rules(connection)}
        return tuple(span for rule in page for span in self._line(connection, rule, chat, last))

    def _line(
        self, connection: sa.Connection, rule: RuleRow, chat: str, last: Mapping[str, datetime]
    ) -> tuple[Span, Span]:
        used = say("not used yet")
        if rule.rule_id in last:
            at = self._context.wall_time(last[rule.rule_id])
            used = say_many(rule.uses, "used once, last at {at}", "used {count} times, last at {at}", at=at)
        words = rule_words(connection, self._context.invoker, rule, self._context.zone, here=chat)
        head = say(_HEADS[RuleState(rule.state)], number=rule.number)
        line = say("{rule}; {used}.", rule=words, used=used)
        return Span(text=head, style=Style.BOLD), Span(text=f"{line}\n")

    def _buttons(self, connection: sa.Connection, rule: RuleRow, chat: str, now: datetime) -> tuple[Button, ...]:
        return tuple(
            new_button(
                connection,
                ButtonKind.RULE,
                rule.rule_id,
                rule.revision,
                verb,
                say(label, number=rule.number),
                owner=self._context.owner_id(),
                chat=chat,
                now=now,
            )
            for verb, label in (_SWITCHES[RuleState(rule.state)], (REVOKE, phrase("Revoke {number}")))
        )
