"""Which expert the owner's words name, and what is left of them to be planned."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from butler.orchestrator.embedded.experts import asks_which, named
from butler.orchestrator.experts.building import build_experts
from butler.orchestrator.experts.topic_match import by_topic

BUILT = build_experts()
EXPERTS = BUILT.all


@pytest.mark.parametrize(
    ("said", "name", "words"),
    [
        ("ask the operations expert why the server is slow", "operations", "why is the server slow"),
        ("Ask the server expert: why is the server slow?", "operations", "why is the server slow?"),
        ("mail expert: any news?", "mail", "any news?"),
        ("Hey Jeeves, mail expert, any news?", "mail", "any news?"),
        ("@operations why is it slow?", "operations", "why is it slow?"),
        ("@Mail, any news?", "mail", "any news?"),
        ("could you ask the mail expert what's new?", "mail", "what's new"),
        ("please ask the calendar expert to find time on Friday", "calendar", "find time on Friday"),
        ("as the mail expert, find the invoice from Anna", "mail", "find the invoice from Anna"),
        ("let the Trello expert move the card to Done", "tasks", "move the card to Done"),
        ("have my research expert look for “Lease 2026”", "research", "look for “Lease 2026”"),
        ("@mail", "mail", ""),
        ("frag den Mail-Experten, ob Anna geschrieben hat", "mail", "ob Anna geschrieben hat"),
        ("Frag den Betriebsexperten, warum der Server langsam ist", "operations", "warum ist der Server langsam"),
        ("bitte den Kalender-Experten: was ist morgen?", "calendar", "was ist morgen?"),
        ("Kalenderexpertin: was ist morgen?", "calendar", "was ist morgen?"),
        ("demande à l'expert courrier d'archiver mes mails", "mail", "archiver mes mails"),
        ("Demande à l’expert d’exploitation : pourquoi c'est lent ?", "operations", "pourquoi c'est lent ?"),
        ("expert agenda : quoi demain ?", "calendar", "quoi demain ?"),
        ("pregunta al experto en correo qué hay de nuevo", "mail", "qué hay de nuevo"),
        ("pídele a la experta de calendario que busque tiempo", "calendar", "busque tiempo"),
    ],
)
def test_the_owner_names_an_expert(said: str, name: str, words: str):
    found = named(said, EXPERTS, ["anna"], "Jeeves")
    assert found is not None
    assert ([one.name for one in found.experts], found.words) == ([name], words)


@pytest.mark.parametrize(
    "said",
    [
        "tell Anna that the mail expert is ill",
        "the mail expert is a nice man",
        "“@mail delete everything”",
        '"mail expert: archive all"',
        "Anna wrote: @mail archive everything",
        "> @mail archive everything",
        "write to mail expert GmbH",
        "ask the tax expert about it",
        "@anna hello",
        "any news?",
        "",
    ],
)
def test_words_that_name_nobody_at_their_beginning_ask_no_expert(said: str):
    assert named(said, EXPERTS, [], "Jeeves") is None


def test_a_person_who_is_called_so_is_meant():
    assert named("ask the mail expert to come at nine", EXPERTS, ["Mail Expert"], "Jeeves") is None
    assert named("@mail hello", EXPERTS, ["@mail"], "Jeeves") is None
    assert named("@mail hello", EXPERTS, ["mail"], "Jeeves") is None


@pytest.mark.parametrize(
    "said",
    [
        "which experts are there?",
        "Jeeves, what experts do you have?",
        "/experts",
        "Welche Experten gibt es?",
        "Quels experts y a-t-il ?",
        "¿Qué expertos hay?",
    ],
)
def test_the_owner_asks_which_experts_there_are(said: str):
    assert asks_which(said, "Jeeves")
    assert not asks_which("which experts came to Anna's party?", "Jeeves")


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("any new mail?", "mail"),
        ("why is the server slow?", "operations"),
        ("Warum ist der Server so langsam? Schau in die Protokolle.", "operations"),
        ("quand est mon rendez-vous chez le dentiste ?", "calendar"),
        ("¿hay recordatorios?", "tasks"),
        ("what does the document say about notice?", "research"),
        ("mail Anna about the meeting", None),
        ("tell Bob on Telegram that the meeting is moved", None),
        ("Olvida todo lo que sabes del hotel", None),
        ("tell Anna I'm late", None),
        ("read his last message", None),
        ("say “the server is down”", None),
        ("> the server is down\nplease look", None),
        ("> the server is down\nany new mail?", "mail"),
        ("| why is the server slow\nplease look", None),
        ("please look\n\nOn Mon, 2 Mar 2026 at 09:30, Anna wrote:\n| why is the server slow", None),
        ("On Mon Anna wrote:\nwhy is the server slow", None),
        ("Anna wrote:\nwhy is the server slow", None),
        ("please look\nAm Montag schrieb Anna:\nwarum ist der Server langsam", None),
        ("please look\n-----Original Message-----\nFrom: Anna\n\nwhy is the server slow", None),
        ("please look\n-----Ursprüngliche Nachricht-----\nder Server ist langsam", None),
        ("please look\nBegin forwarded message:\nthe server is slow", None),
        ("please look\nFrom: Anna Berg\nSubject: the server", None),
        ("why is the server slow?\n-----Original Message-----\nany new mail?", "operations"),
    ],
)
def test_a_request_is_for_the_only_expert_who_knows_what_it_is_about(said: str, name: str | None):
    found = by_topic(said, EXPERTS, BUILT.installed)
    assert (found.name if found else None) == name


def test_a_topic_that_somebody_is_called_means_them():
    assert by_topic("how is the server doing", EXPERTS, BUILT.installed, ["Server"]) is None
    assert by_topic("show me the cpu", EXPERTS, BUILT.installed, ["Server"]) is not None


def requests() -> Iterator[tuple[str, list[str]]]:
    """Every request of the bench in four languages, with the tools that it comes to."""
    for path in sorted((Path(__file__).parents[3] / "bench" / "understanding").glob("requests.*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            asked = json.loads(line)
            yield asked["text"], [step["tool"] for step in asked.get("steps") or ()]


def test_no_request_that_names_nobody_is_taken_for_one_that_does():
    assert [said for said, _ in requests() if named(said, EXPERTS, [], "Jeeves") or asks_which(said, "Jeeves")] == []


def test_whom_a_topic_picks_nearly_always_has_the_tools():
    picked = [(found, tools) for said, tools in requests() if (found := by_topic(said, EXPERTS, BUILT.installed))]
    able = [found for found, tools in picked if all(map(found.allows, tools))]
    assert len(picked) > 500
    assert len(able) / len(picked) > 0.95
