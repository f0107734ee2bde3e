"""Warns about what a call would send: a secret, or something that may not be meant for its recipient.

A card shows the warnings. A call that would pass without a card asks because of them, and also because of a link that
the owner has not written. The owner's own words may hold anything but a secret: they know what they write.
"""

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import structlog

from approvals.context import Context
from approvals.reason_words import in_words
from butler.contract.provenance import Origin, Trust
from butler.contract.reasons import Reason, ReasonCode
from butler.contract.speech import phrase, say
from butler.contract.tools import Preview
from butler.guardrails.guard import GuardrailsInput
from butler.provenance import Labels, load
from butler.store.queries.approvals import ApprovalRow

log = structlog.get_logger(__name__)

UNCHECKED = Reason(ReasonCode.UNCHECKED)
STEERS = phrase("it reads like instructions to an assistant")


def cautions(context: Context, row: ApprovalRow, preview: Preview) -> tuple[str, ...]:
    """Return reasons to look twice; always the same for the same row."""
    labels = {name: load(of_one) for name, of_one in row.labels.items()}
    owners = "\n".join(_of_owner(json.loads(row.args), labels))
    return (*map(in_words, _found(context, preview, owners, None)), *_steers(context, preview, owners))


def doubts(
    context: Context, preview: Preview, args: Mapping[str, Any], origins: Mapping[str, Labels]
) -> tuple[Reason, ...]:
    """Return the reasons to ask the owner about a call that would otherwise pass."""
    return _found(context, preview, "\n".join(_of_owner(args, origins)), ())


def _found(
    context: Context, preview: Preview, owners_words: str, known_links: Collection[str] | None
) -> tuple[Reason, ...]:
    text = f"{preview.subject}\n{preview.body}"
    if context.guard is None or not text.strip():
        return ()
    metadata = {
        "recipients": [recipient.address for recipient in preview.recipients],
        "owners_words": owners_words,
        "known_links": known_links,
    }
    try:
        verdict = context.guard.check(GuardrailsInput(content=text, check_type="output_safety", metadata=metadata))
    except Exception:  # The call asks, and says that nothing was checked.
        log.exception("guard_failed")
        return (UNCHECKED,)
    if verdict.is_safe:
        return ()
    return verdict.found or (UNCHECKED,)


def _steers(context: Context, preview: Preview, owners_words: str) -> Iterable[str]:
    """Yield a warning if other people's words in the text would steer an assistant that reads it."""
    if context.guard is None or not preview.body.strip() or preview.body.strip() in owners_words:
        return
    try:
        verdict = context.guard.check(GuardrailsInput(content=preview.body, check_type="input_validation"))
    except Exception:  # The reason for the missing check is already given.
        log.exception("guard_failed")
        return
    if verdict.risk_category == "injection":
        yield say(STEERS)


def _of_owner(args: Mapping[str, Any], labels: Mapping[str, Labels]) -> Iterable[str]:
    """Yield the arguments that only the owner influenced."""
    for name, value in args.items():
        origins = labels.get(name, frozenset[Origin]())
        if origins and all(origin.trust is Trust.OWNER for origin in origins):
            yield value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
