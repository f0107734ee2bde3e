"""Options shared by several commands."""

from pathlib import Path
from typing import Annotated

import typer

DEFAULT = Path("butler.toml")
ConfigOption = Annotated[
    Path,
    typer.Option("--config", "-c", help="The configuration file.", envvar="BUTLER_CONFIG"),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
