"""What is written of what was told about in passing: thanks, wishes, clauses, questions, in four languages."""
# names: made up here

import pytest

from butler.orchestrator.planning.plan_types import Unclear
from butler.orchestrator.understanding import chats, messages
from butler.orchestrator.understanding.texts.german import sentence_of
from butler.orchestrator.understanding.texts.questions import question_of
from tests.understanding.marked import made, said, steps

BUILDERS = {**messages.BUILDERS, **chats.BUILDERS}


def text_of(line: str, language: str, intent: str = "message.send") -> str:
    """The text of the one message."""
    ((_, args),) = steps(BUILDERS, said(line, intent, language=language, scene="chat"))
    return args["text"]


@pytest.mark.parametrize(
    ("language", "line", "text"),
    [
        ("en", "thank [anna](to) for [the cake, it was lovely](reported)", "Thank you for the cake, it was lovely"),
        ("en", "say thanks to [anna](to) for [her help yesterday](reported)", "Thank you for your help yesterday"),
        ("en", "congratulate [bob](to) on [his promotion](reported)", "Congratulations on your promotion"),
        ("en", "apologise to [bob](to) for [the mess](reported)", "Sorry for the mess"),
        ("en", "wish [anna](to) [a happy birthday](reported) from me", "Happy birthday"),
        ("en", "thank [the climbing lot](to) for [their help](reported)", "?"),
        ("de", "bedank dich bei [Anna](to) für [den Kuchen](reported)", "Danke für den Kuchen"),
        ("de", "Bedank dich bei [Anna](to) in meinem Namen [für ihre Hilfe](reported)", "Danke für deine Hilfe"),
        ("de", "gratulier [mama](to) [zum Geburtstag](reported)", "Herzlichen Glückwunsch zum Geburtstag"),
        ("de", "wünsch [mama](to) [einen schönen Urlaub](reported)", "Schönen Urlaub"),
        ("de", "entschuldige mich bei [Anna](to), [ich hab den Geburtstag verschwitzt](reported)",
         "Ich hab den Geburtstag verschwitzt"),
        ("fr", "remercie [Anna](to) pour [le gâteau](reported)", "Merci pour le gâteau"),
        ("fr", "remercie [Anna](to) d'[être venue](reported)", "Merci d'être venue"),
        ("fr", "félicite [Bob](to) pour [son diplôme](reported)", "Félicitations pour ton diplôme"),
        ("fr", "souhaite [bonne nuit de ma part](reported) à [maman](to)", "Bonne nuit"),
        ("es", "dale las gracias a [Anna](to) por [la tarta, estaba de muerte](reported)",
         "Gracias por la tarta, estaba de muerte"),
        ("es", "felicita a [Bob](to) por [su ascenso](reported)", "Felicidades por tu ascenso"),
        ("es", "deséale a [Anna](to) [un buen viaje](reported)", "Buen viaje"),
    ],
)  # fmt: skip
def test_thanks_and_wishes_are_written_as_such(language: str, line: str, text: str) -> None:
    if text == "?":
        assert isinstance(made(BUILDERS, said(line, "message.send", language=language)), Unclear)
    else:
        assert text_of(line, language) == text


@pytest.mark.parametrize(
    ("language", "line", "text"),
    [
        ("de", "Antworte [ihr](to) dass [ich den Schal mitbringe](reported)", "Ich bringe den Schal mit"),
        ("de", "Antworte dass [ich den Schal mitbringe](text)", "Ich bringe den Schal mit"),
        ("de", "antworte, dass [ich komme und dass keiner warten muss](reported)", "Ich komme und keiner muss warten"),
        ("fr", "réponds que [oui, avec plaisir](reported)", "Oui, avec plaisir"),
        ("fr", "réponds que [je viens demain et qu'il faudrait un baudrier](reported)",
         "Je viens demain et il faudrait un baudrier"),
        ("es", "contesta que [la abuela está en casa, que todo salió bien y que descansa](reported)",
         "La abuela está en casa, todo salió bien y descansa"),
        ("en", "answer [her](to) [yes, half past six at the station](reported)", "Yes, half past six at the station"),
        ("en", "thank [her](to) for [the scores](reported) and tell her that [I'll print a second set](reported)",
         "Thank you for the scores. I'll print a second set"),
        ("en", "tell her [I've got a cold](reported) and ask her whether [next week would do](asked)",
         "I've got a cold. Would next week do?"),
    ],
)  # fmt: skip
def test_an_answer_is_a_sentence(language: str, line: str, text: str) -> None:
    assert text_of(line, language, "message.reply") == text


@pytest.mark.parametrize(
    ("language", "line", "text"),
    [
        ("de", "sag [anna](to) [mein zug](to) [hat eine stunde verspätung](reported)",
         "Mein zug hat eine stunde verspätung"),
        ("de", "sag [anna](to), dass [ich um acht da sein werde](reported)", "Ich werde um acht da sein"),
        ("de", "sag [der anna](to) dass [ich später komm](reported)", "Ich komme später"),
        ("es", "dile a [bob](to) que [he aterrizado](reported)", "He aterrizado"),
        ("de", "frag [Anna](to), [wer mitkommt](asked)", "Wer kommt mit?"),
        ("de", "frag [Anna](to), [wer am Samstag mit anpacken kann, wir tragen das Sofa](asked)",
         "Wer kann am Samstag mit anpacken? Wir tragen das Sofa"),
        ("fr", "demande à [Anna](to) [qui a gardé les moules, parce que j'en ai besoin](asked)",
         "Qui a gardé les moules, parce que j'en ai besoin ?"),
    ],
)  # fmt: skip
def test_what_looks_like_somebody_else_is_left(language: str, line: str, text: str) -> None:
    assert text_of(line, language) == text


@pytest.mark.parametrize(
    ("language", "line", "offered"),
    [
        ("en", "anna has the key, so tell [bob](to) that [he can start](reported)", "You can start"),
        ("de", "bob kommt, also sag [anna](to), dass [ich ihren Schlüssel habe](reported)",
         "Ich habe deinen Schlüssel"),
        ("de", "sag [anna](to), dass [der zug eine stunde verspätung hat](reported)",
         "Der zug hat eine stunde verspätung"),
    ],
)  # fmt: skip
def test_the_likeliest_text_is_the_first_button(language: str, line: str, offered: str) -> None:
    asked = made(BUILDERS, said(line, "message.send", language=language))

    assert isinstance(asked, Unclear)
    assert asked.choices[0].words.endswith(f": {offered}")


@pytest.mark.parametrize(
    ("language", "line", "text"),
    [
        ("en", "tell [mum](to) that [I miss her](reported)", "I miss you"),
        ("en", "tell [anna](to) [I'll bring her the book](reported)", "I'll bring you the book"),
        ("en", "tell [bob](to) that [he can start](reported)", "You can start"),
        ("es", "dile a [mamá](to) que [la quiero](reported)", "Te quiero"),
        ("fr", "dis à [anna](to) que [je la rappelle demain](reported)", "Je te rappelle demain"),
        ("fr", "dis à [anna](to) que [je l'attends](reported)", "Je t'attends"),
        ("de", "sag [bob](to) [er soll sich auskurieren](reported)", "Du sollst dich auskurieren"),
        ("de", "wünsch [Bob](to) [gute Besserung, er soll sich auskurieren](reported)",
         "Gute Besserung, du sollst dich auskurieren"),
        ("de", "schreib [mama](to), dass [ich ihren Schlüssel noch habe](reported)", "Ich habe deinen Schlüssel noch"),
        ("de", "schreib [anna](to), dass [ich ihr was schulde](reported)", "Ich schulde dir was"),
        ("de", "schreib [anna](to), dass [ihr Schlüssel hier ist](reported)", "Dein Schlüssel ist hier"),
    ],
)  # fmt: skip
def test_the_reader_is_spoken_to_where_nobody_else_was_named(language: str, line: str, text: str) -> None:
    assert text_of(line, language) == text


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("fr", "dis à [Anna](to) que [je passe samedi et qu'elle ne s'embête pas](reported)"),
        ("en", "anna has the key, so tell [bob](to) that [he can start](reported)"),
    ],
)
def test_who_is_spoken_of_in_a_text_is_asked(language: str, line: str) -> None:
    asked = made(BUILDERS, said(line, "message.send", language=language))

    assert isinstance(asked, Unclear)
    assert asked.question.startswith("Who is")
    assert asked.choices


@pytest.mark.parametrize(
    ("language", "words", "question"),
    [
        ("fr", "elle a retrouvé mon chargeur", "Tu as retrouvé mon chargeur ?"),
        ("fr", "quand elle arrive", "Quand est-ce que tu arrives ?"),
        ("fr", "ce qu'elle veut manger", "Qu'est-ce que tu veux manger ?"),
        ("fr", "elle s'en occupe", "Tu t'en occupes ?"),
        ("fr", "elle n'a pas oublié son manteau", "Tu n'as pas oublié ton manteau ?"),
        ("fr", "il y a encore de la place", "Est-ce qu'il y a encore de la place ?"),
        ("fr", "le train est à l'heure", "Est-ce que le train est à l'heure ?"),
        ("fr", "où est la clé", "Où est la clé ?"),
        ("fr", "elle lui a dit", None),
        ("fr", "son frère vient aussi", None),
        ("es", "le queda sitio en el coche", "¿Te queda sitio en el coche?"),
        ("es", "puede recogerme", "¿Puedes recogerme?"),
        ("es", "viene el sábado", "¿Vienes el sábado?"),
        ("es", "viene el fontanero", "¿Viene el fontanero?"),
        ("es", "a qué hora llega el tren", "¿A qué hora llega el tren?"),
        ("es", "cuándo vuelve", "¿Cuándo vuelves?"),
        ("es", "me puede traer su taladro", "¿Me puedes traer tu taladro?"),
        ("es", "el martes le viene bien", "¿El martes te viene bien?"),
        ("es", "se acuerda de mí", "¿Te acuerdas de mí?"),
        ("es", "se puede aparcar", None),
        ("es", "le ha dado la llave", None),
        ("es", "es alérgica", None),
    ],
)
def test_only_certain_questions_are_asked_of_the_reader(language: str, words: str, question: str | None) -> None:
    assert question_of(words, language, several=False) == question


@pytest.mark.parametrize(
    ("clause", "sentence"),
    [
        ("ich später komm", "Ich komme später"),
        ("donnerstag passt", "Donnerstag passt"),
        ("ich's erst gegen acht schaffe", "Ich schaffe es erst gegen acht"),
        ("ich morgen das Seil mitbringe, aber erst ab halb sieben kann",
         "Ich bringe morgen das Seil mit, aber kann erst ab halb sieben"),
        ("ich gut angekommen bin und mich am Abend melde sobald die Kleine schläft",
         "Ich bin gut angekommen und melde mich am Abend, sobald die Kleine schläft"),
        ("ich erst gegen acht komme, die S-Bahn steht in Meidling",
         "Ich komme erst gegen acht, die S-Bahn steht in Meidling"),
        ("ich keine Walnüsse vertrage, Haselnüsse wären kein Problem",
         "Ich vertrage keine Walnüsse, Haselnüsse wären kein Problem"),
        ("Walnüsse kein Problem sind", None),
        ("ich später komm und dein Schlüssel noch hier ist", None),
        ("mir das passt, gern um acht", None),
    ],
)  # fmt: skip
def test_a_german_clause_is_a_sentence(clause: str, sentence: str | None) -> None:
    assert sentence_of(clause) == sentence


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("ask [Bob](to) [to call me](asked)", "Can you call me?"),
        ("ask [Bob](to) to [bring wine and to call me](asked)", "Can you bring wine and call me?"),
        ("ask [Bob](to) [to bring his umbrella](asked)", "Can you bring your umbrella?"),
        ("ask [Bob](to) [not to call me](asked)", "Don't call me"),
        ("tell [Bob](to) [to call me](reported)", "Call me"),
        ("tell [Anna](to) [to](reported) [wait, Bob is late](reported)", "Wait, Bob is late"),
        ("tell [Anna](to) [to bring an umbrella if it rains](reported)", "Bring an umbrella if it rains"),
    ],
)
def test_what_somebody_is_to_do_is_said_to_them(line: str, text: str) -> None:
    assert text_of(line, "en") == text


@pytest.mark.parametrize(
    ("language", "line", "text"),
    [
        ("en", "tell [bob](to) [I'm late if that's](reported) ok", "I'm late"),
        ("en", "tell [bob](to) that [I'm late, if that's okay](reported)", "I'm late"),
        ("de", "sag [Bob](to) [ich komme später wenn das ok ist](reported)", "Ich komme später"),
        ("de", "sag [Bob](to), dass [ich später komme, wenn es dir recht ist](reported)", "Ich komme später"),
        ("fr", "dis à [Bob](to) que [j'arrive si ça te va](reported)", "J'arrive"),
        ("es", "dile a [Bob](to) que [llego tarde si te parece bien](reported)", "Llego tarde"),
    ],
)
def test_a_courtesy_to_the_butler_is_no_part_of_the_text(language: str, line: str, text: str) -> None:
    assert text_of(line, language) == text


@pytest.mark.parametrize(
    ("language", "line", "text"),
    [
        ("en", "tell [bob](to) [I can help if you want](reported)", "I can help if you want"),
        ("en", "tell [bob](to) [I'm late if that's ok with you](reported)", "I'm late if that's ok with you"),
        ("de", "sag [Bob](to) [ich komme später wenn es dir recht ist](reported)",
         "Ich komme später wenn es dir recht ist"),
        ("fr", "écris à [Bob](to) : [j'arrive si ça te va](reported)", "j'arrive si ça te va"),
    ],
)  # fmt: skip
def test_a_courtesy_to_the_reader_is_part_of_the_text(language: str, line: str, text: str) -> None:
    assert text_of(line, language) == text
