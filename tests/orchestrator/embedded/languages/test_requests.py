"""What is said in German, French and Spanish becomes the same calls as in English, and stays the owner's own words."""

from typing import Any

import pytest

from butler.contract.provenance import Labelled, Origin
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.languages.reading import read_foreign
from butler.orchestrator.embedded.scene import Scene, scene_of
from butler.orchestrator.execution.binding import Sources, bind
from butler.orchestrator.planning.plan_types import Command, Planned, PlannerOutput, Unclear
from tests.orchestrator.embedded import requests, scene
from tests.orchestrator.embedded.requests import Row, chat, mail, remind

ROWS: list[Row] = [
    chat("Sag Bob, dass ich später komme", "c-bob", "Ich komme später"),
    chat("Sag Bob, ich komme später", "c-bob", "Ich komme später"),
    chat("Hey Jeeves, kannst du Bob bitte sagen, dass ich komme?", "c-bob", "Ich komme"),
    chat("Schick Bob eine Nachricht: bis morgen um 9", "c-bob", "bis morgen um 9"),
    chat("Sag Mum „bis übermorgen“", "c-mum", "Bis übermorgen"),
    chat("Schreib @bobby_x: hallo", "telegram:@bobby_x", "hallo"),
    mail("Schreib Carol eine Mail mit Betreff Party: ich komme", [requests.CAROL], "Party", "ich komme"),
    mail("Schick eine E-Mail an bob@x.example: hallo", [requests.STRANGER], "Hallo", "hallo"),
    mail("Schreib Carol und Dave eine Mail: das Treffen fällt aus", [requests.CAROL, requests.DAVE],
         "Das Treffen fällt aus", "das Treffen fällt aus"),
    mail("Schreib meinem boss, dass ich krank bin", [requests.DAVE], "Ich bin krank", "Ich bin krank"),
    chat("Dis à Bob que je serai en retard", "c-bob", "Je serai en retard"),
    chat("dis a bob qu'on peut venir", "c-bob", "On peut venir"),
    chat("Envoie « à demain » à Mum", "c-mum", "À demain"),
    chat("Peux-tu dire à Bob que j'arrive ?", "c-bob", "J'arrive"),
    mail("Écris un mail à Carol avec pour objet Fête : je viens", [requests.CAROL], "Fête", "je viens"),
    chat("Dile a Bob que llego tarde", "c-bob", "Llego tarde"),
    chat("Envíale a Mum un mensaje: ¿vienes mañana?", "c-mum", "¿vienes mañana?"),
    mail("Envía un correo a Carol y a Dave: hola", [requests.CAROL, requests.DAVE], "Hola", "hola"),
    ("Durchsuche meine Mails nach der Rechnung", requests.MY_SEARCH, {"words": "Rechnung"}),
    ("Ai-je des mails d'Anna ?", requests.MY_SEARCH, {"sender": "anna@friends.example"}),
    ("¿Tengo correos nuevos?", requests.MY_SEARCH, {"unread": True}),
    ("Zeig mir die letzten 5 Mails", requests.MY_SEARCH, {"limit": 5}),
    ("Lies die zweite Mail vor", requests.READ, {"message_id": {"handle": "mail-3"}}),
    ("Lis le dernier mail d'Anna", requests.READ, {"message_id": {"handle": "mail-4"}}),
    ("Antworte auf Annas letzte Mail: danke", requests.REPLY, {"message_id": {"handle": "mail-4"}, "body": "danke"}),
    ("Responde al segundo correo: gracias", requests.REPLY, {"message_id": {"handle": "mail-3"}, "body": "gracias"}),
    ("Was habe ich im Chat Familie verpasst?", requests.READ_CHAT, {"called": "Familie", "unread": True}),
    ("Qu'est-ce que Mum a écrit sur Telegram ?", requests.READ_CHAT, {"chat": {"contact": "c-mum"}, "limit": 10}),
    ("Muéstrame mis chats de Telegram", requests.LIST_CHATS, {}),
    ("Merk dir, dass mein Schließfach 4711 ist", requests.NOTE, {"text": "Mein Schließfach 4711 ist"}),
    ("Anota: comprar leche", requests.NOTE, {"text": "comprar leche"}),
    ("Montre-moi mes notes", requests.NOTES, {}),
    ("¿Qué recordatorios tengo?", requests.REMINDERS, {}),
    remind("Erinnere mich morgen um halb zehn an den Zahnarzt", "Zahnarzt", "2026-03-05T09:30"),
    remind("Rappelle-moi d'appeler Mum demain à 14h30", "Appeler Mum", "2026-03-05T14:30"),
    remind("Recuérdame en veinte minutos apagar el horno", "Apagar el horno", "2026-03-04T10:50"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "tool", "args"), ROWS, ids=[row[0] for row in ROWS])
async def test_a_request_becomes_exactly_one_call(words: str, tool: str, args: dict[str, Any]) -> None:
    output = await scene.plan(words)
    assert isinstance(output, Planned), output
    assert [(step.tool_call, step.args) for step in output.steps] == [(tool, args)]


@pytest.mark.parametrize(("words", "tool", "args"), ROWS, ids=[row[0] for row in ROWS])
async def test_texts_and_search_words_keep_the_owners_label(words: str, tool: str, args: object) -> None:
    output = await scene.plan(words)
    assert isinstance(output, Planned)
    request = scene.request(words)
    sources = Sources(
        request.words, {c.contact_id: c for c in scene.PEOPLE}, {r.handle: r for r in request.referents}, {}
    )
    bound = bind(output.steps[0], next(spec for spec in scene.TOOLS if spec.tool_name == tool), sources)
    for name in {"text", "body", "words", "subject", "called"} & set(output.steps[0].args):
        assert bound.labels[name] == request.words.origins


@pytest.mark.parametrize(
    ("words", "handle"),
    [
        ("Leite die zweite an Carol weiter", "mail-3"),
        ("Transfère le deuxième à Carol", "mail-3"),
        ("Reenvía el último correo de Anna a Carol", "mail-4"),
    ],
)
async def test_a_mail_is_forwarded(words: str, handle: str) -> None:
    output = await scene.plan(words)
    assert isinstance(output, Planned), output
    read, send = output.steps
    assert read.args == {"message_id": {"handle": handle}}
    assert send.args["to"] == [requests.CAROL]


@pytest.mark.parametrize(
    ("words", "question"),
    [
        ("Sag Anna, dass ich komme", "Which way"),
        ("Dis à Bertrand que je viens", "I don't know anybody called Bertrand"),
        ("Dile a Sam que voy", "Which Sam do you mean?"),
        ("Sag ihr, dass ich komme", "Whom do you mean?"),
        ("Dis-lui que je viens", "Whom do you mean?"),
        ("Sag Anna Schmidt, dass ich komme", "nobody called Anna Schmidt"),
        ("Erinnere mich morgen an die Milch", "At what time"),
        ("Frag Bob, ob er Zeit hat", "What shall I write to Bob?"),
        ("Suche nach Rechnung", "Where shall I look?"),
        ("Buche einen Flug nach Rom", "did not understand"),
        ("Raconte-moi une blague", "did not understand"),
    ],
)
async def test_doubt_becomes_a_question(words: str, question: str) -> None:
    output = await scene.plan(words)
    assert isinstance(output, Unclear), output
    assert question in output.question


@pytest.mark.parametrize(
    ("words", "command"),
    [
        ("Hilfe", Command.HELP), ("Bonjour Jeeves", Command.HELP), ("¡Hola!", Command.HELP),
        ("Stopp!", Command.PAUSE), ("Arrête tout !", Command.PAUSE), ("¡Para todo!", Command.PAUSE),
        ("Mach das rückgängig", Command.UNDO), ("Tu peux reprendre", Command.RESUME),
        ("¿Qué reglas hay?", Command.RULES), ("Zeig mir meine Kontakte", Command.CONTACTS),
        ("Qu'est-ce qui est en attente ?", Command.PENDING), ("Wie geht's dir?", Command.STATUS),
        ("Was läuft gerade?", Command.BULK), ("Läuft noch was?", Command.BULK),
        ("Qu'est-ce qui est en cours ?", Command.BULK), ("¿Qué está en marcha?", Command.BULK),
    ],
)  # fmt: skip
async def test_the_house_answers_for_itself(words: str, command: Command) -> None:
    assert await scene.plan(words) is command


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("Sag Bob: Erinnere mich morgen um 9 an den Zahnarzt", "Erinnere mich morgen um 9 an den Zahnarzt"),
        ("Sag Bob: remind me tomorrow", "remind me tomorrow"),
        ("Dis à Bob : rappelle-moi demain à 9h, stp", "rappelle-moi demain à 9h, stp"),
        ("Dile a Bob: ¡para todo!", "¡para todo!"),
        ("Sag Bob:\nLieber Bob,\n\nbis morgen.", "Lieber Bob,\n\nbis morgen."),
    ],
)
async def test_what_stands_after_a_colon_goes_out_letter_for_letter(words: str, text: str) -> None:
    output = await scene.plan(words)
    assert isinstance(output, Planned), output
    assert [step.args["text"] for step in output.steps] == [text]


@pytest.mark.parametrize(
    ("words", "text", "reminder"),
    [
        ("Sag Bob, dass ich komme, und erinnere mich um 11 an den Kuchen", "Ich komme", "Kuchen"),
        ("Dis à Bob que je viens et rappelle-moi à 11h de l'appeler", "Je viens", "L'appeler"),
        ("Dile a Bob que voy y recuérdame a las 11 llamarlo", "Voy", "Llamarlo"),
    ],
)
async def test_two_requests_are_told_apart_where_the_second_asks_for_a_reminder(
    words: str, text: str, reminder: str
) -> None:
    output = await scene.plan(words)
    assert isinstance(output, Planned), output
    assert [step.args["text"] for step in output.steps] == [text, reminder]


async def test_a_quotation_is_one_text_though_it_asks_for_a_reminder() -> None:
    output = await scene.plan("Sag Bob „komm und erinnere mich um 11 daran“")
    assert isinstance(output, Planned), output
    assert [step.args["text"] for step in output.steps] == ["Komm und erinnere mich um 11 daran"]


@pytest.mark.parametrize(
    ("before", "answer", "at"),
    [
        ("Erinnere mich morgen an den Müll", "um halb neun", "2026-03-05T08:30:00"),
        ("Rappelle-moi demain la poubelle", "à 8h30", "2026-03-05T08:30:00"),
        ("Recuérdame mañana la basura", "a las ocho y media", "2026-03-05T08:30:00"),
    ],
)
async def test_the_time_that_was_missing_may_be_said_afterwards(before: str, answer: str, at: str) -> None:
    asked = await scene.plan(before)
    assert isinstance(asked, Unclear)
    output = await scene.plan(answer, history=(scene.said("user", before), scene.said("assistant", asked.question)))
    assert isinstance(output, Planned), output
    assert output.steps[0].args["at"] == at


def test_a_reading_that_would_send_what_nobody_said_is_not_believed() -> None:
    said = calls_with("ich komme that später")
    assert read_foreign(scene_of(scene.request("Sag Bob, dass ich komme")), lambda _: said) is None


def test_the_scene_that_is_read_keeps_whose_words_they_are() -> None:
    origins = frozenset({Origin.owner("telegram:42")})
    seen: list[Labelled[str]] = []

    def look(read: Scene) -> PlannerOutput | None:
        seen.append(read.request.words)
        return None

    assert read_foreign(scene_of(scene.request("Sag Bob, dass ich komme")), look) is None
    assert seen[0].value == "tell Bob that ich komme"
    assert all(words.origins == origins for words in seen)


def calls_with(text: str) -> Planned:
    return calls.plan(calls.send_telegram("user_telegram_send_message", "Bob", {"contact": "c-bob"}, text))
