"""Words that end something, by kind and language: the kind that is named or was shown last, or a question."""

from typing import Any

import pytest

from bench.understanding_scenes import request, tools
from butler.contract.referents import ReferentKind
from butler.orchestrator.embedded.planner import EmbeddedPlanner
from butler.orchestrator.planning.plan_types import Command, Planned, PlannerInput, PlannerOutput, Unclear
from butler.store.conversation import LastShown, Referent

SHOWN_BY = {
    ReferentKind.REMINDER: "bot_reminders_list",
    ReferentKind.EVENT: "user_calendar_list_events",
    ReferentKind.MAIL: "user_email_search_inbox",
    ReferentKind.CARD: "user_trello_list_cards",
    ReferentKind.SOURCE: "bot_memory_list",
    ReferentKind.NOTE: "bot_notes_search",
    ReferentKind.MESSAGE: "user_telegram_get_message_history",
}
ENDS = {
    ReferentKind.REMINDER: {"bot_reminders_remove"},
    ReferentKind.EVENT: {"user_calendar_delete_event"},
    ReferentKind.MAIL: {"user_email_trash"},
    ReferentKind.CARD: {"user_trello_delete_card"},
    ReferentKind.MESSAGE: {"user_telegram_delete_message"},
    ReferentKind.SOURCE: {"bot_memory_forget"},
    ReferentKind.NOTE: set[str](),
}
REFERENCES = (
    "delete the first one", "remove the first one", "cancel the second one", "turn off the first one", "delete it",
    "remove it", "delete the last one", "get rid of number 2", "forget the first one", "delete the second",
    "lösch die erste", "lösch es", "entferne den zweiten", "schalt die erste aus", "lösche Nummer 2",
    "supprime le premier", "supprime la deuxième", "supprime-le", "efface le dernier", "désactive le premier",
    "borra el primero", "bórralo", "elimina la segunda", "quita el último", "desactiva la primera",
)  # fmt: skip


def listed(kind: ReferentKind) -> tuple[Referent, ...]:
    return tuple(
        Referent(
            handle=f"{kind}-{n}", kind=kind, key=f"{kind}:{n}", tool=SHOWN_BY[kind], ordinal=n, shown_in=f"list-{kind}"
        )
        for n in (1, 2)
    )


def asked(words: str, **more: Any) -> PlannerInput:
    values = {**{name: getattr(request(words, "none", tools()), name) for name in PlannerInput.__slots__}, **more}
    return PlannerInput(**values)


async def read(words: str, **more: Any) -> PlannerOutput:
    return await EmbeddedPlanner().plan(asked(words, **more))


@pytest.mark.parametrize("words", REFERENCES)
@pytest.mark.parametrize("last", [ReferentKind.AUTOMATION, *SHOWN_BY])
async def test_after_an_empty_list_a_reference_ends_nothing(words: str, last: ReferentKind) -> None:
    older = tuple(one for kind in SHOWN_BY for one in listed(kind) if kind is not last)
    output = await read(words, referents=older, last_shown=LastShown(kind=last, count=0))
    assert isinstance(output, Unclear), output


@pytest.mark.parametrize("words", REFERENCES)
@pytest.mark.parametrize("last", SHOWN_BY)
async def test_a_reference_ends_only_what_is_of_the_kind_shown_last(words: str, last: ReferentKind) -> None:
    older = tuple(one for kind in SHOWN_BY for one in listed(kind) if kind is not last)
    output = await read(words, referents=(*older, *listed(last)), last_shown=LastShown(kind=last, count=2))
    if isinstance(output, Planned):
        assert {step.tool_call for step in output.steps} <= ENDS[last], output
        assert str(last) in str([step.args for step in output.steps])
    else:
        assert isinstance(output, Unclear), output


@pytest.mark.parametrize(
    ("words", "number"),
    [
        ("turn off the first one", 3),
        ("delete the second one", 5),
        ("remove the last one", 5),
        ("lösch die erste", 3),
        ("schalt die zweite aus", 5),
        ("désactive le premier", 3),
        ("supprime la dernière", 5),
        ("desactiva la primera", 3),
        ("borra el número 2", 5),
    ],
)
async def test_a_listed_automation_is_ended_by_its_place(words: str, number: int) -> None:
    last = LastShown(kind=ReferentKind.AUTOMATION, count=2, keys=("3", "5"))
    output = await read(words, referents=listed(ReferentKind.REMINDER), last_shown=last)
    assert isinstance(output, Planned), output
    (step,) = output.steps
    assert step.tool_call.startswith("bot_automations_")
    assert step.args == {"number": number}


@pytest.mark.parametrize("words", ["turn off the third one", "lösch die dritte", "borra el número 7"])
async def test_a_place_that_the_list_does_not_have_is_said(words: str) -> None:
    last = LastShown(kind=ReferentKind.AUTOMATION, count=2, keys=("3", "5"))
    output = await read(words, referents=listed(ReferentKind.REMINDER), last_shown=last)
    assert isinstance(output, Unclear)
    assert "has no number" in output.question


@pytest.mark.parametrize(
    ("words", "command"),
    [
        ("remove the automation about Bob", Command.AUTOMATIONS),
        ("delete the automation for invoices", Command.AUTOMATIONS),
        ("turn off the automation with the invoices", Command.AUTOMATIONS),
        ("stop the webhook from Trello", Command.AUTOMATIONS),
        ("lösch die Automation über Bob", Command.AUTOMATIONS),
        ("schalt die Automatisierung für Rechnungen ab", Command.AUTOMATIONS),
        ("supprime l'automatisation sur Bob", Command.AUTOMATIONS),
        ("peux-tu supprimer l'automatisation de Bob", Command.AUTOMATIONS),
        ("borra la automatización de Bob", Command.AUTOMATIONS),
        ("¿puedes borrar la automatización de facturas?", Command.AUTOMATIONS),
        ("cancel my standing rule for Anna", Command.RULES),
        ("revoke the rule about Anna", Command.RULES),
        ("lösch die Regel für Anna", Command.RULES),
        ("supprime la règle pour Anna", Command.RULES),
        ("borra la regla de Anna", Command.RULES),
        ("delete the contact Bob", Command.CONTACTS),
        ("remove Bob from my contacts", Command.CONTACTS),
        ("lösch den Kontakt Bob", Command.CONTACTS),
        ("supprime le contact Bob", Command.CONTACTS),
        ("borra el contacto Bob", Command.CONTACTS),
        ("stop the bulk run", Command.BULK),
    ],
)
async def test_a_kind_with_a_list_of_its_own_is_shown_with_its_buttons(words: str, command: Command) -> None:
    assert await read(words) is command


@pytest.mark.parametrize(
    ("words", "channel"),
    [
        ("cancel the automation meeting tomorrow", "calendar"),
        ("cancel the reminder about the meeting", "reminders"),
        ("delete the dinner reminder", "reminders"),
        ("lösch die Erinnerung an das Treffen", "reminders"),
        ("supprime le rappel du rendez-vous", "reminders"),
        ("borra el recordatorio de la cita", "reminders"),
        ("delete all mails from Bob", "email"),
        ("lösch alle Mails von Bob", "email"),
        ("cancel my meeting with Anna tomorrow", "calendar"),
        ("delete the card buy milk", "trello"),
    ],
)
async def test_a_kind_that_is_named_is_the_kind_that_is_ended(words: str, channel: str) -> None:
    output = await read(words)
    assert isinstance(output, Planned), output
    assert {step.tool_call.split("_")[1] for step in output.steps} == {channel}


@pytest.mark.parametrize(
    "words",
    [
        "delete the note about the dinner",
        "lösch die Notiz über das Essen",
        "supprime la note sur le dîner",
        "borra la nota de la cena",
        "cancel the note for tomorrow",
        "supprime le message pour Anna",
    ],
)
async def test_what_cannot_be_ended_becomes_nothing_of_another_kind(words: str) -> None:
    assert isinstance(await read(words), Unclear)


@pytest.mark.parametrize("words", ["stop it", "stop", "stopp", "cancel it"])
async def test_a_stop_is_a_stop_whatever_was_shown(words: str) -> None:
    output = await read(words, last_shown=LastShown(kind=ReferentKind.AUTOMATION, count=0))
    assert output in {Command.PAUSE, Command.UNDO}


SEVERAL = (
    ("cancel the second one and the first", [2, 1]), ("delete the first and the second", [1, 2]),
    ("remove the first one and the last one", [1, 2]), ("lösch die erste und die zweite", [1, 2]),
    ("storniere den ersten und den zweiten", [1, 2]), ("supprime le premier et le deuxième", [1, 2]),
    ("borra el primero y el segundo", [1, 2]),
)  # fmt: skip


@pytest.mark.parametrize(("words", "places"), SEVERAL)
@pytest.mark.parametrize("kind", [ReferentKind.EVENT, ReferentKind.REMINDER])
async def test_two_references_mean_two_of_what_was_shown_last(
    words: str, places: list[int], kind: ReferentKind
) -> None:
    output = await read(words, referents=listed(kind), last_shown=LastShown(kind=kind, count=2))
    assert isinstance(output, Planned), output
    named = [one for step in output.steps for one in step.args.get("events", [step.args.get("reminder_id")])]
    assert named == [{"handle": f"{kind}-{place}"} for place in places]
    assert {step.tool_call for step in output.steps} == ENDS[kind]


@pytest.mark.parametrize("words", [words for words, _ in SEVERAL])
@pytest.mark.parametrize("kind", [None, ReferentKind.MAIL, ReferentKind.CARD, ReferentKind.RULE])
async def test_two_references_to_nothing_that_can_be_ended_so_are_a_question(
    words: str, kind: ReferentKind | None
) -> None:
    last = None if kind is None else LastShown(kind=kind, count=2)
    output = await read(words, referents=listed(kind) if kind in SHOWN_BY else (), last_shown=last)
    assert isinstance(output, Unclear), output


async def test_two_references_of_which_one_is_not_there_are_a_question() -> None:
    event = ReferentKind.EVENT
    more = {"referents": listed(event), "last_shown": LastShown(kind=event, count=2)}
    assert isinstance(await read("cancel the second one and the third", **more), Unclear)
