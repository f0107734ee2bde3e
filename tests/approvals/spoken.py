"""What the owner says in a chat, as a source hands it in."""

from itertools import count
from typing import Any

from butler.contract.inbound import Inbound, InboundKind
from butler.contract.names import Identity
from butler.contract.provenance import Labelled, Origin
from tests.approvals.phone import NOON, OWNER

_numbers = count(1)


def spoken(text: str, **more: Any) -> Inbound:
    """A message, by default the owner's own in their own chat."""
    number = next(_numbers)
    values: dict[str, Any] = {
        "inbound_id": f"said-{number}",
        "kind": InboundKind.CHAT,
        "channel": "telegram",
        "identity": Identity.BOT,
        "account": "bot",
        "dedup_key": f"said-{number}",
        "chat": OWNER,
        "sender": OWNER,
        "message_ref": str(5000 + number),
        "received_at": NOON,
        "text": text,
        "segments": (Labelled(value=text, origins=frozenset({Origin.owner(OWNER)})),),
        "origin": Origin.owner(OWNER),
    }
    return Inbound(**(values | more))
