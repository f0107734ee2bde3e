"""`butler reminders`: lists pending reminders, and previews how the butler would read a text. It changes nothing."""

import asyncio
from typing import Annotated

import typer

from butler.cli.errors import report_errors
from butler.cli.options import DEFAULT, ConfigOption, JsonOption

reminders_app = typer.Typer(help="What the butler will remind you of.", invoke_without_command=True)


@reminders_app.callback()
@report_errors
def reminders(
    context: typer.Context,
    config: ConfigOption = DEFAULT,
    as_json: JsonOption = False,
    all_of_them: Annotated[
        bool, typer.Option("--all", help="Also what was said already, and whether it was delivered.")
    ] = False,
) -> None:
    """List the reminders that are still to come, the next first."""
    if context.invoked_subcommand is not None:
        return
    from butler.cli.reminders.list import listed  # noqa: PLC0415 - heavy

    print(listed(config, as_json=as_json, everything=all_of_them))


@reminders_app.command()
@report_errors
def preview(
    texts: Annotated[list[str], typer.Argument(metavar="TEXT...", help="What you would say, in quotes; or a time.")],
    zone: Annotated[str, typer.Option(help="The zone that you live by, such as Europe/Berlin.")] = "",
    now: Annotated[str, typer.Option(help="The time it is said, ISO 8601.")] = "",
    as_json: JsonOption = False,
) -> None:
    """Show when the butler would remind you: the next five times, and of what. Nothing is kept."""
    from butler.cli.reminders.preview import as_line, as_words, previewed  # noqa: PLC0415 - heavy

    for text in texts:
        found = asyncio.run(previewed(text, zone=zone, now=now))
        print(as_line(found) if as_json else as_words(found))
