"""`butler new-module NAME`: writes the folder of a new channel, which works and passes all checks for modules."""

from pathlib import Path
from typing import Annotated

import typer


def new_module(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Small letters and digits, such as `weather`.")],
    adapter: Annotated[
        bool, typer.Option("--adapter", help="Make it a remote adapter, whose operations are under a frozen contract.")
    ] = False,
    bulk: Annotated[bool, typer.Option("--bulk", help="With a tool that acts on many things at once.")] = False,
) -> None:
    """Make a module with its tests in a checkout of Butler, to be changed into the one you want."""
    from butler.cli.new_module.scaffold import Scaffold  # noqa: PLC0415
    from butler.cli.new_module.scaffold import new_module as make  # noqa: PLC0415

    print(make(Path.cwd(), Scaffold(name, adapter=adapter, bulk=bulk)))
