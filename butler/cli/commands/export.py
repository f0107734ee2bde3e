"""`butler export`: writes everything that Butler knows into a folder to read."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from butler.cli.options import DEFAULT, ConfigOption


def export(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder that is made for it.")],
    config: ConfigOption = DEFAULT,
) -> None:
    """Write all that Butler knows about you into a folder to read; no secrets are in it."""
    from butler.cli.export import exported  # noqa: PLC0415 - heavy

    print(asyncio.run(exported(config, folder)))
