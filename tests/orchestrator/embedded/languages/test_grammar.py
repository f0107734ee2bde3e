"""The notation of the grammars, how words are cut, and that every grammar hangs together."""

import re
import time
from dataclasses import replace
from importlib.resources import files

import pytest

from butler.orchestrator.embedded.languages.canonical import canonical
from butler.orchestrator.embedded.languages.matching import PRIMITIVES, Reading
from butler.orchestrator.embedded.languages.pattern import rules
from butler.orchestrator.embedded.languages.tongue import HERE, Tongue
from butler.orchestrator.embedded.languages.tongues import FRENCH, GERMAN, SPANISH, TONGUES

FIELD = re.compile(r"\{(?:60-)?(\w+)(?:-1)?(?::02)?\}")


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
        ("mit dem label {name:words} => as {name}", "mit dem Label „Zu  Hause“", ["as „Zu  Hause“"]),
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
    assert used <= {*tongue.rules, *PRIMITIVES}
    assert set(tongue.rules) <= used | {"request", "before", "after"}


@pytest.mark.parametrize("times", [20, 400])
@pytest.mark.parametrize(
    "words", ["auch die von Anna und Bob ", "aussi ceux de Anna et Bob ", "nur die von Anna über Bob "]
)
def test_a_long_message_is_read_in_no_time(words: str, times: int) -> None:
    began = time.process_time()
    canonical(words * times)
    assert time.process_time() - began < 20
