"""`butler pause`, `resume` and `pin`: what only somebody at the machine may do, beside a running daemon."""

import sys
from pathlib import Path

import typer

from butler.cli.data import changing
from butler.cli.ending import one_sentence
from butler.cli.options import DEFAULT, ConfigOption
from butler.clock import RealClock
from butler.contract.errors import Refuse

pin_app = typer.Typer(help="A PIN before what is of the highest risk, and before /resume.", no_args_is_help=True)


@one_sentence
def pause(config: ConfigOption = DEFAULT) -> None:
    """Stop at once all that acts as you, also what is approved and not begun; only `butler resume` lifts it."""
    print(pause_now(config))


@one_sentence
def resume(config: ConfigOption = DEFAULT) -> None:
    """Lift a pause, also one that was set in the chat."""
    print(resume_now(config))


@pin_app.command("set")
@one_sentence
def pin_set(config: ConfigOption = DEFAULT) -> None:
    """Set the PIN, asked for twice and not shown."""
    if not on_a_terminal():
        raise Refuse("a PIN is typed where it is not shown; run `butler pin set` on a terminal")
    typed = str(typer.prompt("PIN, 4 to 12 digits", hide_input=True))
    again = str(typer.prompt("The same again", hide_input=True))
    print(set_pin_to(config, typed, again))


@pin_app.command("clear")
@one_sentence
def pin_clear(config: ConfigOption = DEFAULT) -> None:
    """Ask for no PIN any more."""
    print(clear_the_pin(config))


def on_a_terminal() -> bool:
    """Whether what is typed can be hidden."""
    return sys.stdin.isatty()


def pause_now(path: Path) -> str:
    """Pause; what was stopped."""
    from approvals.pause import COMMAND_LINE, pause, stopped_words  # noqa: PLC0415

    with changing(path) as connection:
        done = pause(connection, COMMAND_LINE, RealClock().now())
    return f"{stopped_words(done)} Only `butler resume` lifts it."


def resume_now(path: Path) -> str:
    """Lift the pause; what that means."""
    from approvals.pause import COMMAND_LINE, resume, resumed_words  # noqa: PLC0415

    with changing(path) as connection:
        return resumed_words(resume(connection, COMMAND_LINE, RealClock().now()))


def set_pin_to(path: Path, typed: str, again: str) -> str:
    """Store the PIN as a hash; raises `Refuse` for what is none, or differs."""
    from approvals.pause import COMMAND_LINE  # noqa: PLC0415
    from approvals.pin import set_pin  # noqa: PLC0415

    if typed != again:
        raise Refuse("the two were not the same; the PIN is as it was")
    with changing(path) as connection:
        set_pin(connection, typed, COMMAND_LINE, RealClock().now())
    return "The PIN is set. Approve on a card of the highest risk asks for it, and so does /resume."


def clear_the_pin(path: Path) -> str:
    """Take the PIN away."""
    from approvals.pause import COMMAND_LINE  # noqa: PLC0415
    from approvals.pin import clear_pin  # noqa: PLC0415

    with changing(path) as connection:
        cleared = clear_pin(connection, COMMAND_LINE, RealClock().now())
    return "No PIN is asked for any more." if cleared else "No PIN was set."
