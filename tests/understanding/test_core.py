"""What the core answers itself, how the owner wants to be answered, and when the digest comes, in four languages."""
# names: made up here

from typing import Any

import pytest

from butler.contract.provenance import Labelled, Origin
from butler.orchestrator.planning.plan_types import Command, Unclear
from butler.orchestrator.planning.preferences import Preference, is_set_by_owner
from butler.orchestrator.understanding.core import BUILDERS, DECLINES
from modules.digests.module import SetTimeArgs, SkipArgs
from tests.understanding.marked import made, said, steps

SET = "bot_digests_set_time"


@pytest.mark.parametrize(
    ("language", "line", "value"),
    [
        ("en", "keep it [shorter](value) from now on", "brief"),
        ("en", "answer me [in two sentences at most](value)", "brief"),
        ("en", "your answers are too short, more detail please", "full"),
        ("de", "antworte in Zukunft kürzer", "brief"),
        ("de", "schreib bitte nicht so lang", "brief"),
        ("de", "nicht so kurz, etwas ausführlicher bitte", "full"),
        ("fr", "À l'avenir réponds-moi plus brièvement, pas besoin de tout le tralala", "brief"),
        ("fr", "je préfère [des réponses détaillées](value)", "full"),
        ("es", "contesta más corto", "brief"),
        ("es", "quiero explicaciones más [largas](value)", "full"),
        ("es", "nada de saludos largos, ve al grano", "brief"),
    ],
)
def test_the_length_of_answers(language: str, line: str, value: str) -> None:
    one = said(line, "preference.set", language=language)
    output = made(BUILDERS, one)
    assert isinstance(output, Preference), output
    assert (output.name.value, output.value) == ("length", value)
    owners = Labelled(value=one.request.text, origins=frozenset({Origin.owner("telegram:1")}))
    assert is_set_by_owner(output, owners)


@pytest.mark.parametrize(
    ("language", "line", "name", "value"),
    [
        ("en", "I'm not [Robert](value), call me [Bob](value)", "name", "Bob"),
        ("de", "Sagen Sie bitte [Frau Wegener](to) zu mir", "name", "Frau Wegener"),
        ("de", "nenn mich nicht immer Herr Doktor, sag einfach [Wolferl](value) zu mir", "name", "Wolferl"),
        ("fr", "tu peux m'appeler [chef](value)", "name", "chef"),
        ("es", "dime siempre [señor Olmedo](value)", "name", "señor Olmedo"),
        ("de", "[Deutsch](language) bitte", "language", "de"),
        ("en", "talk to me in [inglish](language)", "language", "en"),
        ("en", "be more technical, like an expert", "persona", "Technical"),
        ("en", "always [show sources](value)", "sources", "quoted"),
        ("de", "Ich möchte, dass du mich ab jetzt bitte [Max](value) nennst", "name", "Max"),
    ],
)
def test_other_preferences(language: str, line: str, name: str, value: str) -> None:
    output = made(BUILDERS, said(line, "preference.set", language=language))
    assert isinstance(output, Preference), output
    assert (output.name.value, output.value) == (name, value)


@pytest.mark.parametrize(
    ("language", "line"),
    [("en", "stop calling me [sir](value)"), ("en", "no emojis please"), ("de", "sei [weniger förmlich](value)"),
     ("es", "háblame en [euskera](language)"), ("fr", "mon fuseau est [Lisbonne](value)")],
)  # fmt: skip
def test_what_cannot_be_set_is_said(language: str, line: str) -> None:
    assert isinstance(made(BUILDERS, said(line, "preference.set", language=language)), Unclear)


@pytest.mark.parametrize(
    ("language", "line", "kind", "at"),
    [
        ("es", "el resumen de la mañana mándamelo a las siete a partir de ahora", "morning", "07:00"),
        ("es", "el resumen de la mañana mándamelo a las [siete](time)", "morning", "07:00"),
        ("en", "give me my briefing [every weekday at 7:15](every)", "morning", "07:15"),
        ("de", "schick die Übersicht lieber um [halb acht](time)", "morning", "07:30"),
        ("fr", "le digest plutôt le [soir à 20h](every)", "evening", "20:00"),
        ("en", "move the digest to the [evening](time)", "evening", "19:00"),
        ("de", "digest [wieder an](value)", "morning", "07:30"),
        ("de", "das Briefing [um sechs abends](time)", "evening", "18:00"),
        ("en", "evening digest [at 8 pm](every), [every day](every)", "evening", "20:00"),
    ],
)
def test_when_the_digest_comes(language: str, line: str, kind: str, at: str) -> None:
    expected = {"kind": kind, "at": at}
    assert steps(BUILDERS, said(line, "digest.time", language=language)) == [(SET, expected)]
    SetTimeArgs.model_validate(expected)


@pytest.mark.parametrize(
    ("language", "line", "kinds"),
    [
        ("de", "schalten Sie den Tagesbericht bitte [ab](value)", ["morning", "evening"]),
        ("en", "no more morning summary, switch it [off](value)", ["morning"]),
        ("fr", "plus de récap du soir, [coupe-le](value)", ["evening"]),
        ("en", "i dont want digests anymore", ["morning", "evening"]),
    ],
)
def test_no_digest_any_more(language: str, line: str, kinds: list[str]) -> None:
    found = steps(BUILDERS, said(line, "digest.time", language=language))
    assert found == [(SET, {"kind": kind}) for kind in kinds]


def test_one_digest_in_the_place_of_the_other() -> None:
    found = steps(BUILDERS, said("das Briefing [abends um 20 Uhr](time) statt morgens", "digest.time", language="de"))
    assert found == [(SET, {"kind": "evening", "at": "20:00"}), (SET, {"kind": "morning"})]


@pytest.mark.parametrize(
    ("language", "line"),
    [("en", "digest only on [weekdays](every)"), ("fr", "arrête de m'envoyer le récap [le dimanche](every)")],
)
def test_a_digest_on_some_days_only_is_none(language: str, line: str) -> None:
    output = made(BUILDERS, said(line, "digest.time", language=language))
    assert isinstance(output, Unclear)
    assert output.question.startswith("The digest comes every day.")


@pytest.mark.parametrize(
    ("language", "line", "day"),
    [("en", "skip [tomorrow's](time) digest", "2026-03-05"), ("de", "am [Samstag](time) keine Übersicht", "2026-03-07"),
     ("es", "hoy sin resumen", "2026-03-04")],
)  # fmt: skip
def test_a_digest_that_is_left_out(language: str, line: str, day: str) -> None:
    ((tool, args),) = steps(BUILDERS, said(line, "digest.skip", language=language))
    assert (tool, args) == ("bot_digests_skip", {"day": day})
    SkipArgs.model_validate(args)


def test_what_is_new_is_the_digest() -> None:
    assert made(BUILDERS, said("what's new?", "digest.now")) is Command.DIGEST


def test_a_digest_from_now_on_is_a_time_of_it() -> None:
    line = "el resumen de la mañana mándamelo a las siete a partir de ahora"
    assert steps(BUILDERS, said(line, "digest.now", language="es")) == [(SET, {"kind": "morning", "at": "07:00"})]


@pytest.mark.parametrize("intent", DECLINES)
def test_what_butler_cannot_do_is_named(intent: str) -> None:
    output: Any = made(BUILDERS, said("do it", intent))
    assert output.question == DECLINES[intent]
