"""Asks in the terminal, except for answers already given by an option or the environment."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import typer

from butler.contract.errors import ButlerError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Dialogue:
    """Questions to the user, or (`asks=False`, for scripts) none at all."""

    asks: bool

    def text(self, question: str, given: str | None, default: str = "") -> str:
        """Ask for one line; an empty answer means the default."""
        if given is not None:
            return given.strip()
        if not self.asks:
            return default
        return str(typer.prompt(question, default=default, show_default=bool(default))).strip()

    def secret(self, question: str) -> str:
        """Ask for one hidden line; return an empty text if nobody can be asked."""
        if not self.asks:
            return ""
        return str(typer.prompt(question, default="", show_default=False, hide_input=True)).strip()

    def agrees(self, question: str, *, default: bool) -> bool:
        """Ask yes or no; return no if nobody can be asked."""
        return self.asks and typer.confirm(question, default=default)

    def say(self, text: str = "") -> None:
        """Print something for the user."""
        typer.echo(text)

    def works(self, check: Callable[[], T]) -> T | None:
        """Return a check's result, or None after reporting its failure.

        If nobody can correct the answer, raise the failure.
        """
        try:
            return check()
        except ButlerError as error:
            if not self.asks:
                raise
            self.say(f"  Not yet: {reason(error)}.")
            return None


def reason(error: ButlerError) -> str:
    """Return an error's own words, without its kind."""
    return (error.detail or str(error)).rstrip(".")
