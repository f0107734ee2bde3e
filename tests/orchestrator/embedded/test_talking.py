"""Requests as people say them, in four languages: what is sent in their name is right, or it is asked about."""

import pytest

from butler.orchestrator.planning.plan_types import Planned, PlannerOutput, Unclear
from tests.orchestrator.embedded.test_removing import read

SENT = (
    # Words that lead to the text are none of it.
    ("text Bob letting him know I'm late", {"bob": "I'm late"}),
    ("text Mum to let her know that dinner is ready", {"mum": "Dinner is ready"}),
    ("email Carol telling her I'm ill", {"carol": "I'm ill"}),
    ("email Carol to tell her that I'm ill", {"carol": "I'm ill"}),
    ("text Mum saying we landed", {"mum": "We landed"}),
    ("text Mum and let her know we landed", {"mum": "We landed"}),
    # Everybody who is named gets it.
    ("mail bob n carol: I'll be late", {"bob": "I'll be late", "carol": "I'll be late"}),
    ("mail bob n carol I'll be late", {"bob": "I'll be late", "carol": "I'll be late"}),
    ("text Bob & Mum I'm late", {"bob": "I'm late", "mum": "I'm late"}),
    ("text Bob + Mum: I'm late", {"bob": "I'm late", "mum": "I'm late"}),
    ("tell Mum as well as Bob on Telegram that I'm late", {"mum": "I'm late", "bob": "I'm late"}),
    ("tell Anna, Bob and Mum that I'm late", {"anna": "I'm late", "bob": "I'm late", "mum": "I'm late"}),
    ("sag Mum und Bob auf Telegram, dass ich komme", {"mum": "Ich komme", "bob": "Ich komme"}),
    ("dis à Mum et Bob sur Telegram que j'arrive", {"mum": "J'arrive", "bob": "J'arrive"}),
    ("dile a Mum y a Bob por Telegram que ya voy", {"mum": "Ya voy", "bob": "Ya voy"}),
    # A German clause becomes a sentence.
    ("sag Anna auf Telegram dass ich etwas später komme", {"anna": "Ich komme etwas später"}),
    ("Richte Mum aus, dass der Zug Verspätung hat", {"mum": "Der Zug hat Verspätung"}),
    ("Sag Mum, dass die Sitzung ausfällt", {"mum": "Die Sitzung fällt aus"}),
    ("Sag Mum, dass ich nicht kommen kann", {"mum": "Ich kann nicht kommen"}),
    ("Sag Mum, dass ich gelandet bin", {"mum": "Ich bin gelandet"}),
    ("Sag Mum bitte, dass wir morgen losfahren", {"mum": "Wir fahren morgen los"}),
    ("Sag Mum, dass ich später komme, weil der Zug steht", {"mum": "Ich komme später, weil der Zug steht"}),
    ("Sag Mum, dass ich komme und Brot mitbringe", {"mum": "Ich komme und bringe Brot mit"}),
    ("Sag Mum, dass ich dich liebe", {"mum": "Ich liebe dich"}),
    ("Sag Mum, ich komme später", {"mum": "Ich komme später"}),
    # What is plainly part of it stays part of it.
    ("text Mum that I'm late and bring the keys", {"mum": "I'm late and bring the keys"}),
    ("text Mum that I'm late and will call you", {"mum": "I'm late and will call you"}),
    ("text Mum we arrived and send our love", {"mum": "We arrived and send our love"}),
    ("text Mum I'm at the station, text me when you leave", {"mum": "I'm at the station, text me when you leave"}),
    ("tell Mum to buy milk and call me", {"mum": "Buy milk and call me"}),
    ("text Mum the doctor lost his keys", {"mum": "The doctor lost his keys"}),
    ("text Mum that Bob says he is late", {"mum": "Bob says he is late"}),
    ("text Mum: tell her I'm late and put it in my calendar", {"mum": "tell her I'm late and put it in my calendar"}),
    ('text Mum "I am late and remind me at nine"', {"mum": "I am late and remind me at nine"}),
    ("dis à Mum que je suis en retard et apporte les clés", {"mum": "Je suis en retard et apporte les clés"}),
    ("dile a Mum que llego tarde y trae las llaves", {"mum": "Llego tarde y trae las llaves"}),
    ("dile a Mum que la cena está lista", {"mum": "La cena está lista"}),
    ("dis à Mum que la cuisine est prête", {"mum": "La cuisine est prête"}),
)

ASKED = (
    # One request inside the text of another.
    "tell Anna I'm late and put dinner at 8 into my calendar",
    "text Mum that I'm late and put dinner tomorrow at 8 in my calendar",
    "text Mum I'm late, then add it to my to-do list",
    "text Mum I'm late and email Carol the report",
    "text Mum I'm late and ask Bob to bring the keys",
    "text Mum I'm late and tell Bob too",
    "text Mum I'm late; forward it to Bob",
    "text Mum I'm late and note that the code is 4711",
    "text Mum I'm late and archive the mail from Carol",
    "email Carol that the slides are done, then archive her mail",
    "text Mum I'm outside and turn off the reminder",
    "text Mum I'm ill and cancel the meeting tomorrow",
    "schreib Carol, dass ich komme, und lösch ihre Mail",
    "écris à Carol que les documents sont prêts et archive son mail",
    "escribe a Carol que los documentos están listos y archiva su correo",
    "tell Mum to buy milk and put dinner in my calendar for 8",
    "remember that the door code is 4711 and tell mum",
    "note that the plumber is Rossi and email it to Anna",
    "remind me tomorrow at 9 to buy milk and add it to my shopping list",
    "note: dentist and remind me tomorrow at 9",
    "search for the lease and email it to Anna",
    "look for the invoice from Bob and email it to Anna",
    "find my contract and send it to Anna",
    "what does my lease say about notice and email it to Anna",
    "search my notes for plumber and tell Bob",
    "put dinner with Anna in my calendar tomorrow at 8 and tell her",
    "sag Mum, dass ich später komme und trag das Essen um 8 in den Kalender ein",
    "sag Mum, dass ich später komme und erinnere mich um 9",
    "sag Mum, dass ich später komme, und schreib Bob",
    "merk dir, dass der Code 4711 ist und sag es Mum",
    "such den Mietvertrag und schick ihn an Anna",
    "dis à Mum que je suis en retard et mets le dîner dans mon agenda demain à 20h",
    "souviens-toi que le code est 4711 et dis-le à Mum",
    "cherche le bail et envoie-le à Anna",
    "dile a Mum que llego tarde y pon la cena en mi calendario mañana a las 8",
    "recuerda que el código es 4711 y díselo a Mum",
    "busca el contrato y envíalo a Anna",
    # Who is it that is spoken of?
    "text Mum I love her",
    "text Bob I miss him",
    "text Bob I saw his brother",
    "text Mum I'll pick her up at 8",
    "text Mum her keys are here",
    "text Bob that he's late",
    "tell Bob to bring his keys",
    "text Bob and Mum I love them",
    "sag Mum, dass ich sie liebe",
    "sag Bob auf Telegram, dass ich ihn abhole",
    "sag Bob auf Telegram, dass er die Schlüssel mitbringen soll",
    "dis à Mum que je l'aime",
    "dis à Bob sur Telegram qu'il est en retard",
    "dile a Mum que la quiero",
    "dile a Bob por Telegram que él llega tarde",
    # Reported, not said.
    "text Mum asking whether she's free tonight",
    "text Mum asking if she can come",
    "text Bob asking him to bring the keys",
    "text Bob wondering when he comes",
    "text Bob to ask if he is coming",
    "text Bob thanking him for the cake",
    "email Carol to invite her to dinner",
    "drop Bob a line asking how he is",
    "ask Bob whether he's free",
    "frag Mum, ob sie Zeit hat",
    "demande à Mum si elle est libre",
    "pregúntale a Mum si tiene tiempo",
    # A clause whose order is not certain.
    "sag Mum, dass Herr Meier krank ist",
    "sag Mum, dass wir haben warten müssen",
    "sag Mum, dass mir das leid tut",
    # A list of names that is not certain.
    "tell Anna or Bob that I'm late",
    "tell Anna, Bob, Mum that I'm late",
    "text Anna, Bob I'm late",
    "tell Anna and Zorro that I'm late",
    "text anna+bob that I'm late",
    "sag Anna u Bob dass ich später komme",
    "sag Anna und Zorro, dass ich komme",
    "dis à Anna et Zorro que j'arrive",
    "dile a Anna y Zorro que ya voy",
)

AUTOMATIONS = (
    ("whenever a mail with invoice in the subject comes, tell me", ("subject", "invoice")),
    ("tell me whenever a mail with invoice in the subject comes", ("subject", "invoice")),
    ("each time Anna mails me, tell me", ("contact", "Anna")),
    ("every time a mail from Bob comes, tell me at once", ("contact", "Bob")),
    ("immer wenn eine Mail mit Rechnung im Betreff kommt, sag es mir", ("subject", "Rechnung")),
    ("jedes Mal, wenn Anna mir mailt, sag mir Bescheid", ("contact", "Anna")),
    ("sobald eine Mail von Bob kommt, sag mir sofort Bescheid", ("contact", "Bob")),
    ("chaque fois qu'un mail avec facture dans l'objet arrive, préviens-moi", ("subject", "facture")),
    ("dès qu'un mail de Bob arrive, préviens-moi", ("contact", "Bob")),
    ("cada vez que llegue un correo con factura en el asunto, avísame", ("subject", "factura")),
    ("cuando llegue un correo con factura en el asunto, avísame", ("subject", "factura")),
    ("siempre que Anna me escriba un correo, avísame", ("contact", "Anna")),
)

NO_AUTOMATION = (
    "whenever Anna writes about money, search my mail for invoices",
    "every time the bank writes, show me my mail",
    "as soon as the parcel is here tell Mum",
    "tell me whenever something happens in the garden",
    "when the parcel comes, search my mail for the invoice",
    "immer wenn der Postbote kommt, zeig mir meine Mails",
    "jedes Mal wenn es regnet, such in meinen Mails nach Regen",
    "chaque fois que le facteur passe, montre-moi mes mails",
    "cada vez que llueva, muéstrame mis correos",
    "en cuanto llegue el paquete, busca en mi correo la factura",
)


TWO = (
    "text Mum I'm late; remind me at 9 tomorrow to call Bob",
    "dis à Mum que je suis en retard et rappelle-moi à 9h d'appeler",
    "dile a Mum que llego tarde y recuérdame a las 9 llamar",
)


def sent(output: PlannerOutput) -> dict[str, str]:
    """Who would get what."""
    assert isinstance(output, Planned), output
    told: dict[str, str] = {}
    for step in output.steps:
        assert step.tool_call in {"user_telegram_send_message", "user_email_send_message"}
        to = step.args["to"] if isinstance(step.args["to"], list) else [step.args["to"]]
        told |= {one["contact"]: step.args.get("text") or step.args["body"] for one in to}
    return told


@pytest.mark.parametrize(("words", "texts"), SENT, ids=[row[0] for row in SENT])
async def test_what_is_sent_is_what_they_are_to_read(words: str, texts: dict[str, str]) -> None:
    output = await read(words)
    if isinstance(output, Unclear):
        # Where several ways reach them, the way is asked for and nothing else.
        assert "Which way" in output.question, output
        assert len(output.choices) == 2
        output = await read(output.choices[0].words)
    assert sent(output) == texts


@pytest.mark.parametrize("words", ASKED)
async def test_what_is_not_certain_is_asked_about_and_nothing_is_done(words: str) -> None:
    output = await read(words)
    assert isinstance(output, Unclear), output
    assert "Which way" not in output.question, output


@pytest.mark.parametrize(("words", "condition"), AUTOMATIONS, ids=[row[0] for row in AUTOMATIONS])
async def test_what_is_to_be_done_each_time_is_an_automation(words: str, condition: tuple[str, str]) -> None:
    output = await read(words)
    assert isinstance(output, Planned), output
    (step,) = output.steps
    assert step.tool_call == "bot_automations_create"
    (where,) = step.args["when"]["where"]
    assert (where["fact"], where["value"]) == condition


@pytest.mark.parametrize("words", NO_AUTOMATION)
async def test_an_automation_that_is_not_understood_is_never_done_at_once(words: str) -> None:
    assert isinstance(await read(words), Unclear)


@pytest.mark.parametrize("words", TWO)
async def test_two_requests_that_are_plainly_two_are_both_done(words: str) -> None:
    output = await read(words)
    assert isinstance(output, Planned), output
    message, reminder = output.steps
    assert sent(Planned((message,))).keys() == {"mum"}
    assert reminder.tool_call == "bot_reminders_create"
