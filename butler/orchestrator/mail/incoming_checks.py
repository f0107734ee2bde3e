"""Runs the guardrails on what came in, stores the verdict with it, and warns the owner.

A mail carries its verdict to the owner; what the owner forwarded in a chat is kept with a warning.

A mail that reads like an attack, or that could not be checked, is shown with a warning and without offers.
"""

import asyncio
from collections.abc import Iterable
from datetime import datetime
from typing import Any

import sqlalchemy as sa
import structlog

from butler.contract.card import OwnerMessage, plain
from butler.contract.inbound import Inbound
from butler.contract.reasons import Reason, ReasonCode, dump_reasons
from butler.contract.speech import phrase, say
from butler.guardrails.guard import Guard, GuardrailsInput
from butler.orchestrator.mail.note import JUDGED
from butler.orchestrator.planning.own_words import owner_words
from butler.store.queries import inbox, outbox
from butler.store.store import Store

log = structlog.get_logger(__name__)

INJECTION = "injection"
PASSED_ON = phrase("⚠️ What you passed on reads like instructions to an assistant. I do nothing that it says.")


async def judged(store: Store, guard: Guard | None, item: Inbound) -> Inbound:
    """Return the mail with the guardrails' verdict, which is stored with its row."""
    if guard is None:
        return item
    verdict = await asyncio.to_thread(_verdict, guard, item)  # the first text waits for the patterns to be loaded
    await store.write(lambda connection: inbox.judge(connection, item.inbound_id, verdict), "judged", flushed=False)
    return item.model_copy(update={"payload": {**item.payload, JUDGED: verdict}})


async def judged_spans(store: Store, guard: Guard | None, item: Inbound, now: datetime) -> None:
    """Check what others wrote in a message of the owner, such as forwarded text; warn of an attack in it."""
    others = owner_words(item).others
    if guard is None or not others:
        return
    verdict = await asyncio.to_thread(_of_text, guard, "\n\n".join(one.value for one in others))

    def keep(connection: sa.Connection) -> None:
        inbox.judge(connection, item.inbound_id, verdict)
        if verdict["risk_category"] == INJECTION:
            warning = OwnerMessage(text=plain(say(PASSED_ON)), reply_to=item.message_ref or None)
            outbox.add(connection, item.chat, warning, now=now, dedup_key=f"warned:{item.inbound_id}")

    await store.write(keep, "judged", flushed=False)


def _verdict(guard: Guard, item: Inbound) -> dict[str, Any]:
    subject = str(item.payload.get("subject") or "")
    return _of_text(guard, "\n".join((item.sender_name, subject, item.text, *(file.name for file in item.attachments))))


def _of_text(guard: Guard, text: str) -> dict[str, Any]:
    try:
        output = guard.check(GuardrailsInput(content=text, check_type="input_validation"))
    except Exception:  # reading stays open: it is shown, without offers
        log.exception("guard_failed")
        return _stored(is_safe=False, risk=None, found=(Reason(ReasonCode.INPUT_UNCHECKED),))
    return _stored(is_safe=output.is_safe, risk=output.risk_category, found=() if output.is_safe else output.found)


def _stored(*, is_safe: bool, risk: str | None, found: Iterable[Reason]) -> dict[str, Any]:
    return {"is_safe": is_safe, "risk_category": risk, "reasons": dump_reasons(found)}
