"""Show what led to a message, a card or a plan, or followed from an input: implements `butler why`."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from butler.cli.database import reading
from butler.contract.card import rich_text
from butler.contract.errors import Refuse
from butler.store.queries.trace import of_id
from butler.trace import TraceService
from config.load import load


def trail_text(config: Path, wanted: str, *, as_json: bool) -> str:
    """Return the trail as lines, or as JSON. Raise `Refuse` for an unknown id."""
    zone = ZoneInfo(load(config).settings.butler.timezone)
    with reading(config) as connection:
        trail = of_id(connection, wanted)
    if trail is None:
        raise Refuse(f"nothing is known of {wanted!r}; /why in the chat shows ids")
    if as_json:
        return json.dumps(_plain(asdict(trail)), ensure_ascii=False, default=str)
    return rich_text(TraceService(lambda _connection, _chat, _ref: None, zone).text(trail))


def _plain(trail: dict[str, Any]) -> dict[str, Any]:
    """Remove the contents of cards and requests: `butler approvals show` has them."""
    from approvals.reason_words import in_words  # noqa: PLC0415 - heavy
    from butler.contract.reasons import Reason  # noqa: PLC0415 - heavy

    item, event = trail["item"], trail["event"]
    return trail | {
        "item": None if item is None else {"inbound_id": item.inbound_id, "received_at": item.received_at.isoformat()},
        "event": None if event is None else {"event_id": event.event_id, "at": event.at.isoformat()},
        "approvals": [
            {k: row[k] for k in ("approval_id", "tool", "state")}
            | {"reasons": [in_words(Reason(**one)) for one in row["reasons"]]}
            for row in trail["approvals"]
        ],
        "plans": [{"plan_id": plan["plan_id"]} for plan in trail["plans"]],
        "attempts": [row["attempt_id"] for row in trail["attempts"]],
    }
