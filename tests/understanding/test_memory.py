"""Questions to memory, notes, files and attachments, and what is to be forgotten, in four languages."""
# names: made up here

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bench.understanding_scenes import NOW
from butler.contract.referents import ReferentKind
from butler.orchestrator.planning.plan_types import Unclear
from butler.orchestrator.understanding import core
from butler.orchestrator.understanding.memory import BUILDERS
from butler.orchestrator.understanding.said import Said
from butler.store.conversation import ConversationMessage, LastShown, Referent
from modules.memory.args import SearchArgs
from tests.understanding.marked import made, said, steps
from tests.understanding.test_mail import after, mails

SEARCH, FORGET, DOCUMENT = "bot_memory_search", "bot_memory_forget", "bot_documents_read"
TOOLS = {"file": "user_drive_search", "note": "bot_notes_search", "source": SEARCH}


def things(kind: str, count: int) -> tuple[Referent, ...]:
    return tuple(
        Referent(handle=f"{kind}-{n}", kind=ReferentKind(kind), key=f"{kind}:{n}", tool=TOOLS[kind],
                 ordinal=n if count > 1 else 0, at=NOW - timedelta(hours=n), shown_in="hits")
        for n in range(1, count + 1)
    )  # fmt: skip


def seen(one: Said, kind: str, count: int = 1) -> Said:
    return after(one, things(kind, count), ReferentKind(kind))


def talked(one: Said, *turns: tuple[str, str], last: LastShown | None = None) -> Said:
    history = tuple(
        ConversationMessage(role="user" if who == "owner" else "assistant", content=words, timestamp=NOW)
        for who, words in turns
    )
    request = replace(one.scene.request, history=history, last_shown=last)
    return replace(one, scene=replace(one.scene, request=request))


@pytest.mark.parametrize(
    ("language", "line", "before"),
    [
        ("en", "[and what does it say about pets](query)?", "can I paint the walls according to the lease?"),
        ("de", "[und ab wann kann ich da raus](query)", "was kostet mich das fitnessstudio im monat laut vertrag"),
        ("fr", "[et pour résilier il faut combien de temps](query)", "je paie combien à la salle de sport par mois ?"),
        ("es", "[y cuándo vence](query)", "¿cuánto pago al mes por el seguro del coche?"),
        ("en", "[where exactly](query)", "which hotel did we stay at in Porto?"),
    ],
)
def test_a_question_goes_on_from_the_one_before(language: str, line: str, before: str) -> None:
    one = talked(said(line, "memory.ask", language=language), ("owner", before), ("butler", "Yes."))
    ((tool, args),) = steps(BUILDERS, one)
    assert tool == SEARCH
    assert before.rstrip("? ") in args["question"]
    SearchArgs.model_validate(args)


def test_a_whole_question_stands_alone() -> None:
    one = said("[when does my lease at Mill Lane end](query)?", "memory.ask")
    ((_, args),) = steps(BUILDERS, talked(one, ("owner", "show me my mails from Bob please"), ("butler", "Two mails.")))
    assert args == {"question": "when does my lease at Mill Lane end"}


def test_what_was_asked_before_is_found_behind_other_short_questions() -> None:
    turns = (("owner", "what did the landlord promise to fix?"), ("butler", "The boiler."), ("owner", "and when?"),
             ("butler", "In May."))  # fmt: skip
    ((_, args),) = steps(BUILDERS, talked(said("[and who pays](query)?", "memory.ask"), *turns))
    assert args == {"question": "and who pays (what did the landlord promise to fix)"}


@pytest.mark.parametrize(
    ("language", "line", "kind"),
    [
        ("en", "forget [that](ref)", "source"), ("fr", "oublie ça", "note"), ("es", "olvida eso, ya no vale", "note"),
        ("de", "Das stimmt nicht mehr, lösch das", "note"), ("en", "we've moved, forget [that address](ref)", "source"),
    ],
)  # fmt: skip
def test_what_was_told_last_is_forgotten(language: str, line: str, kind: str) -> None:
    one = seen(said(line, "memory.forget", language=language), kind)
    assert steps(BUILDERS, one) == [(FORGET, {"source": {"handle": f"{kind}-1"}})]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("forget everything about [the Hendersons](topic)", "Hendersons"),
        ("vergiss [das mit der Kaution](ref)", "Kaution"),
    ],
)
def test_what_is_named_is_forgotten(line: str, words: str) -> None:
    assert steps(BUILDERS, said(line, "memory.forget")) == [(FORGET, {"words": words})]


def test_which_of_several_is_to_be_forgotten_is_asked() -> None:
    output = made(BUILDERS, seen(said("forget [it](ref)", "memory.forget"), "source", 3))
    assert isinstance(output, Unclear)
    assert [one.steps[0].args for one in output.choices] == [
        {"source": {"handle": f"source-{n}"}} for n in (1, 2, 3)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("language", "line", "intent", "question"),
    [
        ("de", "Mach [die Datei](ref) mal auf und sag mir, was da zum Thema [Haftung](topic) drinsteht", "file.read",
         "Mach die Datei mal auf und sag mir, was da zum Thema Haftung drinsteht"),
        ("es", "ábrelo y dime [qué pone sobre las penalizaciones](query)", "file.read",
         "qué pone sobre las penalizaciones"),
        ("en", "open [it](ref)", "file.read", ""),
        ("fr", "et ça dit quoi sur [les animaux](topic) ?", "file.read", "et ça dit quoi sur les animaux"),
        ("en", "[and how much notice does it want](query)", "memory.ask", "and how much notice does it want"),
    ],
)  # fmt: skip
def test_the_file_that_was_found_last_is_read(language: str, line: str, intent: str, question: str) -> None:
    expected = {"file": {"handle": "file-1"}} | ({"question": question} if question else {})
    assert steps(BUILDERS, seen(said(line, intent, language=language), "file")) == [("user_drive_read", expected)]


@pytest.mark.parametrize(
    ("language", "line", "place", "question"),
    [
        ("en", "open [the attachment](ref) and tell me [what it costs](query)", 0, "what it costs"),
        ("fr", "lis la pièce jointe et dis-moi juste le total", 0, "lis la pièce jointe et dis-moi juste le total"),
        ("de", "schau in [den Anhang](ref)", 0, ""),
        ("en", "what's in [the second attachment](ref)", 1, ""),
    ],
)
def test_the_attachment_of_the_mail_that_was_read(language: str, line: str, place: int, question: str) -> None:
    reading, file = steps(BUILDERS, after(said(line, "file.read", language=language), mails(1)))
    assert reading == ("user_email_read_message", {"message_id": {"handle": "mail-21"}})
    assert file[0] == DOCUMENT
    assert file[1]["file"] == {"step": 1, "fact": f"message.attachments.{place}.sha256"}
    assert file[1].get("question", "") == question


def test_a_file_that_came_with_the_mail_that_was_read() -> None:
    (mail,) = mails(1)
    file = things("file", 1)[0].model_copy(update={"at": mail.at, "tool": DOCUMENT})
    one = after(said("open [the attachment](ref)", "file.read"), (mail, file))
    assert steps(BUILDERS, one) == [(DOCUMENT, {"file": {"handle": "file-1"}})]


def test_the_attachment_of_a_mail_that_is_named() -> None:
    line = "go through the attachment of the [planning](topic) mail"
    found = steps(BUILDERS, said(line, "file.read"))
    assert [tool for tool, _ in found] == ["user_email_search_inbox", "user_email_read_message", DOCUMENT]
    assert found[2][1]["file"] == {"step": 2, "fact": "message.attachments.0.sha256"}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("read lease.pdf and tell me [the notice period](query)",
         [("bot_files_read", {"path": "lease.pdf", "question": "the notice period"})]),
        ("read all of the folder [Contracts](topic) in my Drive",
         [("user_drive_search", {"words": "Contracts"}),
          ("user_drive_read", {"file": {"step": 1, "fact": "files.0.source_id"}, "recursive": True})]),
    ],
)  # fmt: skip
def test_a_file_by_its_name(line: str, expected: list[tuple[str, dict[str, Any]]]) -> None:
    assert steps(BUILDERS, said(line, "file.read")) == expected


@pytest.mark.parametrize(("line", "intent"), [("and could you tell me when, too?", "unclear"), ("who?", "chat.who")])
def test_a_bare_question_goes_on_from_the_one_before(line: str, intent: str) -> None:
    one = talked(said(line, intent), ("owner", "where is the dinner at the boathouse?"), ("butler", "On the pier."))
    ((tool, args),) = steps(core.BUILDERS, one)
    assert tool == SEARCH
    assert "(where is the dinner at the boathouse)" in args["question"]


def test_what_is_known_is_asked_of_memory() -> None:
    assert steps(BUILDERS, said("what do you know about [my locker](topic)", "memory.list"))[0][0] == SEARCH
    assert steps(BUILDERS, said("which sources do you have on [my locker](topic)", "memory.list"))[0][0] != SEARCH


@pytest.mark.parametrize(
    ("language", "line", "tool"),
    [
        ("en", "what do you know about my lease", SEARCH),
        ("de", "was weißt du über meinen Vertrag", SEARCH),
        ("fr", "que sais-tu de mon bail", SEARCH),
        ("es", "qué sabes de mi contrato", SEARCH),
        ("en", "what do you know", "bot_memory_list"),
        ("en", "which documents do you know of my lease", "bot_memory_list"),
    ],
)
def test_an_unmarked_thing_of_the_owners_is_asked_about(language: str, line: str, tool: str) -> None:
    ((name, _),) = steps(BUILDERS, said(line, "memory.list", language=language))
    assert name == tool


@pytest.mark.parametrize(
    ("language", "line", "expected"),
    [
        ("es", "¿y qué tenía yo apuntado sobre [vinos](query)?", {"words": "vinos"}),
        ("en", "do I have a note about [how to reset the alarm](query)", {"words": "how reset alarm"}),
        ("de", "zeig meine Notizen", {}),
    ],
)
def test_notes(language: str, line: str, expected: dict[str, Any]) -> None:
    assert steps(BUILDERS, said(line, "note.search", language=language)) == [("bot_notes_search", expected)]
