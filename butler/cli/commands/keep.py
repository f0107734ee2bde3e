"""`butler keep`: shows what retention would delete."""

from typing import Annotated

import typer

from butler.cli.options import DEFAULT, ConfigOption, JsonOption


def keep(
    config: ConfigOption = DEFAULT,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print it; nothing is let go from here.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Say what is kept no longer and would go in the next night, by the settings of retention."""
    if not dry_run:
        raise typer.BadParameter("write --dry-run to have it printed; the daemon lets go what is old each night")
    from butler.cli.keep import what_would_go  # noqa: PLC0415 - heavy

    print(what_would_go(config, as_json=as_json))
