"""Follow-ups that do not say their topic: what was shown last brings the tools that they need."""

from dataclasses import dataclass, replace
from datetime import timedelta

import pytest

from butler.contract.names import ToolName
from butler.contract.referents import ReferentKind
from butler.orchestrator.planning.factory import request_reader
from butler.orchestrator.planning.next_tools import next_tools, senders, taken_kinds
from butler.orchestrator.planning.plan_types import PlannerInput
from butler.orchestrator.planning.tool_choice import BASICS, MOST_TOOLS, ToolChoice
from butler.provenance import MODEL_PLAN
from butler.store.conversation import ConversationMessage, LastShown, Referent
from tests.orchestrator.embedded.scene import NOW, request
from tests.orchestrator.test_tool_choice import tools

MAIL, MESSAGE, EVENT = ReferentKind.MAIL, ReferentKind.MESSAGE, ReferentKind.EVENT
REMINDER, CARD, NOTE = ReferentKind.REMINDER, ReferentKind.CARD, ReferentKind.NOTE


@dataclass(frozen=True, slots=True)
class Shown:
    """What the butler showed last, by which tool."""

    kind: ReferentKind
    tool: str
    count: int = 1


MAILS = Shown(MAIL, "user_email_search_inbox", 3)
BUTLERS_MAILS = Shown(MAIL, "bot_email_search_inbox", 2)
ONE_MAIL = Shown(MAIL, "user_email_read_message")
MADE_EVENT = Shown(EVENT, "user_calendar_create_event")
EVENTS = Shown(EVENT, "user_calendar_list_events", 3)
MADE_REMINDER = Shown(REMINDER, "bot_reminders_create")
CARDS = Shown(CARD, "user_trello_list_cards", 3)
ONE_CARD = Shown(CARD, "user_trello_read_card")
MESSAGES = Shown(MESSAGE, "user_telegram_get_message_history", 4)
NOTES = Shown(NOTE, "bot_notes_search", 2)


def after(words: str, shown: Shown | None, before: str = "", drafted: str = "") -> PlannerInput:
    """The request `words` after what was shown, and after what the owner and then a model said."""
    history = [ConversationMessage(role="user", content=before, timestamp=NOW)] if before else []
    if drafted:
        history.append(
            ConversationMessage(role="assistant", content=drafted, timestamp=NOW, origins=[MODEL_PLAN]),
        )
    base = replace(request(words), tools=tools(), history=tuple(history))
    if shown is None:
        return base
    items = tuple(
        Referent(
            handle=f"{shown.kind}-{number + 20}",
            kind=shown.kind,
            key=f"key-{number}",
            tool=shown.tool,
            ordinal=number if shown.count > 1 else 0,
            at=NOW - timedelta(minutes=number),
            shown_in="newest",
        )
        for number in range(1, shown.count + 1)
    )
    last = LastShown(kind=shown.kind, count=shown.count)
    return replace(base, referents=(*base.referents, *items), last_shown=last)


async def offered(given: PlannerInput, *, reader: bool = True) -> set[str]:
    choice = ToolChoice(request_reader() if reader else None)
    return {spec.tool_name for spec in await choice.tools(given, tools())}


FOLLOW_UPS = [
    ("out of my sight", ONE_MAIL, "what does the newsletter say?", "user_email_archive"),
    ("und die davor?", MAILS, "was will er in der letzten?", "user_email_read_message"),
    ("lis-la-moi", MAILS, "un mail de la banque ?", "user_email_read_message"),
    ("¿y qué dice?", BUTLERS_MAILS, "¿qué hay en tu buzón?", "bot_email_read_message"),
    ("sounds good, tell them", BUTLERS_MAILS, "did the plumber write to you?", "bot_email_reply_to_thread"),
    ("sie soll auch kommen", MADE_EVENT, "trag Essen mit Bob am Freitag um 12 ein", "user_calendar_change_event"),
    ("who else will be there?", EVENTS, "when is the review?", "user_calendar_read_event"),
    ("plutôt à neuf heures", MADE_REMINDER, "rappelle-moi à huit heures de sortir", "bot_reminders_change"),
    ("what others are there?", MADE_REMINDER, "remind me at 8 to water the plants", "bot_reminders_list"),
    ("mark that as finished", ONE_CARD, "show me the card about the boiler", "user_trello_change_card"),
    ("die zweite ist fertig", CARDS, "was liegt auf dem Board?", "user_trello_change_card"),
    ("c'est fait pour la première", CARDS, "qu'est-ce qu'il y a sur Maison ?", "user_trello_change_card"),
    ("marca la primera como hecha", CARDS, "¿qué hay en el tablero Casa?", "user_trello_change_card"),
    ("dile que sí", MESSAGES, "¿qué escribe Bob?", "user_telegram_reply_to_message"),
    ("do that every time", MAILS, "archive the mails from the shop", "bot_automations_create"),
    ("borra la primera", NOTES, "¿qué notas tengo del viaje?", "bot_memory_forget"),
]


@pytest.mark.parametrize(("words", "shown", "before", "needed"), FOLLOW_UPS)
@pytest.mark.parametrize("answer", ["", "Is there anything else?"])
async def test_a_follow_up_has_the_tool_for_what_was_shown(
    words: str, shown: Shown, before: str, needed: str, answer: str
) -> None:
    found = await offered(after(words, shown, before, answer))
    assert needed in found
    assert len(found) <= MOST_TOOLS
    assert {name for name in BASICS if name in {spec.tool_name for spec in tools()}} <= found


@pytest.mark.parametrize(
    ("words", "before", "draft"),
    [
        ("yes, that one", "word a kind refusal to Anna for me", "Dear Anna, I am so sorry, I cannot make it."),
        ("so passt es", "formuliere einen Gruß an Bob", "Lieber Bob, alles Gute!"),
        ("parfait, fais-le partir", "écris un mot pour Carol", "Chère Carol, merci pour tout."),
        ("perfecto, mándaselo", "escribe algo amable para Ana", "Hola Ana, lo siento mucho."),
    ],
)
async def test_a_text_that_a_model_drafted_can_be_sent(words: str, before: str, draft: str) -> None:
    assert {"user_telegram_send_message", "user_email_send_message"} <= await offered(after(words, None, before, draft))


async def test_what_was_replied_to_counts_more_than_what_was_shown_last() -> None:
    given = after("hm", CARDS)
    reply = Referent(handle="mail-9", kind=MAIL, key="9", tool="user_email_search_inbox", at=NOW)
    found = await offered(replace(given, replied_to=(reply,)), reader=False)
    assert "user_email_read_message" in found
    assert "user_trello_change_card" not in found


async def test_an_empty_list_and_another_mailbox_bring_no_tools() -> None:
    assert "user_trello_change_card" not in await offered(after("hm", replace(CARDS, count=0)), reader=False)
    assert "bot_email_reply_to_thread" not in await offered(after("hm", MAILS), reader=False)


async def test_a_part_of_a_single_word_is_a_part() -> None:
    words = "Archive-le et rappelle-moi vendredi à midi de payer"
    assert {"user_email_archive", "bot_reminders_create"} <= await offered(after(words, ONE_MAIL))


async def test_an_expert_needs_the_usual_tool_of_each_part_and_of_what_was_asked_before() -> None:
    mail = [spec.tool_name for spec in tools() if spec.channel == "email"]
    choice = ToolChoice(request_reader())
    assert not await choice.is_within(after("cada vez que llegue un correo del banco, avísame", None), mail)
    calendar = [spec.tool_name for spec in tools() if spec.channel == "calendar"]
    given = after("que la reunión es en la sala grande", None, "mándale un mensaje a Bob", "¿Qué le digo?")
    assert not await choice.is_within(given, calendar)


async def test_tools_that_a_model_asks_for_are_found_by_the_words_of_their_texts() -> None:
    choice = ToolChoice(None)
    found = {spec.tool_name for spec in await choice.tools(request("hello"), tools(), "put a mail into the trash")}
    assert "user_email_trash" in found


@pytest.mark.parametrize("channel", sorted({spec.channel for spec in tools() if spec.about.next_acts}))
def test_what_usually_follows_are_tools_of_the_channel(channel: str) -> None:
    own = [spec for spec in tools() if spec.channel == channel]
    acts = {ToolName.parse(spec.tool_name).action for spec in own}
    assert set(own[0].about.next_acts) <= acts


def test_kinds_and_senders_are_read_off_the_arguments() -> None:
    known = {spec.tool_name: spec for spec in tools()}
    assert taken_kinds(known["user_email_archive"].args) == {"mail"}
    assert taken_kinds(known["bot_memory_forget"].args) == {"source", "note"}
    assert taken_kinds(known["user_trello_list_boards"].args) == frozenset()
    assert set(senders(tools())) == {
        "user_email_draft_message",
        "user_email_send_message",
        "user_telegram_send_message",
    }


async def test_what_was_set_can_be_ended_though_other_things_were_said_since() -> None:
    told = 'Done: bot_digests_watch_answer {"who": "Bob", "until": "2026-03-03T18:00:00"}.'
    said = [
        ConversationMessage(role="user", content="tell me when Bob answers", timestamp=NOW),
        ConversationMessage(role="assistant", content=told, timestamp=NOW),
        ConversationMessage(role="user", content="thanks", timestamp=NOW),
        ConversationMessage(role="assistant", content="You are welcome.", timestamp=NOW),
    ]
    request = replace(after("perfecto, ya no hace falta", None), history=tuple(said))
    names, _ = next_tools(request, tools())
    assert names == ["bot_digests_end_watch"]
    assert next_tools(replace(request, history=tuple(said[2:])), tools()) == ([], [])


async def test_the_list_of_awaited_answers_brings_what_ends_one() -> None:
    request = after("the second is no longer needed", Shown(ReferentKind.WAIT, "bot_digests_watch_answer", 2))
    assert next_tools(request, tools())[0] == ["bot_digests_end_watch", "bot_digests_watch_answer"]


@pytest.mark.parametrize("words", ["what are you watching for me?", "¿qué más estás vigilando por mí?"])
async def test_whoever_asks_what_is_watched_gets_all_the_lists(words: str) -> None:
    chosen = await ToolChoice(request_reader()).tools(after(words, None), tools())
    lists = {"bot_butler_show_waiting", "bot_automations_list", "bot_reminders_list"}
    assert lists <= {spec.tool_name for spec in chosen}
