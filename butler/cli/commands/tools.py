"""`butler tools`: lists the tools, and shows what each one says about itself."""

import asyncio
from typing import Annotated

import typer

from butler.cli.errors import report_errors
from butler.cli.options import DEFAULT, ConfigOption, JsonOption

ToolArgument = Annotated[
    str, typer.Argument(metavar="TOOL", help="A tool's name, such as `bot_prometheus_query_metrics`.")
]

tools_app = typer.Typer(help="The tools, and what each says of itself.", invoke_without_command=True)


@tools_app.callback()
@report_errors
def tools(ctx: typer.Context, config: ConfigOption = DEFAULT, as_json: JsonOption = False) -> None:
    """List every tool with its identity, direction, what it asks, and the accounts that it can act through."""
    if ctx.invoked_subcommand is not None:
        return
    from butler.cli.tools.list import list_tools  # noqa: PLC0415

    print(list_tools(config, as_json=as_json))


@tools_app.command("help")
@report_errors
def help_(tool: ToolArgument, config: ConfigOption = DEFAULT, as_json: JsonOption = False) -> None:
    """Say what a tool is for, what it takes and gives back, with an example."""
    _tell(tool, "help", config, as_json=as_json)


@tools_app.command("status")
@report_errors
def status(tool: ToolArgument, config: ConfigOption = DEFAULT, as_json: JsonOption = False) -> None:
    """Ask whether a tool can be used now: its contract, and whether its account is signed in."""
    _tell(tool, "status", config, as_json=as_json)


@tools_app.command("list-methods")
@report_errors
def list_methods(tool: ToolArgument, config: ConfigOption = DEFAULT, as_json: JsonOption = False) -> None:
    """List the provider's methods that a tool is made of, with scopes, limits and what makes a repeat safe."""
    _tell(tool, "list_methods", config, as_json=as_json)


@tools_app.command("list-providers")
@report_errors
def list_providers(tool: ToolArgument, config: ConfigOption = DEFAULT, as_json: JsonOption = False) -> None:
    """List the providers that stand behind a tool."""
    _tell(tool, "list_providers", config, as_json=as_json)


def _tell(tool: str, op: str, config: ConfigOption, *, as_json: bool) -> None:
    from butler.cli.tools.describe import describe_tool  # noqa: PLC0415

    print(asyncio.run(describe_tool(config, tool, op, as_json=as_json)))
