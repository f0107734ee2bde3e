"""`butler rules`: shows and changes the standing rules, and shows the policy that they belong to."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from butler.cli.errors import report_errors
from butler.cli.options import DEFAULT, ConfigOption, JsonOption

rules_app = typer.Typer(help="Your standing rules, and the policy they stand in.", invoke_without_command=True)
Number = Annotated[int, typer.Argument(min=1, metavar="NUMBER", help="The number that `butler rules` shows.")]


@rules_app.callback()
@report_errors
def rules(
    ctx: typer.Context,
    config: ConfigOption = DEFAULT,
    as_json: JsonOption = False,
    everything: Annotated[bool, typer.Option("--all", help="Also those that allow nothing any more.")] = False,
) -> None:
    """List your standing rules."""
    if ctx.invoked_subcommand is not None:
        return
    from butler.cli.rules import list_rules  # noqa: PLC0415

    print(list_rules(config, as_json=as_json, everything=everything))


@rules_app.command("policy")
@report_errors
def policy(config: ConfigOption = DEFAULT, as_json: JsonOption = False) -> None:
    """Show the whole policy as a table, in the order in which it is read."""
    from butler.cli.rules import show_policy  # noqa: PLC0415

    print(show_policy(config, as_json=as_json))


def _change(what: str, about: str) -> Callable[[int, Path], None]:
    def command(number: Number, config: ConfigOption = DEFAULT) -> None:
        from butler.cli.rules import change_rule  # noqa: PLC0415

        print(change_rule(config, number, what))

    command.__doc__ = about
    return report_errors(command)


rules_app.command("revoke")(
    _change("revoke", "Take a rule back for good. What it let pass and has not begun is cancelled.")
)
rules_app.command("disable")(_change("disable", "Put a rule out of force until you enable it."))
rules_app.command("enable")(_change("enable", "Put a disabled rule in force again."))
