"""The tools that act on one or many of the owner's cards: each lists its cards before it is shown."""

from collections.abc import Callable, Mapping
from functools import partial

from butler.contract.bulk import BulkLauncher, BulkOrder
from butler.contract.bulk_tool import bulk_preview, bulk_tool
from butler.contract.speech import say, say_moment
from butler.contract.tools import Preview, ToolCall, ToolMetadata, ToolSpec
from modules.trello.args import ME
from modules.trello.bulk import MODELS
from modules.trello.bulk_actions import CardAction, words_of
from modules.trello.bulk_args import (
    SELECTION_ROLES,
    CardSelection,
    DueSelection,
    LabelSelection,
    MoveSelection,
    PersonSelection,
)

_DESCRIBED = {
    CardAction.MOVE: "Move cards of the person's Trello boards to another list, of their own board or another.",
    CardAction.ARCHIVE: "Archive cards of the person's Trello boards.",
    CardAction.UNARCHIVE: "Bring archived cards of the person's Trello boards back.",
    CardAction.LABEL: "Put a label on cards of the person's Trello boards; one that is not there is made.",
    CardAction.UNLABEL: "Take a label off cards of the person's Trello boards.",
    CardAction.ASSIGN: "Put somebody, or the person (`me`), on cards of the person's Trello boards.",
    CardAction.UNASSIGN: "Take somebody, or the person (`me`), off cards of the person's Trello boards.",
    CardAction.DUE: "Set when cards of the person's Trello boards are due, or take their due dates off.",
}


class CardBulk:
    """Passes the tools' orders to the bulk controller."""

    def __init__(self, launcher: BulkLauncher, accounts: tuple[str, ...]) -> None:
        self._launcher, self._accounts = launcher, accounts

    def specs(self) -> tuple[ToolSpec, ...]:
        """Return the specs of all bulk tools."""
        return tuple(self._spec(action) for action in CardAction)

    def _spec(self, action: CardAction) -> ToolSpec:
        return bulk_tool(
            tool_of(action),
            _DESCRIBED[action],
            MODELS[action],
            self._launcher,
            partial(self._order, action),
            _previewing(action),
            accounts=self._accounts,
            # Everybody on a board sees changes of its cards.
            unseen=False,
        )

    def _order(self, action: CardAction, call: ToolCall) -> BulkOrder:
        args: CardSelection = call.args
        account = call.account or self._accounts[0]
        data = args.model_dump(mode="json", exclude_defaults=True, exclude={"snapshot"})
        return BulkOrder("trello", account, {**data, "account": account, "action": action.value})


def tool_of(action: CardAction) -> str:
    """Return the action's tool name."""
    return f"user_trello_{action}_card"


def roles() -> Mapping[str, ToolMetadata]:
    """Return the role of each argument."""
    return {tool_of(action): SELECTION_ROLES[MODELS[action]] for action in CardAction}


def _previewing(action: CardAction) -> Callable[[CardSelection], Preview]:
    def preview(args: CardSelection) -> Preview:
        return bulk_preview(words_of(action), args, (*_change_facts(args), *_criteria_facts(args)))

    return preview


def _change_facts(args: CardSelection) -> tuple[tuple[str, str], ...]:
    """Return the facts about the cards' new state."""
    match args:
        case MoveSelection():
            return ((say("To the list"), args.to_list or say("the first one")), (say("To the board"), args.to_board))
        case LabelSelection():
            return ((say("Label"), args.name),)
        case PersonSelection():
            return ((say("Who"), _who(args.person)),)
        case DueSelection():
            return ((say("Due"), _due(args)),)
        case _:
            return ()


def _criteria_facts(args: CardSelection) -> tuple[tuple[str, str], ...]:
    """Return the facts that select the cards."""
    return (
        (say("Board"), args.board),
        (say("List"), args.in_list),
        (say("With the label"), args.label),
        (say("Words"), args.words),
        (say("Assigned to"), _who(args.assigned)),
        (say("Due before"), say_moment(args.due_before) if args.due_before else ""),
        (say("Only"), say("overdue ones") if args.overdue else ""),
        (say("But not"), ", ".join(map(_who, args.keep))),
    )


def _due(args: DueSelection) -> str:
    """Return the due date in the zone of the order, with its name."""
    if args.due is None:
        return say("no date any more")
    text = say_moment(args.due)
    return say("{moment} ({place})", moment=text, place=args.in_zone) if args.in_zone else text


def _who(said: str) -> str:
    return say("you") if said.strip().casefold() == ME else said
