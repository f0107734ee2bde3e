"""Requests and taps in any order: nothing is approved unseen, nothing is lost, every member is decided once."""

import asyncio
from collections import Counter
from collections.abc import Sequence

import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st

from approvals.reason_words import details_in_words
from approvals.transition import redraw
from butler.contract.card import Card
from butler.contract.reasons import in_own_words
from butler.store.queries import approvals, audit
from butler.store.store import Store
from tests.approvals.approval_batch_harness import ask_many, batches_in
from tests.approvals.harness import Harness, create_tables
from tests.support.nightly import examples

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("ask"), st.integers(1, 4)),
        st.tuples(st.just("tap"), st.integers(0, 200)),
        st.tuples(st.just("stale"), st.integers(0, 10_000)),
        st.tuples(st.just("wait"), st.sampled_from([1, 10, 60 * 60 * 24])),
        st.tuples(st.just("warn"), st.integers(0, 20)),
        st.tuples(st.just("restart"), st.just(0)),
        st.tuples(st.just("draw later"), st.just(0)),
        st.tuples(st.just("leaf"), st.integers(1, 8)),
        st.tuples(st.just("all"), st.integers(0, 3)),
    ),
    max_size=30,
)


class Eyes:
    """Records what the owner has seen, on single cards and on the batch card, including warnings."""

    def __init__(self, harness: Harness) -> None:
        self.harness = harness
        self.saw: set[tuple[str, int, str]] = set()
        self.cards: list[Card] = []
        show, edit = harness.channel.show, harness.channel.edit

        async def watched_show(*args: object) -> object:
            ref = await show(*args)  # type: ignore[arg-type]
            self.look(harness.channel.newest)
            return ref

        async def watched_edit(ref: object, card: Card) -> None:
            await edit(ref, card)  # type: ignore[arg-type]
            self.look(card)

        harness.channel.show = watched_show  # type: ignore[method-assign,assignment]
        harness.channel.edit = watched_edit  # type: ignore[method-assign,assignment]

    def look(self, card: Card) -> None:
        warning = card.outcome[0].text if card.outcome else ""
        self.saw.add((card.approval_id, card.revision, warning))
        self.cards.append(card)


async def live(steps: Sequence[tuple[str, int]]) -> None:
    store = create_tables(Store("sqlite://"))
    harness = Harness(store)
    eyes, later = Eyes(harness), False
    asked = await ask_many(harness, 5)
    for what, number in steps:
        match what:
            case "ask":
                asked += await ask_many(harness, number, first=len(asked) + 1, run=False)
            case "tap" | "stale":
                cards = list(harness.channel.cards.values()) if what == "tap" else eyes.cards
                buttons = [button for card in cards for line in card.buttons for button in line]
                if buttons:
                    await tap(harness, eyes, buttons[number % len(buttons)].data)
            case "wait":
                harness.clock.turn(seconds=number)
            case "warn" if asked:
                one = asked[number % len(asked)]
                later = await warn(harness, one, f"Mind this: {number}.")
            case "leaf":
                for _ in range(number):
                    await tap_any(harness, eyes, "▶")
            case "all":
                await tap_any(harness, eyes, ("Approve all", "Deny all", "Undo", "Approve this")[number])
            case "restart":
                harness.restart()
            case _:
                later = True
        if not later:
            await harness.run()
        later = False
    await harness.run()
    await whole(harness, asked)
    await store.close()


async def warn(harness: Harness, approval_id: str, text: str) -> bool:
    """Add a warning to a pending approval, as its discoverer does."""
    row, now = await harness.row(approval_id), harness.clock.now()

    def note(connection: sa.Connection) -> bool:
        warned = approvals.warn(connection, approval_id, in_own_words(text))
        if warned:
            redraw(connection, row, now=now)
        return warned

    return await harness.write(note)


async def tap_any(harness: Harness, eyes: Eyes, label: str) -> None:
    """Tap the newest button whose label begins like this, if any card has one."""
    lines = [line for card in harness.channel.cards.values() for line in card.buttons]
    buttons = [button for line in lines for button in line if button.label.startswith(label)]
    if buttons:
        await tap(harness, eyes, buttons[-1].data)
        await harness.run()


async def tap(harness: Harness, eyes: Eyes, data: str) -> None:
    """Tap, and check that the owner saw every approval that the tap approves in its current form."""
    before = {row.approval_id: row for row in await harness.store.read(lambda c: approvals.in_state(c, "pending"))}
    await harness.approvals.decide(harness.tap_of(data))
    after = await harness.store.read(lambda c: approvals.in_state(c, "approved"))
    for row in (row for row in after if row.approval_id in before and row.batch_id is not None):
        was = before[row.approval_id]
        assert (row.approval_id, was.revision, details_in_words(was.detail)) in eyes.saw


async def whole(harness: Harness, asked: Sequence[str]) -> None:
    """Check that each pending request is shown, and that each was decided and done at most once."""
    rows = [await harness.row(one) for one in asked]
    shown = {card.approval_id for card in harness.channel.cards.values()}
    all_batches = await harness.store.read(lambda c: batches_in(c, "telegram:42"))
    for row in (row for row in rows if row.state == "pending"):
        mine = [one for one in all_batches if one.batch_id == row.batch_id]
        assert row.approval_id in shown or (mine and mine[0].state == "open" and mine[0].card_refs)
    log = await harness.store.read(audit.rows)
    decided = Counter(row.subject for row in log if row.kind in {"approval.approved", "approval.denied"})
    assert all(count == 1 for count in decided.values())
    assert max(Counter(call.args.text for call in harness.provider.effects).values(), default=1) == 1
    assert {call.call_id for call in harness.provider.effects} == {row.call_id for row in rows if row.state == "done"}
    assert await harness.store.read(audit.verify) is None
    assert len(harness.channel.cards) <= 4 * (1 + len(all_batches)) + sum(row.batch_id is None for row in rows)


@given(steps=STEPS)
@settings(max_examples=examples(30), deadline=None)
def test_any_order_of_joins_taps_and_waits_approves_nothing_unseen_and_loses_nothing(
    steps: list[tuple[str, int]],
) -> None:
    asyncio.run(live(steps))
