"""`butler bulk`: shows bulk runs, and pauses, stops, undoes or retries one."""

from typing import Annotated

import typer

from butler.cli.errors import report_errors
from butler.cli.options import DEFAULT, ConfigOption, JsonOption

RUN = "A run's id, or how it begins."
RunArgument = Annotated[str, typer.Argument(metavar="RUN", help=RUN)]

bulk_app = typer.Typer(help="What is done to many things at once.", invoke_without_command=True)


@bulk_app.callback()
@report_errors
def bulk(
    ctx: typer.Context,
    config: ConfigOption = DEFAULT,
    as_json: JsonOption = False,
    running: Annotated[bool, typer.Option("--open", help="Only those that run or are paused.")] = False,
    limit: Annotated[int | None, typer.Option(min=1, help="No more than the newest so many.")] = None,
) -> None:
    """List the runs, the newest last."""
    if ctx.invoked_subcommand is not None:
        return
    from butler.cli.bulk.list import list_runs  # noqa: PLC0415

    print(list_runs(config, only_open=running, as_json=as_json, limit=limit))


@bulk_app.command("show")
@report_errors
def show(run: RunArgument, config: ConfigOption = DEFAULT, as_json: JsonOption = False) -> None:
    """Show a run: how far it is, what could not be done and why, and its entries in the audit log."""
    from butler.cli.bulk.list import show_run  # noqa: PLC0415

    print(show_run(config, run, as_json=as_json))


@bulk_app.command("pause")
@report_errors
def pause(run: RunArgument, config: ConfigOption = DEFAULT) -> None:
    """Pause a run before its next batch."""
    _take(run, "pause", config)


@bulk_app.command("resume")
@report_errors
def resume(run: RunArgument, config: ConfigOption = DEFAULT) -> None:
    """Go on with a run that is paused."""
    _take(run, "resume", config)


@bulk_app.command("stop")
@report_errors
def stop(run: RunArgument, config: ConfigOption = DEFAULT) -> None:
    """Stop a run before its next batch, for good: what was done stays done."""
    _take(run, "stop", config)


@bulk_app.command("undo")
@report_errors
def undo(run: RunArgument, config: ConfigOption = DEFAULT) -> None:
    """Put back what a run has done, for a week after its end."""
    _take(run, "undo", config)


@bulk_app.command("retry")
@report_errors
def retry(run: RunArgument, config: ConfigOption = DEFAULT) -> None:
    """Try again what a run could not do."""
    _take(run, "retry", config)


def _take(run: str, step: str, config: ConfigOption) -> None:
    from butler.bulk.run_actions import RunAction  # noqa: PLC0415
    from butler.cli.bulk.steps import take  # noqa: PLC0415

    print(take(config, run, RunAction(step)))
