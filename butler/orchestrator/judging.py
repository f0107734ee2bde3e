"""What the guardrails say of a mail before it is told: kept with it, and taken along on its way to the owner.

A mail that reads like an attack, or that could not be looked at, is shown with a warning and nothing is offered for it.
"""

import asyncio
from typing import Any

import structlog

from butler.contract.agent_ports import Guard
from butler.contract.agents import GuardrailsInput
from butler.contract.inbound import Inbound
from butler.contract.speech import phrase
from butler.orchestrator.mail_note import JUDGED
from butler.store.queries import inbox
from butler.store.store import Store

log = structlog.get_logger(__name__)

UNCHECKED = phrase("It could not be checked for instructions to an assistant.")


async def judged(store: Store, guard: Guard | None, item: Inbound) -> Inbound:
    """The mail with what is said of it, which is kept with its row."""
    if guard is None:
        return item
    verdict = await asyncio.to_thread(_verdict, guard, item)  # the first text waits for the patterns to be loaded
    await store.write(lambda connection: inbox.judge(connection, item.inbound_id, verdict), "judged", flushed=False)
    return item.model_copy(update={"payload": {**item.payload, JUDGED: verdict}})


def _verdict(guard: Guard, item: Inbound) -> dict[str, Any]:
    subject = str(item.payload.get("subject") or "")
    text = "\n".join((item.sender_name, subject, item.text, *(file.name for file in item.attachments)))
    try:
        said = guard.check(GuardrailsInput(content=text, check_type="input_validation"))
    except Exception:  # reading stays open: it is shown, and nothing is offered for it
        log.exception("guard_failed")
        return {"is_safe": False, "risk_category": None, "reasoning": UNCHECKED}
    return said.model_dump(mode="json", include={"is_safe", "risk_category", "reasoning"})
