"""An edited message is a request anew where nothing was done, and never a silence."""

from typing import Any

import pytest

from butler.contract.inbound import InboundKind
from butler.inbound import Edit
from butler.orchestrator.planning.plan_types import Unclear
from tests.orchestrator.harness import NOTE, SEND, Harness, planned, step


async def edit(harness: Harness, item: Any, text: str, *outputs: Any) -> Any:
    return await harness.say(text, *outputs, kind=InboundKind.EDITED, message_ref=item.message_ref)


async def to_anna(harness: Harness, text: str) -> Any:
    return planned(step(1, SEND, to={"contact": await harness.contact("Anna")}, text=text))


async def test_a_message_that_was_not_understood_is_taken_with_its_new_words(harness: Harness) -> None:
    item = await harness.say("rember the milk", Unclear("What?"))
    await edit(harness, item, "remember the milk", planned(step(1, NOTE, text="the milk")))
    assert harness.phone.said == ["What?", "📝 Noted: the milk"]


async def test_an_edit_of_what_is_done_changes_nothing_and_says_so(harness: Harness) -> None:
    item = await harness.say("tell Anna hello", await to_anna(harness, "hello"))
    await harness.tap("Approve")
    await edit(harness, item, "tell Anna bye")
    await edit(harness, item, "tell Anna farewell")
    note = await harness.say("remember the milk", planned(step(1, NOTE, text="the milk")))
    await edit(harness, note, "remember the cheese")
    assert harness.sent() == ["hello"]
    assert harness.phone.said.count(Edit.TOO_LATE) == 3


async def test_an_edit_that_leaves_the_words_as_they_are_leaves_the_card_as_it_is(harness: Harness) -> None:
    item = await harness.say("tell Anna hello", await to_anna(harness, "hello"))
    await edit(harness, item, "tell Anna hello")
    await harness.tap("Approve")
    assert harness.sent() == ["hello"]
    assert len(harness.phone.cards) == 1


@pytest.mark.parametrize(
    ("payload", "told"),
    [
        ({"unread": "sticker"}, "I cannot read stickers. Tell me in words what to do."),
        ({"unread": "story"}, "I cannot read stories. Tell me in words what to do."),
        (
            {"missing_files": [{"name": "film.mp4", "size": 1, "reason": "it is larger than 20 MB"}]},
            "A file did not reach me: it is larger than 20 MB. Tell me in words what to do.",
        ),
    ],
)
async def test_a_message_without_words_is_not_taken_for_somebody_elses(
    harness: Harness, payload: dict[str, Any], told: str
) -> None:
    await harness.say("", segments=(), payload=payload)
    assert harness.phone.said == [told]
