"""Reads words about a card about many items, as the product does."""
# names: made up here

from typing import Any

from butler.orchestrator.edits.bulk_reading import BulkReader, ManyReading
from butler.orchestrator.embedded.scene import scene_of
from butler.orchestrator.planning.factory import request_reader
from tests.orchestrator.embedded.scene import request

MAILS, EVENTS, CARDS = "user_email_archive", "user_calendar_delete_event", "user_trello_archive_card"


def read(words: str, tool: str = MAILS, *, replied: bool = False, **scene: Any) -> ManyReading | None:
    """Read words about a card of a tool."""
    return BulkReader(request_reader()).read(words, scene_of(request(words, **scene)), tool, replied=replied)
