"""The approvals and the controller over one store, with a tool that puts things away, once or again and again."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Any, TypeVar

import sqlalchemy as sa

from approvals.recurring import recurrence_of
from approvals.service import Approvals
from butler.bulk.launcher import USUAL
from butler.bulk.service import BulkService
from butler.contract.bulk import BulkOrder, BulkSnapshot, BulkWords
from butler.contract.bulk_tool import BulkArgs, bulk_preview, bulk_tool
from butler.contract.card import OwnerMessage, rich_text
from butler.contract.errors import Retryable
from butler.contract.provenance import Origin
from butler.contract.speech import say_date
from butler.contract.tools import Preview, Reconciled, ToolCall
from butler.provenance import Labels
from butler.store.queries import audit, bulk, rules, work
from butler.store.queries.bulk import RunRow
from butler.store.queries.bulk_schedules import ScheduleRow, get
from butler.store.queries.rules import RuleRow
from butler.store.store import Store
from butler.store.tables import bulk_runs
from butler.store.tables import rules as rules_table
from config.bulk import BulkSettings
from tests.approvals.harness import Harness
from tests.approvals.phone import OWNER
from tests.approvals.providers import OWN_WORDS, Invoker
from tests.approvals.second_channel import Killed
from tests.bulk.stub_provider import StubBulkAdapter, StubProvider

TOOL = "user_shelf_put_away"
NOON = datetime(2027, 3, 5, 12, tzinfo=UTC)
"""A Friday."""
SUNDAYS: Mapping[str, Any] = {"every": "week", "on": ["sunday"], "at": "09:00"}
LISTED = frozenset({Origin.butler("listed")})
T = TypeVar("T")


class ShelfArgs(BulkArgs):
    """Which things."""

    words: str = ""
    before: date | None = None
    cards: tuple[str, ...] = ()


def preview(args: ShelfArgs) -> Preview:
    before = say_date(args.before) if args.before else ""
    words = BulkWords("Puts things away", "Putting away", "Put away")
    return bulk_preview(words, args, (("Words", args.words), ("Before", before)))


def order(call: ToolCall) -> BulkOrder:
    said = call.args.model_dump(mode="json", exclude_defaults=True, exclude={"snapshot"})
    return BulkOrder("shelf", "", {"action": "away", **said})


class Mortal(Store):
    """A store that dies before or after its n-th write, as the process with it would."""

    left = -1
    after = False
    count = 0

    async def write(self, work: Callable[[sa.Connection], T], label: str = "", *, flushed: bool = True) -> T:
        self.count += 1
        self.left -= 1
        if self.left == 0 and not self.after:
            raise Killed
        result = await super().write(work, label, flushed=flushed)
        if self.left == 0:
            raise Killed
        return result


class Tools(Invoker):
    """What became of a call is asked of its tool, as the registry does."""

    async def reconcile(self, call: ToolCall) -> Reconciled:
        reconcile = self.spec(call.tool).reconcile
        assert reconcile is not None
        return await reconcile(call)


class RepeatHarness(Harness):
    """What a test says, taps and looks at."""

    def __init__(self, store: Store, shelf: StubProvider, limits: BulkSettings = USUAL) -> None:
        self.shelf, self.limits = shelf, limits
        super().__init__(store)
        self.clock.time = NOON

    def start(self) -> None:
        self.invoker = Tools(self.provider)
        super().start()
        self.bulk = BulkService(
            self.store, self.clock, self.owner, self.blobs, zone=self.zone, wake=lambda: None, limits=self.limits
        )
        self.bulk.adapters.add([StubBulkAdapter(self.shelf)])
        self.invoker.tools[TOOL] = bulk_tool(TOOL, "Put things away.", ShelfArgs, self.bulk.launcher, order, preview)
        self.approvals = Approvals(self.context, self.bulk.press_handlers())
        repeats = self.bulk.repeats(self.invoker, self.approvals)
        self.handlers = {**self.approvals.handlers(), **self.bulk.handlers(), **repeats}

    async def run(self, *, kinds: Mapping[str, Any] | None = None) -> None:
        del kinds
        while due := [
            row for row in await self.store.read(lambda c: work.ready(c, self.clock.now())) if row.kind in self.handlers
        ]:
            try:
                await self.handlers[due[0].kind](due[0].subject)
            except Retryable as error:
                await self.write(partial(self._again, due[0], str(error)))
            else:
                await self.write(partial(work.done, work_id=due[0].work_id))

    async def listed(self, args: Mapping[str, Any], labels: Labels = OWN_WORDS) -> BulkSnapshot | str:
        """What the order comes to, or why it is refused."""
        spec = self.invoker.spec(TOOL)
        assert spec.complete is not None
        call = ToolCall(TOOL, ShelfArgs.model_validate(args), "asks", "asks", origins=labels)
        result = await spec.complete(call)
        if result.error is not None:
            return result.error.message
        assert result.data is not None
        return BulkSnapshot.model_validate(result.data["snapshot"])

    async def ordered(
        self, repeat: Mapping[str, Any] | None = SUNDAYS, call_id: str = "c1", labels: Labels = OWN_WORDS, **args: Any
    ) -> str:
        """Ask for it; its card is there. The approval's id."""
        said = {"words": "offers", **args} | ({"repeat": repeat} if repeat else {})
        shown = await self.listed(said)
        assert isinstance(shown, BulkSnapshot), shown
        origins = {**dict.fromkeys(said, labels), "snapshot": LISTED}
        args = {**said, "snapshot": shown.model_dump(mode="json")}
        return await self.ask(TOOL, args=args, origins=origins, call_id=call_id)

    async def ruled(self, repeat: Mapping[str, Any] = SUNDAYS, **args: Any) -> RuleRow:
        """The same after the owner's yes: the rule."""
        await self.ordered(repeat, **args)
        await self.tap("Approve")
        await self.after_undo_window()
        return await self.rule()

    async def rule(self) -> RuleRow:
        (found,) = await self.store.read(
            lambda c: [RuleRow.of(row) for row in c.execute(sa.select(rules_table)).mappings()]
        )
        return found

    async def schedule(self) -> ScheduleRow:
        rule_id = (await self.rule()).rule_id
        found = await self.store.read(lambda c: get(c, rule_id))
        assert found is not None
        return found

    async def at(self, when: datetime) -> None:
        """It is that time, and the engine does what is due."""
        self.clock.time = when
        await self.run()

    async def due_now(self) -> ScheduleRow:
        """It is the next time of the rule, and nothing was done yet."""
        schedule = await self.schedule()
        self.clock.time = schedule.due_at
        return schedule

    async def next(self, late: timedelta = timedelta()) -> None:
        """The next time of the rule comes."""
        await self.at((await self.schedule()).due_at + late)

    async def begun(self) -> list[RunRow]:
        """The runs that were begun, the first first."""
        rows = sa.select(bulk_runs.c.run_id).where(bulk_runs.c.begun_at.is_not(None)).order_by(bulk_runs.c.begun_at)
        found = await self.store.read(lambda c: [bulk.get(c, one) for one in c.execute(rows).scalars()])
        return [run for run in found if run is not None]

    async def outcomes(self) -> list[str]:
        """What became of each time of the rule, in their order."""
        rule_id = (await self.rule()).rule_id
        rows = await self.store.read(lambda c: audit.rows(c, rule_id))
        return [row.data["outcome"] for row in reversed(rows) if row.kind == "rule.due"]

    async def told(self) -> list[OwnerMessage]:
        """What is told of runs and rules."""
        return await self.messages()

    async def press(self, message: OwnerMessage, label: str) -> str:
        """Tap a button of a message."""
        button = next(one for line in message.buttons for one in line if one.label == label)
        answer = await self.approvals.decide(self.tap_of(button))
        await self.run()
        return answer.text

    async def change(self, rule: RuleRow, **values: Any) -> None:
        """Somebody writes into the rule's row."""
        await self.write(lambda c: rules.replace_row(c, rule, replace(rule, **values)))


def text_of(message: OwnerMessage) -> str:
    return rich_text(message.text)


def fields(card: Any) -> dict[str, str]:
    return {label: rich_text(value) for label, value in card.fields}


__all__ = ["NOON", "OWNER", "SUNDAYS", "TOOL", "RepeatHarness", "recurrence_of"]
