"""An edited message is a request anew where nothing was done, and never a silence."""

from typing import Any

import pytest

from butler.contract.inbound import InboundKind
from butler.inbound import Edit
from butler.orchestrator.planning.plan_types import Unclear
from tests.orchestrator.house import NOTE, SEND, House, planned, step


async def edit(house: House, item: Any, text: str, *outputs: Any) -> Any:
    return await house.say(text, *outputs, kind=InboundKind.EDITED, message_ref=item.message_ref)


async def to_anna(house: House, text: str) -> Any:
    return planned(step(1, SEND, to={"contact": await house.contact("Anna")}, text=text))


async def test_a_message_that_was_not_understood_is_taken_with_its_new_words(house: House) -> None:
    item = await house.say("rember the milk", Unclear("What?"))
    await edit(house, item, "remember the milk", planned(step(1, NOTE, text="the milk")))
    assert house.phone.said == ["What?", "📝 Noted: the milk"]


async def test_an_edit_of_what_is_done_changes_nothing_and_says_so(house: House) -> None:
    item = await house.say("tell Anna hello", await to_anna(house, "hello"))
    await house.tap("Approve")
    await edit(house, item, "tell Anna bye")
    await edit(house, item, "tell Anna farewell")
    note = await house.say("remember the milk", planned(step(1, NOTE, text="the milk")))
    await edit(house, note, "remember the cheese")
    assert house.sent() == ["hello"]
    assert house.phone.said.count(Edit.TOO_LATE) == 3


async def test_an_edit_that_leaves_the_words_as_they_are_leaves_the_card_as_it_is(house: House) -> None:
    item = await house.say("tell Anna hello", await to_anna(house, "hello"))
    await edit(house, item, "tell Anna hello")
    await house.tap("Approve")
    assert house.sent() == ["hello"]
    assert len(house.phone.cards) == 1


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
    house: House, payload: dict[str, Any], told: str
) -> None:
    await house.say("", segments=(), payload=payload)
    assert house.phone.said == [told]
