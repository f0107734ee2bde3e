"""Changes or deletes one card. Both set a state, so a lost answer is settled by reading the card again."""

from typing import Any
from zoneinfo import ZoneInfo

from butler.contract.errors import IntegrationErrorCode
from butler.contract.speech import phrase, say
from butler.contract.tools import Reconciled, Settled, ToolCall
from modules.trello import records as r
from modules.trello.account_calls import Account, Accounts, NotDoneError, not_done
from modules.trello.args import CardSeen, ChangeCardArgs, CommentCardArgs, DeleteCardArgs
from modules.trello.due import due_at
from modules.trello.naming import card_ref
from modules.trello.reading import row_of

NOT_AS_SHOWN = phrase("The card is no longer as it was shown; ask for it again")
IT_IS_SO = phrase("The card is as it was to become.")
IT_IS_NOT_SO = phrase("The card is as it was.")
SOMEBODY_ELSE = phrase("The card was changed meanwhile, so nobody can say whether it was this.")
CARD_GONE = phrase("The card is no longer there.")
STILL_THERE = phrase("The card is still there.")
AboutCard = ChangeCardArgs | CommentCardArgs | DeleteCardArgs


class ChangeTools:
    """The tools that change one card."""

    def __init__(self, accounts: Accounts, zone: ZoneInfo) -> None:
        self._accounts, self._zone = accounts, zone

    async def about(self, call: ToolCall) -> dict[str, Any]:
        """Return the card that is meant, as arguments."""
        card = await self._accounts.of(call).there(card_ref(call.args.card))
        return {"about": about(card).model_dump(mode="json")}

    async def change(self, call: ToolCall) -> dict[str, Any]:
        """Change the card, if it is still as shown."""
        args: ChangeCardArgs = call.args
        account = self._accounts.of(call)
        card = await see_as_shown(account, args)
        if call.progress is not None:
            await call.progress.save(activity=card.activity)
        changed = await account.ask(r.CHANGE_CARD, r.Card, self._wanted(args), id=card.id)
        names = {card.board_id: card.board_name, card.list_id: card.list_name}
        return {"cards": [row_of(changed, names, {}, self._zone)], "count": 1, "complete": True}

    async def find_change(self, call: ToolCall) -> Reconciled:
        """Settle a change by the card's state; repeat only if nobody has changed the card since."""
        args: ChangeCardArgs = call.args
        card = await self._accounts.of(call).card(card_ref(args.card))
        if card is None:
            return Reconciled.with_text(Settled.FAILED, CARD_GONE)
        if _is_as_wanted(card, args, self._zone):
            return Reconciled.with_text(Settled.DONE, IT_IS_SO, {"card_id": card.id, "name": card.name})
        before = call.progress.stored.get("activity", card.activity) if call.progress else ""
        if before == card.activity:
            return Reconciled.with_text(Settled.REPEAT, IT_IS_NOT_SO)
        return Reconciled.with_text(Settled.UNKNOWN, SOMEBODY_ELSE)

    async def delete(self, call: ToolCall) -> dict[str, Any]:
        """Delete the card for good, if it is still as shown."""
        account = self._accounts.of(call)
        card = await see_as_shown(account, call.args)
        try:
            await account.ask(r.DELETE_CARD, r.Nothing, id=card.id)
        except NotDoneError as failure:
            # The HTTP client repeats a request on a connection that had just been closed, so it may be deleted already.
            if failure.error.code is not IntegrationErrorCode.NOT_FOUND:
                raise
        return {"card_id": card.id, "name": card.name}

    async def find_deleted(self, call: ToolCall) -> Reconciled:
        """Settle a deletion by whether the card exists."""
        card = await self._accounts.of(call).card(card_ref(call.args.card))
        if card is None:
            return Reconciled.with_text(Settled.DONE, CARD_GONE)
        return Reconciled.with_text(Settled.REPEAT, STILL_THERE)

    def _wanted(self, args: ChangeCardArgs) -> dict[str, Any]:
        fields = args.model_dump(include={"name", "description", "done"}, exclude_none=True)
        return fields | ({"due": due_at(args.due, args.in_zone, self._zone).isoformat()} if args.due else {})


def about(card: r.Card) -> CardSeen:
    """Return the card as it is shown."""
    return CardSeen(card_id=card.id, name=card.name, board=card.board_name, list_name=card.list_name)


async def see_as_shown(account: Account, args: AboutCard) -> r.Card:
    """Return the card if it is still as shown; raise `NotDoneError`."""
    card = await account.there(card_ref(args.card))
    if args.about is not None and args.about != about(card):
        raise not_done(IntegrationErrorCode.REJECTED, say(NOT_AS_SHOWN))
    return card


def _is_as_wanted(card: r.Card, args: ChangeCardArgs, zone: ZoneInfo) -> bool:
    due = due_at(args.due, args.in_zone, zone) if args.due else None
    texts = ((args.name, card.name), (args.description, card.description))
    return (
        all(wanted is None or wanted.strip() == there.strip() for wanted, there in texts)
        and due in {None, card.due}
        and args.done in {None, card.done}
    )
