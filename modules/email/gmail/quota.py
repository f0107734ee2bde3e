"""The quota units that Gmail calls cost, of those a user may spend per minute."""

from collections.abc import Mapping

UNITS: Mapping[str, int] = {
    "getProfile": 1,
    "sendAs.list": 1,
    "watch": 100,
    "stop": 50,
    "history.list": 2,
    "messages.list": 5,
    "messages.get": 20,
    "messages.batchModify": 50,
    "labels.list": 1,
    "labels.create": 5,
    "threads.list": 10,
    "threads.get": 40,
    "drafts.create": 10,
    "drafts.get": 5,
    "drafts.list": 5,
    "drafts.delete": 10,
    "drafts.send": 100,
}
"""Google's numbers of May 2026; older ones where no newer one is known."""
