"""`butler events`: lists what has happened."""

from typing import Annotated

import typer

from butler.cli.options import DEFAULT, ConfigOption, JsonOption


def events(
    config: ConfigOption = DEFAULT,
    as_json: JsonOption = False,
    name: Annotated[str, typer.Option("--name", help="Only those of this name, such as mail.received.")] = "",
    limit: Annotated[int, typer.Option(min=1, help="No more than the newest so many.")] = 50,
) -> None:
    """List what has happened, the newest last, with the ids by which an automation is fired again."""
    from butler.cli.events import list_events  # noqa: PLC0415 - heavy

    print(list_events(config, name, limit, as_json=as_json))
