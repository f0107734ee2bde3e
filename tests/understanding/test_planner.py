"""Sure readings are planned, doubtful ones are offered, and answers are put with what was asked."""

from typing import Any

import pytest

from bench.understanding_scenes import NOW
from butler.contract.referents import ReferentKind
from butler.orchestrator.planning.plan_types import (
    AboutCards,
    CardAct,
    Command,
    Planned,
    Unclear,
)
from butler.store.conversation import LastShown, Referent
from scripts.train_understanding.examples import parsed
from tests.understanding.conversations import Marked, asked, calls, planned


async def test_a_sure_reading_is_planned() -> None:
    reader = Marked().knows("give [anna](to) a shout that [I'm running late](reported)", message__send=0.9)
    output = await planned(reader, asked("give anna a shout that I'm running late"))
    assert calls(output) == [("user_telegram_send_message", {"to": {"contact": "anna"}, "text": "I'm running late"})]


async def test_two_requests_are_one_plan() -> None:
    reader = Marked()
    first, second = "text [anna](to) [I'm late](reported)", "show my [unread](filter) mail"
    reader.knows(first, message__send=0.9).knows(second, mail__search=0.9)
    both = (*reader.read("text anna I'm late"), *reader.read("show my unread mail"))
    reader._known["text anna I'm late and show my unread mail"] = both
    output = await planned(reader, asked("text anna I'm late and show my unread mail"))
    assert [tool for tool, _ in calls(output)] == ["user_telegram_send_message", "user_email_search_inbox"]


async def test_a_doubtful_reading_is_offered_and_not_done() -> None:
    reader = Marked().knows("something with [the bins](topic)", reminder__remove=0.4, reminder__done=0.3)
    output = await planned(reader, asked("something with the bins"))
    assert isinstance(output, Unclear)
    assert [one.steps[-1].tool_call for one in output.choices] == ["bot_reminders_remove", "bot_reminders_done"]


async def test_an_intent_that_must_not_be_mistaken_is_asked_about() -> None:
    reader = Marked().knows("away with [the dentist](topic)", calendar__delete=0.62, reminder__remove=0.3)
    output = await planned(reader, asked("away with the dentist"))
    assert isinstance(output, Unclear)
    assert len(output.choices) == 2


async def test_intents_that_come_to_the_same_are_no_doubt() -> None:
    reader = Marked().knows("[bob](to) wants to know whether [he can come](text)", mail__send=0.35, message__send=0.4)
    assert isinstance(await planned(reader, asked("bob wants to know whether he can come")), Planned)


async def test_no_whole_inbox_is_put_away_where_who_writes_most_may_be_meant() -> None:
    reader = Marked().knows("clean my inbox", mail__archive=0.3, mail__trash=0.25, mail__senders=0.25)
    assert [tool for tool, _ in calls(await planned(reader, asked("clean my inbox")))] == ["user_email_rank_senders"]


async def test_reminders_of_several_meetings_are_their_alerts() -> None:
    words = "turn off the reminders for all meetings [tomorrow](time_of)"
    reader = Marked().knows(words, calendar__remind=0.5, reminder__remove=0.45)
    output = await planned(reader, asked("turn off the reminders for all meetings tomorrow"))
    assert [tool for tool, _ in calls(output)] == ["user_calendar_remind_event"]


async def test_what_was_shown_last_decides_between_near_readings() -> None:
    reader = Marked().knows("bin [the first one](ref)", mail__trash=0.5, reminder__remove=0.45)
    shown = LastShown(kind=ReferentKind.REMINDER, count=2)
    output = await planned(reader, asked("bin the first one", last_shown=shown))
    assert not isinstance(output, Planned) or calls(output)[0][0] != "user_email_trash"


async def test_an_answer_fills_what_was_asked_for() -> None:
    reader = Marked().knows("remind me [tomorrow at 9](time)", reminder__create=0.95)
    reader.knows("[to buy milk](text)", answer__value=0.9)
    before = (("owner", "remind me tomorrow at 9"), ("butler", "Remind you of what?"))
    output = await planned(reader, asked("to buy milk", *before))
    ((tool, args),) = calls(output)
    assert tool == "bot_reminders_create"
    assert args["at"] == "2026-03-05T09:00:00"
    assert args["text"] == "Buy milk"


async def test_an_answer_that_says_whom_and_what_is_written() -> None:
    reader = Marked().knows("I need to write to someone from [choir](to)", command__contacts=0.3, call__start=0.1)
    reader.knows("[Carol](to). And say [thanks for the lift](reported)", answer__value=0.9)
    before = (("owner", "I need to write to someone from choir"), ("butler", "To whom shall I write, and what?"))
    (sent,) = calls(await planned(reader, asked("Carol. And say thanks for the lift", *before)))
    assert (sent[0], sent[1]["to"]) == ("user_email_send_message", [{"contact": "carol"}])


async def test_a_bare_answer_fills_the_slot_with_which_it_goes_on() -> None:
    reader = (
        Marked().knows("write [that I'm late](text)", message__send=0.9).knows("Bob", unclear=0.3, answer__value=0.2)
    )
    before = (("owner", "write that I'm late"), ("butler", "To whom?"))
    output = await planned(reader, asked("Bob", *before))
    assert calls(output)[0][1]["to"] == {"contact": "bob"}


async def test_a_request_of_its_own_is_no_answer() -> None:
    reader = Marked().knows("remind me [tomorrow](time)", reminder__create=0.9)
    reader.knows("what's waiting for me", approve__list=0.9)
    before = (("owner", "remind me tomorrow"), ("butler", "Remind you of what?"))
    assert await planned(reader, asked("what's waiting for me", *before)) is Command.PENDING


async def test_her_is_who_was_named_last() -> None:
    reader = Marked().knows("what did [anna](from) write", chat__read=0.9)
    reader.knows("tell [her](to) [I come by bike](reported)", message__send=0.9)
    before = (("owner", "what did anna write"), ("butler", "Anna: how do you come?"))
    output = await planned(reader, asked("tell her I come by bike", *before))
    assert calls(output)[0][1]["to"] == {"contact": "anna"}


async def test_her_is_whom_the_butler_alone_named() -> None:
    reader = Marked().knows("say to [her](to) that [I come by bike](reported)", message__send=0.9)
    output = await planned(reader, asked("say to her that I come by bike", ("butler", "Anna wants to know how.")))
    assert calls(output)[0][1]["to"] == {"contact": "anna"}


async def test_who_of_two_is_meant_is_asked() -> None:
    reader = Marked().knows("say to [her](to) that [I come by bike](reported)", message__send=0.9)
    output = await planned(reader, asked("say to her that I come by bike", ("butler", "Anna and Carol wrote.")))
    assert isinstance(output, Unclear)


@pytest.mark.parametrize(
    ("wish", "expected"),
    [
        ("and from [bob](from)?", {"sender": "bob@work.example"}),
        ("only the [unread](filter) ones", {"sender": "anna@friends.example", "unread": True}),
        ("what about [carol](to)", {"sender": "carol@choir.example"}),
    ],
)
async def test_the_last_request_is_asked_again_with_another_slot(wish: str, expected: dict[str, Any]) -> None:
    reader = Marked().knows("any mail from [anna](from)?", mail__search=0.9).knows(wish, refine=0.9)
    text = parsed(wish, "en", "refine").text
    before = (("owner", "any mail from anna?"), ("butler", "Two mails."))
    output = await planned(reader, asked(text, *before, last_shown=LastShown(kind=ReferentKind.MAIL, count=2)))
    assert calls(output) == [("user_email_search_inbox", expected)]


async def test_what_is_narrowed_is_what_was_shown_where_nothing_was_asked() -> None:
    reader = Marked().knows("only the [unread](filter) ones", refine=0.9)
    shown = LastShown(kind=ReferentKind.MAIL, count=2)
    output = await planned(reader, asked("only the unread ones", last_shown=shown))
    assert calls(output) == [("user_email_search_inbox", {"unread": True})]


async def test_one_that_is_chosen_is_opened() -> None:
    reader = Marked().knows("[the second one](ref)", choose=0.9)
    shown = LastShown(kind=ReferentKind.MAIL, count=10)
    output = await planned(reader, asked("the second one", last_shown=shown))
    assert calls(output) == [("user_email_read_message", {"message_id": {"handle": "mail-2"}})]


async def test_one_that_is_chosen_is_what_the_last_request_was_about() -> None:
    reader = Marked().knows("bin [it](ref)", mail__trash=0.9).knows("[the second one](ref)", choose=0.9)
    before = (("owner", "bin it"), ("butler", "Which one do you mean?"))
    shown = LastShown(kind=ReferentKind.MAIL, count=10)
    output = await planned(reader, asked("the second one", *before, last_shown=shown))
    assert calls(output)[0][0] == "user_email_trash"


async def test_a_second_request_is_about_what_the_first_one_names() -> None:
    reader = Marked()
    reader.knows("read [carol's](from) mail", mail__read=0.9).knows(
        "and pass [it](ref) on to [bob](to)", mail__forward=0.9
    )
    both = (*reader.read("read carol's mail"), *reader.read("and pass it on to bob"))
    reader._known["read carol's mail and pass it on to bob"] = both
    found = calls(await planned(reader, asked("read carol's mail and pass it on to bob")))
    assert found[-1][1]["to"] == [{"contact": "bob"}]
    assert [args["message_id"] for tool, args in found if "read" in tool] == [{"handle": "mail-5"}] * 2


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"last_shown": LastShown(kind=ReferentKind.EVENT, count=1)}, ("event",)),
        ({"card_waits": True}, ("approval",)),
        ({"last_shown": LastShown(kind=ReferentKind.BOARD, count=1), "card_waits": True}, ("approval", "card")),
        ({}, ()),
    ],
)
async def test_the_reader_is_told_what_was_there_before(more: dict[str, Any], expected: tuple[str, ...]) -> None:
    reader = Marked()
    await planned(reader, asked("make it half past four", **more))
    assert reader.contexts == [expected]


async def test_the_reader_is_told_that_something_was_asked() -> None:
    reader = Marked().knows("remind me [tomorrow](time)", reminder__create=0.9).knows("milk", answer__value=0.9)
    await planned(reader, asked("milk", ("owner", "remind me tomorrow"), ("butler", "Remind you of what?")))
    assert reader.contexts[0] == ("asked",)


@pytest.mark.parametrize(
    ("answer", "intent", "tool"),
    [
        ("the second", "choose", "bot_reminders_done"),
        ("the last one please", "choose", "bot_reminders_done"),
        ("the first", "choose", "bot_reminders_remove"),
    ],
)
async def test_an_offered_reading_is_chosen_by_words(answer: str, intent: str, tool: str) -> None:
    reader = Marked().knows("something with [the bins](topic)", reminder__remove=0.4, reminder__done=0.3)
    reader.knows(f"[{answer}](ref)", **{intent: 0.9})
    before = (("owner", "something with the bins"), ("butler", "I am not sure what you mean. Is it one of these?"))
    assert calls(await planned(reader, asked(answer, *before)))[-1][0] == tool


async def test_a_yes_takes_the_only_answer_that_was_offered() -> None:
    reader = Marked().knows("something with [the bins](topic)", reminder__remove=0.4)
    reader.knows("yes", answer__yes=0.9)
    before = (("owner", "something with the bins"), ("butler", "I am not sure what you mean. Is it this?"))
    assert calls(await planned(reader, asked("yes", *before)))[-1][0] == "bot_reminders_remove"


async def test_whoever_is_meant_of_several_is_asked_about() -> None:
    reader = Marked().knows("tell [her](to) on telegram [I'm coming](reported)", message__reply=0.9)
    before = (("owner", "who waits for an answer"), ("butler", "Anna and Mum ask whether you are coming."))
    output = await planned(reader, asked("tell her on telegram I'm coming", *before))
    assert isinstance(output, Unclear)
    assert output.question == "Whom shall I answer?"
    assert [one.label for one in output.choices] == ["Anna", "Mum"]


async def test_and_the_day_after_is_the_day_after_the_one_that_was_asked_for() -> None:
    reader = Marked().knows("what's on [tomorrow](time)?", calendar__list=0.9)
    reader.knows("and [the day after](time)?", refine=0.9)
    (look,) = calls(await planned(reader, asked("and the day after?", ("owner", "what's on tomorrow?"))))
    assert look[1] == {"since": "2026-03-06", "before": "2026-03-07"}


async def test_whose_answer_is_waited_for_was_named_just_before() -> None:
    words = "let me know when there is an answer"
    before = (("owner", "mail Carol about the scores"), ("butler", "Sent to Carol."))
    (watch,) = calls(await planned(Marked().knows(words, watch__answer=0.9), asked(words, *before, last_shown=None)))
    assert watch[1]["who"] == {"address": "mail:carol@choir.example"}


async def test_an_answer_with_a_text_makes_a_message_of_whom_it_was_about() -> None:
    reader = Marked().knows("I have to get something to [Anna](to)", chat__read=0.4)
    reader.knows("that [I bring rolls](reported)", answer__value=0.9)
    before = (("owner", "I have to get something to Anna"), ("butler", "What shall I write to Anna?"))
    (sent,) = calls(await planned(reader, asked("that I bring rolls", *before, last_shown=None)))
    assert sent == ("user_telegram_send_message", {"to": {"contact": "anna"}, "text": "I bring rolls"})


async def test_what_stands_on_the_card_that_waits_is_taken_out_of_it() -> None:
    before = (("butler", "Reply to Anna: “Yes to the dinner! And I bring your book.” Shall I send it?"),)
    waits = LastShown(kind=ReferentKind.APPROVAL, count=1, keys=("1",))
    reader = Marked().knows("take out [the dinner](topic)", reminder__remove=0.9)
    output = await planned(reader, asked("take out the dinner", *before, last_shown=waits, card_waits=True))
    assert isinstance(output, AboutCards)


async def test_a_kind_that_is_named_is_not_the_card_that_waits() -> None:
    before = (("butler", "Reply to Anna: “Yes to the dinner! And I bring your book.” Shall I send it?"),)
    waits = LastShown(kind=ReferentKind.APPROVAL, count=1, keys=("1",))
    reader = Marked().knows("remove the reminder about [the dinner](topic)", reminder__remove=0.9)
    named = asked("remove the reminder about the dinner", *before, last_shown=waits, card_waits=True)
    assert calls(await planned(reader, named)) == [("bot_reminders_remove", {"words": "dinner"})]


async def test_who_has_no_mail_gets_a_message_unless_a_mail_was_said() -> None:
    reader = Marked().knows("write to [mum](to) that [I'm late](reported)", mail__send=0.9)
    (sent,) = calls(await planned(reader, asked("write to mum that I'm late")))
    assert sent[0] == "user_telegram_send_message"
    reader = Marked().knows("send [mum](to) a mail that [I'm late](reported)", mail__send=0.9)
    assert isinstance(await planned(reader, asked("send mum a mail that I'm late")), Unclear)


async def test_in_a_room_of_a_hotel_nobody_is_called() -> None:
    reader = Marked().knows("make room for the meeting", call__start=0.9)
    assert await planned(reader, asked("make room for the meeting")) == Unclear("Whom shall I call?")


async def test_nobody_is_met_who_is_not_known() -> None:
    reader = Marked().knows("set up a meeting with [him](with) [tomorrow at 3](time)", calendar__create=0.9)
    output = await planned(reader, asked("set up a meeting with him tomorrow at 3"))
    assert output == Unclear("Who is “him”? Say the name or write the address.")


async def test_the_rest_of_a_message_is_done_once_a_part_of_it_is_answered() -> None:
    reader = Marked()
    reader.knows("remind me [tomorrow at 9](time)", reminder__create=0.95).knows(
        "show my [unread](filter) mail", mail__search=0.9
    )
    reader.knows("[to buy milk](text)", answer__value=0.9)
    words = "remind me tomorrow at 9 and show my unread mail"
    reader._known[words] = (*reader.read("remind me tomorrow at 9"), *reader.read("show my unread mail"))
    output = await planned(reader, asked("to buy milk", ("owner", words), ("butler", "Remind you of what?")))
    assert [tool for tool, _ in calls(output)] == ["bot_reminders_create", "user_email_search_inbox"]


async def test_what_is_of_a_module_that_is_not_there_is_named_as_such() -> None:
    output = await planned(Marked().knows("swab the deck", ship__clean=0.9), asked("swab the deck"))
    assert isinstance(output, Unclear)
    assert "not installed" in output.question


async def test_thanks_beside_a_request_are_none() -> None:
    reader = Marked().knows("thanks a lot", chat__thanks=0.95).knows("show my [unread](filter) mail", mail__search=0.9)
    reader._known["thanks a lot, show my unread mail"] = (
        *reader.read("thanks a lot"),
        *reader.read("show my unread mail"),
    )
    assert calls(await planned(reader, asked("thanks a lot, show my unread mail")))[0][0] == "user_email_search_inbox"


async def test_the_same_is_written_to_somebody_else() -> None:
    reader = Marked().knows("tell [anna](to) [the party is on saturday](reported)", message__send=0.95)
    reader.knows("send the same to [bob](to)", message__send=0.6)
    before = (("owner", "tell anna the party is on saturday"), ("butler", "Sent to Anna."))
    output = await planned(reader, asked("send the same to bob", *before))
    assert calls(output) == [
        ("user_telegram_send_message", {"to": {"contact": "bob"}, "text": "The party is on saturday"})
    ]


async def test_what_was_looked_at_last_is_looked_at_again_before_what_was_shown_last() -> None:
    reader = Marked().knows("remind me [at 6](time) of [the bins](text)", reminder__create=0.95)
    reader.knows("what's new in the [family](from) chat", chat__read=0.95)
    reader.knows("and the [climbing group](topic)?", refine=0.9)
    before = (
        ("owner", "remind me at 6 of the bins"),
        ("butler", "Reminder at 18:00. reminder-1"),
        ("owner", "what's new in the family chat"),
        ("butler", "Asked the owner first."),
    )
    shown = LastShown(kind=ReferentKind.REMINDER, count=1)
    output = await planned(reader, asked("and the climbing group?", *before, last_shown=shown))
    assert [tool for tool, _ in calls(output)] == ["user_telegram_get_message_history"]


async def test_what_says_nothing_else_is_not_done_again() -> None:
    reader = Marked().knows("remind me [at 6](time) of [the bins](text)", reminder__create=0.95)
    reader.knows("and the [climbing](topic) one?", refine=0.9)
    before = (("owner", "remind me at 6 of the bins"), ("butler", "Reminder at 18:00. reminder-1"))
    shown = LastShown(kind=ReferentKind.REMINDER, count=1)
    output = await planned(reader, asked("and the climbing one?", *before, last_shown=shown))
    assert not isinstance(output, Planned)


async def test_the_same_words_go_to_somebody_else_whatever_they_are_called() -> None:
    reader = Marked().knows("tell [anna](to) [the party is on saturday](reported)", message__send=0.95)
    reader.knows("tell [bob](to) [the same](reported)", message__send=0.95)
    before = (("owner", "tell anna the party is on saturday"), ("butler", "Sent to Anna."))
    output = await planned(reader, asked("tell bob the same", *before))
    assert calls(output) == [
        ("user_telegram_send_message", {"to": {"contact": "bob"}, "text": "The party is on saturday"})
    ]


async def test_a_yes_is_for_the_card_and_the_rest_is_done_behind_it() -> None:
    reader = (
        Marked()
        .knows("yes", answer__yes=0.95)
        .knows("and remind me [at 6](time) of [the bins](text)", reminder__create=0.95)
    )
    words = "yes and remind me at 6 of the bins"
    reader._known[words] = (*reader.read("yes"), *reader.read("and remind me at 6 of the bins"))
    output = await planned(
        reader, asked(words, ("owner", "tell anna I'm late"), ("butler", "A card."), card_waits=True)
    )
    assert isinstance(output, AboutCards)
    assert output.act is CardAct.SEND
    assert output.then is not None
    assert [step.tool_call for step in output.then.steps] == ["bot_reminders_create"]


async def test_what_is_said_of_a_message_that_was_only_looked_at_answers_it() -> None:
    reader = Marked().knows("what does [bob](from) say", chat__read=0.95)
    reader.knows("that [I bring the ropes](reported)", answer__value=0.95)
    before = (("owner", "what does bob say"), ("butler", "Bob: who brings the gear? What shall I answer?"))
    shown = LastShown(kind=ReferentKind.MESSAGE, count=1)
    theirs = Referent(
        handle="message-1", kind=ReferentKind.MESSAGE, key="1", tool="user_telegram_get_message_history", at=NOW
    )
    output = await planned(reader, asked("that I bring the ropes", *before, last_shown=shown, referents=(theirs,)))
    assert calls(output) == [
        ("user_telegram_reply_to_message", {"message_id": {"handle": "message-1"}, "text": "I bring the ropes"})
    ]


async def test_what_is_chosen_and_sent_on_in_one_breath_is_one_request() -> None:
    reader = Marked().knows("[the third one](ref)", choose=0.95).knows("and send it to [bob](to)", mail__forward=0.9)
    reader._known["the third one and send it to bob"] = (
        *reader.read("the third one"),
        *reader.read("and send it to bob"),
    )
    shown = LastShown(kind=ReferentKind.MAIL, count=10)
    found = calls(await planned(reader, asked("the third one and send it to bob", last_shown=shown)))
    assert found[0] == ("user_email_read_message", {"message_id": {"handle": "mail-3"}})
    assert found[-1][1]["to"] == [{"contact": "bob"}]


async def test_two_things_said_to_one_person_are_one_message() -> None:
    reader = Marked().knows("tell [anna](to) [I'm late](reported)", message__send=0.95)
    reader.knows("and tell [anna](to) [I bring cake](reported)", message__send=0.95)
    words = "tell anna I'm late and tell anna I bring cake"
    reader._known[words] = (*reader.read("tell anna I'm late"), *reader.read("and tell anna I bring cake"))
    sent = {"to": {"contact": "anna"}, "text": "I'm late. I bring cake"}
    assert calls(await planned(reader, asked(words))) == [("user_telegram_send_message", sent)]


async def test_the_first_one_of_a_list_that_is_not_there_yet_is_not_guessed() -> None:
    reader = Marked().knows("search my mail for [invoice](topic)", mail__search=0.95)
    reader.knows("and forward [the first one](ref) to [carol](to)", mail__forward=0.95)
    words = "search my mail for invoice and forward the first one to carol"
    reader._known[words] = (
        *reader.read("search my mail for invoice"),
        *reader.read("and forward the first one to carol"),
    )
    output = await planned(reader, asked(words))
    assert isinstance(output, Unclear)
    assert [[step.tool_call for step in one.steps] for one in output.choices] == [["user_email_search_inbox"]]


async def test_what_nobody_understands_is_told() -> None:
    output = await planned(Marked(), asked("flibber the gubbins"))
    assert isinstance(output, Unclear)
