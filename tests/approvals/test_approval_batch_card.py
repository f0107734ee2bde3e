"""A batch card on Telegram: always one message, complete items, and a summary that names what it leaves out."""

import asyncio
from dataclasses import replace
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from approvals.approval_batch_card import FULL_LIST, item_card, kind_of, summary_card, utmost
from approvals.approval_batch_text import counts
from approvals.frozen import freeze
from approvals.people import Names
from approvals.states import State
from butler.contract.card import Card
from butler.contract.reasons import in_own_words
from butler.store.queries import approval_batches
from butler.store.queries.approval_batches import ApprovalBatchRow
from butler.store.queries.approvals import ApprovalRow
from butler.store.store import Store
from modules.telegram.drawing import draw_card
from modules.telegram.text import MESSAGE_LIMIT, utf16_len
from tests.approvals.approval_batch_harness import ask_many, digest, newest_batch
from tests.approvals.harness import Harness, create_tables
from tests.approvals.providers import ANNA, ARCHIVE, BOT_SEND, KEEP, SEND, Invoker, Provider
from tests.support.nightly import examples

LONDON = ZoneInfo("Europe/London")


def pages(card: Card) -> int:
    drawing = draw_card(card, LONDON)
    return len(drawing.pages) + (drawing.file is not None)


async def many(harness: Harness, count: int, text: str) -> tuple[ApprovalBatchRow, list[ApprovalRow]]:
    harness.channel.pages = pages  # type: ignore[method-assign]
    await ask_many(harness, 4)
    row = await newest_batch(harness)
    (member,) = await harness.store.read(lambda c: approval_batches.members(c, row.batch_id))
    return row, [of(harness, member, [ANNA], text)] * count


def of(harness: Harness, row: ApprovalRow, to: list[str], text: str) -> ApprovalRow:
    """Return the row with other arguments, frozen as a request freezes them."""
    spec = harness.invoker.spec(SEND)
    frozen = freeze(spec, spec.args.model_validate({"to": to, "text": text}))
    return replace(row, args=frozen.args, args_sha256=frozen.args_sha256, contract_digest=frozen.contract_digest)


async def summary(harness: Harness, row: ApprovalBatchRow, members: list[ApprovalRow]) -> Card:
    now = harness.clock.now()
    return await harness.store.read(lambda c: summary_card(harness.context, row, members, Names(c), [], now))


async def test_ap_10_a_summary_counts_all_and_marks_what_it_leaves_out(harness: Harness) -> None:
    row, members = await many(harness, 200, "A message that is long enough to be cut off after a while")
    card = await summary(harness, row, members)
    assert pages(card) == 1
    *lines, rest = card.body.splitlines()
    assert rest == f"… and {200 - len(lines)} more, not listed here. All of them: {FULL_LIST}"
    assert 20 < len(lines) < 200
    assert all(line.startswith(f"{number}. waiting – to Anna") for number, line in enumerate(lines, 1))
    assert [(label, value[0].text) for label, value in card.fields] == [("All 200", "200 waiting")]


async def test_a_summary_of_forty_lists_each_one(harness: Harness) -> None:
    row, members = await many(harness, 37, "Short")
    card = await summary(harness, row, members)
    assert pages(card) == 1
    assert len(card.body.splitlines()) == 37
    assert "not listed" not in card.body


@given(text=st.text(max_size=300), count=st.integers(1, 120))
@settings(max_examples=examples(25), deadline=None)
def test_a_summary_of_any_texts_is_one_message(text: str, count: int) -> None:
    async def check() -> None:
        store = create_tables(Store("sqlite://"))
        harness = Harness(store)
        row, members = await many(harness, count, text)
        drawing = draw_card(await summary(harness, row, members), LONDON)
        assert len(drawing.pages) == 1
        assert drawing.file is None
        assert utf16_len(drawing.pages[0].text) <= MESSAGE_LIMIT
        await store.close()

    asyncio.run(check())


async def test_what_just_fits_with_the_longest_head_joins_and_what_does_not_keeps_its_own_card(
    harness: Harness,
) -> None:
    harness.channel.pages = pages  # type: ignore[method-assign]
    await ask_many(harness, 4)
    shown, now = 0, harness.clock.now()
    for length in range(3100, 3300, 20):
        approval_id = await harness.ask(args={"to": [ANNA], "text": "x" * length}, call_id=f"l{length}")
        row = await harness.row(approval_id)
        fits = pages(
            await harness.store.read(lambda c, r=row: item_card(harness.context, r, Names(c), utmost(), (), now))
        )
        assert (row.batch_id is not None) is (fits == 1)
        shown += row.batch_id is not None
    assert 0 < shown < 10
    for _ in range(12):
        assert pages(digest(harness)) == 1
        harness.channel.cards["103"] = harness.channel.cards.pop("103")
        await harness.tap("▶")


async def test_each_state_has_its_word(harness: Harness) -> None:
    row, members = await many(harness, 1, "x")
    (member,) = members
    told: dict[str, str] = {}
    for state in State:
        changed = replace(
            member, state=state.value, detail=(in_own_words("the provider said no, at great length, " * 3),)
        )
        card = await summary(harness, row, [changed])
        told[state.value] = card.body.removeprefix("1. ").partition(" – ")[0]
    why = "the provider said no, at great length, the provider said no…"
    assert told == {
        "pending": "waiting",
        "approved": "approved",
        "executing": f"being sent ({why})",
        "done": "sent",
        "failed": f"failed ({why})",
        "unknown": "not known whether sent, see its own card",
        "denied": "denied",
        "expired": "expired",
        "superseded": "withdrawn",
        "cancelled": "undone",
    }
    brief = replace(member, state="failed", detail=(in_own_words("no"),))
    assert (await summary(harness, row, [brief])).body.startswith("1. failed (no) – to")


async def test_a_line_without_recipients_or_text_is_still_a_line(harness: Harness) -> None:
    row, members = await many(harness, 1, "")
    assert (await summary(harness, row, [of(harness, members[0], [], "")])).body == "1. waiting"


def test_a_kind_is_named_in_the_plural_with_its_identity() -> None:
    invoker = Invoker(Provider())
    assert kind_of(invoker, SEND, "") == "Telegram messages as you"
    assert kind_of(invoker, BOT_SEND, "") == "Telegram messages as Butler"
    assert kind_of(invoker, ARCHIVE, "") == "Email (archive thread) as you"
    assert kind_of(invoker, KEEP, "") == "Notes (keep) as Butler"


def test_nothing_is_counted_as_nothing() -> None:
    assert counts([]) == ""
