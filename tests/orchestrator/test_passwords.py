"""A file that needs a password: asked for once, used in memory, deleted in the chat, never in a row."""

from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from butler.contract.errors import AgentErrorCode, Refuse
from butler.contract.inbound import InboundKind
from butler.orchestrator.execution.passwords import LIFE
from butler.store.tables import metadata
from tests.orchestrator.house import NOTE, House, planned, step
from tests.orchestrator.readers import READ_FILE, agent_failed, document
from tests.orchestrator.things import EVE, said

SECRET = "correct horse battery"
LOCKED = agent_failed(AgentErrorCode.PARSER_ENCRYPTED, "bill.pdf is protected by a password")
FILE = planned(step(1, READ_FILE, description="Read the file", file="a" * 64))


async def ask(house: House, *results: Any) -> None:
    """A request for a file that turns out to be locked."""
    house.results[READ_FILE] = [LOCKED, *results]
    await house.say("read it", FILE)


def passwords(house: House) -> list[str]:
    return [call.args.password.get_secret_value() for call in house.calls if call.tool == READ_FILE]


async def everything_stored(house: House) -> str:
    """All rows of all tables, as text."""

    def read(connection: sa.Connection) -> str:
        return "\n".join(str(row) for table in metadata.sorted_tables for row in connection.execute(sa.select(table)))

    return await house.store.read(read)


async def test_the_password_is_asked_for_used_once_deleted_and_never_stored(house: House) -> None:
    await ask(house, document())
    assert house.phone.said[0].startswith("🔒 Bill.pdf is protected by a password. Send me its password")
    house.phone.cards["9"] = None  # type: ignore[assignment] # the message stands in the chat
    await house.say(SECRET, message_ref="9")
    assert passwords(house) == ["", SECRET]
    assert "9" not in house.phone.cards
    assert "840 euros" in house.phone.said[-1]
    assert SECRET not in await everything_stored(house)
    assert len(house.script.requests) == 1


async def test_a_wrong_password_is_asked_for_again_and_the_third_one_ends_it(house: House) -> None:
    await ask(house, LOCKED, LOCKED, LOCKED)
    for wrong in ("one", "two", "three"):
        await house.say(wrong)
    assert [text for text in house.phone.said if text.startswith("That was not the password.")]
    assert house.phone.said[-1].startswith("🔒 Read the file: bill.pdf is protected by a password. I left it out.")
    assert passwords(house) == ["", "one", "two", "three"]


@pytest.mark.parametrize("way", ["tap", "words"])
async def test_it_can_be_skipped_and_the_rest_of_the_plan_goes_on(house: House, way: str) -> None:
    house.results[READ_FILE] = [LOCKED]
    await house.say(
        "read it and note milk", planned(*FILE.steps, step(2, NOTE, 1, text="milk"), step(3, NOTE, text="x"))
    )
    await (house.tap("Skip") if way == "tap" else house.say("Skip it"))
    assert "I left it out." in house.phone.said[-1]
    assert house.phone.said[-1].endswith("📝 Noted: x")
    assert passwords(house) == [""]


async def test_nobody_who_waits_for_ever_a_password_is_not_given_in_time(house: House) -> None:
    await ask(house)
    house.clock.time += LIFE + timedelta(seconds=1)
    await house.run()
    assert "nobody gave its password in time" in house.phone.said[-1]
    await house.say("hello there", planned(step(1, NOTE, text="hello")))
    assert house.script.requests[-1].words.value == "hello there"


async def test_after_a_restart_it_is_asked_for_again(house: House) -> None:
    await ask(house, document())
    await house.redact.redact(await house.come_in(typed(house, SECRET)))
    house.start()
    await house.run()
    assert house.phone.said[-1].startswith("🔒 I was started anew before I could use it.")
    await house.say(SECRET)
    assert passwords(house) == ["", SECRET]


def typed(house: House, text: str) -> Any:
    from tests.orchestrator.things import message  # noqa: PLC0415 - only here

    house.items += 1
    name = f"typed-{house.items}"
    return message(text, inbound_id=name, dedup_key=name, message_ref=name)


async def test_an_edit_of_the_message_with_the_password_is_not_stored_either(house: House) -> None:
    await ask(house, document())
    await house.say(SECRET, message_ref="9")
    await house.say(f"{SECRET}!", message_ref="9", kind=InboundKind.EDITED)
    assert SECRET not in await everything_stored(house)


async def test_an_edit_of_a_password_that_was_wrong_is_not_stored_either(house: House) -> None:
    """Who mistyped it corrects the message, as people do; it may not have been deleted."""
    await ask(house, LOCKED, document())
    await house.say("almost", message_ref="9")
    await house.say(SECRET, message_ref="9", kind=InboundKind.EDITED)
    assert SECRET not in await everything_stored(house)


async def test_an_edit_that_comes_before_the_password_was_looked_at_is_not_stored_either(house: House) -> None:
    await ask(house, document())
    first = await house.come_in(typed(house, "almost"))
    edit = typed(house, SECRET)
    await house.come_in(edit.model_copy(update={"message_ref": first.message_ref, "kind": InboundKind.EDITED}))
    await house.run()
    assert SECRET not in await everything_stored(house)


async def test_an_edit_of_a_password_is_not_stored_once_another_file_is_asked_for(house: House) -> None:
    await ask(house, LOCKED, document())
    await house.say("one", message_ref="9")
    await house.say("two", message_ref="10")
    house.results[READ_FILE] = [LOCKED]
    await house.say("read the other one", FILE)
    await house.say(SECRET, message_ref="10", kind=InboundKind.EDITED)
    await house.say(SECRET, message_ref="9", kind=InboundKind.EDITED)
    assert SECRET not in await everything_stored(house)


async def test_an_edit_of_the_last_wrong_password_is_not_stored_either(house: House) -> None:
    await ask(house, LOCKED, LOCKED, LOCKED)
    for number in ("7", "8", "9"):
        await house.say(f"wrong {number}", message_ref=number)
    await house.say(SECRET, message_ref="9", kind=InboundKind.EDITED)
    assert SECRET not in await everything_stored(house)


async def test_a_password_typed_in_time_that_comes_in_late_is_not_stored_either(house: House) -> None:
    """No network for a while: it was asked for when the owner typed it."""
    await ask(house, document())
    typed_at = house.clock.now()
    house.clock.time += LIFE * 2
    await house.say(SECRET, sent_at=typed_at)
    assert SECRET not in await everything_stored(house)


async def test_a_message_of_somebody_else_a_file_or_another_chat_is_no_password(house: House) -> None:
    await ask(house, document())
    await house.say("let me in", sender="telegram:666", origin=EVE, segments=(said("let me in", EVE),))
    await house.say("in a topic", planned(step(1, NOTE, text="in a topic")), chat="telegram:-100:7")
    assert passwords(house) == [""]


async def test_a_message_that_cannot_be_deleted_is_said(house: House) -> None:
    await ask(house, document())

    async def refuse(ref: Any) -> bool:
        raise Refuse("message can't be deleted")

    house.phone.delete = refuse  # type: ignore[method-assign]
    await house.say(SECRET)
    assert "I could not delete your message with the password. Please delete it yourself." in house.phone.said
    assert passwords(house) == ["", SECRET]


async def test_a_second_locked_file_is_asked_for_after_the_first(house: House) -> None:
    house.results[READ_FILE] = [LOCKED, LOCKED, document(), LOCKED, document(title="second.pdf")]
    two = planned(step(1, READ_FILE, file="a" * 64), step(2, READ_FILE, file="b" * 64))
    await house.say("read both", two)
    assert len([text for text in house.phone.said if text.startswith("🔒")]) == 1
    await house.say("first")
    await house.say("second")
    used = [(call.args.file[0], call.args.password.get_secret_value()) for call in house.calls]
    assert used == [("a", ""), ("b", ""), ("a", "first"), ("b", ""), ("b", "second")]
    assert "second.pdf" in house.phone.said[-1]


async def test_once_its_request_is_withdrawn_what_is_said_next_is_no_password(house: House) -> None:
    house.results[READ_FILE] = [LOCKED]
    await house.say("read it", FILE, message_ref="5")
    edited = planned(step(1, NOTE, text="milk"))
    await house.say("note milk", edited, message_ref="5", kind=InboundKind.EDITED)
    await house.say("and bread", planned(step(1, NOTE, text="bread")))
    assert house.script.requests[-1].words.value == "and bread"
    assert passwords(house) == [""]
