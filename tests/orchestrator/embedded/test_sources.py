"""Pages, files, documents, Drive, memory and preferences: the right tool, and the owner's own words as the question."""
# names: made up here

import dataclasses
from datetime import date, datetime
from typing import Any

import pytest

from bench.understanding_scenes import SCENES, request, tools
from butler.contract.agents import When
from butler.contract.referents import ReferentKind
from butler.orchestrator.embedded.lexer import lex
from butler.orchestrator.embedded.mistyped import corrected
from butler.orchestrator.embedded.past import span_at
from butler.orchestrator.embedded.planner import EmbeddedPlanner
from butler.orchestrator.embedded.scene import scene_of
from butler.orchestrator.planning.plan_types import Command, Planned, PlannerOutput, Unclear
from butler.orchestrator.planning.preferences import Preference, PreferenceName
from butler.store.conversation import Referent
from tests.orchestrator.embedded import scene as few

LINK = "https://shop.example/a?b=1"


async def plan(words: str, scene: str = "demo") -> PlannerOutput:
    return await EmbeddedPlanner().plan(request(words, scene, tools()))


async def step(words: str, scene: str = "demo") -> tuple[str, dict[str, Any]]:
    output = await plan(words, scene)
    assert isinstance(output, Planned), output
    (one,) = output.steps
    return one.tool_call, one.args


@pytest.mark.parametrize(
    ("words", "args"),
    [
        (f"read {LINK}", {"url": LINK}),
        (f"{LINK}.", {"url": LINK}),
        (f"what does {LINK} say about refunds?", {"url": LINK, "question": f"what does {LINK} say about refunds"}),
        (f"open {LINK} and tell me who wrote it", {"url": LINK, "question": "who wrote it"}),
        ("show me shop.example/menu", {"url": "shop.example/menu"}),
        (f"read {LINK} with all its subpages", {"url": LINK, "recursive": True}),
    ],
)
async def test_a_link_is_read_whole_or_for_a_question(words: str, args: dict[str, Any]) -> None:
    assert await step(words) == ("bot_web_read_page", args)


async def test_a_link_in_a_message_is_sent_and_not_read() -> None:
    assert await step(f"text Mum: {LINK}") == (
        "user_telegram_send_message",
        {"to": {"contact": "mum"}, "text": LINK},
    )


async def test_a_file_is_read_by_its_full_path_and_a_command_is_none() -> None:
    assert await step("read /etc/passwd") == ("bot_files_read", {"path": "/etc/passwd"})
    assert await step("read ~/papers/2026/lease.pdf") == ("bot_files_read", {"path": "~/papers/2026/lease.pdf"})
    assert not isinstance(await plan("read /pause"), Planned)


async def test_a_drive_link_is_read_from_drive() -> None:
    link = "https://docs.google.com/document/d/1aB/edit"
    assert await step(f"read {link}") == ("user_drive_read", {"file": link})


@pytest.mark.parametrize(
    ("words", "named", "question"),
    [
        ("read the rental contract in my drive", "rental contract", ""),
        ("open Packing list.pdf from my Drive", "Packing list.pdf", ""),
        (
            "what does the rental contract in my Drive say about notice?",
            "rental contract",
            "what does the rental contract in my Drive say about notice",
        ),
    ],
)
async def test_a_file_of_drive_is_found_by_its_name_and_read_where_it_is_the_only_one(
    words: str, named: str, question: str
) -> None:
    output = await plan(words)
    assert isinstance(output, Planned), output
    search, read = output.steps
    assert (search.tool_call, search.args) == ("user_drive_search", {"words": named})
    assert (read.tool_call, read.args.pop("question", "")) == ("user_drive_read", question)
    assert read.args == {"file": {"step": 1, "fact": "files.0.source_id"}}
    assert read.when == When(step_id=1, fact="count", is_="equal", value=1)


@pytest.mark.parametrize(
    ("words", "named", "reads"),
    [
        ("Durchsuche mein Drive nach Mietvertrag", "Mietvertrag", False),
        ("such in meinem Google Drive nach Boiler", "Boiler", False),
        ("Lies die Datei Boiler.pdf in meinem Drive", "Boiler.pdf", True),
    ],
)
async def test_drive_is_searched_and_read_in_german(words: str, named: str, *, reads: bool) -> None:
    output = await plan(words)
    assert isinstance(output, Planned), output
    assert output.steps[0].args == {"words": named}
    assert [one.tool_call for one in output.steps] == ["user_drive_search", *(["user_drive_read"] if reads else [])]


async def test_the_only_file_that_a_search_of_drive_found_is_the_first_one() -> None:
    shown = (
        *(Referent(handle=f"mail-{n}", kind=ReferentKind.MAIL, key=f"m{n}", tool="user_email_search_inbox", ordinal=n,
                   shown_in="a") for n in (1, 2)),
        Referent(handle="file-1", kind=ReferentKind.FILE, key="f", tool="user_drive_search", shown_in="b"),
    )  # fmt: skip
    asked = dataclasses.replace(request("read the first one", "demo", tools()), referents=shown)
    output = await EmbeddedPlanner().plan(asked)
    assert isinstance(output, Planned), output
    assert [(one.tool_call, one.args) for one in output.steps] == [("user_drive_read", {"file": {"handle": "file-1"}})]


@pytest.mark.parametrize("words", ["summarise this", "what is the total?", "who signed it?", "list the names in it"])
async def test_a_question_that_answers_a_file_is_asked_of_it(words: str) -> None:
    tool, args = await step(words, "file")
    assert (tool, args["file"], args["question"]) == ("bot_documents_read", {"handle": "file-1"}, words.rstrip("?"))


async def test_a_file_that_is_not_there_is_asked_of_memory() -> None:
    assert await step("what does the document say about pets?") == (
        "bot_memory_search",
        {"question": "what does the document say about pets"},
    )


async def test_one_of_two_files_is_asked_for() -> None:
    assert isinstance(await plan("summarise it", "files"), Unclear)


@pytest.mark.parametrize(
    "words", ["forget everything", "forget all about it", "forget that", "forget about everything"]
)
async def test_forgetting_needs_to_be_told_what(words: str) -> None:
    assert not isinstance(await plan(words, "sources"), Planned)


async def test_forgetting_goes_by_the_owners_words_or_a_shown_source() -> None:
    assert await step("forget what you know about the boat") == ("bot_memory_forget", {"words": "boat"})
    assert await step("forget the first one", "sources") == ("bot_memory_forget", {"source": {"handle": "source-1"}})
    assert await step("forget the rental contract") == ("bot_memory_forget", {"words": "rental contract"})


@pytest.mark.parametrize("words", ["forget the reminder", "forget that I want German", "forget my name", "forget it"])
async def test_not_all_that_is_to_be_forgotten_lies_in_memory(words: str) -> None:
    output = await plan(words)
    assert not isinstance(output, Planned) or output.steps[0].tool_call != "bot_memory_forget"


async def test_a_question_names_whose_words_only_where_one_way_leads_to_them() -> None:
    assert await step("what did Carol say about the scores?") == (
        "bot_memory_search",
        {"question": "what did Carol say about the scores", "person": "mail:carol@choir.example"},
    )
    assert "person" not in (await step("when did Anna say she'd arrive?"))[1]


@pytest.mark.parametrize("words", ["reply to the file: thanks", "forward the file to Anna", "answer file-1: thanks"])
async def test_a_file_is_no_mail(words: str) -> None:
    assert isinstance(await plan(words, "file"), Unclear)


@pytest.mark.parametrize(
    "words", ["what does the contract say?", f"read {LINK}", "search my Drive for x", "what do you have in memory?"]
)
async def test_what_is_not_set_up_is_never_planned(words: str) -> None:
    output = await few.plan(words)
    assert isinstance(output, Unclear)


@pytest.mark.parametrize(
    ("words", "name", "value"),
    [
        ("call me Max", PreferenceName.NAME, "Max"),
        ("From now on, call me Dr. Bell, please", PreferenceName.NAME, "Dr. Bell"),
        ("forget my name", PreferenceName.NAME, ""),
        ("answer in German", PreferenceName.LANGUAGE, "de"),
        ("please be brief", PreferenceName.LENGTH, "brief"),
        ("more detail please", PreferenceName.LENGTH, "full"),
        ("quote your sources", PreferenceName.SOURCES, "quoted"),
    ],
)
async def test_a_preference_is_heard(words: str, name: PreferenceName, value: str) -> None:
    assert await plan(words) == Preference(name, value)


@pytest.mark.parametrize(
    "words", ["call me back", "call me at 9", "call me a taxi", "answer in Klingon", "call me maybe"]
)
async def test_what_only_looks_like_a_preference_is_none(words: str) -> None:
    assert not isinstance(await plan(words), Preference)


async def test_preferences_are_listed() -> None:
    assert await plan("what are my preferences?") is Command.PREFERENCES


@pytest.mark.parametrize(
    ("words", "since", "before"),
    [
        ("since monday", "2026-03-02", None),
        ("since last wednesday", "2026-02-25", None),
        ("from yesterday", "2026-03-03", "2026-03-04"),
        ("last week", "2026-02-23", "2026-03-02"),
        ("this month", "2026-03-01", None),
        ("in february", "2026-02-01", "2026-03-01"),
        ("since december", "2025-12-01", None),
        ("on 29 february", "2027-02-28", "2027-03-01"),
        ("in the last 3 days", "2026-03-01", None),
        ("before 1 march", None, "2026-03-01"),
    ],
)
def test_days_that_are_over_are_understood(words: str, since: str | None, before: str | None) -> None:
    found = span_at(lex(words), date(2026, 3, 4))
    assert found is not None
    assert found[1].done
    assert tuple(day.isoformat() if day else None for day in found[0]) == (since, before)


@pytest.mark.parametrize("words", ["in the last 99999 weeks", "since never", "last", "before"])
def test_what_is_no_day_is_none(words: str) -> None:
    assert span_at(lex(words), date(2026, 3, 4)) is None


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("serach my mail", "search my mail"),
        ("shw unraed mail", "shw unread mail"),
        ("rember that x", "remember that x"),
    ],
)
def test_a_slip_of_the_finger_is_put_right(words: str, meant: str) -> None:
    mended = corrected(lex(words), scene_of(request(words, "demo", ())))
    assert mended is not None
    assert meant.split()[1] in " ".join(token.word for token in mended.tokens)


@pytest.mark.parametrize("words", ["not that", "then what", "tell the test"])
def test_ordinary_words_and_names_are_no_slips(words: str) -> None:
    assert corrected(lex(words), scene_of(request(words, "demo", ()))) is None


async def test_a_slip_never_changes_what_is_kept() -> None:
    assert await step("rember that the serach is on") == ("bot_notes_remember", {"text": "The serach is on"})


@pytest.mark.parametrize(
    "words",
    [
        "text Mum tomorrow that I'm late", "text Mum every hour: dinner is ready", "text Mum unless she wrote",
        "email Carol when Bob replies: ok", "email Carol something nice", "text Mum a joke", "text Mum this",
    ],
)  # fmt: skip
async def test_what_is_not_yet_a_message_is_asked_about(words: str) -> None:
    assert isinstance(await plan(words), Unclear)


async def test_two_looks_share_a_verb_and_two_sends_never_do() -> None:
    output = await plan("show my reminders and my notes")
    assert isinstance(output, Planned)
    assert [one.tool_call for one in output.steps] == ["bot_reminders_list", "bot_notes_search"]
    assert isinstance(await plan("tell Mum hi and Carol hello"), Planned | Unclear)


def test_every_scene_of_the_set_can_be_built() -> None:
    assert all(request("x", name, (), datetime(2026, 3, 4, tzinfo=few.ZONE)).words.value == "x" for name in SCENES)


@pytest.mark.parametrize(
    ("words", "filters"),
    [
        ("what do you remember?", {}),
        ("What do you know about me?", {}),
        ("list everything you know about me", {}),
        ("Was weißt du über mich?", {}),
        ("Que sais-tu de moi ?", {}),
        ("¿Qué recuerdas?", {}),
        ("Welche Dokumente kennst du?", {"kind": "document"}),
        ("Quels mails as-tu lus ?", {"kind": "mail"}),
        ("¿Qué notas conoces?", {"kind": "note"}),
    ],
)
async def test_all_that_is_remembered_is_listed_and_not_the_notes_alone(words: str, filters: dict[str, Any]) -> None:
    assert await step(words) == ("bot_memory_list", filters)


async def test_without_a_memory_the_notes_are_all_that_is_remembered() -> None:
    output = await few.plan("what do you remember?")
    assert isinstance(output, Planned)
    assert output.steps[0].tool_call == "bot_notes_search"


@pytest.mark.parametrize(
    "words",
    ["unsubscribe from the second one", "Melde mich von der zweiten ab", "Désabonne-moi du deuxième",
     "Dame de baja del segundo"],
)  # fmt: skip
async def test_a_list_is_left_in_every_language(words: str) -> None:
    assert await step(words) == ("user_email_unsubscribe", {"message_id": {"handle": "mail-2"}})
