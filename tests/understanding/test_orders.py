"""What somebody is told to do, as it is said to them."""

import pytest

from butler.orchestrator.understanding.texts.orders import order_of, told_not_to
from tests.understanding.marked import said


@pytest.mark.parametrize(
    ("language", "before", "words", "said"),
    [
        ("en", "tell mum ", "not to cook on Sunday", "Don't cook on Sunday"),
        ("en", "tell mum not to ", "cook on Sunday", "Don't cook on Sunday"),
        ("en", "tell mum to ", "cook on Sunday", "cook on Sunday"),
        ("en", "tell mum that ", "I cook", None),
        ("en", "ask mum not ", "to worry", "Don't worry"),
        ("en", "ask Carol to ", "call me and not to be late", "call me and don't be late"),
        ("en", "tell Bob to ", "come and to bring cake", "come and bring cake"),
        ("en", "tell Anna ", "I miss you and to give dad a hug", "I miss you and give dad a hug"),
        ("en", "tell Anna ", "I have to go and to pack", None),
        ("en", "tell Bob ", "to come and to bring cake", "come and bring cake"),
        ("en", "tell Anna ", "to bring an umbrella if it rains", "bring an umbrella if it rains"),
        ("en", "tell Anna ", "to wait, Bob is late", "wait, Bob is late"),
        ("en", "ask Bob to ", "not be late", "Don't be late"),
        ("en", "tell Bob ", "to me it looks fine", None),
        ("en", "tell Bob ", "to Berlin it is far", None),
        ("en", "tell Anna ", "a happy new year and to everyone at home", None),
        ("en", "tell Anna ", "all the best and to Bob as well", None),
        ("en", "tell Anna to ", "say hi to Bob and to his wife", "say hi to Bob and to his wife"),
        ("fr", "dis à Bob de ", "m'appeler", "Merci de m'appeler"),
        ("fr", "dis à Bob de ", "ne pas oublier sa guitare", "Merci de ne pas oublier ta guitare"),
        ("fr", "dis à Bob de ", "baisser le son avant de prendre sa guitare",
         "Merci de baisser le son avant de prendre ta guitare"),
        ("fr", "dis à Bob de ", "passer chez Marie prendre son sac", "Merci de passer chez Marie prendre son sac"),
        ("fr", "dis à Bob de ", "lui rendre son vélo", "Merci de lui rendre son vélo"),
        ("fr", "dis à Bob d'", "appeler sa mère", "Merci d'appeler ta mère"),
        ("fr", "dis à Bob d'", "apporter le vin", "Merci d'apporter le vin"),
        ("fr", "dis à Bob ", "de ne pas venir", "Merci de ne pas venir"),
        ("fr", "dis-lui de ", "ne pas s'inquiéter", "Merci de ne pas t'inquiéter"),
        ("fr", "demande à Anna de ", "prendre le pain et de passer à la poste",
         "Peux-tu prendre le pain et passer à la poste ?"),
        ("fr", "dis à Bob que ", "je suis en retard", None),
        ("fr", "parle à Bob de ", "la maison", None),
        ("es", "dile a Bob que ", "me llame", "llámame"),
        ("es", "dile a Bob que ", "no venga", "no vengas"),
        ("es", "dile a Anna que ", "traiga el vino y que llegue pronto", "trae el vino y llega pronto"),
        ("es", "dile que ", "me lo diga", "dímelo"),
        ("es", "dile que ", "lo limpie bien", "límpialo bien"),
        ("es", "dile que ", "no se preocupe", "no te preocupes"),
        ("es", "dile que ", "se cuide", "cuídate"),
        ("es", "dile que ", "me lo envíe", "envíamelo"),
        ("es", "dile que ", "nos diga la hora", "dinos la hora"),
        ("es", "dile que ", "busque las llaves y que me las traiga", "busca las llaves y tráemelas"),
        ("es", "dile que ", "llego tarde", None),
        ("es", "dile que ", "estoy bien y que no se preocupe", "estoy bien y no te preocupes"),
        ("es", "dile ", "que se dé prisa", "date prisa"),
        ("es", "dile que ", "no me dé nada", "no me des nada"),
        ("es", "dile: ", "venga", None),
        ("es", "dile que ", "entre las 3 y las 4 estoy en casa", None),
        ("es", "dile que ", "sea como sea", None),
        ("es", "dile que ", "pase lo que pase, vengo", None),
        ("es", "dile que ", "venga Bob", None),
        ("es", "dile que ", "llame a Bob", "llama a Bob"),
        ("de", "sag Bob, dass ", "er kommen soll", None),
    ],
)  # fmt: skip
def test_what_one_is_told_to_do(language: str, before: str, words: str, said: str | None) -> None:
    assert order_of(before, words, language, several=False) == said


@pytest.mark.parametrize(
    ("language", "before", "words", "said"),
    [
        ("fr", "demande-leur de ", "se dépêcher", "Pouvez-vous vous dépêcher ?"),
        ("es", "diles que ", "venga", None),
    ],
)
def test_what_several_are_told_to_do(language: str, before: str, words: str, said: str | None) -> None:
    assert order_of(before, words, language, several=True) == said


@pytest.mark.parametrize(
    ("line", "intent", "slots"),
    [
        ("tell [Bob](to) not to come [tomorrow](time_of)", "calendar.decline",
         [("to", "Bob"), ("reported", "not to come tomorrow")]),
        ("tell [mum](to) not to come [before seven](reported)", "message.send",
         [("to", "mum"), ("reported", "not to come before seven")]),
        ("ask [Anna](to) not to tell anyone", "message.send", [("to", "Anna"), ("reported", "not to tell anyone")]),
        ("dis-lui de ne pas m'attendre", "message.send", [("reported", "de ne pas m'attendre")]),
        ("dis à [Bob](to) de ne pas venir", "calendar.decline", [("to", "Bob"), ("reported", "de ne pas venir")]),
    ],
)  # fmt: skip
def test_who_is_told_not_to_do_something_is_written_to(line: str, intent: str, slots: list[tuple[str, str]]) -> None:
    found = told_not_to(said(line, intent).request)
    assert found.intent == "message.send"
    assert [(one.slot, one.text) for one in found.slots] == slots


@pytest.mark.parametrize(
    ("line", "intent"),
    [
        ("tell [mum](to) [not to cook](reported)", "message.send"),
        ("tell me about the mail from Bob that asks me not to come", "mail.read"),
        ("cancel the lunch", "calendar.delete"),
        ("tell me not to forget the milk [tomorrow](time)", "reminder.create"),
        ("and ask me not to smoke [every evening](every)", "reminder.create"),
    ],
)
def test_what_is_already_whole_or_told_nobody_stays(line: str, intent: str) -> None:
    request = said(line, intent).request
    assert told_not_to(request) is request
