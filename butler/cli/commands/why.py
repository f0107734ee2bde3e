"""`butler why`: shows what led to a message."""

from typing import Annotated

import typer

from butler.cli.options import DEFAULT, ConfigOption, JsonOption


def why(
    wanted: Annotated[str, typer.Argument(metavar="ID", help="As /why shows it in the chat.")],
    config: ConfigOption = DEFAULT,
    as_json: JsonOption = False,
) -> None:
    """Show what led to a message: the request, plan, approval, audit entries, and ids to look for in the log."""
    from butler.cli.why import trail_text  # noqa: PLC0415 - heavy

    print(trail_text(config, wanted, as_json=as_json))
