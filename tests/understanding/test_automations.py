"""Automations out of requests in four languages: what has to happen, what is done, and those that there are."""
# names: made up here

from dataclasses import replace
from typing import Any

import pytest

from butler.contract.referents import ReferentKind
from butler.orchestrator.planning.plan_types import Command, Unclear
from butler.orchestrator.understanding.automations.builders import BUILDERS
from butler.orchestrator.understanding.automations.triggers import WHICH_GROUP
from butler.orchestrator.understanding.said import Said
from butler.store.conversation import LastShown
from modules.automations.args import CreateArgs
from tests.understanding.marked import made, said, steps

CREATE = "bot_automations_create"
MAIL_TOLD = "A mail by {sender_name} ({sender}): {subject}"
CHAT_TOLD = "{sender_name} writes in {chat_title}: {text}"
ALERT_TOLD = "Alert {name}, {state}: {summary}"
Where = list[tuple[str, str, Any]]


def created(line: str, language: str = "en") -> dict[str, Any]:
    found = steps(BUILDERS, said(line, "automation.create", language=language))
    assert [tool for tool, _ in found] == [CREATE]
    CreateArgs.model_validate(found[0][1])
    return found[0][1]


def where(args: dict[str, Any]) -> tuple[str, Where]:
    return args["when"]["event"], [(one["fact"], one["compare"], one["value"]) for one in args["when"].get("where", ())]


@pytest.mark.parametrize(
    ("language", "line", "event", "conditions", "done"),
    [
        ("en", "when [anna mails me](trigger), [tell me](action)", "mail.received", [("contact", "is", "Anna")],
         [{"tell": MAIL_TOLD}]),
        ("en", "whenever [a mail from the bank comes](trigger), [archive it](action)", "mail.received",
         [("sender_name", "contains", "bank")], [{"request": "archive it"}]),
        ("en", '[a mail with "urgent" in the subject](trigger): [ping me right away](action)', "mail.received",
         [("subject", "contains", "urgent")], [{"tell": MAIL_TOLD, "urgent": True}]),
        ("en", "each time [somebody mentions the boiler in the tenants group](trigger) [tell me](action)",
         "chat.received",
         [("chat_title", "contains", "tenants"), ("text", "contains", "boiler")], [{"tell": CHAT_TOLD}]),
        ("en", "as soon as [an invoice comes in](trigger) [put a card on my Trello list Bills](action)",
         "mail.received",
         [("subject", "contains", "invoice")],
         [{"call": "user_trello_create_card", "args": {"name": {"fact": "subject"}, "in_list": "Bills"}}]),
        ("en", "let me know if [the server stops answering](trigger), [tell me](action)", "alert.fired",
         [("state", "is", "firing")], [{"tell": ALERT_TOLD}]),
        ("en", "[someone moves a card to Ready on the Bakery board](trigger): [tell me](action)", "card.changed",
         [("change", "is", "moved"), ("board", "contains", "Bakery"), ("list", "contains", "Ready")],
         [{"tell": "The card {name} is in {list} now."}]),
        ("en", "if [bob or carol mails me](trigger), [star it](action)", "mail.received",
         [("contact", "any_of", ["Bob", "Carol"])], [{"request": "star it"}]),
        ("en", "when [jane@acme.example mails me](trigger) [label it Acme](action)", "mail.received",
         [("sender", "is", "mail:jane@acme.example")], [{"request": "label it Acme"}]),
        ("en", "always [star mails from the solicitor](action)", "mail.received",
         [("sender_name", "contains", "solicitor")], [{"request": "star mails from the solicitor"}]),
        ("en", "whenever [anna mails me](trigger), [remind me to call her](action)", "mail.received",
         [("contact", "is", "Anna")], [{"tell": f"{MAIL_TOLD}\nCall her"}]),
        ("de", "wenn [eine Mail von der Bank kommt](trigger), [sag mir Bescheid](action)", "mail.received",
         [("sender_name", "contains", "Bank")], [{"tell": MAIL_TOLD}]),
        ("de", "Immer wenn [Newsletter eintreffen](trigger), [archiviere sie](action)", "mail.received",
         [("list", "is", True)], [{"request": "archiviere sie"}]),
        ("de", "sobald [Mama auf Telegram schreibt](trigger), [sag mir sofort Bescheid](action)", "chat.received",
         [("contact", "is", "Mum")], [{"tell": CHAT_TOLD, "urgent": True}]),
        ("de", "Bei [jeder Rechnung im Posteingang](trigger) soll [eine Karte in Buchhaltung angelegt werden](action)",
         "mail.received", [("subject", "contains", "Rechnung")],
         [{"call": "user_trello_create_card", "args": {"name": {"fact": "subject"}, "in_list": "Buchhaltung"}}]),
        ("de", "ab jetzt bei [einladungen von Unbekannten](trigger) immer [ablehnen](action)", "mail.received",
         [("contact", "is", ""), ("subject", "contains", "einladung")], [{"request": "ablehnen"}]),
        ("fr", "quand [un mail de la banque arrive](trigger), [archive-le](action)", "mail.received",
         [("sender_name", "contains", "banque")], [{"request": "archive-le"}]),
        ("fr", "si [un mail contient le mot urgent](trigger), alors [préviens-moi](action)", "mail.received",
         [("text", "contains", "urgent")], [{"tell": MAIL_TOLD}]),
        ("fr", "si jamais [quelqu'un annule une réunion](trigger), [dis-le-moi tout de suite](action)", "event.changed",
         [("change", "is", "cancelled")], [{"tell": "{title} is {change}.", "urgent": True}]),
        ("fr", "[supprime](action) automatiquement [les pubs de Carrefour](trigger)", "mail.received",
         [("sender_name", "contains", "Carrefour"), ("list", "is", True)], [{"request": "supprime"}]),
        ("es", "cuando [llegue un correo de Hacienda](trigger), [avísame por telegram](action)", "mail.received",
         [("sender_name", "contains", "Hacienda")], [{"tell": MAIL_TOLD}]),
        ("es", "en cuanto [publique algo el grupo de la comparsa](trigger), [dímelo](action)", "chat.received",
         [("chat_title", "contains", "comparsa")], [{"tell": CHAT_TOLD}]),
        ("es", "si [llega un correo con adjunto pdf de la gestoría](trigger), [guárdalo y avísame](action)",
         "mail.received",
         [("sender_name", "contains", "gestoría"), ("files", "at_least", 1)], [{"request": "guárdalo"},
         {"tell": MAIL_TOLD}]),
        ("es", "al [llegar cualquier correo con asunto multa](trigger) [etiquétalo urgente](action)", "mail.received",
         [("subject", "contains", "multa")], [{"request": "etiquétalo urgente"}]),
    ],
)  # fmt: skip
def test_what_happens_and_what_is_done(
    language: str, line: str, event: str, conditions: Where, done: list[Any]
) -> None:
    args = created(line, language)
    assert where(args) == (event, conditions)
    assert args["do"] == done


def test_the_name_is_the_trigger_with_the_word_before_it() -> None:
    assert created("uh when [anna mails me](trigger), [tell me](action)")["name"] == "When anna mails me"
    assert created("dès qu'[un mail de la banque arrive](trigger) [archive-le](action)", "fr")["name"].startswith(
        "Dès qu'un"
    )


@pytest.mark.parametrize(
    ("language", "line", "hours"),
    [
        ("en", "when [an alert fires at night](trigger), [tell me](action)", ("22:00", "06:00")),
        (
            "de",
            "wenn [nach 20 Uhr eine Mail von der Bank eingeht](trigger), [sag mir Bescheid](action)",
            ("20:00", "06:00"),
        ),
    ],
)
def test_hours_are_part_of_what_happens(language: str, line: str, hours: tuple[str, str]) -> None:
    args = created(line, language)
    assert (args["hours"]["begins"], args["hours"]["ends"]) == hours
    assert args["do"][0]["urgent"] is True


def test_two_senders_without_names_are_two_automations() -> None:
    found = steps(
        BUILDERS,
        said(
            "wenn [die mail von bahn oder lufthansa ist](trigger) [archivieren](action)",
            "automation.create",
            language="de",
        ),
    )
    assert [where(args)[1] for _, args in found] == [
        [("sender_name", "contains", "bahn")], [("sender_name", "contains", "lufthansa")]
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "when [a parcel notice comes from DHL while I'm at work](trigger) [tell me](action)"),
        ("en", "if [nobody's answered a customer within a day](trigger), [tell me](action)"),
        ("en", "any time [I get a meeting invite for before nine](trigger), [decline it](action)"),
        ("de", "wenn [nach 20 Uhr eine Kundenmail eingeht](trigger), [antworte](action)"),
        ("fr", "à chaque [invitation qui tombe un dimanche](trigger) [refuse-la](action)"),
        ("es", "si [recibo un mail en inglés](trigger) [tradúcemelo](action)"),
    ],
)
def test_a_condition_that_nothing_can_tell_is_asked_about(language: str, line: str) -> None:
    assert isinstance(made(BUILDERS, said(line, "automation.create", language=language)), Unclear)


@pytest.mark.parametrize(
    ("language", "line", "words"),
    [
        ("en", "when [marta writes](trigger) [tell me](action)", ["when a mail from marta comes tell me",
         "when marta writes on Telegram tell me"]),
        ("fr", "quand [Perrine écrit](trigger), [préviens-moi](action)",
         ["quand un mail de Perrine arrive, préviens-moi", "quand Perrine écrit sur Telegram, préviens-moi"]),
    ],
)  # fmt: skip
def test_where_a_stranger_writes_is_asked(language: str, line: str, words: list[str]) -> None:
    output = made(BUILDERS, said(line, "automation.create", language=language))
    assert isinstance(output, Unclear)
    assert [one.words for one in output.choices] == words


def test_nobody_by_a_relation_is_guessed() -> None:
    output = made(BUILDERS, said("if [my boss writes](trigger) [ping me](action)", "automation.create"))
    assert isinstance(output, Unclear)
    assert output.stranger == "my boss"


@pytest.mark.parametrize(
    ("line", "question"),
    [
        ("whenever [anna mails me](trigger)", "What shall I do then?"),
        (
            "[tell me](action)",
            "When shall I do that? Say what has to happen, like “whenever a mail from Anna comes”, or how often.",
        ),
    ],
)
def test_what_is_missing_is_asked(line: str, question: str) -> None:
    output = made(BUILDERS, said(line, "automation.create"))
    assert isinstance(output, Unclear)
    assert output.question == question


@pytest.mark.parametrize(
    ("language", "line", "clock", "request_words"),
    [
        ("en", "[every weekday at 8](every) [show me my reminders](action)",
         {"zone": "Europe/London", "start": "2026-03-05T08:00:00", "every": "week",
          "on": ["monday", "tuesday", "wednesday", "thursday", "friday"]}, "show me my reminders"),
        ("de", "[jeden Montag um 8](every) [schick mir die Termine der Woche](action)",
         {"zone": "Europe/London", "start": "2026-03-09T08:00:00", "every": "week", "on": ["monday"]},
         "schick mir die Termine der Woche"),
        ("fr", "[tous les lundis à 8h](trigger), [envoie-moi la liste des cartes en retard](action)",
         {"zone": "Europe/London", "start": "2026-03-09T08:00:00", "every": "week", "on": ["monday"]},
         "envoie-moi la liste des cartes en retard"),
        ("es", "[todas las mañanas a las siete y media](every) [léeme la agenda](action)",
         {"zone": "Europe/London", "start": "2026-03-05T07:30:00", "every": "day"}, "léeme la agenda"),
    ],
)  # fmt: skip
def test_at_times(language: str, line: str, clock: dict[str, Any], request_words: str) -> None:
    args = created(line, language)
    assert args["clock"] == clock
    assert args["do"] == [{"request": request_words}]


def test_an_hour_that_may_be_in_the_morning_is_asked_about() -> None:
    output = made(BUILDERS, said("[every Friday at five](every) [send bob my timesheet](action)", "automation.create"))
    assert isinstance(output, Unclear)
    assert [one.words for one in output.choices] == [
        "every Friday 05:00 send bob my timesheet", "every Friday 17:00 send bob my timesheet"
    ]  # fmt: skip


def test_to_be_reminded_at_times_is_a_reminder() -> None:
    found = steps(
        BUILDERS, said("[every Friday at 9](every) [remind me to water the plants](action)", "automation.create")
    )
    assert [(tool, args["text"], args["at"]) for tool, args in found] == [
        ("bot_reminders_create", "Water the plants", "2026-03-06T09:00:00")
    ]


@pytest.mark.parametrize(
    ("language", "line", "tool", "args"),
    [
        ("en", "[archive newsletters](action) [every sunday night](every)", "user_email_archive",
         {"category": "promotions", "repeat": {"every": "week", "on": ["sunday"], "at": "20:00"}}),
        ("en", "[every sunday evening](every) [archive all mails from anna older than 30 days](action)",
         "user_email_archive",
         {"senders": ["anna@friends.example"], "before": "2026-02-02", "repeat": {"every": "week", "on": ["sunday"],
         "at": "18:00"}}),
        ("en", "[mails from Anna](action): [every sunday at 9](every) [archive](action)", "user_email_archive",
         {"senders": ["anna@friends.example"], "repeat": {"every": "week", "on": ["sunday"], "at": "09:00"}}),
        ("de", "[abends um zehn](every) [alle Werbemails löschen](action)", "user_email_trash",
         {"category": "promotions", "repeat": {"every": "day", "at": "22:00"}}),
        ("fr", "[tous les jours à 9h](every) [supprime les promos](action)", "user_email_trash",
         {"category": "promotions", "repeat": {"every": "day", "at": "09:00"}}),
        ("es", "[todos los días a las 22:00](every) [borra los correos de publicidad](action)", "user_email_trash",
         {"category": "promotions", "repeat": {"every": "day", "at": "22:00"}}),
        ("en", "[every Sunday at 9](every) [archive all mails from Anna, at most 100](action)", "user_email_archive",
         {"senders": ["anna@friends.example"],
          "repeat": {"every": "week", "on": ["sunday"], "at": "09:00", "most": 100}}),
        ("en", "[every month](every) [trash promotions over a year old](action), at most 500", "user_email_trash",
         {"category": "promotions", "before": "2025-03-04",
          "repeat": {"every": "month", "day": 4, "at": "09:00", "most": 500}}),
        ("en", "[every night at 2](every) [mark promotions as read](action)", "user_email_mark_read",
         {"category": "promotions", "repeat": {"every": "day", "at": "02:00"}}),
        ("de", "[jeden Sonntag um 9](every) [alle Mails von Anna archivieren, höchstens 100](action)",
         "user_email_archive",
         {"senders": ["anna@friends.example"],
          "repeat": {"every": "week", "on": ["sunday"], "at": "09:00", "most": 100}}),
        ("fr", "[tous les dimanches à 9h](every) [archive les mails d'Anna, 100 au maximum](action)",
         "user_email_archive",
         {"senders": ["anna@friends.example"],
          "repeat": {"every": "week", "on": ["sunday"], "at": "09:00", "most": 100}}),
        ("es", "[cada domingo a las 9](every) [archiva los correos de Anna, como máximo 100 cada vez](action)",
         "user_email_archive",
         {"senders": ["anna@friends.example"],
          "repeat": {"every": "week", "on": ["sunday"], "at": "09:00", "most": 100}}),
    ],
)  # fmt: skip
def test_acts_on_many_mails_are_repeated(language: str, line: str, tool: str, args: dict[str, Any]) -> None:
    assert steps(BUILDERS, said(line, "automation.create", language=language)) == [(tool, args)]


@pytest.mark.parametrize(
    ("language", "line", "every"),
    [
        ("en", "[archive my newsletters weekly](action).", "week"),
        ("en", "weekly [archive my newsletters](action)", "week"),
        ("en", "[promotions over a year old into the trash](action) monthly, at most 500", "month"),
        ("de", "täglich [Newsletter archivieren](action)", "day"),
        ("fr", "[archive les newsletters](action) quotidiennement", "day"),
        ("es", "[archiva las newsletters](action) semanalmente", "week"),
    ],
)
def test_how_often_is_said_in_an_adverb_at_either_end(language: str, line: str, every: str) -> None:
    ((_, args),) = steps(BUILDERS, said(line, "automation.create", language=language))
    assert args["repeat"]["every"] == every


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "[archive my daily newsletters](action)"),
        ("en", "[label newsletters as](action) [weekly](label)"),
        ("de", "[archiviere](action) die täglich kommenden [Newsletter](action)"),
        ("fr", "[archive le rapport mensuel](action)"),
        ("es", "[archiva el boletín diario](action)"),
    ],
)
def test_an_adverb_within_what_is_done_tells_not_how_often(language: str, line: str) -> None:
    assert isinstance(made(BUILDERS, said(line, "automation.create", language=language)), Unclear)


def test_an_adverb_after_a_sender_does_not_replace_what_happens() -> None:
    args = created("always [label mails from the solicitor weekly](action)")
    assert "clock" not in args
    assert args["when"]["event"] == "mail.received"


def with_list(one: Said, *keys: str) -> Said:
    """The same after the list of automations was shown."""
    shown = LastShown(kind=ReferentKind.AUTOMATION, count=len(keys), keys=keys)
    return replace(one, scene=replace(one.scene, request=replace(one.scene.request, last_shown=shown)))


@pytest.mark.parametrize(
    ("language", "line", "intent", "call"),
    [
        ("en", "put [number 2](ref) on hold", "automation.pause", ("bot_automations_pause", {"number": 2})),
        ("de", "[nr 4](ref) anhalten aber nicht löschen", "automation.pause", ("bot_automations_pause", {"number": 4})),
        ("fr", "[la deuxième](ref) peut reprendre", "automation.resume", ("bot_automations_resume", {"number": 7})),
        ("es", "enséñame [la segunda](ref)", "automation.show", ("bot_automations_show", {"number": 7})),
        ("en", "get rid of [the last one](ref)", "automation.remove", ("bot_automations_remove", {"number": 9})),
    ],
)
def test_one_of_those_that_there_are(language: str, line: str, intent: str, call: tuple[str, dict[str, Any]]) -> None:
    assert steps(BUILDERS, with_list(said(line, intent, language=language), "3", "7", "9")) == [call]


@pytest.mark.parametrize("intent", ["automation.list", "automation.pause", "automation.remove", "automation.show"])
def test_what_is_named_by_its_subject_is_found_in_the_list(intent: str) -> None:
    assert made(BUILDERS, said("the [newsletter](topic) automation", intent)) is Command.AUTOMATIONS


@pytest.mark.parametrize(
    ("language", "line", "when"),
    [
        ("en", "as soon as [a new card lands in Review](trigger) [message me](action)",
         {"event": "card.changed", "where": [
             {"fact": "change", "compare": "is", "value": "moved"},
             {"fact": "list", "compare": "contains", "value": "Review"}]}),
        ("de", "sobald [auf dem Board Umbau eine Karte nach Fertig wandert](trigger), [sag mir Bescheid](action)",
         {"event": "card.changed", "where": [
             {"fact": "change", "compare": "is", "value": "moved"},
             {"fact": "board", "compare": "contains", "value": "Umbau"},
             {"fact": "list", "compare": "contains", "value": "Fertig"}]}),
        ("de", "wenn [eine Rechnung im Posteingang landet](trigger), [sag mir Bescheid](action)",
         {"event": "mail.received", "where": [{"fact": "subject", "compare": "contains", "value": "Rechnung"}]}),
        ("de", "wenn [jemand im Vereinschat schreibt](trigger), [gib mir Bescheid](action)",
         {"event": "chat.received", "where": [{"fact": "chat_title", "compare": "contains", "value": "Vereins"}]}),
    ],
)  # fmt: skip
def test_what_happens_in_other_words(language: str, line: str, when: dict[str, Any]) -> None:
    ((_, args),) = steps(BUILDERS, said(line, "automation.create", language=language))
    assert args["when"] == when


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "if [Anna writes by mail or on Telegram](trigger), [tell me](action)"),
        ("de", "wenn [Anna per Mail oder auf Telegram schreibt](trigger), [sag mir Bescheid](action)"),
        ("fr", "si [Anna m'écrit par mail ou par Telegram](trigger), [préviens-moi](action)"),
        ("es", "si [me escribe Anna, por mail o por chat](trigger), [avísame](action)"),
    ],
)
def test_by_mail_or_as_a_message_are_two(language: str, line: str) -> None:
    found = steps(BUILDERS, said(line, "automation.create", language=language))
    assert [(args["when"]["event"], [one["value"] for one in args["when"]["where"]]) for _, args in found] == [
        ("mail.received", ["Anna"]),
        ("chat.received", ["Anna"]),
    ]
    assert len({args["name"] for _, args in found}) == len(found)


def test_the_only_one_that_is_shown_is_meant() -> None:
    pause = said("mach da mal Pause", "automation.pause", language="de")
    assert steps(BUILDERS, with_list(pause, "7")) == [("bot_automations_pause", {"number": 7})]
    assert made(BUILDERS, with_list(pause, "7", "9")) is Command.AUTOMATIONS


def test_both_are_two() -> None:
    both = said("get rid of [both](ref)", "automation.remove")
    assert [args["number"] for _, args in steps(BUILDERS, with_list(both, "3", "7"))] == [3, 7]
    assert made(BUILDERS, with_list(both, "3", "7", "9")) is Command.AUTOMATIONS


@pytest.mark.parametrize(
    ("language", "line", "limit"),
    [
        ("en", "whenever [an alert about temperature fires](trigger), [tell me](action)",
         ("summary", "contains", "temperature")),
        ("en", "whenever [the disk alert fires](trigger), [tell me](action)", ("name", "contains", "disk")),
        ("en", "when [a critical alert fires](trigger), [tell me](action)", ("severity", "is", "critical")),
        ("de", "wenn [ein Alarm über Temperatur kommt](trigger), [sag mir Bescheid](action)",
         ("summary", "contains", "Temperatur")),
        ("de", "wenn [ein Temperaturalarm auslöst](trigger), [sag mir Bescheid](action)",
         ("name", "contains", "Temperatur")),
        ("fr", "dès qu'[une alerte concernant la température se déclenche](trigger), [préviens-moi](action)",
         ("summary", "contains", "température")),
        ("es", "cuando [salte una alerta sobre temperatura](trigger), [avísame](action)",
         ("summary", "contains", "temperatura")),
        ("es", "cuando [salte una alarma crítica](trigger), [avísame](action)", ("severity", "is", "critical")),
    ],
)  # fmt: skip
def test_words_about_an_alert_limit_it(language: str, line: str, limit: tuple[str, str, str]) -> None:
    assert where(created(line, language)) == ("alert.fired", [("state", "is", "firing"), limit])


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "when [an alert comes in](trigger), [tell me](action)"),
        ("en", "when [there is an alarm on the server](trigger), [tell me](action)"),
        ("en", "whenever [the server has a problem](trigger), [tell me](action)"),
        ("de", "wenn [ein Alarm losgeht](trigger), [sag mir Bescheid](action)"),
        ("fr", "dès qu'[une alerte se déclenche](trigger), [préviens-moi](action)"),
        ("es", "cuando [salte una alerta](trigger), [avísame](action)"),
    ],
)
def test_any_alert_may_be_meant(language: str, line: str) -> None:
    assert where(created(line, language)) == ("alert.fired", [("state", "is", "firing")])


def test_what_an_alert_is_about_is_asked_for_if_it_is_left_out() -> None:
    line = "when [there's an alert about](trigger) disk space, [tell me](action)"
    assert isinstance(made(BUILDERS, said(line, "automation.create")), Unclear)


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "when [bob writes in the group](trigger), [tell me](action)"),
        ("en", "when [somebody writes in the group chat](trigger), [tell me](action)"),
        ("de", "wenn [bob in der gruppe schreibt](trigger), [sag mir bescheid](action)"),
        ("de", "wenn [jemand in der Gruppe etwas schreibt](trigger), [sag mir bescheid](action)"),
        ("fr", "quand [bob écrit dans le groupe](trigger), [dis-le moi](action)"),
        ("es", "cuando [bob escriba en el grupo](trigger), [avísame](action)"),
    ],
)
def test_a_group_without_its_name_is_asked_about(language: str, line: str) -> None:
    output = made(BUILDERS, said(line, "automation.create", language=language))
    assert isinstance(output, Unclear)
    assert output.question == WHICH_GROUP
