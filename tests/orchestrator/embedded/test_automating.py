"""What is to be done whenever something happens, or at times, in the words of four languages."""
# names: made up here

from typing import Any

import pytest

from butler.contract.names import Direction
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput, Unclear
from modules.automations.args import CreateArgs
from modules.prometheus.args import QueryMetricsArgs
from modules.trello.args import CreateCardArgs
from tests.orchestrator.embedded import scene

TOOLS = (
    *scene.TOOLS,
    scene.tool("bot_automations_create", CreateArgs, Direction.OUTPUT),
    scene.tool("user_trello_create_card", CreateCardArgs, Direction.OUTPUT),
    scene.tool("bot_prometheus_query_metrics", QueryMetricsArgs, Direction.INPUT),
)
ANNA_MAILS = {"event": "mail.received", "where": [("contact", "is", "Anna Berg")]}
INVOICE = {"event": "mail.received", "where": [("subject", "contains", "invoice")]}
RECHNUNG = {"event": "mail.received", "where": [("subject", "contains", "Rechnung")]}
FACTURE = {"event": "mail.received", "where": [("subject", "contains", "facture")]}
FACTURA = {"event": "mail.received", "where": [("subject", "contains", "factura")]}
FAILED = {"event": "bulk.finished", "where": [("failed", "at_least", 1)]}
FIRING = {"event": "alert.fired", "where": [("state", "is", "firing")]}


async def plan(words: str) -> PlannerOutput:
    return await scene.plan(words, tools=TOOLS)


async def made(words: str) -> dict[str, Any]:
    output = await plan(words)
    assert isinstance(output, Planned), output
    (step,) = output.steps
    assert step.tool_call == "bot_automations_create"
    CreateArgs.model_validate(step.args)
    return step.args


def compared(args: dict[str, Any]) -> dict[str, Any]:
    where = [(one["fact"], one["compare"], one["value"]) for one in args["when"].get("where", ())]
    return {"event": args["when"]["event"], "where": where}


@pytest.mark.parametrize(
    ("words", "when"),
    [
        ("when Anna mails me, tell me at once", ANNA_MAILS),
        ("Whenever Anna emails me, let me know.", ANNA_MAILS),
        ("wenn Anna mir mailt, sag mir sofort Bescheid", ANNA_MAILS),
        ("quand Anna m'envoie un mail, préviens-moi tout de suite", ANNA_MAILS),
        ("cuando Anna me manda un correo, avísame enseguida", ANNA_MAILS),
        ("whenever a mail with “invoice” in the subject comes, tell me", INVOICE),
        ("wenn eine Mail mit „Rechnung“ im Betreff kommt, sag mir Bescheid", RECHNUNG),
        ("quand un mail avec «facture» dans l'objet arrive, préviens-moi", FACTURE),
        ("cuando llega un correo con «factura» en el asunto, avísame", FACTURA),
        ("if a bulk run fails, tell me", FAILED),
        ("wenn ein Sammellauf scheitert, sag mir Bescheid", FAILED),
        ("si une opération en masse échoue, préviens-moi", FAILED),
        ("si una operación masiva falla, avísame", FAILED),
        ("when an alert fires at night, call nobody but tell me", FIRING),
    ],
)
async def test_what_happens_is_read_in_each_language(words: str, when: dict[str, Any]) -> None:
    args = await made(words)
    assert compared(args) == when
    (act,) = args["do"]
    assert "{" in act["tell"]


async def test_at_night_is_between_ten_and_six_of_the_owners_zone() -> None:
    args = await made("when an alert fires at night, call nobody but tell me")
    assert args["hours"] == {"begins": "22:00", "ends": "06:00", "zone": "Europe/Berlin"}
    assert args["do"][0]["urgent"] is True


@pytest.mark.parametrize(
    ("words", "urgent"),
    [
        ("when Anna mails me, tell me at once", True),
        ("wenn Anna mir mailt, sag mir sofort Bescheid", True),
        ("cuando Anna me manda un correo, avísame enseguida", True),
        ("if a bulk run fails, tell me", False),
    ],
)
async def test_what_is_to_be_told_at_once_does_not_wait_for_the_end_of_quiet_hours(words: str, urgent: bool) -> None:
    (act,) = (await made(words))["do"]
    assert act.get("urgent", False) is urgent


@pytest.mark.parametrize(
    ("words", "in_list"),
    [
        ("whenever a mail with “invoice” in the subject comes, put a card on Trello list Bills", "Bills"),
        ("wenn eine Mail mit „Rechnung“ im Betreff kommt, erstelle eine Karte in der Liste Rechnungen", "Rechnungen"),
        ("quand un mail arrive, ajoute une carte dans la liste Factures", "Factures"),
        ("cuando llega un correo, crea una tarjeta en la lista Facturas", "Facturas"),
        ("whenever a mail comes, put a card on the Trello list Bills, please", "Bills"),
        ("whenever a mail comes, put a card on the Bills list in Trello", "Bills"),
        ("immer wenn eine Mail kommt, leg eine Karte in der Trello-Liste Bills an", "Bills"),
        ("immer wenn eine Mail kommt, leg bitte eine Karte in der Liste „Bills“ an", "Bills"),
        ("immer wenn eine Mail kommt, füge eine Karte zur Trello-Liste Bills hinzu", "Bills"),
        ("wenn eine Mail kommt, lege in Trello eine Karte in der Liste Bills an.", "Bills"),
        ("quand un mail arrive, mets une carte sur la liste Trello Bills, s'il te plaît", "Bills"),
        ("cuando llegue un correo, pon una tarjeta en la lista de Trello Bills, por favor", "Bills"),
    ],
)
async def test_a_card_is_named_after_what_came(words: str, in_list: str) -> None:
    (act,) = (await made(words))["do"]
    assert act == {
        "call": "user_trello_create_card",
        "args": {"name": {"fact": "subject"}, "in_list": in_list},
    }


@pytest.mark.parametrize(
    ("words", "title", "request_words"),
    [
        (
            "when Bob writes in the family group, tell Anna on Telegram: Bob wrote",
            "family",
            "tell Anna on Telegram: Bob wrote",
        ),
        ("wenn Bob in der Familie schreibt, schick Anna eine Nachricht: Bob schrieb", "Familie", None),
    ],
)
async def test_what_is_to_be_done_stays_the_owners_own_words(words: str, title: str, request_words: str | None) -> None:
    args = await made(words)
    assert compared(args)["where"][1] == ("chat_title", "contains", title)
    (act,) = args["do"]
    assert act["request"] == (request_words or words.partition(", ")[2])


async def test_what_came_can_be_spoken_of() -> None:
    assert (await made("when Carol mails me, archive it"))["do"] == [{"request": "archive it"}]


@pytest.mark.parametrize(
    "words",
    [
        "every weekday at 8 show me my reminders",
        "jeden Werktag um 8 zeig mir meine Erinnerungen",
    ],
)
async def test_at_times_words_are_done_again(words: str) -> None:
    args = await made(words)
    assert args["clock"]["every"] == "week"
    assert len(args["clock"]["on"]) == 5
    assert args["do"][0]["request"] in words


@pytest.mark.parametrize(
    "words",
    ["when Anna mails me, remind me to call her", "when is my next meeting, tell me", "if Anna is right, tell Bob so"],
)
async def test_what_is_no_automation_is_left_to_others(words: str) -> None:
    output = await plan(words)
    tools = [step.tool_call for step in output.steps] if isinstance(output, Planned) else []
    assert "bot_automations_create" not in tools


async def test_what_cannot_be_done_is_asked_about_and_not_saved() -> None:
    output = await plan("when Anna mails me, tell Sam: she wrote")
    assert isinstance(output, Unclear)


@pytest.mark.parametrize(
    "words",
    [
        "every Monday and tomorrow at 9 tell Bob: hi",
        "every Monday, then Friday at 9 show me my reminders",
        "every weekday at 8 PST show me my reminders",
        "every day except holidays at 8 show me my reminders",
        "jeden Montag und morgen um 9 zeig mir meine Erinnerungen",
    ],
)
async def test_half_of_a_time_is_no_part_of_what_is_done_again(words: str) -> None:
    assert not isinstance(await plan(words), Planned)
