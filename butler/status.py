"""Butler's answers about itself: help, the state of each channel, and the experts."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from math import isinf

from approvals.service import Approvals
from butler.contract.card import Rich, Span, plain
from butler.contract.module import Health
from butler.contract.ports import Clock
from butler.contract.speech import say
from butler.orchestrator.embedded.help import help_text
from butler.orchestrator.experts.expert import NOBODY, Experts
from butler.orchestrator.experts.expert_list import experts_text
from butler.orchestrator.planning.plan_types import Command
from butler.quiet_hours import QuietHoursInForce, quiet_words
from butler.source_names import as_title


async def nothing_more() -> Sequence[str]:
    """Return no lines."""
    return ()


class StatusAnswers:
    """Answers that need no plan."""

    def __init__(
        self,
        approvals: Approvals,
        clock: Clock,
        health: Callable[[], Mapping[str, Health]],
        butler_name: str,
        experts: Experts = NOBODY,
        standing: Callable[[], Awaitable[Sequence[str]]] = nothing_more,
        quiet: QuietHoursInForce | None = None,
    ) -> None:
        """`standing` returns lines on Butler's other state; `quiet` are shown if the owner set them by words."""
        self._approvals, self._clock, self._health, self._name = approvals, clock, health, butler_name
        self._experts, self._standing, self._quiet = experts, standing, quiet

    async def answer(self, command: Command) -> Rich:
        """Return the answer to `status`, as of now, to `experts` or to `help`."""
        match command:
            case Command.STATUS:
                return await self._status()
            case Command.EXPERTS:
                return plain(experts_text(self._experts))
            case _:
                return (Span(text=help_text(self._name), live=True),)

    async def _status(self) -> Rich:
        now = self._clock.now()
        paused = await self._approvals.paused()
        lines = [f"⏸ {paused}"] if paused else []
        if self._quiet is not None and self._quiet.wish is not None:
            lines.append(f"🔕 {quiet_words(self._quiet.hours)}")
        lines += [
            f"{mark(health, now)} {as_title(name)}: {describe(health, now)}" for name, health in self._health().items()
        ]
        if not self._health():
            lines.append(say("No channel is set up."))
        more = await self._standing()
        return plain("\n".join([*lines, *([""] if more else []), *more]))


def mark(health: Health, now: datetime) -> str:
    """Return a sign for a list."""
    return "🟢" if health.is_alive(now) else "🔴"


def describe(health: Health, now: datetime) -> str:
    """Describe a source's health in words."""
    if health.stopped:
        return say("stopped. {why}", why=health.detail)
    age_s = health.age_s(now)
    if isinf(age_s):
        return health.detail or say("no round trip yet")
    ago = round(age_s)
    if health.detail:
        return say("last round trip {seconds} s ago. {detail}", seconds=ago, detail=health.detail)
    return say("last round trip {seconds} s ago", seconds=ago)
