"""`butler automations`: shows and changes what Butler does automatically."""

from pathlib import Path
from typing import Annotated

import typer

from butler.cli.errors import report_errors
from butler.cli.options import DEFAULT, ConfigOption, JsonOption

NumberArgument = Annotated[int, typer.Argument(metavar="NUMBER", min=1, help="An automation's number.")]

automations_app = typer.Typer(help="What Butler does by itself.", invoke_without_command=True)


@automations_app.callback()
@report_errors
def automations(ctx: typer.Context, config: ConfigOption = DEFAULT, as_json: JsonOption = False) -> None:
    """List the automations, by number."""
    if ctx.invoked_subcommand is not None:
        return
    from butler.cli.automations import list_automations  # noqa: PLC0415 - heavy

    print(list_automations(config, as_json=as_json))


@automations_app.command("show")
@report_errors
def show(number: NumberArgument, config: ConfigOption = DEFAULT, as_json: JsonOption = False) -> None:
    """Show an automation, and when it fired."""
    from butler.cli.automations import show_automation  # noqa: PLC0415 - heavy

    print(show_automation(config, number, as_json=as_json))


@automations_app.command("pause")
@report_errors
def pause(number: NumberArgument, config: ConfigOption = DEFAULT) -> None:
    """Pause an automation: nothing that happens meanwhile is made up for."""
    _take(number, "pause", config)


@automations_app.command("resume")
@report_errors
def resume(number: NumberArgument, config: ConfigOption = DEFAULT) -> None:
    """Let an automation go on."""
    _take(number, "resume", config)


@automations_app.command("remove")
@report_errors
def remove(number: NumberArgument, config: ConfigOption = DEFAULT) -> None:
    """Remove an automation that was made in the chat."""
    _take(number, "remove", config)


@automations_app.command("replay")
@report_errors
def replay(
    event: Annotated[str, typer.Argument(metavar="EVENT", help="An event's id, or how it begins.")],
    config: ConfigOption = DEFAULT,
    number: Annotated[int, typer.Option("--only", min=0, help="Only the automation of this number.")] = 0,
) -> None:
    """Let an event that is over fire its automations once more; what they do asks as ever."""
    from butler.cli.automations import replay_event  # noqa: PLC0415 - heavy

    print(replay_event(config, event, number))


@automations_app.command("test")
@report_errors
def dry_run(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Files of automations, in TOML.")],
    config: ConfigOption = DEFAULT,
    as_json: JsonOption = False,
) -> None:
    """Check automations in files, and say when each would have fired lately; nothing is saved."""
    from butler.cli.automations import try_file  # noqa: PLC0415 - heavy

    for file in files:
        print(try_file(config, file, as_json=as_json))


def _take(number: int, step: str, config: Path) -> None:
    from butler.cli.automations import take_step  # noqa: PLC0415 - heavy

    print(take_step(config, number, step))
