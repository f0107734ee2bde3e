"""A machine that does anything in any order to a run: deaths, lost answers, taps, floods; and what never gives."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import sqlalchemy as sa
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from butler.contract.bulk import BulkOrder, BulkSnapshot
from butler.contract.errors import Retryable
from butler.store.open import open_store
from butler.store.queries import bulk
from butler.store.queries.bulk import ItemRow, ItemState, RunRow, RunState
from butler.store.store import Store
from butler.store.tables import bulk_runs, metadata
from tests.bulk.bulk_harness import BulkHarness, called
from tests.bulk.stub_provider import StubBulkAdapter, StubProvider
from tests.support.nightly import examples

THINGS, BATCH = 23, 5
OPEN = {RunState.RUNNING, RunState.PAUSED}
a_thing = st.integers(0, THINGS - 1).map(lambda at: f"t{at:05}")
a_pick = st.integers(0, 7)


class DiedError(BaseException):
    """The process ends here."""


@dataclass
class Account:
    """What happened to each thing, and how often something came in between that lets a batch be sent again."""

    disturbed: int = 0
    moved_by_hand: set[str] = field(default_factory=set[str])
    old_buttons: list[str] = field(default_factory=list[str])


class Machine(RuleBasedStateMachine):
    """One shelf, one controller that is killed and started again, and an owner who taps whatever there is."""

    def __init__(self, store: Store, loop: asyncio.AbstractEventLoop) -> None:
        """Making the tables takes longer than a whole example, so that one store serves all of them."""
        super().__init__()
        self._loop, self.store = loop, store
        self._loop.run_until_complete(store.write(empty))
        self.shelf = StubProvider.of(THINGS)
        self.room = BulkHarness.of(self.store, StubBulkAdapter(self.shelf, page=7, batch=BATCH))
        self.account = Account()
        self.order: list[str] = []
        self.calls = 0

    def teardown(self) -> None:
        self._come_to_rest()

    # What happens

    @initialize()
    def begin(self) -> None:
        """There is something to do from the start."""
        self._loop.run_until_complete(self._begun())

    @rule()
    def ask_and_say_yes(self) -> None:
        """Twice the same yes begins it once."""
        self._loop.run_until_complete(self._begun())

    @rule(count=st.integers(1, 6))
    def time_for_work(self, count: int) -> None:
        """The engine gives some rows of work a turn."""
        still = {run.run_id: items for run, items in self._runs() if run.state is not RunState.RUNNING}
        for _ in range(count):
            with suppress(Retryable):
                self._loop.run_until_complete(self.room.step())
        after = {run.run_id: items for run, items in self._runs()}
        assert all(after[one] == items for one, items in still.items()), "what stands still is not worked on"

    @rule(later=st.integers(0, 2), unclear=st.integers(0, 2), after=st.integers(0, 2))
    def trouble(self, later: int, unclear: int, after: int) -> None:
        """The provider is full, does not answer, or its answer is lost."""
        self.shelf.later, self.shelf.unclear, self.shelf.unclear_after = later, unclear, after
        self.account.disturbed += unclear + after

    @rule(things=st.sets(a_thing, max_size=3), how=st.sampled_from(["bad", "failing", "silent"]))
    def balk(self, things: set[str], how: str) -> None:
        """Some things are refused, stuck, or taken and not done."""
        setattr(self.shelf, how, things)

    @rule(before=st.booleans())
    def die_amid_a_batch(self, *, before: bool) -> None:
        """The process ends before what was sent arrives, or after it has had its effect."""

        async def die() -> None:
            raise DiedError

        self.shelf.meanwhile = die if before else None
        if not before:
            # Where this step sends nothing, the answer to a later batch is lost, and that batch may be sent again.
            self.shelf.unclear_after += 1
            self.account.disturbed += 1
        try:
            self._loop.run_until_complete(self.room.step())
        except (DiedError, Retryable):
            self.account.disturbed += before
            self.room = self.room.again()
        self.shelf.meanwhile = None

    @rule(label=st.sampled_from(["Pause", "Resume", "Stop", "Undo", "Undo", "Retry failed"]), twice=st.booleans())
    def tap(self, label: str, *, twice: bool) -> None:
        """The owner taps the newest button of this name."""
        self._loop.run_until_complete(self._tap(label, twice=twice))

    @rule(label=st.sampled_from(["Undo", "Retry failed"]))
    def wait_and_tap(self, label: str) -> None:
        """All that goes on comes to an end, and then what is left to be said is said."""
        self._loop.run_until_complete(self.room.worked_off())
        self._loop.run_until_complete(self._tap(label, twice=False))

    @precondition(lambda self: self.account.old_buttons)
    @rule(which=a_pick)
    def tap_an_old_one(self, which: int) -> None:
        """Or one that stood there once."""
        old = self.account.old_buttons
        self._loop.run_until_complete(self.room.press(old[which % len(old)]))

    @rule(thing=a_thing, gone=st.booleans())
    def somebody_else(self, thing: str, *, gone: bool) -> None:
        """The person moves a thing by hand, or throws it away."""
        self.account.moved_by_hand.add(thing)
        if gone:
            self.shelf.things.pop(thing, None)
        elif thing in self.shelf.things:
            self.shelf.things[thing] = not self.shelf.things[thing]

    @rule(number=st.integers(90_000, 90_005))
    def more_comes_in(self, number: int) -> None:
        """Things of the same kind that nobody has said yes to yet."""
        self.shelf.things.setdefault(f"t{number}", True)

    # What never gives

    @invariant()
    def it_is_as_was_said(self) -> None:
        """Each thing is once in a run, and nothing is touched that was not shown, approved, and still to be done."""
        runs = self._runs()
        states = {run.run_id: {item.item_id: item.state for item in items} for run, items in runs}
        begun = [states[run.run_id] for run, _ in runs if run.begun_at]
        for run, items in runs:
            assert len(items) == len(states[run.run_id]) == run.total
            open_ones = {ItemState.TODO, ItemState.INFLIGHT} & set(states[run.run_id].values())
            assert run.state is not RunState.DONE or not open_ones
            if run.undo_of is not None:
                was = states[run.undo_of]
                assert {was[one] for one in states[run.run_id]} <= {ItemState.DONE, ItemState.INFLIGHT}
            if run.retry_of is not None:
                assert {states[run.retry_of][one] for one in states[run.run_id]} == {ItemState.FAILED}
        for thing, times in self.shelf.sent.items():
            assert 1 <= times <= sum(thing in one for one in begun) + self.account.disturbed

    # How it is looked at

    def _come_to_rest(self) -> None:
        """Without trouble everything that runs ends, and what was undone lies where it lay."""
        self.shelf.later = self.shelf.unclear = self.shelf.unclear_after = 0
        self.shelf.bad, self.shelf.failing, self.shelf.silent = set(), set(), set()
        self._loop.run_until_complete(self.room.worked_off())
        runs = self._runs()
        paused = any(run.state is RunState.PAUSED for run, _ in runs)
        for run, items in runs:
            assert run.state in OPEN - {RunState.RUNNING} | {RunState.DONE, RunState.STOPPED, RunState.READY} or paused
            if run.undo_of is None or run.state is not RunState.DONE or self._acted_after(run, runs):
                continue
            unknown = self.account.moved_by_hand | self.shelf.lied_about
            for item in items:
                if item.state is ItemState.DONE and item.item_id not in unknown:
                    assert self.shelf.things[item.item_id], "what was put back is open again"

    def _acted_after(self, run: RunRow, runs: list[tuple[RunRow, list[ItemRow]]]) -> bool:
        assert run.begun_at is not None
        return any(other.ended_at is None or other.ended_at > run.begun_at for other, _ in runs if other is not run)

    async def _begun(self) -> None:
        order = BulkOrder("shelf", "", {"action": "away"})
        self.calls += 1
        result = await self.room.launcher.snapshot(order, called("asks"))
        if not result.ok or result.data is None:
            return
        snapshot = BulkSnapshot.model_validate(result.data["snapshot"])
        for _ in range(2):
            started = await self.room.launcher.start(order, snapshot, called(f"call-{self.calls}"))
            assert started.ok
            assert started.data is not None
            assert started.data["run"] == snapshot.run

    async def _tap(self, label: str, *, twice: bool) -> None:
        told = [run.run_id for run, _ in await self._read() if run.message_id]
        shown = [(await self.room.message(run)).buttons for run in told]
        found = [button.data for lines in shown for line in lines for button in line if button.label == label]
        if not found:
            return
        self.account.old_buttons.append(found[-1])
        for _ in range(1 + twice):
            await self.room.press(found[-1])

    def _runs(self) -> list[tuple[RunRow, list[ItemRow]]]:
        return self._loop.run_until_complete(self._read())

    async def _read(self) -> list[tuple[RunRow, list[ItemRow]]]:
        """All runs that are listed, in the order in which they came."""
        self.order += sorted(set(await self.store.read(run_ids)) - set(self.order))
        return [(await self.room.run(one), await self._items(one)) for one in self.order]

    async def _items(self, run_id: str) -> list[ItemRow]:
        return await self.store.read(lambda c: bulk.page_of(c, run_id, -1))


def run_ids(connection: sa.Connection) -> list[str]:
    """All that found anything."""
    return list(connection.execute(sa.select(bulk_runs.c.run_id).where(bulk_runs.c.total > 0)).scalars())


def empty(connection: sa.Connection) -> None:
    """Nothing was ever asked for."""
    for table in reversed(metadata.sorted_tables):
        connection.execute(table.delete())


def test_no_order_of_deaths_taps_and_troubles_breaks_a_run(tmp_path: Path) -> None:
    loop, store = asyncio.new_event_loop(), open_store("sqlite://", data_dir=tmp_path)
    every = list(HealthCheck)
    quiet = settings(
        max_examples=examples(40), stateful_step_count=25, deadline=None, suppress_health_check=every, derandomize=True
    )
    try:
        run_state_machine_as_test(partial(Machine, store, loop), settings=quiet)  # pyright: ignore[reportUnknownMemberType]
    finally:
        loop.run_until_complete(store.close())
        loop.close()
