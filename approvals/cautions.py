"""What a card warns of in what would be sent: a secret, or what may belong to somebody whom it is not for.

The owner's own words may hold both: they know what they write, so only a secret is pointed out to them.
"""

import json
from collections.abc import Iterable
from typing import Any

import structlog

from approvals.context import Context
from butler.contract.agents import GuardrailsInput
from butler.contract.provenance import Trust
from butler.contract.speech import phrase, say, spoken
from butler.contract.tools import Preview
from butler.provenance import load
from butler.store.queries.approvals import ApprovalRow
from config.agents import OwnerLanguage

log = structlog.get_logger(__name__)

UNCHECKED = phrase("its text could not be checked for secrets")


def cautions(context: Context, row: ApprovalRow, preview: Preview) -> tuple[str, ...]:
    """Reasons to look twice, of the same row always the same."""
    text = f"{preview.subject}\n{preview.body}"
    if context.guard is None or not text.strip():
        return ()
    metadata = {
        "recipients": [recipient.address for recipient in preview.recipients],
        "owners_words": "\n".join(_of_owner(row)),
    }
    try:
        verdict = context.guard.check(GuardrailsInput(content=text, check_type="output_safety", metadata=metadata))
    except Exception:  # the card asks anyway, and says that nobody looked
        log.exception("guard_failed")
        return (say(UNCHECKED),)
    return () if verdict.is_safe else tuple(_lines(verdict.reasoning))


def _of_owner(row: ApprovalRow) -> Iterable[str]:
    """The arguments that nobody but the owner had a hand in."""
    args: dict[str, Any] = json.loads(row.args)
    for name, value in args.items():
        origins = load(row.labels.get(name, ()))
        if origins and all(origin.trust is Trust.OWNER for origin in origins):
            yield value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _lines(reasoning: str) -> Iterable[str]:
    """A verdict's sentences as the reasons of a card are written."""
    for sentence in filter(None, reasoning.split(". ")):
        plain = sentence.rstrip(".")
        # Elsewhere a noun may stand there, which keeps its capital.
        yield plain[:1].lower() + plain[1:] if spoken() is OwnerLanguage.ENGLISH else plain
