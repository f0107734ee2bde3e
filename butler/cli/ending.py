"""How a command ends: done, or refused with one sentence on stderr and exit code 1."""

import logging
import sys
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import typer

from config.errors import ButlerError, Refuse

P = ParamSpec("P")


def one_sentence(command: Callable[P, None]) -> Callable[P, None]:
    """What is refused or failed is said in one sentence on stderr, with exit code 1."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        quiet()
        try:
            command(*args, **kwargs)
        except ButlerError as error:
            # What is refused says by itself that it may not be done; every other kind names its trouble first.
            said = error.detail if type(error) is Refuse and error.detail else str(error)
            print(f"butler: {said}", file=sys.stderr)
            raise typer.Exit(1) from None

    return run


def quiet() -> None:
    """Commands say themselves what they find: logs are the daemon's, and `run` switches them on."""
    import structlog  # noqa: PLC0415

    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    logging.getLogger().addHandler(logging.NullHandler())
