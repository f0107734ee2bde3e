"""The notation of the grammars, how words are cut, and that every grammar hangs together."""

import asyncio
import re
import time
from dataclasses import replace
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from butler.orchestrator.embedded.languages.canonical import canonical, language_of
from butler.orchestrator.embedded.languages.matching import PRIMITIVES, Reading
from butler.orchestrator.embedded.languages.pattern import rules
from butler.orchestrator.embedded.languages.tongue import HERE, Tongue
from butler.orchestrator.embedded.languages.tongues import FRENCH, GERMAN, SPANISH, TONGUES
from butler.orchestrator.embedded.lexer import lex, word_set
from butler.orchestrator.embedded.main_clause import sentences_in
from butler.orchestrator.embedded.planner import EmbeddedPlanner
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput
from tests.orchestrator.embedded import scene
from tests.orchestrator.embedded.languages.test_requests import ROWS
from tests.orchestrator.embedded.test_properties import references
from tests.support.nightly import examples

FIELD = re.compile(r"\{(?:60-)?(\w+)(?:-1)?(?::02)?\}")
PIECES = st.sampled_from(
    sorted(
        word_set(
            "sag Anna Sam Kim Bob auf Telegram per Mail dass : , ; . „ “ und an die zweite letzte sie Annas leite "
            "weiter erinnere mich um 9 morgen in zwanzig Minuten halb zehn von meine Mails nach Rechnung "
            "dis à d'Anna que qu'il rappelle-moi demain à 9h le deuxième mail réponds transfère les mails non lus "
            "dile a Anna que recuérdame mañana a las 9 ¿ ¡ el segundo correo responde reenvía mis correos "
            "evil@x.example telegram:12 @handle https://x.example/a ß İ ﬁ \u202e"
        )
    )
)
TEXT = st.one_of(
    st.lists(PIECES, max_size=14).map(" ".join),
    st.tuples(st.sampled_from([row[0] for row in ROWS]), st.lists(PIECES, max_size=5).map(" ".join)).map(" ".join),
)


def said(pattern: str, words: str) -> list[str]:
    """How a grammar of one rule, in German, says some words."""
    tongue = replace(GERMAN)
    # Where the grammar of the language's file would be kept once it is read.
    tongue.__dict__["rules"] = {"request": rules(pattern, tongue.split), "before": (), "after": ()}
    return list(Reading(tongue, words).requests())


@pytest.mark.parametrize(
    ("pattern", "words", "english"),
    [
        ("(zeig|zeige) [mir] mails => show mail", "zeige mails", ["show mail"]),
        ("zeig [(dir|mir) [doch|mal]] mails => show mail", "Zeig mir mal Mails!", ["show mail"]),
        ("sag {who} : {text} => tell {who}: {text}", "Sag Bob: Hallo,  Welt.", ["tell Bob: Hallo,  Welt."]),
        ("um {h:n} => at {h}:00", "um neun", ["at 9:00"]),
        ("halb {h:n} => at {h-1}:30", "halb eins", ["at 12:30"]),
        ("{m:n} vor {h:n} => at {h-1}:{60-m:02}", "fünf vor neun", ["at 8:55"]),
        ("nach {h:n} [und {m:n}] => after {h} {m}", "nach 3", ["after 3"]),
        ("für uns => for us", "fuer uns", ["for us"]),
        ("zeig mails => show mail", "zeig briefe", []),
    ],
)
def test_a_rule_says_in_english_what_its_pattern_reads(pattern: str, words: str, english: list[str]) -> None:
    assert said(pattern, words) == english


@pytest.mark.parametrize(
    ("tongue", "words", "pieces"),
    [
        (FRENCH, "Rappelle-moi d'appeler", ("rappelle", "moi", "d'", "appeler")),
        (FRENCH, "aujourd'hui, l’e-mail", ("aujourd'hui", ",", "l'", "e-mail")),
        (FRENCH, "Y a-t-il", ("y", "a", "t", "il")),
        (SPANISH, "¿Qué tal? ¡Adiós!", ("que", "tal", "?", "adios", "!")),
        (GERMAN, "Übermorgen für Straße", ("uebermorgen", "fuer", "strasse")),
    ],
)
def test_words_are_cut_and_compared_as_the_language_writes_them(
    tongue: Tongue, words: str, pieces: tuple[str, ...]
) -> None:
    assert tongue.split(words) == pieces


@pytest.mark.parametrize("tongue", TONGUES, ids=[tongue.code for tongue in TONGUES])
def test_every_slot_of_a_grammar_is_known_and_every_part_of_it_used(tongue: Tongue) -> None:
    text = files(HERE).joinpath(tongue.file).read_text(encoding="utf-8")
    used: set[str] = set()
    for line in filter(lambda line: "=>" in line, text.splitlines()):
        slots = re.findall(r"\{([^}]+)\}", line.partition("=>")[0])
        used |= {slot.split(":")[-1] for slot in slots}
    for found in tongue.rules.values():
        assert all(rule.template.count("{") == len(FIELD.findall(rule.template)) for rule in found)
    assert used <= set(tongue.rules) | PRIMITIVES
    assert set(tongue.rules) <= used | {"request", "before", "after"}


def understood(words: str) -> PlannerOutput:
    return asyncio.run(EmbeddedPlanner().plan(scene.request(words)))


@settings(max_examples=examples(120), deadline=None)
@given(TEXT)
def test_nobody_is_reached_whom_neither_the_words_nor_the_contacts_name(words: str) -> None:
    output = understood(words)
    folded = " ".join(token.word for token in lex(words).tokens)
    people = {contact.contact_id: contact for contact in scene.PEOPLE}
    for step in output.steps if isinstance(output, Planned) else ():
        found: list[dict[str, Any]] = [one for value in step.args.values() for one in references(value)]
        for reference in found:
            if "contact" in reference:
                assert any(alias.removeprefix("my ") in folded for alias in people[reference["contact"]].aliases)
            elif "address" in reference:
                assert reference["address"].split(":", 1)[1].casefold() in words.casefold()


@settings(max_examples=examples(120), deadline=None)
@given(TEXT)
def test_what_is_sent_and_kept_was_said(words: str) -> None:
    output = understood(words)
    plain = "\n".join((" ".join(words.split()), *sentences_in(words))).casefold()
    for step in output.steps if isinstance(output, Planned) else ():
        for name in ("text", "body", "question"):
            if isinstance(text := step.args.get(name), str):
                assert " ".join(text.split()).casefold() in plain


@pytest.mark.parametrize("times", [20, 400])
@pytest.mark.parametrize("words", ["sag Anna und Bob ", "dis à Anna et à Bob ", "zeig mir Mails von Anna über Bob "])
def test_a_long_message_is_read_in_no_time(words: str, times: int) -> None:
    began = time.process_time()
    canonical(words * times)
    assert time.process_time() - began < 20


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("Wie ist das bei dir und was hast du heute für mich?", "de"),
        ("Qu'est-ce que tu as pour moi sur la table ?", "fr"),
        ("¿Qué tienes hoy para mí en la mesa?", "es"),
        ("What is there for us today?", None),
    ],
)
def test_the_language_is_told_by_its_small_words(words: str, code: str | None) -> None:
    assert language_of(words) == code
