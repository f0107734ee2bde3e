"""`butler why ID`: what led to a message, a card, a plan, or what came of something that came in."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import typer

from butler.cli.ending import one_sentence
from butler.cli.options import DEFAULT, ConfigOption, JsonOption


@one_sentence
def why(
    wanted: Annotated[str, typer.Argument(metavar="ID", help="As /why shows it in the chat.")],
    config: ConfigOption = DEFAULT,
    as_json: JsonOption = False,
) -> None:
    """Show what led to a message: the request, plan, approval, audit entries, and ids to look for in the log."""
    print(told(config, wanted, as_json=as_json))


def told(config: Path, wanted: str, *, as_json: bool) -> str:
    """The trail in lines, or as JSON. Raises `Refuse` for an id that nobody knows."""
    from butler.cli.data import reading  # noqa: PLC0415 - heavy
    from butler.contract.card import rich_text  # noqa: PLC0415 - heavy
    from butler.contract.errors import Refuse  # noqa: PLC0415 - heavy
    from butler.store.queries.why import of_id  # noqa: PLC0415 - heavy
    from butler.why import Why  # noqa: PLC0415 - heavy
    from config.load import load  # noqa: PLC0415 - heavy

    zone = ZoneInfo(load(config).settings.butler.timezone)
    with reading(config) as connection:
        trail = of_id(connection, wanted)
    if trail is None:
        raise Refuse(f"nothing is known of {wanted!r}; /why in the chat shows ids")
    if as_json:
        return json.dumps(_plain(asdict(trail)), ensure_ascii=False, default=str)
    return rich_text(Why(lambda _connection, _chat, _ref: None, zone).text(trail))


def _plain(trail: dict[str, Any]) -> dict[str, Any]:
    """Without what a card or a request says: that is for `butler approvals show`."""
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
