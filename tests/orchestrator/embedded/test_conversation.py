"""What was shown, what the owner replied to, and what was just asked give short words their meaning."""
# names: made up here

from typing import Any

import pytest

from butler.contract.agents import When
from butler.contract.referents import ReferentKind
from butler.orchestrator.embedded import calls
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput, Unclear
from butler.store.conversation import Referent
from tests.orchestrator.embedded import requests, scene

MESSAGE = Referent(
    handle="message-1", kind=ReferentKind.MESSAGE, key="9", tool="user_telegram_get_message_history", contact_id="c-bob"
)


def only(output: PlannerOutput) -> tuple[str, dict[str, Any]]:
    assert isinstance(output, Planned), output
    (step,) = output.steps
    return step.tool_call, step.args


async def test_a_reply_to_a_shown_mail_is_about_that_mail() -> None:
    output = await scene.plan("reply: yes", replied_to=(scene.OLD,))
    assert only(output) == (requests.REPLY, {"message_id": {"handle": "mail-1"}, "body": "yes"})


@pytest.mark.parametrize("words", ["reply yes", "answer yes", "answer with yes", "reply to it yes"])
async def test_a_reply_may_be_said_shortly_under_a_mail(words: str) -> None:
    output = await scene.plan(words, replied_to=(scene.OLD,))
    assert only(output) == (requests.REPLY, {"message_id": {"handle": "mail-1"}, "body": "Yes"})


@pytest.mark.parametrize(
    "words",
    ["remind me tomorrow at 9", "Erinnere mich morgen um 9", "Rappelle-moi demain à 9h", "Recuérdame mañana a las 9"],
)
async def test_a_reminder_above_a_mail_needs_no_word_of_what_for(words: str) -> None:
    output = await scene.plan(words, replied_to=(scene.OLD,))
    assert only(output) == ("bot_reminders_create", {"text": "Look at this mail", "at": "2026-03-05T09:00:00"})


async def test_places_count_in_the_list_that_is_replied_to() -> None:
    other = (scene.mail(7, ordinal=1, shown_in="m9"), scene.mail(8, ordinal=2, shown_in="m9"))
    output = await scene.plan("read the second one", referents=(*scene.SHOWN, *other), replied_to=scene.LIST)
    assert only(output) == (requests.READ, {"message_id": {"handle": "mail-3"}})
    output = await scene.plan("read the second one", referents=(*scene.SHOWN, *other))
    assert only(output) == (requests.READ, {"message_id": {"handle": "mail-8"}})


@pytest.mark.parametrize(
    ("words", "handle"),
    [
        ("read it", "mail-9"),
        ("read the first one", "mail-2"),
        ("read the second one", "mail-3"),
        ("read the third one", "mail-4"),
        ("read the last one", "mail-4"),
    ],
)
async def test_a_list_keeps_its_places_after_one_of_it_was_read(words: str, handle: str) -> None:
    read = scene.mail(9, shown_in="m2").model_copy(update={"tool": requests.READ})
    older = (scene.mail(5, ordinal=1, shown_in="m0"), scene.mail(6, ordinal=2, shown_in="m0"))
    output = await scene.plan(words, referents=(*older, *scene.LIST, read))
    assert only(output) == (requests.READ, {"message_id": {"handle": handle}})


@pytest.mark.parametrize("ordinal", [0, 2])
async def test_the_first_one_is_the_only_hit_of_the_last_search(ordinal: int) -> None:
    hit = scene.mail(9, side="user", ordinal=ordinal, shown_in="m2")
    output = await scene.plan("read the first one", referents=(*scene.SHOWN, hit))
    assert only(output) == ("user_email_read_message", {"message_id": {"handle": "mail-9"}})


async def test_a_mail_just_told_of_may_or_may_not_be_the_first_one() -> None:
    output = await scene.plan("read the first one", referents=(*scene.SHOWN, scene.mail(9, shown_in="m2")))
    assert isinstance(output, Unclear)
    assert [choice.words for choice in output.choices] == ["read mail-2", "read mail-9"]


async def test_a_place_beyond_the_newest_list_is_not_looked_up_in_an_older_one() -> None:
    newer = (scene.mail(7, ordinal=1, shown_in="m9"), scene.mail(8, ordinal=2, shown_in="m9"))
    output = await scene.plan("read the third one", referents=(*scene.SHOWN, *newer))
    assert isinstance(output, Unclear)


@pytest.mark.parametrize(
    ("words", "side"),
    [("read my latest email", "user"), ("Read my last mail.", "user"), ("open your newest mail", "bot")],
)
async def test_the_newest_mail_of_a_mailbox_is_looked_for_and_read_whatever_was_shown(words: str, side: str) -> None:
    output = await scene.plan(words)
    assert isinstance(output, Planned), output
    look, read = output.steps
    assert (look.tool_call, look.args) == (f"{side}_email_search_inbox", {"limit": 1})
    assert read.tool_call == f"{side}_email_read_message"
    assert read.args == {"message_id": {"step": 1, "fact": "messages.0.message_id"}}
    assert read.when == When(step_id=1, fact="messages")


async def test_the_newest_mail_by_somebody_is_looked_for_in_the_mailbox_that_is_named() -> None:
    output = await scene.plan("read my last mail from Anna")
    assert isinstance(output, Planned), output
    assert [(step.tool_call, step.args) for step in output.steps] == [
        ("user_email_search_inbox", {"sender": "anna@friends.example", "limit": 1}),
        ("user_email_read_message", {"message_id": {"step": 1, "fact": "messages.0.message_id"}}),
    ]


async def test_ones_newest_mail_is_looked_for_read_and_passed_on() -> None:
    output = await scene.plan("forward my last mail to Carol")
    assert isinstance(output, Planned), output
    look, read, send = output.steps
    assert (look.tool_call, read.tool_call) == ("user_email_search_inbox", "user_email_read_message")
    assert (send.step_id, send.depends_on) == (3, [2])
    assert send.args["body"] == {"step": 2, "fact": "forward.body"}


async def test_the_newest_mail_may_be_asked_for_behind_a_search() -> None:
    output = await scene.plan("search my mail for invoice; read my last mail")
    assert isinstance(output, Planned), output
    assert [step.tool_call.removeprefix("user_email_") for step in output.steps] == [
        "search_inbox",
        "search_inbox",
        "read_message",
    ]
    assert output.steps[2].args == {"message_id": {"step": 2, "fact": "messages.0.message_id"}}


def test_behind_another_request_the_newest_mail_is_still_read_from_its_own_search() -> None:
    search = calls.plan(calls.search_mail("user", "Look", limit=1))
    both = calls.moved(calls.read_found(search, "user"), 1)
    assert both[1].when == When(step_id=2, fact="messages")
    assert both[1].args == {"message_id": {"step": 2, "fact": "messages.0.message_id"}}


async def test_a_mail_that_was_found_and_read_at_once_is_one_mail() -> None:
    found = scene.mail(8, side="user", shown_in="m7")
    whole = found.model_copy(update={"handle": "mail-9", "tool": "user_email_read_message"})
    output = await scene.plan("read it", referents=(*scene.SHOWN, found, whole))
    assert only(output) == ("user_email_read_message", {"message_id": {"handle": "mail-9"}})


async def test_it_is_the_one_thing_that_was_shown_last() -> None:
    assert only(await scene.plan("read it", referents=(*scene.LIST, scene.mail(9, shown_in="m5"))))[1] == {
        "message_id": {"handle": "mail-9"}
    }


@pytest.mark.parametrize("words", ["read it", "reply: yes", "forward it to Carol", "read the last one"])
async def test_nothing_shown_is_nothing_to_speak_of(words: str) -> None:
    output = await scene.plan(words, referents=())
    assert isinstance(output, Unclear)
    assert "I don't know which mail you mean" in output.question


async def test_a_mail_of_ones_own_mailbox_is_read_and_forwarded_there() -> None:
    assert only(await scene.plan("read the second one", referents=scene.USER_LIST))[0] == "user_email_read_message"
    output = await scene.plan("forward the second one to Carol", referents=scene.USER_LIST)
    assert isinstance(output, Planned)
    assert output.steps[0].tool_call == "user_email_read_message"


async def test_a_mail_of_ones_own_mailbox_is_answered_in_its_thread() -> None:
    output = await scene.plan("reply to the second one: thanks", referents=scene.USER_LIST)
    assert only(output) == ("user_email_reply_to_thread", {"message_id": {"handle": "mail-3"}, "body": "thanks"})
    output = await scene.plan("reply to all to Anna's last mail: thanks", referents=scene.USER_LIST)
    assert only(output) == (
        "user_email_reply_to_thread",
        {"message_id": {"handle": "mail-4"}, "body": "thanks", "reply_all": True},
    )


async def test_an_answer_is_drafted_only_where_the_owners_drafts_are() -> None:
    output = await scene.plan("draft a reply to Anna's last mail: thanks", referents=scene.USER_LIST)
    assert only(output) == ("user_email_draft_reply", {"message_id": {"handle": "mail-4"}, "body": "thanks"})
    refused = await scene.plan("draft a reply to Anna's last mail: thanks")
    assert isinstance(refused, Unclear)
    assert refused.question.startswith("I can put a draft only into your own mailbox")


async def test_a_chat_message_is_answered_in_its_chat() -> None:
    output = await scene.plan("reply: sure thing", referents=(MESSAGE,), replied_to=(MESSAGE,))
    assert only(output) == (
        "user_telegram_reply_to_message",
        {"message_id": {"handle": MESSAGE.handle}, "text": "sure thing"},
    )
    refused = await scene.plan("reply to all: sure thing", referents=(MESSAGE,), replied_to=(MESSAGE,))
    assert isinstance(refused, Unclear)


@pytest.mark.parametrize(
    ("words", "tool", "says"),
    [
        ("text Bob hi", requests.TELEGRAM, "Your Telegram account is not set up"),
        ("tell Bob hi", requests.TELEGRAM, "Your Telegram account is not set up"),
        ("read my Telegram", requests.LIST_CHATS, "Your Telegram account is not set up"),
        ("what did Bob say?", requests.READ_CHAT, "Your Telegram account is not set up"),
        ("read my last mail", requests.MY_SEARCH, "Your mailbox is not set up"),
        ("email Carol: hi", requests.MAIL, "Your mailbox is not set up"),
        ("forward mail-3 to Carol", requests.MAIL, "Your mailbox is not set up"),
        ("search my mail for x", requests.MY_SEARCH, "Your mailbox is not set up"),
        ("what's in your inbox", requests.YOUR_SEARCH, "I have no mailbox of my own"),
        ("read mail-3", requests.READ, "I have no mailbox of my own"),
        ("reply to mail-3: hi", requests.REPLY, "I have no mailbox of my own"),
        ("note: hi", requests.NOTE, "Notes are switched off"),
        ("show my notes", requests.NOTES, "Notes are switched off"),
        ("remind me at 9 to x", requests.REMIND, "Reminders are switched off"),
        ("reminders", requests.REMINDERS, "Reminders are switched off"),
    ],
)
async def test_an_account_that_is_missing_is_named(words: str, tool: str, says: str) -> None:
    output = await scene.plan(words, tools=tuple(spec for spec in scene.TOOLS if spec.tool_name != tool))
    assert isinstance(output, Unclear)
    assert says in output.question


async def test_with_one_account_set_up_the_way_is_plain() -> None:
    output = await scene.plan("tell Anna hi", tools=tuple(s for s in scene.TOOLS if s.tool_name != requests.MAIL))
    assert only(output)[0] == requests.TELEGRAM


async def test_mail_of_nobody_in_particular_is_looked_for_where_there_is_a_mailbox() -> None:
    output = await scene.plan(
        "any mail from Anna?", tools=tuple(s for s in scene.TOOLS if "user_email" not in s.tool_name)
    )
    assert only(output)[0] == requests.YOUR_SEARCH


async def asked(words: str) -> dict[str, Any]:
    output = await scene.plan(words)
    assert isinstance(output, Unclear)
    return {"history": (scene.said("user", words), scene.said("assistant", output.question))}


async def test_the_missing_time_may_be_typed() -> None:
    output = await scene.plan("tomorrow at 9", **await asked("remind me to call mum"))
    assert only(output) == (requests.REMIND, {"text": "Call mum", "at": "2026-03-05T09:00:00"})


async def test_the_label_of_a_button_may_be_typed() -> None:
    output = await scene.plan("Telegram", **await asked("tell Anna I'm late"))
    assert only(output) == (requests.TELEGRAM, {"to": {"contact": "c-anna"}, "text": "I'm late"})
    output = await scene.plan("Sam Dale", **await asked("email Sam: hi"))
    assert only(output)[1]["to"] == [{"contact": "c-sam-2"}]


@pytest.mark.parametrize("words", ["Telegram", "tomorrow at 9"])
async def test_an_answer_without_a_question_is_not_understood(words: str) -> None:
    for history in ((), (scene.said("user", "tell Anna hi"), scene.said("assistant", "Something else?"))):
        output = await scene.plan(words, history=history)
        assert isinstance(output, Unclear)
        assert "did not understand" in output.question


async def test_a_new_request_is_not_taken_for_an_answer() -> None:
    output = await scene.plan("text Bob hi", **await asked("tell Anna I'm late"))
    assert only(output)[1]["to"] == {"contact": "c-bob"}


@pytest.mark.parametrize("name", ["", "Mr. Jeeves", "[Bot] (x|y)", "Ζήνων", "tell"])
async def test_the_butler_may_have_any_name(name: str) -> None:
    for words in (f"{name}, text Bob hi", f"hey {name} text Bob hi", "text Bob hi"):
        output = await scene.plan(words, butler_name=name)
        assert only(output)[1] == {"to": {"contact": "c-bob"}, "text": "Hi"}


def telegram(number: int, ordinal: int, shown_in: str, *, by: str = "c-anna") -> Referent:
    return MESSAGE.model_copy(
        update={
            "handle": f"message-{number}", "key": f"telegram:5/{number}", "ordinal": ordinal, "contact_id": by,
            "shown_in": shown_in,
        }
    )  # fmt: skip


async def test_a_mail_of_somebody_is_a_mail_though_their_newest_words_were_a_message() -> None:
    output = await scene.plan("reply to Anna's last mail: yes", referents=(*scene.LIST, telegram(1, 1, "m5")))
    assert only(output) == (requests.REPLY, {"message_id": {"handle": "mail-4"}, "body": "yes"})


async def test_the_last_one_is_the_only_hit_of_a_look_that_came_after_a_list() -> None:
    shown = (telegram(1, 1, "m5"), telegram(2, 2, "m5"), telegram(3, 0, "m6"))
    output = await scene.plan("reply to the last one: thanks", referents=shown)
    assert only(output)[1]["message_id"] == {"handle": "message-3"}
    output = await scene.plan("reply to the last one: thanks", referents=shown[:2])
    assert only(output)[1]["message_id"] == {"handle": "message-2"}


async def test_a_shown_message_of_the_person_is_read_whole() -> None:
    output = await scene.plan("read the second one", referents=(telegram(1, 1, "m5"), telegram(2, 2, "m5")))
    assert only(output) == ("user_telegram_read_message", {"message_id": {"handle": "message-2"}})
    dialog = telegram(1, 1, "m5").model_copy(update={"tool": "user_telegram_list_dialogs"})
    output = await scene.plan("read the first one", referents=(dialog, telegram(2, 2, "m5")))
    assert isinstance(output, Unclear)
    assert output.question == "That is a conversation. Say it by its name, like “show me the family chat”."


@pytest.mark.parametrize("words", ["tell the Bee Keepers chat I'm late", "write to the Bee Keepers group: I'm late"])
async def test_a_chat_that_has_no_name_yet_is_asked_about_by_its_title(words: str) -> None:
    output = await scene.plan(words)
    assert isinstance(output, Unclear)
    assert output.stranger == "Bee Keepers"


async def test_a_chat_may_be_called_a_chat() -> None:
    output = await scene.plan("tell the Anna chat on Telegram that I'm late")
    assert only(output)[1]["text"] == "I'm late"


async def test_a_person_before_a_chat_is_no_chat() -> None:
    output = await scene.plan("tell my plumber the chat is open")
    assert isinstance(output, Unclear)
    assert output.stranger == "my plumber"


async def test_a_shown_message_is_deleted_or_corrected() -> None:
    shown = {"referents": (MESSAGE,), "replied_to": (MESSAGE,)}
    assert only(await scene.plan("delete that", **shown)) == (
        "user_telegram_delete_message",
        {"message_ids": [{"handle": MESSAGE.handle}]},
    )
    assert only(await scene.plan("correct it: see you at eight", **shown)) == (
        "user_telegram_edit_message",
        {"message_id": {"handle": MESSAGE.handle}, "text": "see you at eight"},
    )


async def test_a_mail_goes_into_the_trash_and_is_not_corrected() -> None:
    assert only(await scene.plan("delete the second one", referents=scene.USER_LIST)) == (
        "user_email_trash",
        {"mails": [{"handle": "mail-3"}]},
    )
    output = await scene.plan("correct the second one: no", referents=scene.USER_LIST)
    assert isinstance(output, Unclear)
    assert "only your own messages on Telegram" in output.question
