"""`butler pin`: sets and clears the PIN."""

import sys

import typer

from butler.cli.errors import report_errors
from butler.cli.options import DEFAULT, ConfigOption
from config.errors import Refuse

pin_app = typer.Typer(help="A PIN before what is of the highest risk, and before /resume.", no_args_is_help=True)


@pin_app.command("set")
@report_errors
def pin_set(config: ConfigOption = DEFAULT) -> None:
    """Set the PIN, asked for twice and not shown."""
    from butler.cli.pin import set_pin_to  # noqa: PLC0415 - heavy

    if not on_a_terminal():
        raise Refuse("a PIN is typed where it is not shown; run `butler pin set` on a terminal")
    typed = str(typer.prompt("PIN, 4 to 12 digits", hide_input=True))
    again = str(typer.prompt("The same again", hide_input=True))
    print(set_pin_to(config, typed, again))


@pin_app.command("clear")
@report_errors
def pin_clear(config: ConfigOption = DEFAULT) -> None:
    """Ask for no PIN any more."""
    from butler.cli.pin import clear_the_pin  # noqa: PLC0415 - heavy

    print(clear_the_pin(config))


def on_a_terminal() -> bool:
    """Return whether typed characters can be hidden."""
    return sys.stdin.isatty()
