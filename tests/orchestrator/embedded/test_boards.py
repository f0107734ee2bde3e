"""What is asked of boards becomes exactly the right call, or a question; never another list or a filter left out."""
# names: made up here

from typing import Any

import pytest

from butler.contract.referents import ReferentKind
from butler.orchestrator.planning.plan_types import Unclear
from tests.orchestrator.embedded import scene
from tests.orchestrator.embedded.agenda_scene import ONE_CARD, TRELLO, TWO_CARDS, calls, plan, shown, steps

Row = tuple[str, str, dict[str, Any]]

REQUESTS: list[Row] = [
    ("show my boards", "list_boards", {}),
    ("which boards do I have?", "list_boards", {}),
    ("what's on Trello?", "list_boards", {}),
    ("what's on the list To Do on Home?", "list_cards", {"board": "Home", "in_list": "To Do"}),
    ("what is on my board Home?", "list_cards", {"board": "Home"}),
    ("show the board Home", "list_cards", {"board": "Home"}),
    ("show me the Doing list", "list_cards", {"in_list": "Doing"}),
    ("which cards are due this week?", "list_cards", {"due_before": "2026-03-09T00:00"}),
    ("which cards are overdue?", "list_cards", {"overdue": True}),
    ("which of my cards are overdue?", "list_cards", {"overdue": True}),
    ("show all cards", "list_cards", {}),
    ("show cards in Doing on Home", "list_cards", {"board": "Home", "in_list": "Doing"}),
    ("which cards are labelled Urgent", "list_cards", {"label": "Urgent"}),
    ("cards assigned to me", "list_cards", {"assigned": "me"}),
    ("show cards assigned to Bob", "list_cards", {"assigned": "Bob"}),
    ("find cards about paint", "list_cards", {"words": "paint"}),
    ("search Trello for paint", "list_cards", {"words": "paint"}),
    ("which cards are due before Friday?", "list_cards", {"due_before": "2026-03-06T00:00"}),
    (
        "add a card Buy paint to To Do on Home",
        "create_card",
        {"name": "Buy paint", "board": "Home", "in_list": "To Do"},
    ),
    ("add a card Buy paint to To Do", "create_card", {"name": "Buy paint", "in_list": "To Do"}),
    ("add a card buy paint to to do", "create_card", {"name": "Buy paint", "in_list": "to do"}),
    ("add a card Talk to Bob to To Do", "create_card", {"name": "Talk to Bob", "in_list": "To Do"}),
    (
        "add a card “Pay the rent” to To Do on Home, due on Friday at 12",
        "create_card",
        {"name": "Pay the rent", "board": "Home", "in_list": "To Do", "due": "2026-03-06T12:00"},
    ),
    (
        "create a card called Fix the tap in Doing, due Friday, assigned to me and labelled Urgent",
        "create_card",
        {"name": "Fix the tap", "in_list": "Doing", "due": "2026-03-06T12:00", "labels": ["Urgent"], "assign": ["me"]},
    ),
    ("add a card Buy paint to the board Home", "create_card", {"name": "Buy paint", "board": "Home"}),
    (
        "add Buy paint to the list To Do on Home",
        "create_card",
        {"name": "Buy paint", "board": "Home", "in_list": "To Do"},
    ),
    ("add Buy paint to my Home board", "create_card", {"name": "Buy paint", "board": "Home"}),
    ("new card: Call the plumber in To Do", "create_card", {"name": "Call the plumber", "in_list": "To Do"}),
    ("add a card Rent to the Trello list Bills please", "create_card", {"name": "Rent", "in_list": "Bills"}),
    ("leg eine Karte Miete in der Trello-Liste Bills an", "create_card", {"name": "Miete", "in_list": "Bills"}),
    ("leg bitte eine Karte „Miete“ in der Liste Bills an", "create_card", {"name": "Miete", "in_list": "Bills"}),
    ("füge eine Karte Miete zur Liste Bills hinzu", "create_card", {"name": "Miete", "in_list": "Bills"}),
    ("leg eine Karte Miete auf dem Board Home an", "create_card", {"name": "Miete", "board": "Home"}),
    ("ajoute une carte Loyer sur la liste Trello Bills", "create_card", {"name": "Loyer", "in_list": "Bills"}),
    ("crée une carte « Loyer » dans la liste Bills, stp", "create_card", {"name": "Loyer", "in_list": "Bills"}),
    ("añade una tarjeta Alquiler a la lista de Trello Bills", "create_card", {"name": "Alquiler", "in_list": "Bills"}),
    ("pon una tarjeta Alquiler en la lista Bills por favor", "create_card", {"name": "Alquiler", "in_list": "Bills"}),
    ("create a list Ideas on Home", "create_list", {"name": "Ideas", "board": "Home"}),
    ("add a list called Ideas to the board Home", "create_list", {"name": "Ideas", "board": "Home"}),
    (
        "add a card Buy paint to To Do with the description 5 litres, white",
        "create_card",
        {"name": "Buy paint", "in_list": "To Do", "description": "5 litres, white"},
    ),
    ("move all cards in Doing to Done", "move_card", {"in_list": "Doing", "to_list": "Done"}),
    ("move all cards in To Do to Doing", "move_card", {"in_list": "To Do", "to_list": "Doing"}),
    ("move everything in Doing to Done", "move_card", {"in_list": "Doing", "to_list": "Done"}),
    (
        "move everything from Doing to Done on Home",
        "move_card",
        {"in_list": "Doing", "to_list": "Done", "to_board": "Home"},
    ),
    ("move all cards about paint to the board Work", "move_card", {"words": "paint", "to_board": "Work"}),
    ("archive everything in Done", "archive_card", {"in_list": "Done"}),
    ("archive all cards in Done", "archive_card", {"in_list": "Done"}),
    ("archive everything in the list Old stuff on Work", "archive_card", {"board": "Work", "in_list": "Old stuff"}),
    ("archive everything labelled Old on Work", "archive_card", {"board": "Work", "label": "Old"}),
    ("archive all cards labelled Old on Work", "archive_card", {"board": "Work", "label": "Old"}),
    ("bring back the archived cards of Home", "unarchive_card", {"board": "Home"}),
    ("label all cards about paint as Urgent", "label_card", {"words": "paint", "name": "Urgent"}),
    ("label the cards about the roof as Spring", "label_card", {"words": "roof", "name": "Spring"}),
    ("remove the label Urgent from all cards in Done", "unlabel_card", {"in_list": "Done", "name": "Urgent"}),
    ("assign the overdue cards to Anna", "assign_card", {"overdue": True, "person": "Anna"}),
    ("assign all cards in Doing to me", "assign_card", {"in_list": "Doing", "person": "me"}),
    ("unassign Bob from all cards in Done", "unassign_card", {"in_list": "Done", "person": "Bob"}),
    ("take the due date off the cards in Ideas", "due_card", {"in_list": "Ideas", "due": None}),
    ("set the due date of all cards in Doing to Friday", "due_card", {"in_list": "Doing", "due": "2026-03-06T12:00"}),
    ("move all cards due before Friday to Doing", "move_card", {"due_before": "2026-03-06T00:00", "to_list": "Doing"}),
    ("move all cards due by Friday to Doing", "move_card", {"due_before": "2026-03-07T00:00", "to_list": "Doing"}),
    ("archive all cards due until Friday", "archive_card", {"due_before": "2026-03-07T00:00"}),
    ("archive all cards due up to Friday", "archive_card", {"due_before": "2026-03-07T00:00"}),
    ("move all overdue cards to Doing", "move_card", {"overdue": True, "to_list": "Doing"}),
    (
        "archive all my cards in Done on Home",
        "archive_card",
        {"board": "Home", "in_list": "Done", "assigned": "me"},
    ),
    ("archive my cards in Done", "archive_card", {"in_list": "Done", "assigned": "me"}),
    ("archive my overdue cards", "archive_card", {"overdue": True, "assigned": "me"}),
    ("archive all of my cards labelled Old", "archive_card", {"label": "Old", "assigned": "me"}),
    ("move each of my cards in Doing to Done", "move_card", {"in_list": "Doing", "assigned": "me", "to_list": "Done"}),
    ("archive everything on my board Home", "archive_card", {"board": "Home"}),
    ("archiviere alle meine Karten in Fertig", "archive_card", {"in_list": "Fertig", "assigned": "me"}),
    ("archiviere meine Karten in der Liste Fertig", "archive_card", {"in_list": "Fertig", "assigned": "me"}),
    (
        "verschiebe alle meine Karten aus Offen nach Fertig",
        "move_card",
        {"in_list": "Offen", "assigned": "me", "to_list": "Fertig"},
    ),
    ("archive toutes mes cartes dans la liste Fini", "archive_card", {"in_list": "Fini", "assigned": "me"}),
    (
        "déplace mes cartes de Idées vers Fini",
        "move_card",
        {"in_list": "Idées", "assigned": "me", "to_list": "Fini"},
    ),
    ("archiva todas mis tarjetas en la lista Hecho", "archive_card", {"in_list": "Hecho", "assigned": "me"}),
    ("mueve mis tarjetas de Ideas a Hecho", "move_card", {"in_list": "Ideas", "assigned": "me", "to_list": "Hecho"}),
]
LOOKED_FOR_FIRST: list[tuple[str, list[tuple[str, dict[str, Any]]]]] = [
    (
        "move the card Buy paint to Done",
        [
            ("list_cards", {"words": "Buy paint"}),
            ("move_card", {"cards": [{"step": 1, "fact": "cards.0.card_id"}], "to_list": "Done"}),
        ],
    ),
    (
        "archive the card Buy paint",
        [("list_cards", {"words": "Buy paint"}), ("archive_card", {"cards": [{"step": 1, "fact": "cards.0.card_id"}]})],
    ),
    (
        "label the card Buy paint as Urgent",
        [
            ("list_cards", {"words": "Buy paint"}),
            ("label_card", {"cards": [{"step": 1, "fact": "cards.0.card_id"}], "name": "Urgent"}),
        ],
    ),
    (
        "set the due date of the card Buy paint to Friday at 12",
        [
            ("list_cards", {"words": "Buy paint"}),
            ("due_card", {"cards": [{"step": 1, "fact": "cards.0.card_id"}], "due": "2026-03-06T12:00"}),
        ],
    ),
    (
        "mark the card Buy paint as done",
        [
            ("list_cards", {"words": "Buy paint"}),
            ("change_card", {"card": {"step": 1, "fact": "cards.0.card_id"}, "done": True}),
        ],
    ),
    (
        "delete the card Buy paint",
        [("list_cards", {"words": "Buy paint"}), ("delete_card", {"card": {"step": 1, "fact": "cards.0.card_id"}})],
    ),
    (
        "comment on the card Buy paint: got it",
        [
            ("list_cards", {"words": "Buy paint"}),
            ("comment_card", {"card": {"step": 1, "fact": "cards.0.card_id"}, "text": "got it"}),
        ],
    ),
    (
        "rename the card Buy paint to Buy white paint",
        [
            ("list_cards", {"words": "Buy paint"}),
            ("change_card", {"card": {"step": 1, "fact": "cards.0.card_id"}, "name": "Buy white paint"}),
        ],
    ),
]
OF_ONE_SHOWN: list[Row] = [
    ("comment on it: done on Monday", "comment_card", {"card": {"handle": "card-1"}, "text": "done on Monday"}),
    ("move it to Done", "move_card", {"cards": [{"handle": "card-1"}], "to_list": "Done"}),
    (
        "move it to the list Done on Work",
        "move_card",
        {"cards": [{"handle": "card-1"}], "to_list": "Done", "to_board": "Work"},
    ),
    ("move it to To Do", "move_card", {"cards": [{"handle": "card-1"}], "to_list": "To Do"}),
    ("archive it", "archive_card", {"cards": [{"handle": "card-1"}]}),
    ("label it as Urgent", "label_card", {"cards": [{"handle": "card-1"}], "name": "Urgent"}),
    ("remove the label Urgent from it", "unlabel_card", {"cards": [{"handle": "card-1"}], "name": "Urgent"}),
    ("assign it to me", "assign_card", {"cards": [{"handle": "card-1"}], "person": "me"}),
    ("assign it to Bob", "assign_card", {"cards": [{"handle": "card-1"}], "person": "Bob"}),
    ("assign Bob to it", "assign_card", {"cards": [{"handle": "card-1"}], "person": "Bob"}),
    ("remove Bob from it", "unassign_card", {"cards": [{"handle": "card-1"}], "person": "Bob"}),
    ("unassign me from it", "unassign_card", {"cards": [{"handle": "card-1"}], "person": "me"}),
    ("set the due date of it to Friday", "due_card", {"cards": [{"handle": "card-1"}], "due": "2026-03-06T12:00"}),
    ("make it due on Friday at 3pm", "due_card", {"cards": [{"handle": "card-1"}], "due": "2026-03-06T15:00"}),
    ("remove the due date from it", "due_card", {"cards": [{"handle": "card-1"}], "due": None}),
    ("mark it as done", "change_card", {"card": {"handle": "card-1"}, "done": True}),
    ("mark it as not done", "change_card", {"card": {"handle": "card-1"}, "done": False}),
    ("complete it", "change_card", {"card": {"handle": "card-1"}, "done": True}),
    ("rename it to Buy white paint", "change_card", {"card": {"handle": "card-1"}, "name": "Buy white paint"}),
    ("set the description of it to 5 litres", "change_card", {"card": {"handle": "card-1"}, "description": "5 litres"}),
    ("open it", "read_card", {"card": {"handle": "card-1"}}),
    ("read it", "read_card", {"card": {"handle": "card-1"}}),
    ("read the first one", "read_card", {"card": {"handle": "card-1"}}),
    ("delete it", "delete_card", {"card": {"handle": "card-1"}}),
    ("delete the card", "delete_card", {"card": {"handle": "card-1"}}),
    ("what's on it?", "read_card", {"card": {"handle": "card-1"}}),
    ("put the label Urgent on it", "label_card", {"cards": [{"handle": "card-1"}], "name": "Urgent"}),
]


@pytest.mark.parametrize(("words", "tool", "args"), REQUESTS, ids=[row[0] for row in REQUESTS])
async def test_a_request_of_the_boards_becomes_exactly_one_call(words: str, tool: str, args: dict[str, Any]) -> None:
    output = await plan(words)
    assert calls(output) == [(tool, args)]
    spec = next(spec for spec in TRELLO if spec.tool_name == f"user_trello_{tool}")
    spec.args.model_validate(args)


@pytest.mark.parametrize(("words", "tool", "args"), OF_ONE_SHOWN, ids=[row[0] for row in OF_ONE_SHOWN])
async def test_the_card_that_was_shown_last_is_meant(words: str, tool: str, args: dict[str, Any]) -> None:
    assert calls(await plan(words, referents=ONE_CARD)) == [(tool, args)]


@pytest.mark.parametrize(("words", "expected"), LOOKED_FOR_FIRST, ids=[row[0] for row in LOOKED_FOR_FIRST])
async def test_a_card_that_is_named_is_looked_for_first(words: str, expected: list[tuple[str, dict[str, Any]]]) -> None:
    output = await plan(words)
    assert calls(output) == expected
    _, done = steps(output)
    # What fits several is done to none of them.
    assert done.when is not None
    assert (done.when.fact, done.when.is_, done.when.value) == ("count", "equal", 1)


@pytest.mark.parametrize(
    ("words", "question", "choices"),
    [
        ("add a card Buy paint", "Which list shall it go to?", []),
        ("archive all cards", "Which cards do you mean?", []),
        ("archive all done cards", "Which cards do you mean?", []),
        ("mark all cards in Doing as done", "one card at a time", []),
        ("comment on all cards in Doing: ok", "one card at a time", []),
        ("delete all cards in Done", "for that is for good", ["archive all cards in Done"]),
        ("move all cards due tomorrow to Doing", "due before a day", []),
        ("archive all cards due this week", "due before a day", []),
        ("archive all cards due today", "due before a day", []),
        ("archive all cards in Doing due yesterday", "due before a day", []),
        ("archive all overdue cards due this week", "due before a day", []),
        ("archive the card Buy paint due this week", "due before a day", []),
        ("complete the card Buy paint due today", "due before a day", []),
        ("move all cards in Doing to Friday", "a list, or the day it is due", [
            "set the due date of all cards in Doing to Friday", 'move all cards in Doing to the list "Friday"']),
    ],
)  # fmt: skip
async def test_doubt_becomes_a_question_with_answers_that_are_understood(
    words: str, question: str, choices: list[str]
) -> None:
    asked = await plan(words)
    assert isinstance(asked, Unclear), asked
    assert question in asked.question
    assert [choice.words for choice in asked.choices] == choices
    for choice in choices:
        assert steps(await plan(choice))


async def test_a_place_in_the_list_names_a_card() -> None:
    moved = await plan("move the second one to Done", referents=TWO_CARDS)
    assert calls(moved) == [("move_card", {"cards": [{"handle": "card-2"}], "to_list": "Done"})]
    asked = await plan("archive it", referents=TWO_CARDS)
    assert isinstance(asked, Unclear)
    assert [choice.words for choice in asked.choices] == ["archive card-1", "archive card-2"]
    assert calls(await plan("archive card-2", referents=TWO_CARDS)) == [
        ("archive_card", {"cards": [{"handle": "card-2"}]})
    ]


async def test_a_board_of_the_list_is_looked_at() -> None:
    boards = shown(ReferentKind.BOARD, 1, 2)
    assert calls(await plan("what's on the second one?", referents=boards)) == [
        ("list_cards", {"board": {"handle": "board-2"}})
    ]


@pytest.mark.parametrize(
    "words",
    [
        "put milk on my shopping list", "make a list of things", "remind me to move the card", "note: add a card",
        "archive everything from Anna", "archive everything in my inbox", "archive everything in January",
        "move all mails from Anna to Done", "label all mails from Anna as Urgent", "star it",
        "move the milk to the fridge",
        "tell Bob: move it to Done", "take me off this list", "delete all my notes", "what's due on Friday?",
        "remove everything about the board meeting", "mark it as read", "comment", "what's in my inbox",
    ],
)  # fmt: skip
async def test_what_says_something_else_is_left_to_others(words: str) -> None:
    output = await plan(words)
    tools = [step.tool_call for step in getattr(output, "steps", ())]
    assert not any(tool.startswith("user_trello_") for tool in tools)


async def test_without_trello_it_is_said_that_there_is_none() -> None:
    for words in ("show my boards", "add a card Buy paint to To Do"):
        asked = await scene.plan(words)
        assert isinstance(asked, Unclear)
        assert asked.question.startswith("Trello is not set up")
