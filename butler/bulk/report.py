"""The list of a run's things as a file: what each was, and what became of it."""

import csv
import io
from collections.abc import Callable
from functools import partial

from butler.contract.card import OwnerMessage, plain
from butler.contract.ports import BlobStore, Clock
from butler.contract.speech import phrase, say
from butler.contract.tools import Attachment
from butler.store.queries import bulk, outbox
from butler.store.queries.bulk import ItemState
from butler.store.store import Store

STATES = {
    ItemState.TODO: phrase("left as it is"),
    ItemState.INFLIGHT: phrase("not known"),
    ItemState.DONE: phrase("done"),
    ItemState.FAILED: phrase("could not be"),
}
FORMULAS = frozenset("=+-@\t\r")
"""What a table program would take a cell for, that begins so."""


class Reports:
    """The work handler of `bulk_file`."""

    def __init__(self, store: Store, clock: Clock, blobs: BlobStore, wake: Callable[[], None]) -> None:
        self._store, self._clock, self._blobs, self._wake = store, clock, blobs, wake

    async def send(self, run_id: str) -> None:
        """Send the list to where the run is told; once for each look at it."""
        run = await self._store.read(lambda c: bulk.get(c, run_id))
        if run is None or not run.chat:
            return
        data = await self._table(run_id)
        digest, name = await self._blobs.put(data), f"{run.created_at:%Y-%m-%d}.csv"
        file = Attachment(name=name, size=len(data), sha256=digest, media_type="text/csv")
        message, now = OwnerMessage(text=plain(say("The list as a file.")), attachments=(file,)), self._clock.now()
        key = f"bulk-file:{run_id}:{digest}"
        await self._store.write(lambda c: outbox.add(c, run.chat, message, now=now, dedup_key=key), "bulk.file")
        self._wake()

    async def _table(self, run_id: str) -> bytes:
        text = io.StringIO()
        table = csv.writer(text)
        table.writerow([say("Id"), say("Name"), say("Outcome"), say("Why")])
        after = -1
        while page := await self._store.read(partial(bulk.page_of, run_id=run_id, after=after)):
            after = page[-1].seq
            table.writerows([one.item_id, _cell(one.name), say(STATES[one.state]), _cell(one.detail)] for one in page)
        return text.getvalue().encode("utf-8-sig")


def _cell(text: str) -> str:
    """A text that no table program runs as a formula: others choose what a mail is called."""
    return f"'{text}" if text[:1] in FORMULAS else text
