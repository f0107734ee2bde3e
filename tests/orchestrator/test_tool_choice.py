"""Which tools a model is told of: few, and those that the request needs, in any of the languages."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import pytest

from butler.contract.tools import ToolSpec
from butler.orchestrator.planning.factory import request_reader
from butler.orchestrator.planning.next_tools import people_tools
from butler.orchestrator.planning.plan_types import PlannerInput
from butler.orchestrator.planning.planner_view import Fact, FactName
from butler.orchestrator.planning.tool_choice import BASICS, MOST_TOOLS, ToolChoice
from butler.store.conversation import ConversationMessage
from butler.store.queries.contacts import Contact
from tests.orchestrator.embedded.scene import NOW, request
from tests.support.registered import registered


@cache
def tools() -> tuple[ToolSpec, ...]:
    return tuple(registered().specs())


async def alike(texts: Sequence[str], *, query: bool) -> list[list[float]]:
    """Stands in for the embedder: two texts are alike if both are about what has a vector of its own."""
    del query
    return [[1.0, 0.0] if "qdrant" in text.casefold() else [0.0, 1.0] for text in texts]


def asked(words: str, *before: str) -> PlannerInput:
    history = tuple(ConversationMessage(role="user", content=text, timestamp=NOW) for text in before)
    return replace(request(words), tools=tools(), history=history)


async def chosen(words: str, *before: str, wanted: str = "") -> list[str]:
    choice = ToolChoice(request_reader(), alike)
    return [spec.tool_name for spec in await choice.tools(asked(words, *before), tools(), wanted)]


@pytest.mark.parametrize(
    ("words", "needed"),
    [
        ("tell Anna on Telegram that I'll be late", "user_telegram_send_message"),
        ("schreib Bob eine Mail, dass der Drucker kommt", "user_email_send_message"),
        ("déplace le rendez-vous chez le dentiste à mardi", "user_calendar_move_event"),
        ("recuérdame mañana a las nueve que llame a mamá", "bot_reminders_create"),
        ("archive all newsletters", "user_email_archive"),
        ("how long is the notice period in my lease?", "bot_memory_search"),
        ("is qdrant alive?", "bot_qdrant_health_check"),
    ],
)
async def test_the_tool_that_a_request_needs_is_among_the_few(words: str, needed: str) -> None:
    found = await chosen(words)
    assert needed in found
    assert len(found) <= MOST_TOOLS


async def test_each_part_of_a_request_has_its_tools() -> None:
    found = await chosen("cancel the dentist on Friday, tell Anna about it, and remind me to call them on Monday at 9")
    assert {"user_calendar_delete_event", "user_telegram_send_message", "bot_reminders_create"} <= set(found)


async def test_the_basics_are_always_there_and_what_was_asked_before_is_at_hand() -> None:
    found = await chosen("the second one too", "archive the mail from the bank")
    assert "user_email_archive" in found
    assert {name for name in BASICS if name in {spec.tool_name for spec in tools()}} <= set(found)


async def test_a_model_may_ask_for_other_tools() -> None:
    words = "do the thing with the board"
    assert "user_trello_label_card" not in await chosen(words)
    assert "user_trello_label_card" in await chosen(words, wanted="put a label on a Trello card")


@pytest.mark.parametrize(
    "wanted",
    [
        "tell what the butler did or changed today",
        "show the record of what the butler has done, activity log of today",
        "report of what Butler did today",
    ],
)
async def test_a_model_finds_the_report_of_what_was_done(wanted: str) -> None:
    assert "bot_butler_show_done" in await chosen("put them back", wanted=wanted)


async def test_a_further_round_keeps_the_tools_that_it_used() -> None:
    fact = Fact(1, "bot_loki_query_logs", FactName.COUNT, 3)
    found = await ToolChoice(request_reader(), alike).tools(replace(asked("archive it"), facts=(fact,)), tools())
    assert "bot_loki_query_logs" in {spec.tool_name for spec in found}


async def test_a_few_tools_are_all_told_and_a_smaller_limit_holds() -> None:
    few = tools()[:5]
    assert await ToolChoice(None).tools(asked("hello"), few) == few
    small = await ToolChoice(request_reader(), alike, 8).tools(asked("archive all newsletters"), tools())
    assert len(small) <= 8
    assert "user_email_archive" in {spec.tool_name for spec in small}


@pytest.mark.parametrize(
    ("words", "fits"),
    [
        ("move the dentist to Friday at 10", True),
        ("move the dentist to Friday at 10 and tell Anna on Telegram", False),
        ("what a lovely day", True),
    ],
)
async def test_an_expert_fits_where_it_can_do_every_part(words: str, fits: bool) -> None:
    calendar = [spec.tool_name for spec in tools() if spec.channel == "calendar"]
    assert await ToolChoice(request_reader()).is_within(asked(words), calendar) is fits
    assert await ToolChoice(None).is_within(asked(words), ())


@pytest.mark.parametrize(
    "words", ["tell her that I can do Saturday", "sag ihm, dass ich komme", "and send that to Bob on Telegram"]
)
async def test_the_usual_tool_of_an_act_comes_before_its_others(words: str) -> None:
    for before in ((), ("what did Anna write?",), ("any mail from Bob?",)):
        assert "user_telegram_send_message" in await chosen(words, *before)


@pytest.mark.parametrize("words", ["did it go out?", "ist das raus?", "c'est parti ?", "¿ya salió?"])
async def test_what_was_done_can_be_looked_up_where_it_is_not_clear_what_is_asked(words: str) -> None:
    assert "bot_butler_show_done" in await chosen(words)


@pytest.mark.parametrize(
    "words",
    [
        "get the ads out of my sight",
        "schaff mir die Werbung aus den Augen",
        "fais disparaître ces infolettres de ma boîte",
        "quítame de la vista los boletines",
    ],
)
async def test_mails_that_are_to_be_gone_can_be_archived(words: str) -> None:
    assert "user_email_archive" in await chosen(words)


@pytest.mark.parametrize(
    "words",
    [
        "jot down the door code that {name} gave me",
        "notier den Türcode, den ich von {name} habe",
        "note le code que {name} m'a donné",
        "guarda en una nota el código que me dio {name}",
    ],
)
async def test_the_addresses_of_named_contacts_decide_which_tools_reach_them(words: str) -> None:
    by_chat = {"user_telegram_send_message", "user_telegram_get_message_history"}
    by_mail = {"user_email_send_message", "user_email_search_inbox"}
    for addresses, needed in ((("telegram:1009",), by_chat), (("mail:zoe@choir.example",), by_mail)):
        zoe = Contact(contact_id="zoe", name="Zoe", aliases=("zoe",), addresses=addresses)
        given = replace(asked(words.format(name="Zoe")), contacts=(zoe,))
        assert needed == set(people_tools(given, tools()))
        assert needed <= {spec.tool_name for spec in await ToolChoice(request_reader(), alike).tools(given, tools())}
    nobody = replace(asked(words.format(name="Yves")), contacts=(zoe,))
    assert people_tools(nobody, tools()) == []
