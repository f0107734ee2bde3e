"""`butler db`: the database."""

import typer

from butler.cli.errors import report_errors
from butler.cli.options import DEFAULT, ConfigOption

db_app = typer.Typer(help="Look after the database.", no_args_is_help=True)


@db_app.command("upgrade")
@report_errors
def db_upgrade(config: ConfigOption = DEFAULT) -> None:
    """Bring the database to this version, after a backup."""
    from butler.cli.db import upgrade  # noqa: PLC0415

    print(upgrade(config))
