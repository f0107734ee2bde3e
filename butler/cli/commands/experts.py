"""`butler experts`: lists the experts, shows what each is told, and checks that all of them can be built."""

from typing import Annotated

import typer

from butler.cli.errors import report_errors
from butler.cli.options import DEFAULT, ConfigOption, JsonOption

experts_app = typer.Typer(help="Experts: fewer tools, more knowledge of one thing.", invoke_without_command=True)


@experts_app.callback()
@report_errors
def experts(ctx: typer.Context, config: ConfigOption = DEFAULT, as_json: JsonOption = False) -> None:
    """List the experts, yours included."""
    if ctx.invoked_subcommand is not None:
        return
    from butler.cli.experts import list_experts  # noqa: PLC0415

    print(list_experts(config, as_json=as_json))


@experts_app.command("show")
@report_errors
def show(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A name that `butler experts` lists.")],
    config: ConfigOption = DEFAULT,
) -> None:
    """Print what an expert is told, whole: its body, skills, tools, and what every planner is told."""
    from butler.cli.experts import show_expert  # noqa: PLC0415

    print(show_expert(config, name))


@experts_app.command("check")
@report_errors
def check(config: ConfigOption = DEFAULT) -> None:
    """Say everything that is wrong with the experts, and whether the tools that are installed are those there are."""
    from butler.cli.experts import check_experts  # noqa: PLC0415

    print(check_experts(config))
