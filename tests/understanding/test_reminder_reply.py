"""Reminders by a reply: whose words they say, a bare time said to one, and a time of a zone that is none."""

from dataclasses import replace

import pytest

from butler.orchestrator.planning.plan_types import Planned, Unclear
from butler.orchestrator.understanding.reminders.builders import BUILDERS
from butler.orchestrator.understanding.reminders.reply import of_something_new
from butler.orchestrator.understanding.said import Said
from tests.understanding.marked import made, said, steps

OTHERS = {"replied": "text"}
POINTING = (
    ("remind me of [this](ref) [tomorrow at 9](time)", "en"),
    ("remind me [tomorrow at 9](time) about [this message](text)", "en"),
    ("erinnere mich [morgen um 9](time) daran", "de"),
    ("rappelle-moi [ça](ref) [demain à 9h](time)", "fr"),
    ("recuérdame [esto](text) [mañana a las 9](time)", "es"),
)


def in_reply(one: Said, own: str = "", *, others: bool = False) -> Said:
    asked = replace(one.scene.request, own_reply=own, others_reply=others, replied_to=(), referents=())
    return replace(one, scene=replace(one.scene, request=asked))


@pytest.mark.parametrize(("line", "language"), POINTING)
def test_it_is_of_what_is_replied_to_and_others_words_stay_a_reference(line: str, language: str) -> None:
    one = said(line, "reminder.create", language=language)
    assert steps(BUILDERS, in_reply(one, "the meter reads 4711"))[0][1]["text"] == "The meter reads 4711"
    assert steps(BUILDERS, in_reply(one, others=True))[0][1]["text"] == OTHERS
    assert isinstance(made(BUILDERS, in_reply(one)), Unclear)


def test_words_of_an_earlier_message_are_no_reply() -> None:
    one = in_reply(said("remind me [tomorrow at 9](time)", "reminder.create"), others=True)
    later = replace(one, request=replace(one.request, text=f"{one.request.text}\nof that"))
    assert isinstance(made(BUILDERS, later), Unclear)


def test_a_text_of_its_own_is_what_it_says() -> None:
    one = in_reply(said("remind me [tomorrow at 9](time) to [call mum](text)", "reminder.create"), others=True)
    assert steps(BUILDERS, one)[0][1]["text"] == "Call mum"


@pytest.mark.parametrize(
    ("line", "language"),
    [
        ("recuérdame [mañana a las 9 hora](time) de [Hogwarts](text) [llamar a Bo](text)", "es"),
        ("rappelle-moi [demain à 9h heure de](time) [Poudlard](text) d'[appeler Bo](text)", "fr"),
        ("erinnere mich [morgen um 9 Uhr](time) [Hogwarts](text)-Zeit, [Bo anzurufen](text)", "de"),
    ],
)
def test_no_part_of_an_unread_time_is_a_text(line: str, language: str) -> None:
    assert isinstance(made(BUILDERS, said(line, "reminder.create", language=language)), Unclear)


@pytest.mark.parametrize(
    ("line", "language"),
    [
        ("remind me [every day except holidays at 8](every) to [run](text)", "en"),
        ("erinnere mich [jeden Tag außer an Feiertagen um 8](every) ans [Laufen](text)", "de"),
        ("rappelle-moi [tous les jours sauf les jours fériés à 8h](every) de [courir](text)", "fr"),
        ("recuérdame [todos los días menos los festivos a las 8](every) [correr](text)", "es"),
    ],
)
def test_days_that_no_rule_can_leave_out_are_asked_about(line: str, language: str) -> None:
    assert isinstance(made(BUILDERS, said(line, "reminder.create", language=language)), Unclear)


def test_where_no_reminder_can_be_put_off_a_new_one_is_meant() -> None:
    one = in_reply(said("rappelle-moi [ça](ref) [demain à 9h](time)", "reminder.snooze", language="fr"), "the gas")
    shares = {"reminder.snooze": 0.9, "reminder.create": 0.09}
    found = of_something_new(shares, one.request, one.scene.request)
    assert found["reminder.create"] > found["reminder.snooze"] == 0
    named = said("put off [the gas](topic) to [tomorrow](time)", "reminder.snooze")
    assert of_something_new(shares, named.request, one.scene.request) == shares


def test_the_text_is_kept_where_it_is_planned_again_and_again() -> None:
    one = in_reply(said("remind me of [this](ref) [every Monday at 9](every)", "reminder.create"), others=True)
    found = made(BUILDERS, one)
    assert isinstance(found, Planned)
    assert found.steps[0].args["text"] == OTHERS


@pytest.mark.parametrize(
    ("line", "language", "text"),
    [
        ("drops [every day at 10](every), remind me", "en", "Drops"),
        ("Tropfen [jeden Tag um 10](every), erinner mich", "de", "Tropfen"),
        ("gouttes [tous les jours à 10h](every), rappelle-moi", "fr", "Gouttes"),
        ("gotas [todos los días a las 10](every), recuérdame", "es", "Gotas"),
    ],
)
def test_words_before_the_request_are_its_text_unless_it_replies(line: str, language: str, text: str) -> None:
    one = said(line, "reminder.create", language=language)
    assert steps(BUILDERS, in_reply(one))[0][1]["text"] == text
    assert steps(BUILDERS, in_reply(one, "the meter reads 4711"))[0][1]["text"] == "The meter reads 4711"


@pytest.mark.parametrize(
    ("line", "language"),
    [
        ("ok [tomorrow at 9](time), remind me", "en"),
        ("hey, remind me [tomorrow at 9](time)", "en"),
        ("yes please [tomorrow at 9](time), remind me", "en"),
        ("ja bitte [morgen um 9](time), erinner mich", "de"),
        ("d'accord [demain à 9h](time), rappelle-moi", "fr"),
        ("sí, por favor [mañana a las 9](time), recuérdame", "es"),
    ],
)
def test_an_interjection_is_no_text(line: str, language: str) -> None:
    assert isinstance(made(BUILDERS, in_reply(said(line, "reminder.create", language=language))), Unclear)
