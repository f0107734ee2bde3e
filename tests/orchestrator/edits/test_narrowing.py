"""What is said further of many events or cards says which of them only."""
# names: made up here

from typing import Any

import pytest

from butler.orchestrator.edits.narrowing import Narrowed
from butler.orchestrator.edits.reading import Word
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.planning.plan_types import Unclear
from tests.orchestrator.edits.bulk_words import CARDS, EVENTS, read


@pytest.mark.parametrize(
    ("tool", "words", "args", "changed"),
    [
        (EVENTS, "only those with Carol", {}, {"people": ["carol@work.example"]}),
        (EVENTS, "only those about budget", {"words": "meeting"}, {"words": "meeting budget"}),
        (EVENTS, "only the ones I am invited to", {}, {"organiser": "others"}),
        (EVENTS, "only the all-day ones", {}, {"all_day": True}),
        (CARDS, "only those labelled Urgent", {}, {"label": "Urgent"}),
        (CARDS, "only the overdue ones", {"board": "Home"}, {"overdue": True}),
        (CARDS, "only the overdue ones", {"board": "Home", "overdue": True}, {}),
        (CARDS, "only those about the trip", {}, {"words": "trip"}),
    ],
)
def test_only_means_what_holds_besides(tool: str, words: str, args: dict[str, Any], changed: dict[str, Any]) -> None:
    more = read(words, tool)
    assert isinstance(more, Narrowed)
    assert more.changed(args) == changed


@pytest.mark.parametrize(
    ("tool", "words", "args", "changed"),
    [
        (EVENTS, "not the dentist", {}, {"keep": ["dentist"]}),
        (EVENTS, "not the ones with Carol", {"keep": ["gym"]}, {"keep": ["gym", "Carol", "carol@work.example"]}),
        (EVENTS, "not the all-day ones", {}, {"all_day": False}),
        (EVENTS, "nimm die ganztägigen aus bitte", {}, {"all_day": False}),
        (EVENTS, "pas le dentiste", {}, {"keep": ["dentiste"]}),
        (EVENTS, "menos el dentista", {}, {"keep": ["dentista"]}),
        (EVENTS, "nicht die mit Carol", {}, {"keep": ["Carol", "carol@work.example"]}),
        (CARDS, "not mine", {}, {"keep": ["me"]}),
        (CARDS, "las mías no", {}, {"keep": ["me"]}),
        (EVENTS, "all but the dentist", {}, {"keep": ["dentist"]}),
        (EVENTS, "everything but the gym", {}, {"keep": ["gym"]}),
        (CARDS, "all but Doing", {}, {"keep": ["Doing"]}),
        (EVENTS, "los de Carol no, solo los de Bob", {}, {"keep": ["Carol", "carol@work.example"], "people": ["Bob"]}),
        (EVENTS, "those with Carol, no", {}, {"keep": ["Carol", "carol@work.example"]}),
        (EVENTS, "those with Carol: keep", {}, {"keep": ["Carol", "carol@work.example"]}),
        (EVENTS, "celui avec Carol reste", {}, {"keep": ["Carol", "carol@work.example"]}),
        (EVENTS, "nimm die mit Carol aus", {}, {"keep": ["Carol", "carol@work.example"]}),
        (EVENTS, "pas ceux de Bob ou Carol", {}, {"keep": ["Bob", "Carol", "carol@work.example"]}),
    ],
)
def test_what_is_to_be_left_out_is_kept(tool: str, words: str, args: dict[str, Any], changed: dict[str, Any]) -> None:
    more = read(words, tool, replied=True)
    assert isinstance(more, Narrowed)
    assert more.changed(args) == changed


@pytest.mark.parametrize(
    "words",
    [
        "leave only the dentist",
        "lass nur den Zahnarzt",
        "deja solo el dentista",
        "not without Carol",
        "keep everything except the one with Carol",
    ],
)
def test_words_that_contradict_each_other_are_asked_about(words: str) -> None:
    asked = read(words, EVENTS, replied=True)
    assert isinstance(asked, Unclear)
    assert "only these are meant, or all but these" in asked.question


@pytest.mark.parametrize("tool", [EVENTS, CARDS])
@pytest.mark.parametrize("words", ["not the finished ones", "nicht die erledigten"])
def test_a_state_is_no_title_to_leave_out(tool: str, words: str) -> None:
    asked = read(words, tool, replied=True)
    assert isinstance(asked, Unclear)
    assert "cannot leave single ones out" in asked.question


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("only those labelled red and blue", "one label and one person at a time"),
        ("only those in Doing and in Done", "one list and one board at a time"),
    ],
)
def test_of_several_labels_or_lists_one_is_asked_for(words: str, told: str) -> None:
    asked = read(words, CARDS, replied=True)
    assert isinstance(asked, Unclear)
    assert told in asked.question


def test_from_a_list_is_in_that_list() -> None:
    more = read("only those from Doing", CARDS, replied=True)
    assert isinstance(more, Narrowed)
    assert more.changed({}) == {"in_list": "Doing"}


def test_a_weekday_to_leave_out_is_one_of_that_week() -> None:
    more = read("nicht die nach Mittwoch", EVENTS, replied=True)
    assert isinstance(more, Narrowed)
    assert more.changed(WEEK) == {"before": "2026-03-12"}


def test_of_those_that_were_named_nothing_is_left_out() -> None:
    more = read("not the dentist", EVENTS, replied=True)
    assert isinstance(more, Narrowed)
    with pytest.raises(Asking, match="the very ones"):
        more.changed({"events": ["e1"]})


WEEK = {"since": "2026-03-09", "before": "2026-03-16"}
"""The week after the one that these tests are in."""


@pytest.mark.parametrize(
    ("tool", "words", "args", "changed"),
    [
        (EVENTS, "only those after Wednesday", WEEK, {"since": "2026-03-12"}),
        (EVENTS, "only those on Wednesday", WEEK, {"since": "2026-03-11", "before": "2026-03-12"}),
        (EVENTS, "only those before Wednesday", WEEK, {"before": "2026-03-11"}),
        (EVENTS, "only the ones this month", WEEK, {}),
        (EVENTS, "only those next week", {"since": "2026-03-04", "before": "2026-03-12"}, {"since": "2026-03-09"}),
        (EVENTS, "only those on Friday afternoon", WEEK, {"since": "2026-03-13T12:00", "before": "2026-03-13T18:00"}),
        (EVENTS, "only those after 3 pm", {"since": "2026-03-13", "before": "2026-03-14"},
         {"since": "2026-03-13T15:00"}),
        (EVENTS, "only those on the weekend", WEEK, {"since": "2026-03-14"}),
        (EVENTS, "only those tomorrow afternoon", {"since": "2026-03-05", "before": "2026-03-06"},
         {"since": "2026-03-05T12:00", "before": "2026-03-05T18:00"}),
        (EVENTS, "only those after Friday", {"words": "gym"}, {"since": "2026-03-07", "before": "2027-03-05"}),
        (EVENTS, "only those with Carol", {"people": ["carol@work.example", "bob"]},
         {"people": ["carol@work.example"]}),
        (EVENTS, "only those about budget", {"words": "Budget meeting"}, {}),
        (CARDS, "only those due before Monday", {"due_before": "2026-03-06T00:00:00"}, {}),
        (CARDS, "only those due before Monday", {"due_before": "2026-03-20T00:00:00"},
         {"due_before": "2026-03-09T00:00"}),
        (CARDS, "only those labelled Urgent", {"label": "urgent"}, {"label": "urgent"}),
    ],
)  # fmt: skip
def test_only_never_means_more(tool: str, words: str, args: dict[str, Any], changed: dict[str, Any]) -> None:
    more = read(words, tool)
    assert isinstance(more, Narrowed)
    assert {**args, **more.changed(args)} == {**args, **changed}


@pytest.mark.parametrize(
    ("tool", "words", "args", "told"),
    [
        (EVENTS, "only those tomorrow", WEEK, "about 9 March 2026 – 15 March 2026"),
        (EVENTS, "only those yesterday", {"words": "gym"}, "about 4 March 2026 – 4 March 2027"),
        (EVENTS, "only those with Carol", {"people": ["Bob"]}, "about “Bob” already"),
        (EVENTS, "only those in my Work calendar", {"calendar": "Home"}, "about “Home” already"),
        (EVENTS, "only the ones I am invited to", {"organiser": "me"}, "nothing would be left"),
        (EVENTS, "only the all-day ones", {"all_day": False}, "nothing would be left"),
        (EVENTS, "only those with Carol and their whole series", {"words": "gym"}, "more than it is about"),
        (CARDS, "only those in Doing", {"in_list": "Done"}, "about “Done” already, and “Doing” cannot"),
        (CARDS, "only those labelled Urgent", {"label": "Home"}, "about “Home” already"),
    ],
)
def test_what_would_be_others_is_asked(tool: str, words: str, args: dict[str, Any], told: str) -> None:
    more = read(words, tool)
    assert isinstance(more, Narrowed)
    with pytest.raises(Asking, match=told):
        more.changed(args)


@pytest.mark.parametrize("words", ["with Carol", "overdue", "also those with Bob", "only joking about that", "only"])
@pytest.mark.parametrize("tool", [EVENTS, CARDS])
def test_anything_else_changes_nothing(tool: str, words: str) -> None:
    assert read(words, tool) is None


@pytest.mark.parametrize("words", ["only those due this week", "only the ones due today", "only those due tomorrow"])
def test_a_period_in_which_cards_are_due_is_asked_about(words: str) -> None:
    asked = read(words, CARDS)
    assert isinstance(asked, Unclear)
    assert "due before a day" in asked.question
    before = read("only those due before Friday", CARDS)
    assert isinstance(before, Narrowed)
    assert list(before.changed({})) == ["due_before"]


def test_to_the_card_itself_the_only_may_be_left_out() -> None:
    more = read("with Carol", EVENTS, replied=True)
    assert isinstance(more, Narrowed)
    assert more.changed({}) == {"people": ["carol@work.example"]}


@pytest.mark.parametrize(
    ("words", "changed"),
    [
        ("nur die mit Carol", {"people": ["carol@work.example"]}),
        ("nur die über die Reise", {"words": "Reise"}),
        ("seulement ceux avec Carol", {"people": ["carol@work.example"]}),
        ("seulement ceux sur le voyage", {"words": "voyage"}),
        ("solo los con Carol", {"people": ["carol@work.example"]}),
        ("solo los sobre el viaje", {"words": "viaje"}),
    ],
)
def test_it_is_said_in_any_of_the_languages(words: str, changed: dict[str, Any]) -> None:
    more = read(words, EVENTS)
    assert isinstance(more, Narrowed)
    assert more.changed({}) == changed


@pytest.mark.parametrize(
    ("words", "changed"),
    [
        ("nur die am Mittwoch", {"since": "2026-03-11", "before": "2026-03-12"}),
        ("nur die vom Mittwoch", {"since": "2026-03-11", "before": "2026-03-12"}),
        ("nur die nach Mittwoch", {"since": "2026-03-12"}),
        ("nur die vor Donnerstag", {"before": "2026-03-12"}),
        ("nur die diesen Monat", {}),
        ("seulement ceux de mercredi", {"since": "2026-03-11", "before": "2026-03-12"}),
        ("seulement ceux après mercredi", {"since": "2026-03-12"}),
        ("seulement ceux avant jeudi", {"before": "2026-03-12"}),
        ("solo los del miércoles", {"since": "2026-03-11", "before": "2026-03-12"}),
        ("solo los después del miércoles", {"since": "2026-03-12"}),
        ("solo los antes del jueves", {"before": "2026-03-12"}),
    ],
)
def test_a_weekday_is_one_of_that_week_in_any_of_the_languages(words: str, changed: dict[str, Any]) -> None:
    more = read(words, EVENTS)
    assert isinstance(more, Narrowed)
    assert more.changed(WEEK) == changed


@pytest.mark.parametrize("words", ["which ones are overdue?", "welche sind überfällig?", "combien y en a-t-il ?"])
def test_a_question_changes_nothing(words: str) -> None:
    assert read(words, CARDS, replied=True) is None


def test_a_yes_with_a_not_is_no_yes() -> None:
    assert read("Don't delete, hang on", EVENTS, replied=True) is not Word.YES


def test_mine_is_no_time() -> None:
    more = read("solo las mías", CARDS, replied=True)
    assert isinstance(more, Narrowed)
    assert more.changed({}) == {"assigned": "me"}


def test_days_that_are_no_stretch_are_asked_about() -> None:
    asked = read("nur Montag und Dienstag bis vierzehn Uhr", EVENTS, replied=True)
    assert isinstance(asked, Unclear)
    assert asked.question.startswith("I cannot tell which ones are “Montag und")
