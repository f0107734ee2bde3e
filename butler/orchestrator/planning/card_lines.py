"""Tells a model of a card that waits in one line: what it would do, as a plan would write it."""

import json
from collections.abc import Iterator

from butler.orchestrator.planning.card_orders import WaitingCard
from butler.orchestrator.planning.people_ids import short_ids, with_ids
from butler.orchestrator.planning.plan_types import PlannerInput

LONGEST = 3_000
"""Characters of a card's arguments that a model is told; a longer text could not be given back whole."""
TOO_LONG = "too long to be told; change it by `wording`"


def card_line(card: WaitingCard, request: PlannerInput) -> str:
    """Return the line of a card, with the short ids of people."""
    return f"{card.handle}: " + "; ".join(_parts(card, request))


def _parts(card: WaitingCard, request: PlannerInput) -> Iterator[str]:
    args = json.dumps(with_ids(card.args, short_ids(request)), ensure_ascii=False)
    yield f"{card.tool} {args if len(args) <= LONGEST else TOO_LONG}"
    if card.untold:
        yield f"you are not told {', '.join(card.untold)}, in which others had a hand; change a text of it by `wording`"
    if card.not_before is not None:
        yield f"to be done at {card.not_before.astimezone(request.zone):%Y-%m-%dT%H:%M}"
    if card.approved:
        yield "approved already, waits for that time"
    if card.listed:
        yield "about exactly what was listed, so it can only be taken back"
    if card.replied_to:
        yield "the owner replied to this"
