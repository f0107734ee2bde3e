"""A file that needs a password: asked for once, used in memory, deleted in the chat, never in a row."""

from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from butler.contract.errors import AgentErrorCode, Refuse
from butler.contract.inbound import InboundKind
from butler.orchestrator.execution.passwords import LIFE
from butler.store.tables import metadata
from tests.orchestrator.builders import EVE, said
from tests.orchestrator.harness import NOTE, Harness, planned, step
from tests.orchestrator.readers import READ_FILE, agent_failed, document

SECRET = "correct horse battery"
LOCKED = agent_failed(AgentErrorCode.PARSER_ENCRYPTED, "bill.pdf is protected by a password")
FILE = planned(step(1, READ_FILE, description="Read the file", file="a" * 64))


async def ask(harness: Harness, *results: Any) -> None:
    """A request for a file that turns out to be locked."""
    harness.results[READ_FILE] = [LOCKED, *results]
    await harness.say("read it", FILE)


def passwords(harness: Harness) -> list[str]:
    return [call.args.password.get_secret_value() for call in harness.calls if call.tool == READ_FILE]


async def everything_stored(harness: Harness) -> str:
    """All rows of all tables, as text."""

    def read(connection: sa.Connection) -> str:
        return "\n".join(str(row) for table in metadata.sorted_tables for row in connection.execute(sa.select(table)))

    return await harness.store.read(read)


async def test_the_password_is_asked_for_used_once_deleted_and_never_stored(harness: Harness) -> None:
    await ask(harness, document())
    assert harness.phone.said[0].startswith("🔒 Bill.pdf is protected by a password. Send me its password")
    harness.phone.cards["9"] = None  # type: ignore[assignment] # the message stands in the chat
    await harness.say(SECRET, message_ref="9")
    assert passwords(harness) == ["", SECRET]
    assert "9" not in harness.phone.cards
    assert "840 euros" in harness.phone.said[-1]
    assert SECRET not in await everything_stored(harness)
    assert len(harness.script.requests) == 1


async def test_a_wrong_password_is_asked_for_again_and_the_third_one_ends_it(harness: Harness) -> None:
    await ask(harness, LOCKED, LOCKED, LOCKED)
    for wrong in ("one", "two", "three"):
        await harness.say(wrong)
    assert [text for text in harness.phone.said if text.startswith("That was not the password.")]
    assert harness.phone.said[-1].startswith("🔒 Read the file: bill.pdf is protected by a password. I left it out.")
    assert passwords(harness) == ["", "one", "two", "three"]


@pytest.mark.parametrize("way", ["tap", "words"])
async def test_it_can_be_skipped_and_the_rest_of_the_plan_goes_on(harness: Harness, way: str) -> None:
    harness.results[READ_FILE] = [LOCKED]
    await harness.say(
        "read it and note milk", planned(*FILE.steps, step(2, NOTE, 1, text="milk"), step(3, NOTE, text="x"))
    )
    await (harness.tap("Skip") if way == "tap" else harness.say("Skip it"))
    assert "I left it out." in harness.phone.said[-1]
    assert harness.phone.said[-1].endswith("📝 Noted: x")
    assert passwords(harness) == [""]


async def test_nobody_who_waits_for_ever_a_password_is_not_given_in_time(harness: Harness) -> None:
    await ask(harness)
    harness.clock.time += LIFE + timedelta(seconds=1)
    await harness.run()
    assert "nobody gave its password in time" in harness.phone.said[-1]
    await harness.say("hello there", planned(step(1, NOTE, text="hello")))
    assert harness.script.requests[-1].words.value == "hello there"


async def test_after_a_restart_it_is_asked_for_again(harness: Harness) -> None:
    await ask(harness, document())
    await harness.redact.redact(await harness.come_in(typed(harness, SECRET)))
    harness.start()
    await harness.run()
    assert harness.phone.said[-1].startswith("🔒 I was started anew before I could use it.")
    await harness.say(SECRET)
    assert passwords(harness) == ["", SECRET]


def typed(harness: Harness, text: str) -> Any:
    from tests.orchestrator.builders import message  # noqa: PLC0415 - only here

    harness.items += 1
    name = f"typed-{harness.items}"
    return message(text, inbound_id=name, dedup_key=name, message_ref=name)


async def test_an_edit_of_the_message_with_the_password_is_not_stored_either(harness: Harness) -> None:
    await ask(harness, document())
    await harness.say(SECRET, message_ref="9")
    await harness.say(f"{SECRET}!", message_ref="9", kind=InboundKind.EDITED)
    assert SECRET not in await everything_stored(harness)


async def test_an_edit_of_a_password_that_was_wrong_is_not_stored_either(harness: Harness) -> None:
    """Who mistyped it corrects the message, as people do; it may not have been deleted."""
    await ask(harness, LOCKED, document())
    await harness.say("almost", message_ref="9")
    await harness.say(SECRET, message_ref="9", kind=InboundKind.EDITED)
    assert SECRET not in await everything_stored(harness)


async def test_an_edit_that_comes_before_the_password_was_looked_at_is_not_stored_either(harness: Harness) -> None:
    await ask(harness, document())
    first = await harness.come_in(typed(harness, "almost"))
    edit = typed(harness, SECRET)
    await harness.come_in(edit.model_copy(update={"message_ref": first.message_ref, "kind": InboundKind.EDITED}))
    await harness.run()
    assert SECRET not in await everything_stored(harness)


async def test_an_edit_of_a_password_is_not_stored_once_another_file_is_asked_for(harness: Harness) -> None:
    await ask(harness, LOCKED, document())
    await harness.say("one", message_ref="9")
    await harness.say("two", message_ref="10")
    harness.results[READ_FILE] = [LOCKED]
    await harness.say("read the other one", FILE)
    await harness.say(SECRET, message_ref="10", kind=InboundKind.EDITED)
    await harness.say(SECRET, message_ref="9", kind=InboundKind.EDITED)
    assert SECRET not in await everything_stored(harness)


async def test_an_edit_of_the_last_wrong_password_is_not_stored_either(harness: Harness) -> None:
    await ask(harness, LOCKED, LOCKED, LOCKED)
    for number in ("7", "8", "9"):
        await harness.say(f"wrong {number}", message_ref=number)
    await harness.say(SECRET, message_ref="9", kind=InboundKind.EDITED)
    assert SECRET not in await everything_stored(harness)


async def test_a_password_typed_in_time_that_comes_in_late_is_not_stored_either(harness: Harness) -> None:
    """No network for a while: it was asked for when the owner typed it."""
    await ask(harness, document())
    typed_at = harness.clock.now()
    harness.clock.time += LIFE * 2
    await harness.say(SECRET, sent_at=typed_at)
    assert SECRET not in await everything_stored(harness)


async def test_a_message_of_somebody_else_a_file_or_another_chat_is_no_password(harness: Harness) -> None:
    await ask(harness, document())
    await harness.say("let me in", sender="telegram:666", origin=EVE, segments=(said("let me in", EVE),))
    await harness.say("in a topic", planned(step(1, NOTE, text="in a topic")), chat="telegram:-100:7")
    assert passwords(harness) == [""]


async def test_a_message_that_cannot_be_deleted_is_said(harness: Harness) -> None:
    await ask(harness, document())

    async def refuse(ref: Any) -> bool:
        raise Refuse("message can't be deleted")

    harness.phone.delete = refuse  # type: ignore[method-assign]
    await harness.say(SECRET)
    assert "I could not delete your message with the password. Please delete it yourself." in harness.phone.said
    assert passwords(harness) == ["", SECRET]


async def test_a_second_locked_file_is_asked_for_after_the_first(harness: Harness) -> None:
    harness.results[READ_FILE] = [LOCKED, LOCKED, document(), LOCKED, document(title="second.pdf")]
    two = planned(step(1, READ_FILE, file="a" * 64), step(2, READ_FILE, file="b" * 64))
    await harness.say("read both", two)
    assert len([text for text in harness.phone.said if text.startswith("🔒")]) == 1
    await harness.say("first")
    await harness.say("second")
    used = [(call.args.file[0], call.args.password.get_secret_value()) for call in harness.calls]
    assert used == [("a", ""), ("b", ""), ("a", "first"), ("b", ""), ("b", "second")]
    assert "second.pdf" in harness.phone.said[-1]


async def test_once_its_request_is_withdrawn_what_is_said_next_is_no_password(harness: Harness) -> None:
    harness.results[READ_FILE] = [LOCKED]
    await harness.say("read it", FILE, message_ref="5")
    edited = planned(step(1, NOTE, text="milk"))
    await harness.say("note milk", edited, message_ref="5", kind=InboundKind.EDITED)
    await harness.say("and bread", planned(step(1, NOTE, text="bread")))
    assert harness.script.requests[-1].words.value == "and bread"
    assert passwords(harness) == [""]
