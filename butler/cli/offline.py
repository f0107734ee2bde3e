"""The dependencies of the approvals without a daemon and without connections."""

from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from approvals.context import Context
from butler.clock import RealClock
from butler.offline import offline_registry
from config.load import load


def offline_approvals(path: Path) -> Context:
    """Return the tools, the settings and the owner's zone; raise `ConfigError`. Nothing in it opens a connection."""
    loaded = load(path)
    registry, _ = offline_registry(loaded.settings.modules)
    nothing: Any = None
    return Context(
        store=nothing,
        invoker=registry,
        channel=nothing,
        owner=nothing,
        clock=RealClock(),
        zone=ZoneInfo(loaded.settings.butler.timezone),
        settings=loaded.settings.approvals,
        blobs=nothing,
        wake=lambda: None,
    )
