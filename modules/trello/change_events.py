"""Selects the entries of a board's log that are published as `card.changed`, and their content."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from butler.contract.events import MOST_TEXT, Event, EventName
from butler.contract.names import Identity
from butler.contract.polled import PolledChange, Teller, Told
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
    # The board to which the card was moved reports it.
    "moveCardFromBoard": "",
}
"""By Trello's type of the action; any other action on a card counts as a change."""


@dataclass(frozen=True, slots=True)
class BoardActions:
    """The actions on a board of an account, the earliest first."""

    account: str
    board: r.Board
    deeds: Sequence[r.Deed]
    own: frozenset[str]
    """The ids of Butler's own actions."""
    cards: Mapping[str, r.Card]
    """The cards' current state."""

    def teller(self, now: datetime) -> Teller:
        """Return what publishes an event for each action on a card."""

        def tell(changes: Sequence[PolledChange]) -> Iterable[Told]:
            # For a deleted card, the log holds its id only.
            names = {one.after.ref: str(one.before.item.get("name", "")) for one in changes if one.before is not None}
            return [
                self._change_event(deed, deed.card_name or names.get(deed.card_id, ""), now)
                for deed in self.deeds
                if deed.card_id and _change(deed)
            ]

        return tell

    def _change_event(self, deed: r.Deed, name: str, now: datetime) -> Told:
        subject = f"{CHANNEL}/{self.account}/{deed.card_id}"
        event = Event(
            event_id=uuid.uuid4().hex,
            name=EventName.CARD_CHANGED,
            channel=CHANNEL,
            identity=Identity.USER,
            account=self.account,
            at=now,
            facts={
                "account": self.account,
                "card": deed.card_id,
                "name": name[:MOST_TEXT],
                "board": self.board.name[:MOST_TEXT],
                "list": self._list_of(deed)[:MOST_TEXT],
                "change": _change(deed),
                "by": deed.by[:MOST_TEXT],
                "own": deed.id in self.own,
            },
            origin=Origin(trust=Trust.UNTRUSTED, source=subject, shown_as=phrase("a card of your boards")),
            subject=subject,
        )
        return event, f"card.changed:{self.account}:{deed.id}"

    def _list_of(self, deed: r.Deed) -> str:
        lists, card = {one.id: one.name for one in self.board.lists}, self.cards.get(deed.card_id)
        return lists.get(card.list_id, deed.list_name) if card is not None else deed.list_name


def _change(deed: r.Deed) -> str:
    if deed.closed:
        return "archived"
    return "moved" if deed.moved else _CHANGES.get(deed.kind, "changed")
