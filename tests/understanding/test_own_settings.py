"""People's names, rules, experts and further items: what words alone cannot do is said how it is done."""
# names: made up here

import pytest

from butler.orchestrator.planning.plan_types import Unclear
from butler.orchestrator.understanding import own_settings
from butler.orchestrator.understanding.own_settings import BUILDERS
from tests.understanding.marked import made, said


def asked(line: str, intent: str, language: str = "en") -> Unclear:
    output = made(BUILDERS, said(line, intent, language=language))
    assert isinstance(output, Unclear)
    return output


@pytest.mark.parametrize(
    ("language", "line", "name", "address"),
    [
        ("en", "save [Ulrike](to)'s address: [ulrike@berg.example](value)", "Ulrike", "mail:ulrike@berg.example"),
        ("en", "could you save [@brian_oc](value) as [Brian](to) on Telegram", "Brian", "telegram:@brian_oc"),
        ("en", "add [my dentist](to), [dr@teeth.example](to)", "dentist", "mail:dr@teeth.example"),
        ("en", "when I say [the boss](to) I mean [Bob](value)", "boss", "mail:bob@work.example"),
        ("de", "speicher [annika@hof.example](value) als [Annika](to)", "Annika", "mail:annika@hof.example"),
        (
            "de",
            "[die neue mail von Jutta](topic): [jutta.neu@web.example](value)",
            "neue mail von Jutta",
            "mail:jutta.neu@web.example",
        ),
        ("fr", "ajoute [Fatou](to) : [fatou@marche.example](value)", "Fatou", "mail:fatou@marche.example"),
        (
            "es",
            "el mail nuevo de [mi tía](to) es [tiachelo@correo.example](value)",
            "tía",
            "mail:tiachelo@correo.example",
        ),
    ],
)
def test_one_tap_gives_a_name_to_an_address(language: str, line: str, name: str, address: str) -> None:
    (tap,) = asked(line, "contact.add", language).choices
    assert (tap.alias, tap.address, tap.words) == (name, address, "")


@pytest.mark.parametrize(
    ("line", "question"),
    [
        ("new contact please", own_settings.WHOSE_NAME),
        ("save [Tobi](to)", "What is the address of Tobi?"),
        ("save [tobi@x.example](value)", "What shall I call tobi@x.example?"),
        ("[Tobi](to)'s number is [+44 7700 900331](value)", own_settings.NO_PHONES.replace("{name}", "Tobi")),
        ("[Anna](to)'s mail is [anna@friends.example](value)", "Anna is anna@friends.example already."),
    ],
)
def test_what_names_nobody_is_asked_about(line: str, question: str) -> None:
    found = asked(line, "contact.add")
    assert found.question == question
    assert not found.choices


@pytest.mark.parametrize(
    ("language", "line", "intent"),
    [
        ("en", "never ask me about [archiving](topic)", "rule.allow"),
        ("de", "[meiner frau](to) darfst du immer ohne fragen schreiben", "rule.allow"),
        ("fr", "plus besoin de me demander pour les [rappels](topic)", "rule.allow"),
        ("es", "a [mi madre](to) mándale sin preguntarme", "rule.allow"),
        ("en", "always ask before mailing [my boss](to)", "rule.ask"),
        ("de", "frag mich immer bevor du [dem chef](to) schreibst", "rule.ask"),
        ("fr", "demande toujours avant d'écrire à [mon patron](to)", "rule.ask"),
        ("es", "pide permiso para [borrar correos](topic)", "rule.ask"),
    ],
)
def test_words_allow_and_forbid_nothing(language: str, line: str, intent: str) -> None:
    found = asked(line, intent, language)
    assert found.question == (own_settings.HOW_TO_ALLOW if intent == "rule.allow" else own_settings.ASKS_ANYWAY)
    assert [one.words for one in found.choices] == ["show my rules"]


def test_what_an_unknown_expert_is_asked_can_be_asked_without_one() -> None:
    found = asked("@garten [was ist zu gießen](action)", "expert.ask", "de")
    assert [one.words for one in found.choices] == ["was ist zu gießen", "which experts are there"]


@pytest.mark.parametrize(
    ("language", "line"), [("en", "show me more"), ("de", "weiter"), ("fr", "encore"), ("es", "más")]
)
def test_further_items_have_to_be_asked_for_whole(language: str, line: str) -> None:
    assert asked(line, "more", language).question == own_settings.MORE_OF
