"""`butler run`: the daemon."""

from enum import StrEnum
from typing import Annotated

import typer

from butler.cli.options import DEFAULT, ConfigOption


class LogLevel(StrEnum):
    """The log level of the daemon."""

    DEBUG = "DEBUG"
    INFO = "INFO"
    WARNING = "WARNING"
    ERROR = "ERROR"


def run(
    config: ConfigOption = DEFAULT,
    log_level: Annotated[LogLevel, typer.Option(case_sensitive=False, help="How much the log says.")] = LogLevel.INFO,
) -> None:
    """Run the daemon until it is stopped."""
    from butler.daemon import run as run_daemon  # noqa: PLC0415
    from butler.logs import Redactor, setup  # noqa: PLC0415

    redactor = Redactor()
    setup(redactor, level=log_level)
    run_daemon(config, redactor=redactor)
