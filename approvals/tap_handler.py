"""Handles a tap in one transaction: finds its button by the nonce's hash, checks it, and passes it to its handler.

The message id that comes with a tap is recorded, but never trusted: the button's row defines what a tap means.
"""

from collections.abc import Mapping

import sqlalchemy as sa
import structlog

from approvals.buttons import DATA_PREFIX
from approvals.context import Context
from approvals.frozen import sha256
from approvals.reason_words import in_words
from approvals.tap_result import Press, PressHandler, TapAnswer, TapResult, refuse
from approvals.transition import redraw
from approvals.visible import visible_address
from butler.contract.card import OwnerMessage, plain
from butler.contract.errors import Refuse, Retryable
from butler.contract.inbound import Inbound
from butler.contract.reasons import ReasonCode, reason
from butler.store.queries import approvals, buttons, outbox
from butler.store.queries.approvals import ApprovalRow

log = structlog.get_logger(__name__)

_QUIET = frozenset({TapResult.DECIDED, TapResult.NOTED})


class TapHandler:
    """Decides taps. `press_handlers` are the handlers of presses, by the kind and verb of the button."""

    def __init__(self, context: Context, press_handlers: Mapping[tuple[str, str], PressHandler]) -> None:
        self._context, self._press_handlers = context, press_handlers

    async def decide(self, tap: Inbound) -> TapAnswer:
        """Decide, then answer the tap with the recorded result. Raises the store's errors, with nothing decided."""
        answer = await self._context.store.write(lambda c: self._decide(c, tap), "approval.tap")
        self._context.wake()
        query = str(tap.payload.get("query", ""))
        try:
            await self._context.channel.answer(query, answer.text, alert=answer.tapped not in _QUIET)
        except (Retryable, Refuse) as error:
            # The decision stands and the card will show it; the pop-up is a courtesy.
            log.info("tap_not_answered", approval=answer.approval_id, kind=type(error).__name__)
        return answer

    def _decide(self, connection: sa.Connection, tap: Inbound) -> TapAnswer:
        now = self._context.clock.now()
        # Anybody can send anything: half of a surrogate pair has no bytes to be hashed.
        nonce = str(tap.payload.get("data", "")).encode(errors="replace").decode().removeprefix(DATA_PREFIX)
        button, approval = buttons.pressed(connection, sha256(nonce))
        subject = button.subject if button else ""
        owner = self._context.owner_id()
        if not owner or tap.sender != owner:
            self._tell_owner(connection, tap, approval)
            return refuse(connection, tap, TapResult.FOREIGN, subject, now)
        handler = self._press_handlers.get((button.kind, button.verb)) if button else None
        if button is None or handler is None or button.owner != owner:
            return refuse(connection, tap, TapResult.UNKNOWN, subject, now)
        if button.chat != tap.chat:
            return refuse(connection, tap, TapResult.ELSEWHERE, subject, now)
        return handler(connection, Press(tap, button, approval, now))

    def _tell_owner(self, connection: sa.Connection, tap: Inbound, row: ApprovalRow | None) -> None:
        """Warn the owner of a stranger's tap once: on the card itself while it waits, else in a message."""
        who = visible_address(tap.sender)
        warning = reason(ReasonCode.FOREIGN_TAP, who=who)
        now = self._context.clock.now()
        if row is not None:
            if approvals.warn(connection, row.approval_id, warning):
                redraw(connection, row, now=now)
            return
        if (home := self._context.channel.home()) is not None:
            key = f"foreign-tap:{tap.sender}"
            outbox.add(connection, home, OwnerMessage(text=plain(in_words(warning))), now=now, dedup_key=key)
