"""The metrics on `/metrics`: counted as things happen, or from rows on request.

Receives every commit and provider call, and passes both on to another probe, such as a crash test's. Names and units
are those of Prometheus; no label holds anything that a person wrote.
"""

import time
from collections.abc import Callable, Mapping
from datetime import datetime

import sqlalchemy as sa
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest

from butler.contract.inbound import Inbound
from butler.contract.integration import CallProbe, IntegrationCall, IntegrationResult
from butler.contract.module import Health
from butler.store.queries import approvals, counts, model_use
from butler.store.queries.counts import Queue
from butler.store.queries.model_use import Used
from butler.store.store import CommitProbe, Store

TURN = "turn"
"""The label for the write of a finished turn."""
LATENESS_S = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0, 300.0, 3600.0)
CALLS_S = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
MOST_UNDER_WAY = 10_000
"""Calls whose start time is remembered; others are counted without a duration."""


class Metrics:
    """Implements `CallProbe` and `CommitProbe`."""

    def __init__(self, commits: CommitProbe | None = None, calls: CallProbe | None = None) -> None:
        self._commits_probe, self._calls_probe = commits, calls
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._began: dict[str, float] = {}
        self._fired_up_to: datetime | None = None
        self._updates = self._counter("butler_updates", "New items in the inbox.", "channel", "identity", "kind")
        self._turns = self._counter("butler_turns", "Requests that were answered or planned.")
        self._commits = self._counter("butler_commits", "Transactions of the store.")
        self._calls = self._counter("butler_provider_calls", "Calls through the one door.", "method", "outcome")
        self._call_time = Histogram(
            "butler_provider_call_seconds",
            "How long calls through the one door took.",
            ("channel",),
            buckets=CALLS_S,
            registry=self._registry,
        )
        self._hooks = self._counter(
            "butler_hooks", "Requests to webhooks, by what became of them.", "receiver", "outcome"
        )
        self._lateness = Histogram(
            "butler_firing_lateness_seconds",
            "How late reminders, digests and the like were fired.",
            ("kind",),
            buckets=LATENESS_S,
            registry=self._registry,
        )
        self._age = self._gauge("butler_channel_last_ok_seconds", "Since a channel's last round trip.", "channel")
        self._stopped = self._gauge("butler_channel_stopped", "1 where only the owner can help.", "channel")
        self._ready = self._gauge("butler_work_ready", "Work that is due.")
        self._oldest = self._gauge("butler_work_oldest_seconds", "For how long the oldest work has been due.")
        self._failed = self._gauge("butler_work_failed", "Work that was set aside.")
        self._outbox = self._gauge("butler_outbox_waiting", "Messages to the owner that are not sent yet.")
        self._approvals = self._gauge("butler_approvals", "Approvals by state.", "state")
        self._stored_hooks = self._gauge("butler_stored_hooks", "Webhooks in the store.", "receiver", "state")
        self._automations = self._gauge("butler_automation_firings", "Firings of automations in the store.", "state")
        self._cost = self._gauge("butler_model_cost_dollars", "What language models cost.", "period")
        self._tokens = self._gauge("butler_model_tokens", "Tokens of language models.", "period")
        self._requests = self._gauge("butler_model_requests", "Requests to language models.", "period")
        self._size = self._gauge("butler_database_bytes", "Size of the database.")
        self._look = self._gauge("butler_engine_last_look_seconds", "Since the engine last looked for work.")

    def _counter(self, name: str, what: str, *labels: str) -> Counter:
        return Counter(name, what, labels, registry=self._registry)

    def _gauge(self, name: str, what: str, *labels: str) -> Gauge:
        return Gauge(name, what, labels, registry=self._registry)

    def came_in(self, item: Inbound) -> None:
        """Count a new inbox item."""
        self._updates.labels(item.channel, item.identity.value, item.kind.value).inc()

    def hook(self, receiver: str, outcome: str) -> None:
        """Count a webhook call: the configured receiver and `stored`, `known`, `greeted` or a status."""
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
        if len(self._began) < MOST_UNDER_WAY:
            self._began[_key(call)] = time.monotonic()
        if self._calls_probe:
            self._calls_probe.before_call(call)

    def after_call(self, call: IntegrationCall, result: IntegrationResult) -> None:
        outcome = result.error.code.value if result.error else "OK"
        self._calls.labels(call.method_id, outcome).inc()
        if (began := self._began.pop(_key(call), None)) is not None:
            self._call_time.labels(call.method_id.partition(".")[0]).observe(time.monotonic() - began)
        if self._calls_probe:
            self._calls_probe.after_call(call, result)

    async def page(
        self,
        store: Store,
        now: datetime,
        health: Callable[[], Mapping[str, Health]] = dict,
        last_tick: Callable[[], datetime | None] = lambda: None,
    ) -> bytes:
        """Return all metrics in Prometheus' text format. `now` has the owner's zone: cost is counted by its days."""
        await store.read(lambda c: self._count(c, now))
        for name, one in health().items():
            self._age.labels(name).set(one.age_s(now))
            self._stopped.labels(name).set(one.stopped)
        if (tick := last_tick()) is not None:
            self._look.set(max(0.0, (now - tick).total_seconds()))
        return generate_latest(self._registry)

    def _count(self, connection: sa.Connection, now: datetime) -> None:
        self._count_queue(counts.queue(connection, now), now)
        for gauge in (self._approvals, self._stored_hooks, self._automations):
            gauge.clear()
        for state, number in approvals.count_by_state(connection).items():
            self._approvals.labels(state).set(number)
        for (receiver, state), number in counts.hooks_by(connection).items():
            self._stored_hooks.labels(receiver, state).set(number)
        for state, number in counts.automation_firings_by_state(connection).items():
            self._automations.labels(state).set(number)
        self._count_use("day", model_use.of_day(connection, now.date()))
        self._count_use("month", model_use.of_month(connection, now.date()))
        # Firings before the first look are not counted: a process counts from its start.
        for fired in counts.fired_since(connection, self._fired_up_to or now):
            self._lateness.labels(fired.kind).observe(max(0.0, fired.late_s))
        self._fired_up_to = now

    def _count_queue(self, queue: Queue, now: datetime) -> None:
        self._ready.set(queue.ready)
        self._oldest.set(max(0.0, (now - queue.oldest).total_seconds()) if queue.oldest else 0)
        self._failed.set(queue.failed)
        self._outbox.set(queue.unsent)
        self._size.set(queue.size)

    def _count_use(self, period: str, used: Used) -> None:
        self._cost.labels(period).set(used.cost)
        self._tokens.labels(period).set(used.tokens)
        self._requests.labels(period).set(used.requests)


def _key(call: IntegrationCall) -> str:
    return f"{call.method_id} {call.trace_id} {id(call)}"
