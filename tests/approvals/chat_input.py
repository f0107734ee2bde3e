"""Chat messages of the owner, as a source hands them in."""

from itertools import count
from typing import Any

from butler.contract.inbound import Inbound, InboundKind
from butler.contract.names import Identity
from butler.contract.provenance import Labelled, Origin
from tests.approvals.phone import NOON, OWNER

_numbers = count(1)


def chat_message(text: str, **more: Any) -> Inbound:
    """Build a message, by default one of the owner's in their own chat."""
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
