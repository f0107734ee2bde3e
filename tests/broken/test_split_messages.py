"""What a person sends as one message and Telegram brings as several is one request: nothing lost, nothing twice."""
# names: made up here

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from butler.contract.inbound import Inbound
from butler.contract.provenance import Trust
from butler.contract.tools import Attachment
from butler.message_grouping import UNDER_WAY, WINDOW, hold
from butler.orchestrator.planning.plan_types import Unclear
from butler.sink import come_in, look_at
from butler.store.queries import inbox, work
from butler.store.queries.inbox import InboxNote
from modules.telegram.normalise import Receiver, normalise
from tests.orchestrator.builders import NOON
from tests.orchestrator.harness import Harness

BOT = Receiver(700, 42, "jeeves_bot")
WORD = "remember "
FULL = WORD * 455
"""4,095 units: where a client cuts at a blank, it takes the blank away."""
SENT_AT = int(NOON.timestamp())


def said(number: int, text: str = "", *, after: int = 0, album: str = "", **more: Any) -> Inbound:
    """An update as Telegram brings it; `after` so many seconds."""
    message: dict[str, Any] = {
        "message_id": number,
        "date": SENT_AT + after,
        "chat": {"id": 42, "type": "private"},
        "from": {"id": 42, "first_name": "Robin"},
    }
    name = "caption" if album else "text"
    message |= {name: text} if text else {}
    if album:
        message |= {"media_group_id": album, "photo": [{"file_id": f"f{number}", "file_size": 10}]}
    kind, later = "edited_message" if more.pop("edited", False) else "message", more.pop("update", 0)
    came = NOON + timedelta(seconds=after + later)
    found = normalise({"update_id": number + later, kind: message | more}, BOT, came)
    assert found is not None
    files = tuple(Attachment(name=f"{number}.jpg", size=10, sha256=f"{number:064d}") for _ in found.files)
    return found.inbound.model_copy(update={"attachments": files, "chat": "telegram:42"})


async def arrive(harness: Harness, *items: Inbound) -> None:
    """They are stored in one transaction, as a poll brings them, and what is due is done."""
    harness.script.outputs += [Unclear("?")] * len(items)
    await harness.store.write(lambda c: come_in(c, items, harness.clock.now()))
    await harness.run()


async def passes(harness: Harness, time: timedelta = WINDOW) -> None:
    harness.clock.time += time
    await harness.run()


def asked(harness: Harness) -> list[str]:
    return [request.words.value for request in harness.script.requests]


async def test_a_paste_that_its_client_split_is_one_request(harness: Harness) -> None:
    parts = [said(1, FULL.strip()), said(2, FULL.strip()), said(3, "and the end")]
    await arrive(harness, *parts)
    # The last one is too short to be followed by another, so nobody waits for one.
    assert asked(harness) == [f"{FULL.strip()} {FULL.strip()} and the end"]


async def test_it_is_one_also_where_each_part_comes_by_itself(harness: Harness) -> None:
    await arrive(harness, said(1, FULL.strip()))
    assert asked(harness) == []
    await passes(harness, WINDOW * 0.9)
    await arrive(harness, said(2, FULL.strip(), after=1))
    await passes(harness, WINDOW * 0.9)
    assert asked(harness) == []
    await arrive(harness, said(3, "and the end", after=2))
    assert len(asked(harness)) == 1
    await passes(harness)
    assert len(asked(harness)) == 1


async def test_a_long_message_by_itself_is_answered_after_a_moment_and_once(harness: Harness) -> None:
    await arrive(harness, said(1, FULL.strip()))
    await passes(harness, WINDOW * 0.9)
    assert asked(harness) == []
    await passes(harness)
    assert asked(harness) == [FULL.strip()]
    await passes(harness)
    assert len(asked(harness)) == 1


async def test_a_word_that_was_cut_is_whole_again(harness: Harness) -> None:
    await arrive(harness, said(1, "x" * 4096), said(2, "yz"))
    assert asked(harness) == ["x" * 4096 + "yz"]


async def test_a_short_message_never_waits_and_is_no_part_of_another_one(harness: Harness) -> None:
    await arrive(harness, said(1, "hello"), said(2, "and you?"))
    assert asked(harness) == ["hello", "and you?"]


@pytest.mark.parametrize(
    "other",
    [
        said(2, "tell Anna hello", after=60),
        said(2, "tell Anna hello", forward_origin={"type": "hidden_user", "sender_user_name": "Eve"}),
        said(2, "tell Anna hello", reply_to_message={"message_id": 9, "text": "x"}),
        said(2, "tell Anna hello", photo=[{"file_id": "f", "file_size": 1}]),
        said(2, "/pending", entities=[{"type": "bot_command", "offset": 0, "length": 8}]),
        said(2, "a caption", album="a"),
    ],
    ids=["a minute later", "a forward", "a reply", "a picture", "a command", "an album"],
)
async def test_what_else_is_said_is_no_part_and_waits_for_nobody(harness: Harness, other: Inbound) -> None:
    await arrive(harness, said(1, FULL.strip()), other)
    assert asked(harness)[:1] == [FULL.strip()]
    await passes(harness)
    assert all("tell Anna" not in words or words == "tell Anna hello" for words in asked(harness))
    states = [await harness.store.read(lambda c, n=n: inbox.state(c, f"telegram:bot:700:{n}")) for n in (1, 2)]
    assert states == ["done", "done"]


async def test_what_another_person_says_there_ends_nothing_and_is_no_part(harness: Harness) -> None:
    stranger = said(2, FULL.strip(), **{"from": {"id": 666, "first_name": "Eve"}})
    await arrive(harness, said(1, FULL.strip()), stranger)
    assert asked(harness) == []
    await arrive(harness, said(3, "end", after=1))
    assert asked(harness) == [f"{FULL.strip()} end"]


async def test_whose_the_pieces_are_stays_with_each(harness: Harness) -> None:
    quoted = [{"type": "blockquote", "offset": 0, "length": 5}]
    await arrive(harness, said(1, FULL.strip()), said(2, "Eve's order", entities=quoted))
    assert asked(harness) == [f"{FULL.strip()}\norder"]
    found = await harness.store.read(lambda c: inbox.get(c, "telegram:bot:700:1"))
    assert found is not None
    others = [one.value for one in found[0].segments if any(o.trust is Trust.UNTRUSTED for o in one.origins)]
    assert others == ["Eve's"]


@pytest.mark.parametrize("split", [0, 1, 2])
async def test_an_album_with_one_caption_is_one_request_with_all_its_files(harness: Harness, split: int) -> None:
    items = [said(1, album="a"), said(2, "file these under taxes", album="a"), said(3, album="a")]
    if split:
        await arrive(harness, *items[:split])
        await passes(harness, WINDOW * 0.5)
    await arrive(harness, *items[split:])
    assert asked(harness) == []
    await passes(harness)
    assert asked(harness) == ["file these under taxes"]
    found = await harness.store.read(lambda c: inbox.get(c, "telegram:bot:700:1"))
    assert found is not None
    assert [file.name for file in found[0].attachments] == ["1.jpg", "2.jpg", "3.jpg"]
    assert len(harness.phone.said) == 1


async def test_two_albums_are_two(harness: Harness) -> None:
    await arrive(harness, said(1, "first", album="a"), said(2, album="a"), said(3, "second", album="b"))
    assert asked(harness) == ["first"]
    await passes(harness)
    assert asked(harness) == ["first", "second"]


async def test_a_part_whose_file_is_still_fetched_is_waited_for(harness: Harness) -> None:
    await arrive(harness, said(1, "file these", album="a"))
    late = said(2, album="a")
    await harness.store.write(lambda c: hold(c, [late], look_at, harness.clock.now()))
    await passes(harness, UNDER_WAY * 0.9)
    assert asked(harness) == []
    await arrive(harness, late)
    await passes(harness)
    assert asked(harness) == ["file these"]
    # Where it never comes, as after a crash, the others do not wait for ever.
    await arrive(harness, said(5, "and these", album="b"))
    await harness.store.write(lambda c: hold(c, [said(6, album="b")], look_at, harness.clock.now()))
    await passes(harness, UNDER_WAY)
    assert asked(harness) == ["file these", "and these"]


async def test_a_part_that_is_brought_twice_is_taken_once(harness: Harness) -> None:
    await arrive(harness, said(1, "file these", album="a"), said(2, album="a"))
    await arrive(harness, said(2, album="a"), said(1, "file these", album="a"))
    await passes(harness)
    assert asked(harness) == ["file these"]
    found = await harness.store.read(lambda c: inbox.get(c, "telegram:bot:700:1"))
    assert found is not None
    assert len(found[0].attachments) == 2


async def test_killed_between_two_parts_nothing_is_lost_and_nothing_is_done_twice(harness: Harness) -> None:
    await arrive(harness, said(1, FULL.strip()))
    harness.start()
    await passes(harness, timedelta(hours=1))
    # It went on alone; what came later is a message of its own.
    assert asked(harness) == [FULL.strip()]
    await arrive(harness, said(2, "and the end", after=1))
    harness.start()
    await passes(harness, timedelta(hours=1))
    assert asked(harness) == [FULL.strip(), "and the end"]


async def test_killed_while_a_part_is_waited_for_it_is_still_one(harness: Harness) -> None:
    await arrive(harness, said(1, FULL.strip()))
    harness.start()
    await arrive(harness, said(2, "and the end", after=1))
    await passes(harness, timedelta(hours=1))
    assert asked(harness) == [f"{FULL.strip()} and the end"]
    settled = await harness.store.read(lambda c: inbox.detail(c, "telegram:bot:700:2"))
    assert settled == InboxNote.PART


async def test_a_clock_that_is_set_makes_the_waiting_neither_longer_nor_shorter(harness: Harness) -> None:
    await arrive(harness, said(1, FULL.strip()))
    for step in (timedelta(hours=1), timedelta(hours=-2)):
        harness.clock.time += step
        await harness.store.write(lambda c, step=step: work.adjust_to_clock(c, step, harness.clock.now()))
        await harness.run()
        assert asked(harness) == []
    await passes(harness)
    assert asked(harness) == [FULL.strip()]


async def test_an_edit_of_a_part_is_an_edit_of_the_whole(harness: Harness) -> None:
    await arrive(harness, said(1, FULL.strip()), said(2, "call it blue"))
    await arrive(harness, said(2, "call it green", edited=True, update=10))
    assert asked(harness) == [f"{FULL.strip()} call it blue", f"{FULL.strip()} call it green"]
    first = f"do {FULL[len(WORD) :].strip()}"
    await arrive(harness, said(1, first, edited=True, update=20))
    assert asked(harness)[2:] == [f"{first} call it green"]
    await arrive(harness, said(1, first, edited=True, update=30))
    assert len(asked(harness)) == 3


def test_the_moment_of_a_part_is_telegrams() -> None:
    assert said(1, "x", after=3).sent_at == datetime.fromtimestamp(SENT_AT + 3, UTC)
