"""Builds the steps that look at a server's metrics and logs over a span of time."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from butler.contract.agents import PlanStep
from butler.contract.signals import signal_of
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.planning.plan_types import PlannerOutput
from butler.orchestrator.servers.named_signals import titles_of

METRICS, LOGS = "bot_prometheus_query_metrics", "bot_loki_query_logs"
MOST_SIGNALS = 7
LOOKED_AT = ("cpu", "load", "memory", "disk", "disk_io", "latency", "errors", "swap", "temperature", "down")
"""The signals of a server as a whole, in order."""
USUAL = timedelta(hours=6)
"""The default time to look back."""
MOST_LOGS = 3
TROUBLE = ("errors", "error", "warnings", "problems")
"""Names of log queries that show what went wrong."""
ERRORS_AND_WARNINGS = phrase("Errors and warnings")
"""The title of the log query that exists without any settings."""


@dataclass(frozen=True, slots=True)
class Span:
    """A span of time; an end of None is now. Both aware, in the owner's zone."""

    since: datetime
    before: datetime | None = None


def look(signals: list[str], scene: Scene, span: Span, *, logs: bool) -> PlannerOutput | None:
    """Return a plan that looks at these signals and at logs of trouble; None if nothing can be looked at."""
    since, before = written(span.since), until(span)
    steps: list[PlanStep] = []
    if scene.has(METRICS):
        titles = titles_of(METRICS, scene.request.tools)
        named = [(name, signal_of({"signal": name, "title": titles.get(name, "")}).name) for name in signals]
        steps += [calls.measure(name, title, since, **before) for name, title in named]
    if logs and scene.has(LOGS):
        known = titles_of(LOGS, scene.request.tools)
        trouble = sorted(known, key=lambda name: name not in TROUBLE)
        wanted = trouble[: MOST_LOGS if signals else 1]
        steps += [calls.read_logs(name, title_of(known[name]), since, **before) for name in wanted]
    return calls.plan(*steps) if steps else None


def title_of(title: str) -> str:
    """Return a log query's title, in the owner's language if it is Butler's own."""
    return say(ERRORS_AND_WARNINGS) if title == ERRORS_AND_WARNINGS else title


def written(at: datetime) -> str:
    """Return a moment as the tools take it, local."""
    return at.replace(tzinfo=None).isoformat(timespec="minutes")


def until(span: Span) -> dict[str, str]:
    """Return the argument for the end of a span, if it has one."""
    return {"before": written(span.before)} if span.before is not None else {}
