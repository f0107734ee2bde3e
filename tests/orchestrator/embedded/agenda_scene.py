"""The tools of a calendar and of Trello, and what was shown of both, for the requests of these tests."""
# names: made up here

from typing import Any

from pydantic import BaseModel

from butler.contract.agents import PlanStep
from butler.contract.names import Direction
from butler.contract.referents import ReferentKind
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput
from butler.store.conversation import Referent
from modules.calendar import args as calendar
from modules.calendar import bulk_args as many_events
from modules.trello import args as trello
from modules.trello import bulk_args as many_cards
from tests.orchestrator.embedded import scene

IN, OUT = Direction.INPUT, Direction.OUTPUT
_CALENDAR: dict[str, tuple[type[BaseModel], Direction]] = {
    "list_events": (calendar.ListEventsArgs, IN),
    "read_event": (calendar.ReadEventArgs, IN),
    "find_free_time": (calendar.FreeTimeArgs, IN),
    "list_calendars": (calendar.ListCalendarsArgs, IN),
    "create_event": (calendar.CreateEventArgs, OUT),
    "change_event": (calendar.ChangeEventArgs, OUT),
    "delete_event": (many_events.DeleteSelection, OUT),
    "move_event": (many_events.MoveSelection, OUT),
    "decline_event": (many_events.DeclineSelection, OUT),
    "remind_event": (many_events.RemindSelection, OUT),
    "colour_event": (many_events.ColourSelection, OUT),
}
_TRELLO: dict[str, tuple[type[BaseModel], Direction]] = {
    "list_boards": (trello.ListBoardsArgs, IN),
    "list_cards": (trello.ListCardsArgs, IN),
    "read_card": (trello.ReadCardArgs, IN),
    "create_card": (trello.CreateCardArgs, OUT),
    "change_card": (trello.ChangeCardArgs, OUT),
    "comment_card": (trello.CommentCardArgs, OUT),
    "create_list": (trello.CreateListArgs, OUT),
    "delete_card": (trello.DeleteCardArgs, OUT),
    "move_card": (many_cards.MoveSelection, OUT),
    "archive_card": (many_cards.CardSelection, OUT),
    "unarchive_card": (many_cards.CardSelection, OUT),
    "label_card": (many_cards.LabelSelection, OUT),
    "unlabel_card": (many_cards.LabelSelection, OUT),
    "assign_card": (many_cards.PersonSelection, OUT),
    "unassign_card": (many_cards.PersonSelection, OUT),
    "due_card": (many_cards.DueSelection, OUT),
}
CALENDAR = tuple(scene.tool(f"user_calendar_{name}", *spec) for name, spec in _CALENDAR.items())
TRELLO = tuple(scene.tool(f"user_trello_{name}", *spec) for name, spec in _TRELLO.items())
TOOLS = (*scene.TOOLS, *CALENDAR, *TRELLO)


def shown(kind: ReferentKind, *numbers: int) -> tuple[Referent, ...]:
    """Things shown after the mails, in one list where there are several."""
    several = len(numbers) > 1
    return tuple(
        Referent(
            handle=f"{kind}-{number}",
            kind=kind,
            key=f"{kind}key{number}",
            tool="user_calendar_list_events" if kind is ReferentKind.EVENT else "user_trello_list_cards",
            ordinal=number if several else 0,
            shown_in="m9",
        )
        for number in numbers
    )


ONE_EVENT = (*scene.SHOWN, *shown(ReferentKind.EVENT, 1))
TWO_EVENTS = (*scene.SHOWN, *shown(ReferentKind.EVENT, 1, 2))
ONE_CARD = (*scene.SHOWN, *shown(ReferentKind.CARD, 1))
TWO_CARDS = (*scene.SHOWN, *shown(ReferentKind.CARD, 1, 2))


async def plan(words: str, **changes: Any) -> PlannerOutput:
    """What is made of words where a calendar and boards are set up."""
    return await scene.plan(words, **{"tools": TOOLS, **changes})


def steps(output: PlannerOutput) -> tuple[PlanStep, ...]:
    """The steps of a plan."""
    assert isinstance(output, Planned), output
    return output.steps


def calls(output: PlannerOutput) -> list[tuple[str, dict[str, Any]]]:
    """The calls of a plan: each tool without its channel, and its arguments."""
    return [(step.tool_call.split("_", 2)[2], step.args) for step in steps(output)]
