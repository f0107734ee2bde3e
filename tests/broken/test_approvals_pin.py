"""A PIN is a PIN however a phone's keyboard writes it: it is looked at, and stored nowhere."""

import pytest

from approvals import pin
from approvals.pause import COMMAND_LINE
from approvals.states import State
from butler.contract.inbound import InboundKind
from butler.store.store import Store
from tests.approvals.chat_input import chat_message
from tests.approvals.harness import Harness, create_tables
from tests.approvals.test_pin import came_in, stored, typed

PIN = "918273645012"
ARABIC = PIN.translate({ord("0") + n: 0x0660 + n for n in range(10)})
WIDE = PIN.translate({ord("0") + n: 0xFF10 + n for n in range(10)})
KEYCAPS = "".join(f"{digit}\ufe0f\u20e3" for digit in PIN)


@pytest.fixture
async def harness() -> Harness:
    harness = Harness(create_tables(Store("sqlite://")))
    await harness.write(lambda c: pin.set_pin(c, PIN, COMMAND_LINE, harness.clock.now()))
    return harness


@pytest.mark.parametrize(
    "text",
    [ARABIC, WIDE, KEYCAPS, f"{PIN}.", f"{PIN[:6]}\u00a0{PIN[6:]}", f"\u200f{PIN}\u200b", f"PIN: {PIN}", f"pin {PIN}!"],
)
async def test_a_pin_in_any_writing_counts_and_is_kept_out_of_every_row(harness: Harness, text: str) -> None:
    approval_id = await harness.ask()
    await harness.tap("Approve")
    assert (await typed(harness, text)).startswith("Approved by you")
    assert await harness.state(approval_id) == State.APPROVED
    dump = await stored(harness)
    assert text not in dump
    assert PIN not in dump
    assert PIN[:6] not in dump


@pytest.mark.parametrize("text", ["make it 9182", "10:30", "tell Anna 918273645012 is my number", "²³", "①②③④", ""])
async def test_words_with_a_number_in_them_are_words(harness: Harness, text: str) -> None:
    await harness.ask()
    await harness.tap("Approve")
    assert (await came_in(harness, chat_message(text))).text == text


async def test_a_pin_put_in_by_an_edit_or_under_a_photo_is_kept_out_too(harness: Harness) -> None:
    await harness.ask()
    await harness.tap("Approve")
    item = await came_in(harness, chat_message(f"{PIN}.", kind=InboundKind.EDITED, reply_to="100"))
    assert item.text == ""
