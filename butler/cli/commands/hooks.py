"""`butler hooks`: shows the requests that webhooks delivered, and replays one."""

from typing import Annotated

import typer

from butler.cli.errors import report_errors
from butler.cli.options import DEFAULT, ConfigOption, JsonOption

HookArgument = Annotated[str, typer.Argument(metavar="ID", help="A request's id, or how it begins.")]

hooks_app = typer.Typer(help="What webhooks brought.", invoke_without_command=True)


@hooks_app.callback()
@report_errors
def hooks(
    ctx: typer.Context,
    config: ConfigOption = DEFAULT,
    as_json: JsonOption = False,
    receiver: Annotated[str, typer.Option("--name", help="Only those of one webhook.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=1000, help="No more than the newest so many.")] = 50,
) -> None:
    """List what came in, the newest last."""
    if ctx.invoked_subcommand is not None:
        return
    from butler.cli.hooks import list_hooks  # noqa: PLC0415 - heavy

    print(list_hooks(config, receiver=receiver, limit=limit, as_json=as_json))


@hooks_app.command("show")
@report_errors
def show(hook: HookArgument, config: ConfigOption = DEFAULT, as_json: JsonOption = False) -> None:
    """Show a request: its body as it came, and what became of it."""
    from butler.cli.hooks import show_hook  # noqa: PLC0415 - heavy

    print(show_hook(config, hook, as_json=as_json))


@hooks_app.command("replay")
@report_errors
def replay(hook: HookArgument, config: ConfigOption = DEFAULT) -> None:
    """Have a request acted on once more, by the daemon that runs."""
    from butler.cli.hooks import replay_hook  # noqa: PLC0415 - heavy

    print(replay_hook(config, hook))
