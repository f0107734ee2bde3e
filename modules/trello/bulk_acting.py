"""One action on one card: whether it is so already, what changed meanwhile, how it is done, and how it is put back.

Every action is one of state. What a card was before is kept beside it, which is what puts it back exactly.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from butler.contract.bulk import PreparedBulkContext
from butler.contract.speech import phrase, say
from modules.trello import records as r
from modules.trello.bulk_actions import CardAction
from modules.trello.calling import Account
from modules.trello.selecting import CardQuery

ARCHIVED = phrase("it was archived meanwhile")
BROUGHT_BACK = phrase("it was brought back meanwhile")
MOVED = phrase("it was moved to another list meanwhile, so it stays as it is")
DATED = phrase("its due date was changed meanwhile, so it stays as it is")
THEIRS = "theirs"
"""What is kept of a card that somebody else did the same to before the run over it began."""
_CLOSED = {CardAction.ARCHIVE: True, CardAction.UNARCHIVE: False}
_ON = {
    CardAction.LABEL: ("label", True),
    CardAction.UNLABEL: ("label", False),
    CardAction.ASSIGN: ("member", True),
    CardAction.UNASSIGN: ("member", False),
}


@dataclass(frozen=True, slots=True)
class Act:
    """What is done to each card of a batch, with the ids that it is done with."""

    action: CardAction
    params: dict[str, Any]

    @classmethod
    def of(cls, context: PreparedBulkContext) -> "Act":
        """What a context orders."""
        return cls(CardAction(context.action), context.action_params)

    @property
    def back(self) -> bool:
        """Whether it puts back what another run has done."""
        return bool(self.params.get("back"))

    def target(self, board_id: str) -> str:
        """The list that a card of this board is moved to; empty where its board has none of that name."""
        return str(self.params["lists"].get(self.params["board"] or board_id, ""))

    def where(self, known: dict[str, Any]) -> str:
        """The list in which a card probably lies."""
        if self.action is CardAction.MOVE and self.back:
            return self.target(known.get("board", ""))
        return str(known.get("list", ""))

    def kept(self, card: r.Card, after: r.Card | None = None) -> dict[str, Any]:
        """What is kept of a card as it is before the act; `after` it, of what another board takes off only that."""
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
        """What finds the cards of a query's lists after they were acted on."""
        if self.action is CardAction.MOVE:
            return CardQuery(lists=tuple(sorted({*self.params["lists"].values()})))
        return CardQuery(lists=query.lists, archived=_CLOSED.get(self.action, query.archived))

    def is_so(self, card: r.Card, known: dict[str, Any]) -> bool:
        """Whether there is nothing to do to a card."""
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
        """What somebody changed since the card was listed or done, so that it is left as it is; else empty."""
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
        """Do it; the card as it is then, where Trello tells. Raises `NotDoneError`."""
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
        """The label of the card's board, or the member."""
        if _ON[self.action][0] == "member":
            return str(self.params["member"])
        return str(self.params["labels"].get(card.board_id, ""))

    def _due(self, known: dict[str, Any]) -> datetime | None:
        return _moment(known.get("due") if self.back else self.params["due"])


async def _put_back(account: Account, card: r.Card, known: dict[str, Any]) -> r.Card:
    """Back into its list at its place, with the labels and members that another board had taken off."""
    if card.list_id != known["list"]:
        there = {"list_id": known["list"], "board_id": known["board"], "pos": known["pos"]}
        card = await account.ask(r.CHANGE_CARD, r.Card, there, id=card.id)
    labels, members = _lost(card, known)
    if labels or members:
        both = {"labels": [*(label.id for label in card.labels), *labels], "members": [*card.members, *members]}
        card = await account.ask(r.CHANGE_CARD, r.Card, both, id=card.id)
    return card


def _lost(card: r.Card, known: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Of what was on a card, the labels and the members that are not on it."""
    there = {label.id for label in card.labels}
    labels = [label for label in known.get("labels", ()) if label not in there]
    return labels, [member for member in known.get("members", ()) if member not in card.members]


def _moment(said: str | None) -> datetime | None:
    return datetime.fromisoformat(said) if said else None
