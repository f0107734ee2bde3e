"""`butler wipe`: deletes everything that Butler keeps."""

from typing import Annotated

import typer

from butler.cli.options import DEFAULT, ConfigOption


def wipe(
    config: ConfigOption = DEFAULT,
    backups: Annotated[bool, typer.Option("--backups", help="Take the backups in the data folder away, too.")] = False,
) -> None:
    """Take all that Butler keeps off this machine, for good; the daemon must be stopped. Asks for the butler's name."""
    from butler.cli.wipe import wiped  # noqa: PLC0415 - heavy

    print(wiped(config, typer.prompt("Type the name of the butler"), backups=backups))
