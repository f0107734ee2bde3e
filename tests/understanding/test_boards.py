"""Which cards an act or a question is about: every limit that was said is kept, or asked about."""

from dataclasses import replace
from typing import Any

import pytest

from butler.contract.referents import ReferentKind
from butler.contract.speech import say
from butler.orchestrator.planning.plan_types import Planned, Unclear
from butler.orchestrator.understanding.boards.builders import BUILDERS
from butler.orchestrator.understanding.boards.changes import WHICH_ARE_DUE, WHICH_ARE_LIKE
from butler.orchestrator.understanding.boards.selecting import DONE_THEN, DUE_BEFORE, ONE_EACH
from butler.store.conversation import LastShown
from scripts.train_understanding.examples import parsed
from tests.understanding.conversations import Marked, asked, calls, planned
from tests.understanding.marked import made, said, steps

IN_DOING = {"in_list": "Doing"}


def acted(line: str, intent: str, language: str = "en") -> list[tuple[str, dict[str, Any]]]:
    return [
        (tool.removeprefix("user_trello_"), args)
        for tool, args in steps(BUILDERS, said(line, intent, language=language))
    ]


@pytest.mark.parametrize(
    ("language", "line", "intent", "args"),
    [
        ("en", "archive all cards in [Doing](list) due [before Monday](time)", "card.archive",
         IN_DOING | {"due_before": "2026-03-09T00:00"}),
        ("de", "archiviere alle Karten in [Doing](list), die vor [Montag](time) fällig sind", "card.archive",
         IN_DOING | {"due_before": "2026-03-09T00:00"}),
        ("es", "archiva todas las tarjetas de [Doing](list) que vencen [antes del lunes](time)", "card.archive",
         IN_DOING | {"due_before": "2026-03-09T00:00"}),
        ("en", "archive all cards in [Doing](list) due [until Monday](time)", "card.archive",
         IN_DOING | {"due_before": "2026-03-10T00:00"}),
        ("en", "archive all cards due [before Monday 5pm](time)", "card.archive", {"due_before": "2026-03-09T17:00"}),
        ("en", "archive all cards due before [Monday](time_of)", "card.archive", {"due_before": "2026-03-09T00:00"}),
        ("en", "archive all cards due before [next week](time)", "card.archive", {"due_before": "2026-03-09T00:00"}),
        ("fr", "archive les cartes [en retard](filter) dans [Doing](list)", "card.archive",
         IN_DOING | {"overdue": True}),
        ("de", "archiviere alle [überfälligen](topic) Karten in [Doing](list)", "card.archive",
         IN_DOING | {"overdue": True}),
        ("en", "archive [the overdue cards](ref)", "card.archive", {"overdue": True}),
        ("en", "archive everything in [Doing](list) that is late", "card.archive", IN_DOING | {"overdue": True}),
        ("en", "archive everything labelled [urgent](label)", "card.archive", {"label": "urgent"}),
        ("en", "archive the cards with the label [done](list)", "card.archive", {"label": "done"}),
        ("en", "archive all cards in [Doing](list) assigned to [anna](to)", "card.archive",
         IN_DOING | {"assigned": "Anna"}),
        ("de", "archiviere alle Karten von [Anna](from) in [Doing](list)", "card.archive",
         IN_DOING | {"assigned": "Anna"}),
        ("en", "archive all cards of mine in [Doing](list)", "card.archive", IN_DOING | {"assigned": "me"}),
        ("en", "move all cards in [To do](list) due [before friday](time) to [Doing](list)", "card.move",
         {"in_list": "To do", "due_before": "2026-03-06T00:00", "to_list": "Doing"}),
        ("en", "assign the [overdue](filter) cards to [anna](to)", "card.assign", {"overdue": True, "person": "Anna"}),
        ("en", "give [Anna](to)'s cards in [Doing](list) to [Bob](to)", "card.assign",
         IN_DOING | {"assigned": "Anna", "person": "Bob"}),
        ("en", "assign all of [Anna's](to) cards to [Bob](to)", "card.assign", {"assigned": "Anna", "person": "Bob"}),
        ("en", "put the label [urgent](label) on all cards labelled [bug](label)", "card.label",
         {"label": "bug", "name": "urgent"}),
        ("en", "set all cards due before [Monday](time_of) in [Doing](list) to [friday](time)", "card.due",
         IN_DOING | {"due_before": "2026-03-09T00:00", "due": "2026-03-06T12:00"}),
    ],
)  # fmt: skip
def test_an_act_keeps_every_limit(language: str, line: str, intent: str, args: dict[str, Any]) -> None:
    assert [found for _, found in acted(line, intent, language)] == [args]


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "archive all cards in [Doing](list) due [after the 20th](time)"),
        ("de", "archiviere alle Karten, die nach dem [20.](time) fällig sind"),
        ("fr", "archive les cartes à rendre [après le 20](time)"),
        ("es", "archiva las tarjetas que vencen después del [20](time)"),
        ("en", "archive all cards due after [the 20th](time_of)"),
        ("en", "archive all cards in [Doing](list) due [this week](time)"),
        ("en", "archive all cards in [Doing](list) due [between monday and friday](time)"),
        ("en", "archive the [visa](topic) card due [after the 20th](time)"),
    ],
)
def test_a_limit_that_no_tool_knows_is_asked_about(language: str, line: str) -> None:
    output = made(BUILDERS, said(line, "card.archive", language=language))
    assert isinstance(output, Unclear)
    assert output.question == DUE_BEFORE


@pytest.mark.parametrize(
    "line",
    [
        "archive all cards labelled [urgent](label) and [bug](label)",
        "archive all cards of [anna](to) and [bob](to) in [Doing](list)",
    ],
)
def test_two_labels_or_people_are_asked_about(line: str) -> None:
    output = made(BUILDERS, said(line, "card.archive"))
    assert isinstance(output, Unclear)
    assert output.question == ONE_EACH


@pytest.mark.parametrize(
    ("line", "args"),
    [
        ("cards due [before friday](time)", {"due_before": "2026-03-06T00:00"}),
        ("cards due [this week](time)", {"due_before": "2026-03-09T00:00"}),
        ("which of [anna](to)'s cards labelled [bug](label) are late",
         {"overdue": True, "label": "bug", "assigned": "Anna"}),
        ("cards about [late fees](topic)", {"words": "late fees"}),
    ],
)  # fmt: skip
def test_a_question_keeps_its_limits(line: str, args: dict[str, Any]) -> None:
    assert acted(line, "card.list") == [("list_cards", args)]


@pytest.mark.parametrize(
    "line",
    [
        "which cards are due [after the 20th](time)",
        "cards due after [the 20th](time_of)",
        "cards due [since Monday](time)",
    ],
)
def test_a_question_for_what_is_due_later_is_asked_about(line: str) -> None:
    output = made(BUILDERS, said(line, "card.list"))
    assert isinstance(output, Unclear)
    assert output.question == DUE_BEFORE


def test_a_named_card_is_searched_within_the_limits() -> None:
    (_, args), _ = acted("archive [anna](from)'s [visa](topic) card due [before Monday](time)", "card.archive")
    assert args == {"words": "visa", "due_before": "2026-03-09T00:00", "assigned": "Anna"}


def test_a_named_card_may_be_spoken_of_with_words_that_limit_others() -> None:
    (_, args), _ = acted("I'm late, archive the [visa](topic) card", "card.archive")
    assert args == {"words": "visa"}


def test_cards_brought_back_are_searched_within_the_limits() -> None:
    (_, args), _ = acted("bring the [visa](topic) card on the [Home](board) board back", "card.restore")
    assert args == {"words": "visa", "archived": True, "board": "Home"}


@pytest.mark.parametrize(
    ("language", "line", "keep"),
    [
        ("en", "archive all cards in [Done](list) except [the](topic) one about the [invoice](topic)", ["invoice"]),
        ("en", "archive everything in [Done](list) except [the invoice and my visa](topic)",
         ["invoice and my visa", "invoice", "visa"]),
        ("de", "archiviere alles in [Done](list) außer [der](topic) über [die Rechnung](topic)", ["Rechnung"]),
        ("fr", "archive tout dans [Done](list) sauf [celle](topic) sur [la facture](topic)", ["facture"]),
        ("es", "archiva todo en [Done](list) excepto [la](topic) de [la factura](topic)", ["factura"]),
        ("en", "archive everything in [Done](list) except [Anna's](to)", ["Anna"]),
    ],
)  # fmt: skip
def test_what_is_left_out_is_named_without_articles(language: str, line: str, keep: list[str]) -> None:
    assert acted(line, "card.archive", language) == [("archive_card", {"in_list": "Done", "keep": keep})]


def test_the_offer_to_archive_instead_leaves_out_the_same() -> None:
    output = made(
        BUILDERS, said("delete all overdue cards in [Done](list) except the [visa](topic) card", "card.delete")
    )
    assert isinstance(output, Unclear)
    (choice,) = output.choices
    assert choice.steps[0].args == {"in_list": "Done", "overdue": True, "keep": ["visa"]}


@pytest.mark.parametrize(
    ("language", "line", "tool"),
    [
        ("en", "mark the [visa](topic) card [done](label)", "move_card"),
        ("de", "markier die Karte [Visum](topic) heute am Tag [erledigt](label)", "move_card"),
        ("en", "mark the [tag](topic) card [done](label)", "move_card"),
        ("en", "mark the card [visa](topic) done", "move_card"),
        ("en", "mark the [visa](topic) card [done by anna](label)", "label_card"),
        ("en", "tag the [visa](topic) card [done](label)", "label_card"),
        ("en", "give the [visa](topic) card the label [done](label)", "label_card"),
        ("de", "setz das Etikett [erledigt](label) auf [Visum](topic)", "label_card"),
        ("fr", "mets l'étiquette [fait](label) sur la carte [visa](topic)", "label_card"),
        ("es", "ponle la etiqueta [hecho](label) a la tarjeta [visa](topic)", "label_card"),
    ],
)
def test_done_is_a_list_unless_a_label_is_spoken_of(language: str, line: str, tool: str) -> None:
    assert acted(line, "card.label", language)[-1][0] == tool


def test_a_move_by_its_list_names_the_done_one() -> None:
    output = made(BUILDERS, said("the [visa](topic) card is done", "card.move"))
    assert isinstance(output, Planned)
    assert output.steps[-1].args["to_list"] == "Done"


@pytest.mark.parametrize(
    "line",
    ["mark the [visa](topic) card done", "die [Visumkarte](topic) ist erledigt", "la carte [visa](topic) est faite"],
)
async def test_a_done_card_may_be_of_a_board_or_a_reminder(line: str) -> None:
    text = parsed(line, "en", "").text
    output = await planned(Marked().knows(line, reminder__done=0.95), asked(text))
    assert isinstance(output, Unclear)
    assert [one.steps[-1].tool_call for one in output.choices] == ["bot_reminders_done", "user_trello_move_card"]


@pytest.mark.parametrize(
    "line",
    [
        "I've sent the birthday [card](topic)",
        "mark the [birthday](topic) card reminder as done",
        "the [dentist](topic) is done",
    ],
)
async def test_a_reminder_that_is_done_is_no_card(line: str) -> None:
    output = await planned(Marked().knows(line, reminder__done=0.95), asked(parsed(line, "en", "").text))
    assert [tool for tool, _ in calls(output)] == ["bot_reminders_done"]


async def test_after_a_reminder_a_done_card_is_its() -> None:
    shown = LastShown(kind=ReferentKind.REMINDER, count=1)
    reader = Marked().knows("mark the [visa](topic) card done", reminder__done=0.95)
    output = await planned(reader, asked("mark the visa card done", last_shown=shown))
    assert [tool for tool, _ in calls(output)] == ["bot_reminders_done"]


async def test_without_a_board_a_done_card_is_a_reminder() -> None:
    one = asked("mark the visa card done")
    one = replace(one, tools=tuple(tool for tool in one.tools if not tool.tool_name.startswith("user_trello_")))
    output = await planned(Marked().knows("mark the [visa](topic) card done", reminder__done=0.95), one)
    assert [tool for tool, _ in calls(output)] == ["bot_reminders_done"]


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "archive cards due until [friday](time) in [Doing](list)"),
        ("en", "cards due [friday](time) in [Doing](list)"),
        ("de", "Karten fällig bis [Freitag](time) in [Doing](list)"),
        ("fr", "cartes à échéance [vendredi](time) dans [Doing](list)"),
        ("es", "tarjetas que vencen el [viernes](time) en [Doing](list)"),
    ],
)
def test_all_cards_of_a_list_get_a_due_date_only_by_a_word_for_it(language: str, line: str) -> None:
    asked_back = made(BUILDERS, said(line, "card.due", language=language))
    assert isinstance(asked_back, Unclear)
    assert asked_back.question == WHICH_ARE_DUE
    tools = [[step.tool_call for step in one.steps] for one in asked_back.choices]
    assert tools == [["user_trello_list_cards"], ["user_trello_due_card"]]


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "put the cards in [Doing](list) due [friday](time)"),
        ("de", "setz alle Karten in [Doing](list) auf [Freitag](time) fällig"),
        ("fr", "mets l'échéance des cartes de [Doing](list) à [vendredi](time)"),
        ("es", "pon la fecha límite de las tarjetas de [Doing](list) el [viernes](time)"),
    ],
)
def test_a_word_for_it_sets_when_all_cards_of_a_list_are_due(language: str, line: str) -> None:
    assert acted(line, "card.due", language) == [("due_card", IN_DOING | {"due": "2026-03-06T12:00"})]


def test_a_card_that_is_named_is_due_without_a_word_for_setting_it() -> None:
    assert acted("[visa](topic) card due [friday](time)", "card.due")[-1][0] == "due_card"


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "cards labelled [urgent](label) in [Doing](list)"),
        ("de", "Karten mit dem Label [urgent](label) in [Doing](list)"),
        ("fr", "cartes avec l'étiquette [urgent](label) dans [Doing](list)"),
        ("es", "tarjetas con la etiqueta [urgent](label) en [Doing](list)"),
    ],
)
def test_cards_that_have_a_label_are_looked_for(language: str, line: str) -> None:
    assert acted(line, "card.label", language) == [("list_cards", IN_DOING | {"label": "urgent"})]


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "label the cards in [Doing](list) [urgent](label)"),
        ("de", "gib den Karten in [Doing](list) das Label [urgent](label)"),
        ("fr", "mets l'étiquette [urgent](label) aux cartes de [Doing](list)"),
        ("es", "pon la etiqueta [urgent](label) a las tarjetas de [Doing](list)"),
    ],
)
def test_a_verb_labels_all_cards_of_a_list(language: str, line: str) -> None:
    assert acted(line, "card.label", language) == [("label_card", IN_DOING | {"name": "urgent"})]


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "archive cards due on [friday](list) in [Doing](list)"),
        ("de", "archiviere die Karten, die am [Freitag](list) in [Doing](list) fällig sind"),
        ("fr", "archive les cartes qui expirent [vendredi](list) dans [Doing](list)"),
        ("es", "archiva las tarjetas que vencen el [viernes](board) en [Doing](list)"),
    ],
)
def test_a_day_on_which_cards_are_due_is_no_list(language: str, line: str) -> None:
    output = made(BUILDERS, said(line, "card.archive", language=language))
    assert isinstance(output, Unclear)
    assert output.question == DUE_BEFORE


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "archive cards due before [friday](list) in [Doing](list)"),
        ("fr", "archive les cartes à rendre avant [vendredi](list) dans [Doing](list)"),
        ("es", "archiva las tarjetas en [Doing](list) que vencen antes del [viernes](list)"),
    ],
)
def test_a_day_before_which_cards_are_due_limits_them(language: str, line: str) -> None:
    assert acted(line, "card.archive", language) == [("archive_card", IN_DOING | {"due_before": "2026-03-06T00:00"})]


@pytest.mark.parametrize(
    ("line", "args"),
    [
        ("archive all cards on the [Friday](list) list", {"in_list": "Friday"}),
        ("archive all cards in [This week](list) due before [Monday](time)",
         {"in_list": "This week", "due_before": "2026-03-09T00:00"}),
    ],
)  # fmt: skip
def test_a_list_may_be_named_like_a_time(line: str, args: dict[str, Any]) -> None:
    assert acted(line, "card.archive") == [("archive_card", args)]


@pytest.mark.parametrize(
    ("language", "line", "word"),
    [
        ("en", "archive all urgent cards in [Doing](list)", "urgent"),
        ("de", "archiviere alle dringenden Karten in [Doing](list)", "dringenden"),
        ("fr", "archive toutes les cartes urgentes dans [Doing](list)", "urgentes"),
        ("es", "archiva todas las tarjetas urgentes en [Doing](list)", "urgentes"),
    ],
)
def test_a_word_for_some_cards_is_asked_about(language: str, line: str, word: str) -> None:
    output = made(BUILDERS, said(line, "card.archive", language=language))
    assert isinstance(output, Unclear)
    assert output.question == say(WHICH_ARE_LIKE, word=word)
    assert [one.steps[-1].args for one in output.choices] == [IN_DOING | {"label": word}]


def test_a_word_for_some_cards_is_no_list() -> None:
    line = "mueve todas las tarjetas [urgentes](list) de [Doing](list) a [Done](list)"
    output = made(BUILDERS, said(line, "card.move", language="es"))
    assert isinstance(output, Unclear)
    assert output.question == say(WHICH_ARE_LIKE, word="urgentes")


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "archive all three cards in [Doing](list)"),
        ("en", "archive all the other cards in [Doing](list)"),
        ("de", "archiviere alle meine Karten in [Doing](list)"),
        ("fr", "archive toutes les cartes dans [Doing](list)"),
        ("es", "archiva las tarjetas de [Doing](list) por favor"),
    ],
)
def test_small_words_tell_no_cards_apart(language: str, line: str) -> None:
    assert acted(line, "card.archive", language) == [("archive_card", IN_DOING)]


@pytest.mark.parametrize(
    ("language", "line", "intent"),
    [
        ("en", "cards archived [last week](time)", "card.list"),
        ("en", "cards [finished](list) [yesterday](time)", "card.list"),
        ("en", "archive cards created [last week](time) in [Doing](list)", "card.archive"),
        ("de", "Karten, die [letzte Woche](time) archiviert wurden", "card.list"),
        ("fr", "cartes [archivées](filter) [la semaine dernière](time)", "card.list"),
        ("es", "tarjetas [archivadas](filter) la [semana pasada](time)", "card.list"),
    ],
)
def test_when_something_was_done_to_cards_is_no_due_time(language: str, line: str, intent: str) -> None:
    output = made(BUILDERS, said(line, intent, language=language))
    assert isinstance(output, Unclear)
    assert output.question == DONE_THEN


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "archived cards"),
        ("de", "zeig mir die archivierten Karten"),
        ("fr", "cartes [archivées](filter)"),
        ("es", "tarjetas archivadas"),
    ],
)
def test_archived_cards_are_looked_for(language: str, line: str) -> None:
    assert acted(line, "card.list", language) == [("list_cards", {"archived": True})]
