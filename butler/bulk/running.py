"""`/bulk`: what runs or is paused, each brought down to where the owner is, with its buttons."""

from datetime import datetime
from functools import partial

import sqlalchemy as sa

from butler.bulk.telling import Telling
from butler.contract.card import OwnerMessage, plain
from butler.contract.speech import phrase, say, say_many
from butler.store.queries import bulk, outbox

MOST_SHOWN = 8
NONE = phrase("Nothing is running.")


class Running:
    """Says what is under way."""

    def __init__(self, telling: Telling) -> None:
        self._telling = telling

    def say(self, connection: sa.Connection, chat: str, key: str, now: datetime) -> None:
        """Put the list on its way to a chat; `key` keeps it from being said twice."""
        tell = partial(outbox.add, connection, chat, now=now, dedup_key=key)
        runs = bulk.all_open(connection)
        if not runs:
            tell(OwnerMessage(text=plain(say(NONE))))
            return
        more = len(runs) - MOST_SHOWN
        if more > 0:
            told = say_many(more, "1 more waits behind these.", "{count} more wait behind these.")
            tell(OwnerMessage(text=plain(told)))
        for run in runs[:MOST_SHOWN]:
            self._telling.bring_down(connection, run, chat, f"{key}:{run.run_id}", now)
