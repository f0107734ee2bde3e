"""Pause and resume, beside a running daemon: implements `butler pause` and `butler resume`."""

from pathlib import Path

from approvals.pause import COMMAND_LINE, pause, resume, resumed_words, stopped_words
from butler.cli.database import changing
from butler.clock import RealClock


def pause_now(path: Path) -> str:
    """Pause; return what was stopped."""
    with changing(path) as connection:
        done = pause(connection, COMMAND_LINE, RealClock().now())
    return f"{stopped_words(done)} Only `butler resume` lifts it."


def resume_now(path: Path) -> str:
    """Lift the pause; return what that means."""
    with changing(path) as connection:
        return resumed_words(resume(connection, COMMAND_LINE, RealClock().now()))
