"""Describes for the reader what was shown or asked before a request."""

from butler.contract.referents import ReferentKind
from butler.orchestrator.planning.plan_types import PlannerInput
from butler.understanding.context import APPROVAL, ASKED

FLAG = {
    ReferentKind.MAIL: "mail", ReferentKind.MESSAGE: "message", ReferentKind.REMINDER: "reminder",
    ReferentKind.EVENT: "event", ReferentKind.CARD: "card", ReferentKind.BOARD: "card", ReferentKind.NOTE: "note",
    ReferentKind.FILE: "file", ReferentKind.PAGE: "page", ReferentKind.SOURCE: "source",
    ReferentKind.AUTOMATION: "automation", ReferentKind.APPROVAL: APPROVAL,
}  # fmt: skip


def context_of(asked: PlannerInput) -> tuple[str, ...]:
    """Return flags: what was replied to or shown last, whether a card waits, and whether the butler asked something."""
    kind = asked.replied_to[-1].kind if asked.replied_to else asked.last_shown.kind if asked.last_shown else None
    flags = {FLAG[kind]} if kind is not None and kind in FLAG else set[str]()
    if asked.card_waits and not asked.replied_to:
        flags.add(APPROVAL)
    if was_asked(asked):
        flags.add(ASKED)
    return tuple(sorted(flags))


def was_asked(asked: PlannerInput) -> bool:
    """Return whether the butler's last message was a question."""
    last = asked.history[-1] if asked.history else None
    return last is not None and last.asks
