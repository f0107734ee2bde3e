"""Which lines of a board's log are told as `card.changed`, and what is told of them."""

import uuid
from collections.abc import Iterable, Mapping
from datetime import datetime

from butler.contract.events import MOST_TEXT, Event, EventName
from butler.contract.names import Identity
from butler.contract.polled import Told
from butler.contract.provenance import Origin, Trust
from butler.contract.speech import phrase
from modules.trello import records as r

CHANNEL = "trello"
_CHANGES: Mapping[str, str] = {
    "createCard": "made",
    "copyCard": "made",
    "emailCard": "made",
    "convertToCardFromCheckItem": "made",
    "moveCardToBoard": "moved",
    "deleteCard": "deleted",
    "commentCard": "commented",
    # The board that it came to tells of it.
    "moveCardFromBoard": "",
}
"""By Trello's name of what was done; whatever else is done to a card has changed it."""


def told(
    account: str,
    board: r.Board,
    deeds: Iterable[r.Deed],
    own: Iterable[str],
    cards: Mapping[str, r.Card],
    now: datetime,
) -> list[Told]:
    """An event of each deed on a card; `own` are the ids of those that Butler did, `cards` are as they are now."""
    lists, done = {one.id: one.name for one in board.lists}, frozenset(own)
    return [
        _told(account, board, deed, _list_of(deed, cards, lists), now, own=deed.id in done)
        for deed in deeds
        if deed.card_id and _change(deed)
    ]


def _change(deed: r.Deed) -> str:
    if deed.closed:
        return "archived"
    return "moved" if deed.moved else _CHANGES.get(deed.kind, "changed")


def _list_of(deed: r.Deed, cards: Mapping[str, r.Card], lists: Mapping[str, str]) -> str:
    card = cards.get(deed.card_id)
    return lists.get(card.list_id, deed.list_name) if card is not None else deed.list_name


def _told(account: str, board: r.Board, deed: r.Deed, list_name: str, now: datetime, *, own: bool) -> Told:
    subject = f"{CHANNEL}/{account}/{deed.card_id}"
    event = Event(
        event_id=uuid.uuid4().hex,
        name=EventName.CARD_CHANGED,
        channel=CHANNEL,
        identity=Identity.USER,
        account=account,
        at=now,
        facts={
            "account": account,
            "card": deed.card_id,
            "name": deed.card_name[:MOST_TEXT],
            "board": board.name[:MOST_TEXT],
            "list": list_name[:MOST_TEXT],
            "change": _change(deed),
            "by": deed.by[:MOST_TEXT],
            "own": own,
        },
        origin=Origin(trust=Trust.UNTRUSTED, source=subject, shown_as=phrase("a card of your boards")),
        subject=subject,
    )
    return event, f"card.changed:{account}:{deed.id}"
