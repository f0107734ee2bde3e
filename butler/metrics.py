"""The numbers on `/metrics`: counted as things happen, or in the rows when somebody looks.

Told of every commit and provider call, and passes both on to another probe, such as a crash test's.
"""

import sqlalchemy as sa
from prometheus_client import CollectorRegistry, Counter, Gauge, ProcessCollector, generate_latest

from butler.contract.inbound import Inbound
from butler.contract.integration import CallProbe, IntegrationCall, IntegrationResult
from butler.store.queries import approvals, work
from butler.store.store import CommitProbe, Store

TURN = "turn"
"""How the write of a finished turn is labelled."""


class Metrics:
    """Meets `CallProbe` and `CommitProbe`. No label holds anything that a person wrote."""

    def __init__(self, commits: CommitProbe | None = None, calls: CallProbe | None = None) -> None:
        self._commits_probe, self._calls_probe = commits, calls
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._updates = Counter(
            "butler_updates", "New items in the inbox.", ("channel", "identity", "kind"), registry=self._registry
        )
        self._turns = Counter("butler_turns", "Requests that were answered or planned.", registry=self._registry)
        self._commits = Counter("butler_commits", "Transactions of the store.", registry=self._registry)
        self._calls = Counter(
            "butler_provider_calls", "Calls through the one door.", ("method", "outcome"), registry=self._registry
        )
        self._hooks = Counter(
            "butler_hooks",
            "Requests to webhooks, by what became of them.",
            ("receiver", "outcome"),
            registry=self._registry,
        )
        self._approvals = Gauge("butler_approvals", "Approvals by state.", ("state",), registry=self._registry)
        self._failed = Gauge("butler_work_failed", "Work that was set aside.", registry=self._registry)

    def came_in(self, item: Inbound) -> None:
        """An item is new in the inbox."""
        self._updates.labels(item.channel, item.identity.value, item.kind.value).inc()

    def hook(self, receiver: str, outcome: str) -> None:
        """A webhook was called: the receiver as the settings name it, and `stored`, `known`, `greeted` or a status."""
        self._hooks.labels(receiver, outcome).inc()

    def before_commit(self, labels: list[str]) -> None:
        if self._commits_probe:
            self._commits_probe.before_commit(labels)

    def after_commit(self, labels: list[str]) -> None:
        self._commits.inc()
        self._turns.inc(labels.count(TURN))
        if self._commits_probe:
            self._commits_probe.after_commit(labels)

    def before_call(self, call: IntegrationCall) -> None:
        if self._calls_probe:
            self._calls_probe.before_call(call)

    def after_call(self, call: IntegrationCall, result: IntegrationResult) -> None:
        outcome = result.error.code.value if result.error else "OK"
        self._calls.labels(call.method_id, outcome).inc()
        if self._calls_probe:
            self._calls_probe.after_call(call, result)

    async def page(self, store: Store) -> bytes:
        """Everything in the text format of Prometheus."""

        def look(connection: sa.Connection) -> tuple[dict[str, int], int]:
            return approvals.count_by_state(connection), work.count(connection, work.FAILED)

        by_state, failed = await store.read(look)
        self._failed.set(failed)
        self._approvals.clear()
        for state, number in by_state.items():
            self._approvals.labels(state).set(number)
        return generate_latest(self._registry)
