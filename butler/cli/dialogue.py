"""Asks in the terminal. An answer that was given beforehand, by an option or the environment, is not asked for."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import typer

from butler.contract.errors import ButlerError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Dialogue:
    """Questions to the person, or (`asks=False`, for scripts) none at all."""

    asks: bool

    def text(self, question: str, given: str | None, default: str = "") -> str:
        """One line; an empty answer means the default."""
        if given is not None:
            return given.strip()
        if not self.asks:
            return default
        return str(typer.prompt(question, default=default, show_default=bool(default))).strip()

    def secret(self, question: str) -> str:
        """One line that is not shown; empty where nobody is asked."""
        if not self.asks:
            return ""
        return str(typer.prompt(question, default="", show_default=False, hide_input=True)).strip()

    def agrees(self, question: str, *, default: bool) -> bool:
        """Yes or no; no where nobody is asked."""
        return self.asks and typer.confirm(question, default=default)

    def say(self, text: str = "") -> None:
        """Tell the person something."""
        typer.echo(text)

    def works(self, check: Callable[[], T]) -> T | None:
        """What a check answers, or None when it failed and the person was told why.

        Where nobody can correct the answer, the failure is raised.
        """
        try:
            return check()
        except ButlerError as error:
            if not self.asks:
                raise
            self.say(f"  Not yet: {reason(error)}.")
            return None


def reason(error: ButlerError) -> str:
    """An error's own words, without the kind of error it is."""
    return (error.detail or str(error)).rstrip(".")
