"""Answers that are waited for, in four languages."""
# names: made up here

from dataclasses import replace
from typing import Any

import pytest

from butler.orchestrator.planning.plan_types import Unclear
from butler.orchestrator.understanding.automations.watching import BUILDERS
from modules.automations.args import CreateArgs
from modules.digests.module import WatchArgs
from tests.understanding.marked import made, said, steps

WATCH, CREATE = "bot_digests_watch_answer", "bot_automations_create"
ANNA, BOB, MUM = "mail:anna@friends.example", "mail:bob@work.example", "telegram:1004"


@pytest.mark.parametrize(
    ("language", "line", "address", "until"),
    [
        ("en", "remind me if [anna](from) hasn't replied by [Friday](time)", ANNA, "2026-03-06T18:00:00"),
        ("en", "no answer from [bob](from) by the [10th](time)? remind me then", BOB, "2026-03-10T18:00:00"),
        ("en", "if [anna](from) doesn't get back to me [within two days](time), give me a nudge", ANNA,
         "2026-03-06T18:00:00"),
        ("en", "alert me if [mum](from) hasn't answered by [tonight](time)", MUM, "2026-03-04T18:00:00"),
        ("en", "chase me if there's no answer from [anna](from) by [friday noon](time)", ANNA, "2026-03-06T12:00:00"),
        ("en", "shout if [jane@acme.example](to) stays silent until [tomorrow](time)", "mail:jane@acme.example",
         "2026-03-05T18:00:00"),
        ("de", "falls [Anna](from) sich bis [freitag](time) nicht meldet erinner mich", ANNA, "2026-03-06T18:00:00"),
        ("de", "hak nach bei mir wenn [Bob](from) in [drei Tagen](time) nicht geantwortet hat", BOB,
         "2026-03-07T18:00:00"),
        ("de", "keine Reaktion von [Bob](from) bis [Dienstag 10 Uhr](time)? dann erinnere mich", BOB,
         "2026-03-10T10:00:00"),
        ("fr", "si [Anna](from) a pas répondu d'ici [vendredi](time), rappelle-le-moi", ANNA, "2026-03-06T18:00:00"),
        ("fr", "alerte-moi si [Bob](from) ne m'écrit pas avant [18h](time)", BOB, "2026-03-04T18:00:00"),
        ("es", "si [Anna](from) no ha contestado el [viernes](time), recuérdamelo", ANNA, "2026-03-06T18:00:00"),
        ("es", "si en [tres días](time) no hay respuesta de [Bob](from), dame un toque", BOB, "2026-03-07T18:00:00"),
    ],
)  # fmt: skip
def test_no_answer_by_a_time(language: str, line: str, address: str, until: str) -> None:
    (found,) = steps(BUILDERS, said(line, "watch.answer", language=language))
    assert found == (WATCH, {"who": {"address": address}, "until": until})
    WatchArgs.model_validate(found[1])


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "I'm waiting for [bob](from)'s reply"),
        ("de", "ich warte auf antwort von [Bob](from), pass auf"),
        ("fr", "j'attends la réponse de [Bob](from)"),
        ("es", "estoy esperando la respuesta de [Bob](from)"),
    ],
)
def test_what_is_waited_for_without_a_time(language: str, line: str) -> None:
    assert steps(BUILDERS, said(line, "watch.answer", language=language)) == [(WATCH, {"who": {"address": BOB}})]


@pytest.mark.parametrize(
    ("language", "line", "expected"),
    [
        ("en", "let me know as soon as [the bank](from) replies", ("sender_name", "bank", False)),
        ("de", "sag mir sofort wenn [die klinik](from) schreibt", ("sender_name", "klinik", True)),
        ("fr", "dis-moi dès que [la mairie](from) a répondu", ("sender_name", "mairie", False)),
        ("es", "dime en cuanto responda [la embajada](from)", ("sender_name", "embajada", False)),
        ("es", "seguimiento al mail de las [ventanas](topic): avísame cuando respondan",
         ("subject", "ventanas", False)),
    ],
)  # fmt: skip
def test_what_somebody_without_address_writes_is_told_of(language: str, line: str, expected: tuple[Any, ...]) -> None:
    ((tool, args),) = steps(BUILDERS, said(line, "watch.answer", language=language))
    assert tool == CREATE
    CreateArgs.model_validate(args)
    (one,), (act,) = args["when"]["where"], args["do"]
    assert "{" in act["tell"]
    assert args["when"]["event"] == "mail.received"
    assert (one["fact"], one["value"], act.get("urgent", False)) == expected


@pytest.mark.parametrize(
    ("language", "line", "address"),
    [
        ("en", "tell me when [carol](from) answers", "mail:carol@choir.example"),
        ("en", "when [mum](from) texts back let me know straight away", MUM),
        ("de", "sag bescheid sobald [anna](from) antwortet", ANNA),
        ("fr", "préviens-moi dès que [Carol](from) répond", "mail:carol@choir.example"),
        ("es", "avísame cuando conteste [Bob](from)", BOB),
        ("es", "avísame cuando vuelva a [escribir](from) [Bob](from)", BOB),
        ("de", "sag mir wenn [anna](from) wieder schreibt", ANNA),
        ("es", "escribe a Bob que venga y avísame cuando conteste", BOB),
    ],
)
def test_an_answer_is_told_of(language: str, line: str, address: str) -> None:
    expected = {"who": {"address": address}, "tell_answer": True}
    assert steps(BUILDERS, said(line, "watch.answer", language=language)) == [(WATCH, expected)]
    WatchArgs.model_validate(expected)


@pytest.mark.parametrize(
    ("language", "line", "events"),
    [
        ("en", "tell me at once when [anna](from) mails", ["mail.received"]),
        ("en", "tell me when [anna](from) writes", ["mail.received", "chat.received"]),
        ("de", "sag mir wenn [Mama](from) was schreibt", ["chat.received"]),
    ],
)
def test_whatever_somebody_writes_is_told_of_by_an_automation(language: str, line: str, events: list[str]) -> None:
    found = steps(BUILDERS, said(line, "watch.answer", language=language))
    assert [(tool, args["when"]["event"]) for tool, args in found] == [(CREATE, event) for event in events]


def test_an_answer_is_told_of_until_a_time() -> None:
    found = steps(BUILDERS, said("tell me when [bob](from) replies, at the latest [friday](time)", "watch.answer"))
    assert found == [(WATCH, {"who": {"address": BOB}, "until": "2026-03-06T18:00:00", "tell_answer": True})]


@pytest.mark.parametrize(
    ("line", "stranger"),
    [
        ("remind me if [Marek](from) hasn't replied by [Friday](time)", "Marek"),
        ("tell me when [my landlord](from) answers", "my landlord"),
    ],
)
def test_a_stranger_is_asked_about(line: str, stranger: str) -> None:
    output = made(BUILDERS, said(line, "watch.answer"))
    assert isinstance(output, Unclear)
    assert output.stranger == stranger


def test_who_of_several_is_asked() -> None:
    output = made(
        BUILDERS, said("remind me if [sam](from) hasn't replied by [Friday](time)", "watch.answer", scene="sams")
    )
    assert isinstance(output, Unclear)
    assert [one.words for one in output.choices] == [
        "remind me if sam hill hasn't replied by Friday", "remind me if sam dale hasn't replied by Friday"
    ]  # fmt: skip


def test_nobody_at_all_is_asked_about() -> None:
    output = made(BUILDERS, said("tell me when an answer comes", "watch.answer"))
    assert isinstance(output, Unclear)
    assert output.question == "Whose answer do you wait for?"


def test_the_writer_of_a_mail_that_is_replied_to() -> None:
    one = said("tell me if nobody has answered [it](ref) by [friday](time)", "watch.answer", scene="replied")
    by_bob = one.scene.request.replied_to[0].model_copy(update={"contact_id": "bob"})
    request = replace(one.scene.request, replied_to=(by_bob,))
    known = replace(one, scene=replace(one.scene, request=request))
    assert steps(BUILDERS, known) == [(WATCH, {"who": {"address": BOB}, "until": "2026-03-06T18:00:00"})]


def test_an_alert_is_no_answer() -> None:
    line = "avísame cuando salte una alerta sobre [temperatura](topic)"
    ((tool, args),) = steps(BUILDERS, said(line, "watch.answer", language="es"))
    assert tool == CREATE
    assert args["when"]["event"] == "alert.fired"
    assert args["when"]["where"][1] == {"fact": "summary", "compare": "contains", "value": "temperatura"}
