"""Report the errors of commands: one sentence on stderr, with exit code 1."""

import logging
import sys
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import typer

from config.errors import ButlerError, Refuse

P = ParamSpec("P")


def report_errors(command: Callable[P, None]) -> Callable[P, None]:
    """Wrap a command: a `ButlerError` becomes one sentence on stderr, with exit code 1."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        silence_logs()
        try:
            command(*args, **kwargs)
        except ButlerError as error:
            # A refusal is a whole sentence; every other kind of error puts its name first.
            message = error.detail if type(error) is Refuse and error.detail else str(error)
            print(f"butler: {message}", file=sys.stderr)
            raise typer.Exit(1) from None

    return run


def silence_logs() -> None:
    """Switch logs off: commands print their results, and only `run` switches logs on again."""
    import structlog  # noqa: PLC0415

    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    logging.getLogger().addHandler(logging.NullHandler())
