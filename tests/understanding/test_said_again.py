"""A plan that acts is done only if the same words, said in another way, come to the same."""

from butler.orchestrator.planning.plan_types import Planned, Unclear
from butler.orchestrator.understanding.turns.said_again import said_again
from tests.understanding.conversations import Marked, asked, calls, planned

WORDS = "Remove the bins, I mean it"


def reader() -> Marked:
    return Marked().knows("Remove the [bins](topic), I mean it", reminder__remove=0.99)


def test_the_words_are_said_politely_in_small_letters_and_without_commas() -> None:
    assert said_again("Lösch die Mail, Bob!", "de") == "bitte lösch die mail bob!"
    assert said_again(WORDS, "") == "please remove the bins i mean it"


async def test_what_comes_to_the_same_is_done() -> None:
    again = reader().knows("please remove the [bins](topic) i mean it", reminder__remove=0.99)
    assert calls(await planned(again, asked(WORDS))) == [("bot_reminders_remove", {"words": "bins"})]


async def test_what_comes_to_another_act_is_asked_with_both() -> None:
    again = reader().knows("please remove the [bins](topic) i mean it", reminder__done=0.99)
    output = await planned(again, asked(WORDS))
    assert isinstance(output, Unclear)
    assert output.question == "I am not sure what you mean. Is it one of these?"
    assert [[step.tool_call for step in one.steps] for one in output.choices] == [
        ["bot_reminders_remove"], ["bot_reminders_done"],
    ]  # fmt: skip
    assert all(one.words == WORDS for one in output.choices)


async def test_what_is_a_yes_to_a_card_said_otherwise_is_asked() -> None:
    again = reader().knows("please remove the bins i mean it", approve__deny=0.99)
    output = await planned(again, asked(WORDS))
    assert isinstance(output, Unclear)
    assert [[step.tool_call for step in one.steps] for one in output.choices] == [["bot_reminders_remove"]]


async def test_what_is_not_understood_said_otherwise_is_done_as_it_was_said() -> None:
    assert isinstance(await planned(reader(), asked(WORDS)), Planned)
