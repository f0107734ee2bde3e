"""`butler config`: checks the configuration, and shows the effective settings."""

import typer

from butler.cli.errors import report_errors
from butler.cli.options import DEFAULT, ConfigOption

config_app = typer.Typer(help="Look at the configuration.", no_args_is_help=True)


@config_app.command("check")
@report_errors
def config_check(config: ConfigOption = DEFAULT) -> None:
    """Say whether the configuration works, and what to change where it does not."""
    from butler.cli.config import check_config  # noqa: PLC0415

    print(check_config(config))


@config_app.command("show")
@report_errors
def config_show(config: ConfigOption = DEFAULT) -> None:
    """Show all settings as they are in force, without secrets."""
    from butler.cli.config import show_config  # noqa: PLC0415

    print(show_config(config))
