"""The service of bulk operations: the launcher for tools, the buttons' handlers, and the engine's work handlers."""

from collections.abc import Callable, Mapping
from zoneinfo import ZoneInfo

from approvals.service import Approvals
from approvals.tap_result import PressHandler
from butler.bulk.launcher import USUAL, StoreBulkLauncher
from butler.bulk.open_runs import OpenRuns
from butler.bulk.progress_message import ProgressMessages
from butler.bulk.recurring_runs import RecurringRuns
from butler.bulk.registry import BulkAdapters
from butler.bulk.report import RunReports
from butler.bulk.run_buttons import LIST_FILE, RunButtons
from butler.bulk.runs import Runs
from butler.contract.ports import BlobStore, Clock, OwnerFacts
from butler.contract.reasons import Reason
from butler.engine import WorkHandler
from butler.store.queries import bulk, bulk_schedules
from butler.store.store import Store
from butler.tool_invoker import ToolInvoker
from config.bulk import BulkSettings


class BulkService:
    """The bulk service, built by `butler.app`. Its state is in the store."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        owner: OwnerFacts,
        blobs: BlobStore,
        *,
        zone: ZoneInfo,
        wake: Callable[[], None],
        limits: BulkSettings = USUAL,
    ) -> None:
        self._owner, self._store, self._clock, self._wake = owner, store, clock, wake
        self.adapters = BulkAdapters()
        telling = ProgressMessages(self.adapters, self._owner_id)
        # A run that no chat asked for reports to the owner's own chat.
        self.launcher = StoreBulkLauncher(
            store, clock, self.adapters, zone=zone, home=self._owner_id, wake=wake, limits=limits
        )
        self.running = OpenRuns(telling)
        self._controls = RunButtons(self.adapters, telling)
        self._runs = Runs(store, clock, self.adapters, telling, wake=wake)
        self._reports = RunReports(store, clock, self.adapters, blobs, zone=zone, wake=wake)

    def press_handlers(self) -> Mapping[tuple[str, str], PressHandler]:
        """Return the handlers of a run's buttons, by kind and verb."""
        return self._controls.press_handlers()

    def handlers(self) -> dict[str, WorkHandler]:
        """Return the work handlers, by the kind of row."""
        return {bulk.BATCH: self._runs.advance, bulk.REDRAW: self._runs.redraw, LIST_FILE: self._reports.send}

    async def dead_letter(self, kind: str, subject: str, why: Reason) -> None:
        """Pause the run of a work row that the engine gave up, so that nothing waits for it forever."""
        if kind == bulk.BATCH:
            await self._runs.give_up(subject, why)

    def repeats(self, tools: ToolInvoker, approvals: Approvals) -> dict[str, WorkHandler]:
        """Return the work handlers of recurring rules, which use these tools and approvals."""
        made = RecurringRuns(self._store, self._clock, tools, approvals, home=self._owner_id, wake=self._wake)
        return {bulk_schedules.DUE: made.due}

    def _owner_id(self) -> str:
        """Return the owner, which is also the address of their own chat; empty before pairing."""
        user_id = self._owner.telegram_user_id
        return "" if user_id is None else f"telegram:{user_id}"
