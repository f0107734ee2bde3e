"""One action on one card: whether it is done already, what changed meanwhile, how to do it, and how to undo it.

Every action sets a state. A card's former state is stored, so that undoing restores it exactly.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from butler.contract.bulk import PreparedBulkContext
from butler.contract.speech import phrase, say
from modules.trello import records as r
from modules.trello.account_calls import Account
from modules.trello.bulk_actions import CardAction
from modules.trello.card_query import CardQuery

ARCHIVED = phrase("it was archived meanwhile")
BROUGHT_BACK = phrase("it was brought back meanwhile")
MOVED = phrase("it was moved to another list meanwhile, so it stays as it is")
DATED = phrase("its due date was changed meanwhile, so it stays as it is")
THEIRS = "theirs"
"""Marks a card to which somebody else had done the same before the run began."""
_CLOSED = {CardAction.ARCHIVE: True, CardAction.UNARCHIVE: False}
_ON = {
    CardAction.LABEL: ("label", True),
    CardAction.UNLABEL: ("label", False),
    CardAction.ASSIGN: ("member", True),
    CardAction.UNASSIGN: ("member", False),
}


@dataclass(frozen=True, slots=True)
class CardAct:
    """How to act on each card of a batch, with the ids of the action's targets."""

    action: CardAction
    params: dict[str, Any]

    @classmethod
    def of(cls, context: PreparedBulkContext) -> "CardAct":
        """Return the act that a context requests."""
        return cls(CardAction(context.action), context.action_params)

    @property
    def back(self) -> bool:
        """Return whether this undoes another run."""
        return bool(self.params.get("back"))

    def target(self, board_id: str) -> str:
        """Return the target list for a card of this board; empty if its board has no such list."""
        return str(self.params["lists"].get(self.params["board"] or board_id, ""))

    def where(self, known: dict[str, Any]) -> str:
        """Return the list in which a card probably is."""
        if self.action is CardAction.MOVE and self.back:
            return self.target(known.get("board", ""))
        return str(known.get("list", ""))

    def kept(self, card: r.Card, after: r.Card | None = None) -> dict[str, Any]:
        """Return a card's state before the act; given `after`, only the labels and members that the move removed."""
        known: dict[str, Any] = {"list": card.list_id, "board": card.board_id}
        known |= {"closed": True} if card.closed else {}
        known |= {"due": card.due.isoformat()} if card.due else {}
        if self.action is CardAction.DUE and card.done and after is not None and not after.done:
            known["undone"] = True
        if self.action is CardAction.MOVE:
            known["pos"] = card.pos
            if self.params["board"] not in {"", card.board_id}:
                there = {(label.name, label.colour) for label in after.labels} if after else set[tuple[str, str]]()
                known["labels"] = [label.id for label in card.labels if (label.name, label.colour) not in there]
                known["members"] = [one for one in card.members if after is None or one not in after.members]
        return known

    def done_ones(self, query: CardQuery) -> CardQuery:
        """Return the query for a query's cards after the act."""
        if self.action is CardAction.MOVE:
            return CardQuery(lists=tuple(sorted({*self.params["lists"].values()})))
        return CardQuery(lists=query.lists, archived=_CLOSED.get(self.action, query.archived))

    def is_so(self, card: r.Card, known: dict[str, Any]) -> bool:
        """Return whether the card has the wanted state already."""
        match self.action:
            case CardAction.MOVE if self.back:
                return card.list_id == known.get("list") and not any(_lost(card, known))
            case CardAction.MOVE:
                return card.list_id == self.target(card.board_id)
            case CardAction.DUE:
                return card.due == self._due(known)
            case CardAction.ARCHIVE | CardAction.UNARCHIVE:
                return card.closed is _CLOSED[self.action]
            case _:
                what, on = _ON[self.action]
                there = card.members if what == "member" else [label.id for label in card.labels]
                return (self._which(card) in there) is on

    def changed(self, card: r.Card, known: dict[str, Any]) -> str:
        """Return what somebody changed since the card was listed or changed, which means to skip it; else empty."""
        if self.back:
            if self.action is CardAction.MOVE and card.list_id not in {self.where(known), known.get("list")}:
                return say(MOVED)
            given = _moment(self.params["due"]) if self.action is CardAction.DUE else card.due
            return say(DATED) if card.due != given else ""
        if not known:
            return ""
        if self.action not in _CLOSED and card.closed is not bool(known.get("closed")):
            return say(ARCHIVED if card.closed else BROUGHT_BACK)
        if card.list_id != known["list"]:
            return say(MOVED)
        return say(DATED) if self.action is CardAction.DUE and card.due != _moment(known.get("due")) else ""

    async def do(self, account: Account, card: r.Card, known: dict[str, Any]) -> r.Card | None:
        """Change the card; return its new state if Trello sends it. Raise `NotDoneError`."""
        match self.action:
            case CardAction.MOVE if self.back:
                return await _put_back(account, card, known)
            case CardAction.MOVE:
                board = self.params["board"] or card.board_id
                there = {"list_id": self.target(card.board_id), "board_id": board, "pos": "bottom"}
                return await account.ask(r.CHANGE_CARD, r.Card, there, id=card.id)
            case CardAction.DUE:
                due = self._due(known)
                done = {"done": True} if self.back and known.get("undone") else {}
                return await account.ask(r.CHANGE_CARD, r.Card, done, id=card.id, due=due.isoformat() if due else None)
            case CardAction.ARCHIVE | CardAction.UNARCHIVE:
                return await account.ask(r.CHANGE_CARD, r.Card, id=card.id, closed=_CLOSED[self.action])
            case _:
                what, on = _ON[self.action]
                method = r.PUT_ON if on else r.TAKE_OFF
                await account.ask(method, r.Nothing, id=card.id, what=what, which=self._which(card))
                return None

    def _which(self, card: r.Card) -> str:
        """Return the id of the label on the card's board, or of the member."""
        if _ON[self.action][0] == "member":
            return str(self.params["member"])
        return str(self.params["labels"].get(card.board_id, ""))

    def _due(self, known: dict[str, Any]) -> datetime | None:
        return _moment(known.get("due") if self.back else self.params["due"])


async def _put_back(account: Account, card: r.Card, known: dict[str, Any]) -> r.Card:
    """Move the card back to its list and position, with the labels and members that another board had removed."""
    if card.list_id != known["list"]:
        there = {"list_id": known["list"], "board_id": known["board"], "pos": known["pos"]}
        card = await account.ask(r.CHANGE_CARD, r.Card, there, id=card.id)
    labels, members = _lost(card, known)
    if labels or members:
        both = {"labels": [*(label.id for label in card.labels), *labels], "members": [*card.members, *members]}
        card = await account.ask(r.CHANGE_CARD, r.Card, both, id=card.id)
    return card


def _lost(card: r.Card, known: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Return the ids of the former labels and members that the card has no longer."""
    there = {label.id for label in card.labels}
    labels = [label for label in known.get("labels", ()) if label not in there]
    return labels, [member for member in known.get("members", ()) if member not in card.members]


def _moment(said: str | None) -> datetime | None:
    return datetime.fromisoformat(said) if said else None
